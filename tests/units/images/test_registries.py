"""What registries answer, and what becomes of a unit: logins, refusals, tags."""

import base64
import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nyl.core.canonical import digest_bytes
from nyl.units.driver import ReceiptFacts
from nyl.units.outcomes import Failed, FailureCategory, Verified
from tests.support.image_registry import ImageRegistry
from tests.support.registry_front import RegistryFront, registry_front
from tests.units.images.bench import NO_RECEIPT, ImageBench, receipt
from tests.units.images.stub import BUILDX, pushes, with_stub

SECRETS = {"user": "alice", "password": "correct horse: battery"}
At = Callable[[str], ImageBench]


def auth(bench: ImageBench, **secrets: str) -> dict[str, object]:
    """Spec fields by which the bench's registry is logged in to."""
    bench.secrets = SECRETS | secrets
    return {"registryAuth": {bench.host: {"usernameSecret": "user", "passwordSecret": "password"}}}


def pushed(
    bench: ImageBench, front: RegistryFront, text: str = "", former: ReceiptFacts = NO_RECEIPT, **fields: object
) -> dict[str, Any]:
    """The image that an execution published whose builder pushed some image."""
    pushes(bench, front.behind.put(bench.name, text))
    return bench.executed(former, **fields, **BUILDX)


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
            each.read_text() for each in image.context.temporary.glob("logins/config.json") if _is_private(each)
        )

    front.before = look
    image.write("Dockerfile", "FROM scratch\nARG WHO\nLABEL who=$WHO\n")
    encoded = base64.b64encode(f"{SECRETS['user']}:{SECRETS['password']}".encode()).decode()
    failed = image.failed(buildArgs={"WHO": encoded}, target=encoded.rstrip("="), **auth(image))
    assert encoded in seen[0]
    assert encoded not in image.text + failed.message
    assert not image.context.temporary.exists()


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
    with_stub(image, "echo denied; exit 1")
    failed = image.failed(**auth(image), **BUILDX)
    assert (failed.category, failed.retryable) == (FailureCategory.CREDENTIALS, True)
    assert "exit code 1: denied; the registry denies pushing" in failed.message


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
    assert image.verify(pushed(image, front)) == Verified(False)


def test_a_credential_helper_is_asked_where_the_machine_has_one(front: RegistryFront, image_at: At) -> None:
    guarded(front)
    image = image_at(front.host)
    helper = image.folder / "stub/docker-credential-tests"
    helper.parent.mkdir()
    answer = json.dumps({"Username": SECRETS["user"], "Secret": SECRETS["password"]})
    helper.write_text(f"#!/bin/sh\nread -r host\n[ \"$host\" = {front.host} ] && echo '{answer}'\n")
    helper.chmod(0o755)
    image.write("config.json", json.dumps({"credHelpers": {front.host: "tests"}}), place=".docker")
    assert image.verify(pushed(image, front)) == Verified(False)


def test_a_registry_that_is_down_is_asked_again_by_the_next_run(image_at: At) -> None:
    image = image_at("127.0.0.1:1")
    failed = image.failed()
    assert (failed.category, failed.retryable) == (FailureCategory.EXECUTION, True)
    assert "127.0.0.1:1 cannot be reached: no connection could be made (Connection refused)" in failed.message
    assert not image.lines
    verified = image.verify({"digest": f"sha256:{'0' * 64}", "platformDigests": {}})
    assert isinstance(verified, Failed)
    assert "cannot be reached" in verified.message


def test_a_push_that_the_registry_breaks_off_is_retryable(front: RegistryFront, image_at: At) -> None:
    front.before = lambda method, path: 500 if "/blobs/uploads" in path else None
    image = image_at(front.host)
    with_stub(image, "exit 1")
    failed = image.failed(**BUILDX)
    assert (failed.category, failed.retryable) == (FailureCategory.EXECUTION, True)
    assert "answered 500" in failed.message


