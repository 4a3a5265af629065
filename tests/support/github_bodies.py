"""What the loopback GitHub server tells, in the form of GitHub's API."""

import copy
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

REPOSITORY = "acme/shop"
_DESCRIPTION = Path(__file__).parent / "github_openapi" / "operations.json"
_WHEN = "2026-10-25T12:00:00Z"


@dataclass
class Comment:
    """A comment of the pull request."""

    id: int
    author: str
    body: str


@dataclass
class Pull:
    """A pull request of REPOSITORY."""

    number: int = 7
    head_sha: str = "a" * 40
    head_repository: str = REPOSITORY
    state: str = "open"
    merge_sha: str = "c" * 40


@cache
def description() -> dict[str, Any]:
    """The operations of GitHub's API that are used, as GitHub describes them."""
    operations: dict[str, Any] = json.loads(_DESCRIPTION.read_text())
    return operations


def comment_body(comment: Comment, address: str) -> dict[str, Any]:
    """A comment as the API tells it."""
    here = f"{address}/repos/{REPOSITORY}/issues"
    return {
        "id": comment.id,
        "node_id": f"C{comment.id}",
        "url": f"{here}/comments/{comment.id}",
        "issue_url": f"{here}/7",
        "html_url": f"https://github.com/{REPOSITORY}/pull/7#issuecomment-{comment.id}",
        "body": comment.body,
        "user": user_body(comment.author),
        "created_at": _WHEN,
        "updated_at": _WHEN,
        "author_association": "NONE",
    }


def pull_body(pull: Pull) -> dict[str, Any]:
    """A pull request as the API tells it."""
    told = copy.deepcopy(description()["components"]["examples"]["pull-request"]["value"])
    # The teams of the example lack what the description requires of them.
    told.update(number=pull.number, state=pull.state, merge_commit_sha=pull.merge_sha, requested_teams=[])
    told["base"]["repo"]["full_name"] = REPOSITORY
    told["head"]["sha"] = pull.head_sha
    told["head"]["repo"]["full_name"] = pull.head_repository
    return told


def user_body(login: str) -> dict[str, Any]:
    """An account as the API tells it."""
    links = ["avatar", "events", "followers", "following", "gists", "html", "organizations", "received_events"]
    links += ["repos", "starred", "subscriptions"]
    return {
        "login": login,
        "id": sum(login.encode()),
        "node_id": f"U{login}",
        "gravatar_id": "",
        "url": f"https://api.github.com/users/{login}",
        "type": "Bot" if login.endswith("[bot]") else "User",
        "site_admin": False,
        **{f"{each}_url": f"https://api.github.com/users/{login}/{each}" for each in links},
    }
