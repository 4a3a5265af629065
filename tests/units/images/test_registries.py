"""What registries answer, and what becomes of a unit: logins, refusals, tags."""

import base64
import json
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from nyl.units.outcomes import Failed, FailureCategory, Verified
from tests.support.image_registry import ImageRegistry
from tests.support.registry_front import RegistryFront
from tests.units.images.bench import ImageBench, receipt

SECRETS = {"user": "alice", "password": "correct horse: battery"}
At = Callable[[str], ImageBench]


def auth(bench: ImageBench, **secrets: str) -> dict[str, object]:
    """Spec fields by which the bench's registry is logged in to."""
    bench.secrets = SECRETS | secrets
    return {"registryAuth": {bench.host: {"usernameSecret": "user", "passwordSecret": "password"}}}


def guarded(front: RegistryFront, *, bearer: bool = False) -> None:
    front.users, front.bearer = {SECRETS["user"]: SECRETS["password"]}, bearer


@pytest.mark.parametrize("bearer", [False, True])
def test_secrets_log_builder_and_verification_in(front: RegistryFront, image_at: At, bearer: bool) -> None:
    guarded(front, bearer=bearer)
    image = image_at(front.host)
    published = image.executed(tags=["dev"], **auth(image))
    assert front.behind.digest(image.name, "dev") == published["digest"]
    assert image.verify(published, **auth(image)) == Verified(False)
    assert (f"TOKEN repository:{image.name}:pull,push" in front.seen) is bearer


def test_a_login_is_neither_shown_nor_left_behind(front: RegistryFront, image_at: At) -> None:
    guarded(front)
    image = image_at(front.host)
    seen: list[str] = []

    def look(method: str, path: str) -> None:
        seen.extend(
            each.read_text() for each in image.folder.glob("nyl-unit-*/logins/config.json") if _is_private(each)
        )

    front.before = look
    image.write("Dockerfile", "FROM scratch\nARG WHO\nLABEL who=$WHO\n")
    encoded = base64.b64encode(f"{SECRETS['user']}:{SECRETS['password']}".encode()).decode()
    failed = image.failed(buildArgs={"WHO": encoded}, target=encoded.rstrip("="), **auth(image))
    assert encoded in seen[0]
    assert encoded not in image.text + failed.message
    assert not list(image.folder.glob("nyl-unit-*"))


