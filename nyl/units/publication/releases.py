"""The field of a publication's spec that holds the inputs of Releases; no user writes it."""

from collections.abc import Mapping
from typing import Any

RELEASES = "releases"
"""References at first, as the target binds them; all effective values once the unit is resolved."""

Releases = Mapping[str, Mapping[str, Any]]
"""Key `<group>/<release>` -> input -> value."""
