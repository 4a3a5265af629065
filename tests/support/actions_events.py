"""Events of GitHub Actions: what the event file holds, and which commit and ref the run is of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

REPOSITORY = "acme/shop"


@dataclass(frozen=True)
class Event:
    """What started a run."""

    name: str
    sha: str
    ref: str = "refs/heads/main"
    payload: Mapping[str, Any] = field(default_factory=dict)
    head_ref: str = ""
    base_ref: str = ""
    repository: str = REPOSITORY


def push(sha: str, ref: str = "refs/heads/main") -> Event:
    """A push of a branch or of another ref."""
    return Event("push", sha, ref, {"ref": ref, "after": sha, "repository": _repository(REPOSITORY)})


def pull_request(
    sha: str,
    *,
    head: str,
    base: str = "0" * 40,
    number: int = 7,
    branch: str = "change",
    title: str = "Change",
    fork: str | None = None,
    name: str = "pull_request",
) -> Event:
    """A pull request whose merge commit is `sha`; from a fork where `fork` names one."""
    told = {
        "number": number,
        "title": title,
        "state": "open",
        "head": {"sha": head, "ref": branch, "repo": _repository(fork or REPOSITORY)},
        "base": {"sha": base, "ref": "main", "repo": _repository(REPOSITORY)},
    }
    payload = {"action": "synchronize", "number": number, "pull_request": told, "repository": _repository(REPOSITORY)}
    return Event(name, sha, f"refs/pull/{number}/merge", payload, branch, "main")


def merge_group(sha: str) -> Event:
    """A run of the merge queue."""
    ref = f"refs/heads/gh-readonly-queue/main/pr-7-{sha}"
    group = {"head_sha": sha, "head_ref": ref, "base_ref": "refs/heads/main"}
    return Event("merge_group", sha, ref, {"action": "checks_requested", "merge_group": group})


def schedule(sha: str) -> Event:
    """A scheduled run of the default branch."""
    return Event("schedule", sha, payload={"schedule": "17 4 * * *"})


def workflow_dispatch(sha: str, *, ref: str = "refs/heads/main", **inputs: str) -> Event:
    """A run that somebody started, with the inputs of the form."""
    payload = {"inputs": inputs, "ref": ref, "repository": _repository(REPOSITORY)}
    return Event("workflow_dispatch", sha, ref, payload)


def _repository(name: str) -> dict[str, Any]:
    return {"full_name": name, "name": name.partition("/")[2], "default_branch": "main"}
