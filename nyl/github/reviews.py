"""Who approved a run: the decision table over GitHub's review history of it.

Follows the section Approvals of the Runs page. The history has one entry a review, with the environments that it was
for:

| entry | counts |
| --- | --- |
| `approved`, names the environment (compared without case) | its user is an approver |
| `approved` by several users | each is, in the order of the history |
| `approved` twice by one user | once |
| `approved` by a user whose account was deleted | not: there is no name to record |
| `rejected`, before or after an approval | not, and takes no approval back: a job that runs was let through |
| `pending`, which is a comment | not |
| names other environments only | not |
| a state that is none of these, or no entry at all | not |
| attempt 2 or later, all approvals by one user | that user: whichever attempt was approved, nobody else did |
| attempt 2 or later, approvals by several users | nobody: the history does not tell attempts apart |
"""

from collections.abc import Iterable, Mapping
from typing import Any

from nyl.core.dataclass import dataclass

_APPROVED = "approved"


@dataclass(frozen=True)
class Review:
    """An entry of the history. `user` None is an account that was deleted."""

    state: str
    user: str | None
    environments: frozenset[str]


@dataclass(frozen=True)
class Reviewers:
    """Who approved, and what keeps approvals from having a name; '' where nothing does."""

    names: tuple[str, ...] = ()
    doubt: str = ""


def reviewers(history: Iterable[Review], environment: str, attempt: int) -> Reviewers:
    """Who approved an attempt of a run for an environment."""
    wanted = environment.casefold()
    approved = [each for each in history if each.state == _APPROVED and wanted in map(str.casefold, each.environments)]
    names = tuple(dict.fromkeys(each.user for each in approved if each.user is not None))
    deleted = any(each.user is None for each in approved)
    if attempt > 1 and len(names) + deleted > 1:
        return Reviewers(doubt=f"GitHub does not tell which of several users approved attempt {attempt} of the run")
    if deleted and not names:
        return Reviewers(doubt="the account that approved was deleted, so that it has no name")
    return Reviewers(names)


def parse_review(told: Any) -> Review | None:
    """An entry as the API gives it; None where it is none."""
    if not isinstance(told, Mapping) or not isinstance(told.get("state"), str):
        return None
    user = told.get("user")
    login = user.get("login") if isinstance(user, Mapping) else None
    environments = told.get("environments")
    names = [each.get("name") for each in environments or () if isinstance(each, Mapping)]
    return Review(
        told["state"],
        login if isinstance(login, str) and login else None,
        frozenset(name for name in names if isinstance(name, str)),
    )
