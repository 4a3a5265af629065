"""A kind that never runs from a worktree snapshot."""

from collections.abc import Mapping
from typing import Any

from nyl.units.inputs import Inputs
from nyl_test_drivers.base import TestDriver


class CommittedOnly(TestDriver):
    """Requires committed source."""

    kind = "CommittedOnly"

    def inputs(self, spec: Mapping[str, Any]) -> Inputs:
        return Inputs(requires_commit=True)
