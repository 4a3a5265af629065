"""What an invocation allows of the deletions of a run."""

from collections.abc import Mapping
from dataclasses import field

from nyl.core.dataclass import dataclass
from nyl.engine.authorization import Authorization


@dataclass(frozen=True)
class Permissions:
    """What the invocation allows.

    `approved` has the units whose teardown was approved. With `stops_at_waits` nothing starts any more once a teardown
    waits for an approval, as --fail-fast wants it.
    """

    allow_teardown: bool = False
    allow_dependents: bool = False
    allow_incomplete: bool = False
    approved: Mapping[str, Authorization] = field(default_factory=dict)
    stops_at_waits: bool = False