def _is_private(file: Path) -> bool:
    return stat.S_IMODE(file.stat().st_mode) == 0o600 and stat.S_IMODE(file.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("bearer", [False, True])
def test_a_wrong_login_fails_before_anything_is_built(front: RegistryFront, image_at: At, bearer: bool) -> None:
    guarded(front, bearer=bearer)
    image = image_at(front.host)
    failed = image.failed(**auth(image, password="wrong"))
    assert (failed.category, failed.retryable) == (FailureCategory.CREDENTIALS, True)
    assert "registryAuth" in failed.message
    assert not image.lines


def test_no_login_is_a_matter_of_credentials(front: RegistryFront, image_at: At) -> None:
    guarded(front)
    assert image_at(front.host).failed().category is FailureCategory.CREDENTIALS


def test_a_login_that_may_not_push_is_named_as_the_reason(front: RegistryFront, image_at: At) -> None:
    guarded(front)
    front.readers = {SECRETS["user"]}
    image = image_at(front.host)
    failed = image.failed(**auth(image))
    assert (failed.category, failed.retryable) == (FailureCategory.CREDENTIALS, True)
    assert "denies pushing" in failed.message


@pytest.mark.parametrize(("name", "value"), [("user", "a:b"), ("user", " "), ("password", "")])
def test_secrets_that_are_no_login_are_named_by_their_keys(
    front: RegistryFront, image_at: At, name: str, value: str
) -> None:
    image = image_at(front.host)
    failed = image.failed(**auth(image, **{name: value}))
    assert failed.category is FailureCategory.CREDENTIALS
    assert f"(secret {name})" in failed.message


def test_the_machines_own_logins_are_used_without_registry_auth(front: RegistryFront, image_at: At) -> None:
    guarded(front)
    image = image_at(front.host)
    encoded = base64.b64encode(f"{SECRETS['user']}:{SECRETS['password']}".encode()).decode()
    file = image.folder / ".docker/config.json"
    file.parent.mkdir()
    file.write_text(json.dumps({"auths": {front.host: {"auth": encoded}}}))
    assert image.verify(image.executed()) == Verified(False)


def test_a_credential_helper_is_asked_where_the_machine_has_one(front: RegistryFront, image_at: At) -> None:
    guarded(front)
    image = image_at(front.host)
    helper = image.folder / "bin/docker-credential-tests"
    helper.parent.mkdir()
    answer = json.dumps({"Username": SECRETS["user"], "Secret": SECRETS["password"]})
    helper.write_text(f"#!/bin/sh\nread -r host\n[ \"$host\" = {front.host} ] && echo '{answer}'\n")
    helper.chmod(0o755)
    image.write("config.json", json.dumps({"credHelpers": {front.host: "tests"}}), place=".docker")
    image.variables = {**image.variables, "PATH": f"{helper.parent}:/usr/bin:/bin"}
    assert image.verify(image.executed()) == Verified(False)


def test_a_registry_that_is_down_is_asked_again_by_the_next_run(image_at: At) -> None:
    image = image_at("127.0.0.1:1")
    failed = image.failed()
    assert (failed.category, failed.retryable) == (FailureCategory.EXECUTION, True)
    assert "127.0.0.1:1 cannot be reached" in failed.message
    assert not image.lines
    verified = image.verify({"digest": f"sha256:{'0' * 64}", "platformDigests": {}})
    assert isinstance(verified, Failed)
    assert "cannot be reached" in verified.message


def test_a_push_that_the_registry_breaks_off_is_retryable(front: RegistryFront, image_at: At) -> None:
    front.before = lambda method, path: 500 if "/blobs/uploads" in path else None
    image = image_at(front.host)
    failed = image.failed()
    assert (failed.category, failed.retryable) == (FailureCategory.EXECUTION, True)
    assert "answered 500" in failed.message


def test_an_image_with_the_same_content_is_not_pushed_again(front: RegistryFront, image_at: At) -> None:
    front.immutable = True
    image = image_at(front.host)
    first = image.executed(tags=["v1"])
    front.seen.clear()
    assert image.executed(tags=["v1"]) == first
    assert front.pushes() == []


def test_an_index_with_the_same_content_is_not_pushed_again(front: RegistryFront, image_at: At) -> None:
    front.immutable = True
    image = image_at(front.host)
    platforms = ["linux/amd64", "linux/arm64"]
    first = image.executed(platforms=platforms)
    front.seen.clear()
    assert image.executed(platforms=platforms) == first
    assert front.pushes() == []


def test_an_immutable_tag_that_names_another_image_is_not_moved(front: RegistryFront, image_at: At) -> None:
    front.immutable = True
    image = image_at(front.host)
    first = image.executed(key="sha256:" + "1" * 64, tags=["v1"])
    image.write("a", "changed")
    failed = image.failed(receipt(first), "sha256:" + "2" * 64, tags=["v1"])
    assert not failed.retryable
    assert "does not let the tag v1" in failed.message
    assert "answered 412" in failed.message
    assert front.behind.digest(image.name, "v1") == first["digest"]


def test_the_units_own_tags_follow_its_image(image: ImageBench, registry: ImageRegistry) -> None:
    first = image.executed(key="sha256:" + "1" * 64, tags=["dev"])
    image.write("a", "changed")
    second = image.executed(receipt(first), "sha256:" + "2" * 64, tags=["dev"])
    assert registry.digest(image.name, "dev") == second["digest"] != first["digest"]
    assert registry.digest(image.name, "nyl-" + "1" * 16) == first["digest"]


def test_somebody_elses_tag_stays_unless_it_may_be_moved(image: ImageBench, registry: ImageRegistry) -> None:
    theirs = image.executed(key="sha256:" + "1" * 64, tags=["latest"])
    image.write("a", "changed")
    failed = image.failed(key="sha256:" + "2" * 64, tags=["latest"])
    assert not failed.retryable
    assert theirs["digest"] in failed.message
    assert "moveTags: true" in failed.message
    assert registry.digest(image.name, "latest") == theirs["digest"]
    ours = image.executed(key="sha256:" + "2" * 64, tags=["latest"], moveTags=True)
    assert registry.digest(image.name, "latest") == ours["digest"]


def test_tags_are_set_after_the_tag_of_the_key(front: RegistryFront, image_at: At) -> None:
    image = image_at(front.host)
    image.executed(key="sha256:" + "1" * 64, tags=["b", "a"])
    assert front.pushes() == ["nyl-" + "1" * 16, "b", "a"]
