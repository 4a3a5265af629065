"""What keeps a repository from taking a push for good, where its words tell: for people, never to decide on."""

import re

from nyl.core.dataclass import dataclass
from nyl.git.updates import PushResult

_CONFLICT = re.compile(r"'(?P<ref>refs/[^']+)' exists; cannot create|directory file conflict")
_NO_ATOMIC = "does not support --atomic"


@dataclass(frozen=True)
class Obstacle:
    """Why a push can never be taken as it is, as a sentence, and what takes that away where no other place will do."""

    why: str
    fix: str
    of_repository: bool = False
    """Whether it keeps every ref of the repository from being pushed to, rather than some of them."""


def obstacle(result: PushResult) -> Obstacle | None:
    """What a push met that was refused, or not even asked for; None where nothing is known but what was said."""
    said = "\n".join((*result.reasons.values(), result.text))
    conflict = _CONFLICT.search(said)
    if conflict:
        other = conflict["ref"] or "a ref above or below it"
        return Obstacle(
            f"There is {other}, and Git keeps no ref below another.", f"rename {other} there if nothing uses it"
        )
    if _NO_ATOMIC in said:
        return Obstacle(
            "That repository takes no atomic pushes, which nyl needs to write all of its refs or none.",
            "let its host offer them (`git config receive.advertiseAtomic true` where it lies)",
            of_repository=True,
        )
    return None