def test_an_image_with_the_same_content_is_not_pushed_again(front: RegistryFront, image_at: At) -> None:
    front.immutable = True
    image = image_at(front.host)
    first = image.executed(tags=["v1"])
    front.seen.clear()
    assert image.executed(tags=["v1"]) == first
    assert front.pushes() == []


def test_an_immutable_tag_that_names_another_image_is_not_moved(front: RegistryFront, image_at: At) -> None:
    front.immutable = True
    image = image_at(front.host)
    first = pushed(image, front, "one", tags=["v1"])
    pushes(image, front.behind.put(image.name, "two"))
    failed = image.failed(receipt(first), tags=["v1"], **BUILDX)
    assert not failed.retryable
    assert "does not let the tag v1" in failed.message
    assert "answered 412" in failed.message
    assert front.behind.digest(image.name, "v1") == first["digest"]


def test_the_units_own_tags_follow_its_image(front: RegistryFront, image_at: At) -> None:
    image = image_at(front.host)
    first = pushed(image, front, "one", tags=["dev"])
    second = pushed(image, front, "two", receipt(first), tags=["dev"])
    assert front.behind.digest(image.name, "dev") == second["digest"] != first["digest"]


def test_what_an_execution_that_was_not_recorded_tagged_is_the_units_own(front: RegistryFront, image_at: At) -> None:
    image = image_at(front.host)
    lost = pushed(image, front, "one", tags=["dev"])
    front.behind.retag(image.name, image.tag(tags=["dev"], **BUILDX), lost["digest"])
    assert pushed(image, front, "two", tags=["dev"])["digest"] == front.behind.digest(image.name, "dev")


def test_somebody_elses_tag_stays_unless_it_may_be_moved(front: RegistryFront, image_at: At) -> None:
    image = image_at(front.host)
    theirs = front.behind.put(image.name, "theirs")
    front.behind.retag(image.name, "latest", theirs)
    pushes(image, front.behind.put(image.name, "ours"))
    failed = image.failed(tags=["latest"], **BUILDX)
    assert not failed.retryable
    assert theirs in failed.message
    assert "moveTags: true" in failed.message
    assert front.behind.digest(image.name, "latest") == theirs
    ours = pushed(image, front, "ours", tags=["latest"], moveTags=True)
    assert front.behind.digest(image.name, "latest") == ours["digest"]


def test_tags_are_set_in_their_order(front: RegistryFront, image_at: At) -> None:
    image = image_at(front.host)
    pushed(image, front, tags=["b", "a"])
    assert front.pushes() == ["b", "a"]


def test_a_registry_that_lost_what_was_pushed_is_told(front: RegistryFront, image_at: At) -> None:
    image = image_at(front.host)
    pushes(image, f"sha256:{'3' * 64}")
    failed = image.failed(**BUILDX)
    assert failed.retryable
    assert "which was just pushed" in failed.message


@pytest.mark.parametrize("status", [404, 418])
def test_a_tag_that_cannot_be_set_for_other_reasons_is_told(front: RegistryFront, image_at: At, status: int) -> None:
    image = image_at(front.host)
    front.before = lambda method, path: status if method == "PUT" else None
    pushes(image, front.behind.put(image.name, "one"))
    assert f"answered {status} (REFUSED: not like this)" in image.failed(tags=["v1"], **BUILDX).message


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"{}", b'{"manifests": 1}', b'{"manifests": [{}]}', b"[" * 100_000])
def test_an_answer_that_is_no_manifest_is_retried_by_the_next_run(
    front: RegistryFront, image_at: At, body: bytes
) -> None:
    image = image_at(front.host)
    front.bodies[f"GET /v2/{image.name}/manifests/{image.tag(**BUILDX)}"] = body
    failed = image.failed(**BUILDX)
    assert (failed.category, failed.retryable) == (FailureCategory.EXECUTION, True)
    assert "gave a manifest that is none" in failed.message


def test_an_answer_that_breaks_off_is_retried_by_the_next_run(front: RegistryFront, image_at: At) -> None:
    image = image_at(front.host)
    published = pushed(image, front)
    front.breaks_off = {f"GET /v2/{image.name}/manifests/{published['digest']}"}
    for answer in (image.failed(**BUILDX), image.verify(published, **BUILDX)):
        assert isinstance(answer, Failed)
        assert (answer.category, answer.retryable) == (FailureCategory.EXECUTION, True)
        assert "broke off its answer" in answer.message


def test_an_answer_that_never_ends_is_not_read(front: RegistryFront, image_at: At) -> None:
    image = image_at(front.host)
    front.bodies[f"GET /v2/{image.name}/manifests/{image.tag(**BUILDX)}"] = b" " * (17 << 20)
    assert "gave an answer larger than 16 MiB" in image.failed(**BUILDX).message


def test_an_index_without_one_of_its_images_is_no_success(front: RegistryFront, image_at: At) -> None:
    image, lost = image_at(front.host), f"sha256:{'3' * 64}"
    index = {"manifests": [{"platform": {"os": "linux", "architecture": "arm64"}, "digest": lost}]}
    body = json.dumps(index).encode()
    front.bodies[f"GET /v2/{image.name}/manifests/{digest_bytes(body)}"] = body
    pushes(image, digest_bytes(body))
    assert f"does not hold the image {lost} of its index" in image.failed(**BUILDX).message


@pytest.mark.parametrize("body", [b"{}", b"[]", b"<html>", b"[" * 100_000])
def test_a_token_server_that_gives_no_token_is_told(front: RegistryFront, image_at: At, body: bytes) -> None:
    guarded(front, bearer=True)
    front.bodies["GET /token"] = body
    image = image_at(front.host)
    failed = image.failed(**auth(image))
    assert (failed.category, failed.retryable) == (FailureCategory.EXECUTION, True)
    assert "answered 200 without a token" in failed.message


def test_a_manifest_that_has_another_digest_than_its_name_is_not_believed(front: RegistryFront, image_at: At) -> None:
    image = image_at(front.host)
    published = pushed(image, front)
    other = json.dumps(front.behind.manifest(image.name, front.behind.put(image.name, "other"))).encode()
    front.bodies[f"GET /v2/{image.name}/manifests/{published['digest']}"] = other
    verified = image.verify(published)
    assert isinstance(verified, Failed)
    assert "gave something else than" in verified.message


@pytest.mark.parametrize(
    ("realm", "told"),
    [("http://registry.example.com/token", "a URL without TLS"), ("https://[registry/token", "a URL that is none")],
)
def test_credentials_go_to_no_token_server_in_plain_text(
    front: RegistryFront, image_at: At, realm: str, told: str
) -> None:
    guarded(front, bearer=True)
    front.realm = realm
    image = image_at(front.host)
    assert f"sends nyl to {told}" in image.failed(**auth(image)).message


@pytest.mark.parametrize("uploads", ["http://OTHER/v2/x", "https://[registry/v2/x"])
def test_a_login_is_sent_to_no_other_host_that_takes_uploads(
    front: RegistryFront, registry: ImageRegistry, image_at: At, uploads: str
) -> None:
    guarded(front)
    image = image_at(front.host)
    with_stub(image, "exit 1")
    with registry_front(registry) as other:
        front.uploads = uploads.replace("OTHER", other.host)
        failed = image.failed(**auth(image), **BUILDX)
        assert other.seen == []
    assert failed.message == "docker buildx build ended with exit code 1"
    assert [each for each in front.seen if each.startswith("POST")]


def test_the_units_proxy_is_used_unless_it_excepts_the_registry(front: RegistryFront, image_at: At) -> None:
    image = image_at(front.host)
    published = pushed(image, front)
    image.variables = {**image.variables, "HTTP_PROXY": "http://127.0.0.1:1"}
    assert isinstance(image.verify(published), Failed)
    image.variables = {**image.variables, "NO_PROXY": "example.com, 127.0.0.1"}
    assert image.verify(published) == Verified(False)


def test_a_receipt_without_an_image_cannot_be_verified(image: ImageBench) -> None:
    assert image.verify({}) == Failed(FailureCategory.EXECUTION, False, "its receipt names no image")
