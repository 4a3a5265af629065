"""`[approval] lookup`: a program of the project that tells in CI who approved.

Follows the section Approvals of the Runs page. Whatever goes wrong with it stops the invocation before any unit runs.
"""

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.engine.approvers import ApprovalQuestion, Approver, ApproverIdentity

LOOKUP_SECONDS = 30.0
"""How long the program may take."""

_FIELDS = ("by", "source", "url")
_MOST_PRINTED = 64 * 1024
_LONGEST = 1000

Programs = Callable[[Mapping[str, str]], Callable[[Sequence[str], float], bytes]]
"""Runs a program of the project for so many seconds with some more variables, and gives what it prints."""


@dataclass(frozen=True)
class ProjectLookup:
    """Asks the project's own program. It is given what is approved, and answers on stdout with one JSON object."""

    argv: tuple[str, ...]
    programs: Programs
    seconds: float = LOOKUP_SECONDS

    def __call__(self, question: ApprovalQuestion) -> Approver:
        """Who approved, as the program says. Raises NYL-APPROVAL-INVALID."""
        variables = {
            "NYL_ENVIRONMENT": question.environment,
            "NYL_APPROVAL_UNITS": json.dumps(list(question.units)),
            "NYL_APPROVAL_DIGESTS": json.dumps(dict(question.digests)),
        }
        try:
            printed = self.programs(variables)(self.argv, self.seconds)
            return replace(approver_of(printed), command=self.argv)
        except TimeoutError:
            raise self._invalid(question, f"it took longer than {self.seconds:g} s") from None
        except (OSError, ValueError) as problem:
            raise self._invalid(question, str(problem)) from None

    def _invalid(self, question: ApprovalQuestion, why: str) -> NylError:
        return NylError(
            Code.APPROVAL_INVALID,
            f"The approval lookup {shlex.join(self.argv)} of nyl.toml gave no approvers for {question.environment}: "
            f"{why}.",
            "run it by hand in the project's folder with NYL_ENVIRONMENT, NYL_APPROVAL_UNITS and NYL_APPROVAL_DIGESTS "
            'set: it has to print one JSON object such as {"by": ["alice"], "source": "production gate", "url": '
            '"https://ci.example/run/1"} and to end with exit code 0',
            environment=question.environment,
        )


def approver_of(printed: bytes) -> Approver:
    """The approvers that a lookup names. Raises ValueError with a clause about what it printed."""
    if len(printed) > _MOST_PRINTED:
        raise ValueError(f"it printed more than {_MOST_PRINTED // 1024} KiB")
    answer = _object(printed)
    missing = [name for name in _FIELDS if name not in answer]
    unknown = sorted(answer.keys() - set(_FIELDS))
    if missing or unknown:
        raise ValueError(
            f"its answer lacks {' and '.join(missing)}"
            if missing
            else f"its answer has {unknown[0]!r}, which is not known"
        )
    by, source, url = (answer[name] for name in _FIELDS)
    if not isinstance(by, list) or not by or not all(map(_is_name, by)):
        raise ValueError("its field by is not a list of at least one name")
    if not _is_name(source):
        raise ValueError("its field source is not a text of one line")
    if not _is_name(url) or not _is_link(url):
        raise ValueError("its field url is not a URL that starts with http:// or https:// and holds no credentials")
    return Approver(tuple(by), source, ApproverIdentity.VERIFIED, url)


def _object(printed: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(printed.decode())
    except (ValueError, RecursionError):
        raise ValueError("what it printed is not JSON") from None
    if not isinstance(answer, dict):
        raise ValueError("what it printed is not one JSON object")
    return answer


def _is_name(value: object) -> bool:
    """Whether a value is a text of one line that is not blank."""
    return isinstance(value, str) and bool(value.strip()) and value.isprintable() and len(value) <= _LONGEST


def _is_link(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc
