"""Variables whose values no plan holds, so that an apply needs them again: ephemeral ones.

What the tool shows of a plan does not say which variables these are, and gives their defaults as if those were set. A
tool that knows such variables takes all of them again, and compares those that the plan holds; an older one takes none.
"""

import re
from collections.abc import Iterable

_KNOWN_SINCE = {"terraform": (1, 10), "tofu": (1, 11)}
_RELEASE = re.compile(r"(\d+)\.(\d+)\.")


def may_hold_ephemeral_variables(program: str, version: str, texts: Iterable[bytes]) -> bool:
    """Whether a root module with some files may declare such variables for this version of a tool."""
    release = _RELEASE.match(version)
    if release is None or (int(release[1]), int(release[2])) < _KNOWN_SINCE[program]:
        return False
    return any(b"ephemeral" in each for each in texts)
