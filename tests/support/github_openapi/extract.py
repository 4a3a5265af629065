#!/usr/bin/env python3
"""Makes operations.json, the part of GitHub's OpenAPI description that the loopback server is held to.

    npm pack @octokit/openapi@23.0.2
    tests/support/github_openapi/extract.py octokit-openapi-23.0.2.tgz

It keeps the operations that nyl uses and everything that they refer to, without what only tells a reader.
"""

import json
import sys
import tarfile
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("operations.json")
SOURCE = "package/generated/api.github.com.json"
OPERATIONS = (
    ("/repos/{owner}/{repo}/issues/{issue_number}/comments", "get"),
    ("/repos/{owner}/{repo}/issues/{issue_number}/comments", "post"),
    ("/repos/{owner}/{repo}/issues/comments/{comment_id}", "patch"),
    ("/repos/{owner}/{repo}/issues/comments/{comment_id}", "delete"),
    ("/repos/{owner}/{repo}/pulls/{pull_number}", "get"),
    ("/repos/{owner}/{repo}/commits/{commit_sha}/pulls", "get"),
    ("/repos/{owner}/{repo}/actions/runs/{run_id}/approvals", "get"),
)
PROSE = frozenset({"description", "example", "summary", "externalDocs", "tags", "x-github", "x-octokit", "title"})
EXAMPLES = frozenset({"pull-request"})
"""What the server makes its pull requests from; of other examples nothing is kept."""


def extract(whole: dict[str, Any]) -> dict[str, Any]:
    """The description of OPERATIONS alone."""
    paths: dict[str, Any] = {}
    for path, method in OPERATIONS:
        paths.setdefault(path, {})[method] = _bare(whole["paths"][path][method])
    components: dict[str, dict[str, Any]] = {}
    waiting = [paths]
    while waiting:
        for section, name in _references(waiting.pop()):
            if name not in components.setdefault(section, {}):
                kept = whole["components"][section][name]
                components[section][name] = kept if section == "examples" else _bare(kept)
                waiting.append(components[section][name])
    for response in [*_responses(paths), *components.get("responses", {}).values()]:
        response.setdefault("description", "")  # the one text that OpenAPI asks for
    info = {
        "title": "GitHub v3 REST API, extract",
        "version": whole["info"]["version"],
        "license": whole["info"]["license"],
    }
    return {"openapi": whole["openapi"], "info": info, "paths": paths, "components": components}


def _responses(paths: dict[str, Any]) -> list[dict[str, Any]]:
    operations = [operation for methods in paths.values() for operation in methods.values()]
    responses = [response for operation in operations for response in operation["responses"].values()]
    return [response for response in responses if "$ref" not in response]


def _bare(value: Any, *, named: bool = False) -> Any:
    """A value without prose. The members of `properties` have names of their own, which may be words of prose."""
    if isinstance(value, list):
        return [_bare(each) for each in value]
    if not isinstance(value, dict):
        return value
    kept = {key: each for key, each in value.items() if named or key not in PROSE}
    if not named and "examples" in kept:
        kept["examples"] = {key: each for key, each in kept["examples"].items() if _is_kept(each)}
        if not kept["examples"]:
            del kept["examples"]
    return {key: _bare(each, named=key == "properties" and not named) for key, each in kept.items()}


def _is_kept(example: Any) -> bool:
    return example.get("$ref", "").rpartition("/")[2] in EXAMPLES


def _references(value: Any) -> list[tuple[str, str]]:
    if isinstance(value, list):
        return [found for each in value for found in _references(each)]
    if not isinstance(value, dict):
        return []
    own = [tuple(value["$ref"].split("/")[2:])] if isinstance(value.get("$ref"), str) else []
    return [*own, *(found for each in value.values() for found in _references(each))]


def main() -> None:
    """Reads the package that the command line names."""
    with tarfile.open(sys.argv[1]) as package:
        member = package.extractfile(SOURCE)
        assert member is not None
        whole = json.load(member)
    FILE.write_text(json.dumps(extract(whole), indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
