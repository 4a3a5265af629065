"""How bindings of a DeploymentTarget are written."""

from typing import Any

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.kubernetes.inputs.bindings import Binding, FromFile, FromGit, FromPublication, InlineValue, read_binding
from nyl.kubernetes.inputs.sources import GitLock
from nyl.project.resources import RepositoryLocation
from tests.kubernetes.inputs.builders import COMMIT, STATE, WEB, context

LOCK = {
    "repositoryRef": {"name": "platform-state"},
    "revision": "main",
    "commit": COMMIT,
    "path": "staging/sizing.json",
}
PLACE = "/spec/releaseInputs/platform~1web/image"


def read(raw: Any) -> Binding:
    return read_binding(context({}), WEB, "image", raw)


def refusal(raw: Any) -> str:
    with pytest.raises(NylError) as caught:
        read(raw)
    [found] = caught.value.diagnostics
    assert found.code is Code.INPUT_BINDING
    return found.message.removeprefix(f"targets/staging.yaml:4: DeploymentTarget staging: {PLACE}")


def lock(repository: RepositoryLocation = STATE) -> GitLock:
    return GitLock(repository, "main", COMMIT, "staging/sizing.json", "staging platform/web/image/fromGit")


@pytest.mark.parametrize(
    ("raw", "source"),
    [
        ({"value": None}, InlineValue(None)),
        ({"value": {"a": [1]}}, InlineValue({"a": [1]})),
        ({"fromFile": {"path": "a.yaml"}}, FromFile("a.yaml")),
        ({"fromFile": {"path": "a.yaml", "pointer": "/a~1b"}}, FromFile("a.yaml", "/a~1b")),
        ({"fromGit": LOCK}, FromGit(lock())),
        ({"fromGit": {**LOCK, "pointer": "/web/tier"}}, FromGit(lock(), "/web/tier")),
        ({"fromPublication": {"path": "state/i.json"}}, FromPublication("state/i.json")),
        (
            {"fromPublication": {"path": "s.json", "pointer": "/web", "carryFileFromWorktree": "build/i.json"}},
            FromPublication("s.json", "/web", "build/i.json"),
        ),
    ],
)
def test_each_source(raw: Any, source: Any) -> None:
    assert read(raw) == Binding(WEB, "image", source, PLACE)


def test_a_repository_may_be_written_inline() -> None:
    inline = {key: value for key, value in LOCK.items() if key != "repositoryRef"}
    found = read({"fromGit": {**inline, "repository": {"repoURL": "https://git.example.com/other"}}})
    assert found.source == FromGit(lock(RepositoryLocation("https://git.example.com/other")))


@pytest.mark.parametrize("name", ["fromUnit", "fromPromotion"])
def test_sources_of_orchestration_are_reserved(name: str) -> None:
    assert refusal({name: {"unit": "x"}}).startswith(f" uses {name}, which is reserved for orchestration")


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        ({}, " must set exactly one source, and has none."),
        ({"value": 1, "fromFile": {"path": "a"}}, " must set exactly one source, and has value, fromFile."),
        ("text", ' must set exactly one source, and has "text".'),
        (None, " must set exactly one source, and has null."),
        ({"fromfile": {}}, " has the unknown source fromfile."),
        ({"fromFile": "a.yaml"}, '/fromFile must be a mapping, not "a.yaml".'),
        ({"fromFile": {}}, "/fromFile lacks the required field path."),
        ({"fromFile": {"path": ""}}, "/fromFile/path must be a string that is not empty, and is empty."),
        ({"fromFile": {"path": 1}}, "/fromFile/path must be a string that is not empty, and is 1."),
        ({"fromFile": {"path": "a", "pointr": ""}}, "/fromFile/pointr is an unknown field."),
        ({"fromFile": {"path": "a", "pointer": "a/b"}}, '/fromFile/pointer must be a JSON Pointer, not "a/b".'),
        ({"fromFile": {"path": "a", "pointer": "/~2"}}, '/fromFile/pointer must be a JSON Pointer, not "/~2".'),
        ({"fromFile": {"path": "a", "pointer": None}}, "/fromFile/pointer must be a JSON Pointer, not null."),
        ({"fromPublication": {"pointer": "/a"}}, "/fromPublication lacks the required field path."),
        (
            {"fromPublication": {"path": "a", "carryFileFromWorktree": None}},
            "/fromPublication/carryFileFromWorktree must be a string that is not empty, and is null.",
        ),
    ],
)
def test_what_is_no_binding(raw: Any, why: str) -> None:
    assert refusal(raw) == why


@pytest.mark.parametrize("missing", ["revision", "commit", "path"])
def test_a_lock_has_a_revision_a_commit_and_a_path(missing: str) -> None:
    left = {key: value for key, value in LOCK.items() if key != missing}
    assert refusal({"fromGit": left}) == f"/fromGit lacks the required field {missing}."


@pytest.mark.parametrize("commit", [COMMIT[:12], COMMIT.upper(), COMMIT + "0", "main", " " + COMMIT[1:]])
def test_a_lock_holds_the_full_commit_id_in_small_letters(commit: str) -> None:
    assert refusal({"fromGit": {**LOCK, "commit": commit}}).startswith("/fromGit/commit must be a full commit id")


@pytest.mark.parametrize("path", ["/a.json", "../a.json", "a/../../b", "./a", "a//b", "a/.git/config", "a/"])
def test_the_path_of_a_lock_is_relative_to_its_repository(path: str) -> None:
    assert refusal({"fromGit": {**LOCK, "path": path}}).startswith("/fromGit/path must be a path inside the repository")


def test_a_lock_names_a_repository() -> None:
    left = {key: value for key, value in LOCK.items() if key != "repositoryRef"}
    assert refusal({"fromGit": left}) == "/fromGit names no repository."


@pytest.mark.parametrize(
    ("repository", "code"),
    [
        ({"repositoryRef": {"name": "platfrom-state"}}, Code.REPOSITORY_UNKNOWN),
        ({"repositoryRef": {}}, Code.INPUT_BINDING),
        ({"repositoryRef": "deploy"}, Code.INPUT_BINDING),
        ({"repository": {"repoURL": "https://me:secret@git.example.com/a"}}, Code.URL_REFUSED),
        ({"repository": {}}, Code.INPUT_BINDING),
        ({"repository": {"repoURL": "https://git.example.com/a"}, **LOCK}, Code.RESOURCE_INVALID),
    ],
)
def test_a_repository_that_cannot_be_named(repository: dict[str, Any], code: Code) -> None:
    left = {key: value for key, value in LOCK.items() if key != "repositoryRef"}
    with pytest.raises(NylError) as caught:
        read({"fromGit": {**left, **repository}})
    [found] = caught.value.diagnostics
    assert (found.code, str(found.location)) == (code, "targets/staging.yaml:4")
    assert "secret" not in found.message
