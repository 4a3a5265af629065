"""Contexts of runs as GitHub Actions gives them."""

import json
from pathlib import Path
from typing import Any

from nyl.github.context import ActionsContext

HEAD, BASE, MERGE, OTHER = "a" * 40, "b" * 40, "c" * 40, "d" * 40
_FILE = "/github/workflow/event.json"


def pull_request(number: int = 7, fork: str | None = "acme/shop", **changes: Any) -> dict[str, Any]:
    """What an event tells of a pull request of acme/shop; `fork` is where its head comes from, None when deleted."""
    return {
        "number": number,
        "state": "open",
        "head": {"sha": HEAD, "ref": "$(touch pwned)", "repo": {"full_name": fork} if fork else None},
        "base": {"sha": BASE, "ref": "trunk", "repo": {"full_name": "acme/shop"}},
        **changes,
    }


def variables(event: str, **more: str) -> dict[str, str]:
    """The variables of a step."""
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": event,
        "GITHUB_EVENT_PATH": _FILE,
        "GITHUB_REPOSITORY": "acme/shop",
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_API_URL": "https://api.github.com",
        "GITHUB_RUN_ID": "42",
        "GITHUB_RUN_ATTEMPT": "1",
        "GITHUB_SHA": MERGE,
        "GITHUB_REF": "refs/pull/7/merge",
        **more,
    }


def context(event: str, payload: object | None = None, **more: str) -> ActionsContext:
    """The context of a step whose event file holds `payload`."""

    def read(file: Path) -> bytes:
        assert file == Path(_FILE)
        return json.dumps({} if payload is None else payload).encode()

    found = ActionsContext.from_environ(variables(event, **more), read)
    assert found is not None
    return found
