"""How bindings of a DeploymentTarget are written."""

from typing import Any

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.core.schemas import Validator
from nyl.kubernetes.inputs.bindings import (
    Binding,
    FromFile,
    FromGit,
    FromPublication,
    FromUnit,
    InlineValue,
    read_binding,
)
from nyl.kubernetes.inputs.sources import GitLock
from nyl.project.resources import RepositoryLocation
from nyl.project.schema_catalog import resource_schema
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
    return GitLock(
        repository, "main", COMMIT, "staging/sizing.json", "the binding platform/web/image of DeploymentTarget staging"
    )


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


def test_a_reference_to_a_unit_is_kept_as_it_is_written() -> None:
    reference = {"unit": "database", "output": "host"}
    assert read({"fromUnit": reference}).source == FromUnit(reference)


def test_a_promotion_is_reserved() -> None:
    assert refusal({"fromPromotion": {}}).startswith(" uses fromPromotion, which is reserved for orchestration")


def reasons(raw: Any) -> list[str]:
    """What the schema of a DeploymentTarget says of a binding."""
    bound = {"platform/web": {"image": raw}}
    publication = {"repositoryRef": {"name": "deploy"}, "revision": "deploy"}
    document = {
        "apiVersion": "k8s.gitops.nyl/v1",
        "kind": "DeploymentTarget",
        "metadata": {"name": "staging"},
        "spec": {"publication": publication, "releaseInputs": bound},
    }
    found = Validator(resource_schema("DeploymentTarget")).problems(document)
    return [f"{each.pointer.removeprefix(PLACE)} {each.reason}" for each in found]


@pytest.mark.parametrize(
    "raw",
    [
        {"value": None},
        {"value": {"a": [1]}},
        {"fromFile": {"path": "a.yaml", "pointer": "/a~1b"}},
        {"fromGit": {**LOCK, "pointer": "/web/tier"}},
        {"fromPublication": {"path": "s.json", "pointer": "/web", "carryFileFromWorktree": "build/i.json"}},
        {"fromUnit": {"unit": "x", "output": "host"}},
        {"fromUnit": {"environment": "infra", "unit": "x", "output": "host", "evidence": "published"}},
        {"fromUnit": {"unit": "x", "artifact": "image", "pointer": "/reference"}},
        {"fromPromotion": {}},
    ],
)
def test_a_resource_may_hold_each_source(raw: Any) -> None:
    assert reasons(raw) == []


@pytest.mark.parametrize(
    "raw",
    [
        {},
        {"value": 1, "fromFile": {"path": "a"}},
        "text",
        None,
        {"fromfile": {}},
        {"fromFile": "a.yaml"},
        {"fromFile": {}},
        {"fromFile": {"path": ""}},
        {"fromFile": {"path": 1}},
        {"fromFile": {"path": "a", "pointr": ""}},
        {"fromFile": {"path": "a", "pointer": "a/b"}},
        {"fromFile": {"path": "a", "pointer": "/~2"}},
        {"fromFile": {"path": "a", "pointer": None}},
        {"fromPublication": {"pointer": "/a"}},
        {"fromUnit": {}},
        {"fromUnit": {"unit": "x"}},
        {"fromUnit": {"output": "host"}},
        {"fromUnit": {"unit": "x", "output": "host", "artifact": "image"}},
        {"fromUnit": {"unit": "x", "output": "host", "pointer": "/a"}},
        {"fromUnit": {"unit": "x", "artifact": "image", "pointer": "a"}},
        {"fromUnit": {"unit": "x", "output": "host", "outptu": "a"}},
        {"fromUnit": "x"},
        {"fromPublication": {"path": "a", "carryFileFromWorktree": None}},
        *({"fromGit": {key: value for key, value in LOCK.items() if key != missing}} for missing in LOCK),
        *({"fromGit": {**LOCK, "commit": commit}} for commit in (COMMIT[:12], COMMIT.upper(), COMMIT + "0", "main")),
        {"fromGit": {**LOCK, "repository": {"repoURL": "https://git.example.com/a"}}},
    ],
)
def test_what_is_no_binding_does_not_pass_its_schema(raw: Any) -> None:
    assert reasons(raw)[0].startswith(("/", " "))


@pytest.mark.parametrize("fields", [{}, {"output": "a", "pointer": "/b"}, {"output": "a", "artifact": "b"}])
def test_a_reference_to_a_unit_that_is_none_is_told_in_words(fields: dict[str, str]) -> None:
    told = "must name either an output, without a pointer, or an artifact, with a pointer into it"
    assert reasons({"fromUnit": {"unit": "x", **fields}}) == [f"/fromUnit {told}"]


@pytest.mark.parametrize("path", ["/a.json", "../a.json", "a/../../b", "./a", "a//b", "a/.git/config", "a/"])
def test_the_path_of_a_lock_is_relative_to_its_repository(path: str) -> None:
    assert refusal({"fromGit": {**LOCK, "path": path}}).startswith("/fromGit/path must be a path inside the repository")


@pytest.mark.parametrize(
    ("repository", "code"),
    [
        ({"repositoryRef": {"name": "platfrom-state"}}, Code.REPOSITORY_UNKNOWN),
        ({"repository": {"repoURL": "https://me:secret@git.example.com/a"}}, Code.URL_REFUSED),
    ],
)
def test_a_repository_that_cannot_be_used(repository: dict[str, Any], code: Code) -> None:
    left = {key: value for key, value in LOCK.items() if key != "repositoryRef"}
    with pytest.raises(NylError) as caught:
        read({"fromGit": {**left, **repository}})
    [found] = caught.value.diagnostics
    assert (found.code, str(found.location)) == (code, "targets/staging.yaml:4")
    assert "secret" not in found.message
