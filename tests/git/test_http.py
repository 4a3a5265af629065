from collections.abc import Iterator
from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.mirrors import mirror
from nyl.git.remotes import Remote
from nyl.git.updates import RefStatus, RefUpdate
from tests.git.building import LEASE, Scene, push_lease, write_commit
from tests.support.http_git import HttpGit, basic, serve

_TOKEN = basic("x-access-token", "t0ken")


@pytest.fixture
def server(scene: Scene) -> Iterator[HttpGit]:
    scene.git("config", "http.receivepack", "true", cwd=scene.origin)
    scene.environ["no_proxy"] = "*"
    with serve(scene.folder, scene.environ) as state:
        scene.git("remote", "set-url", "origin", state.url("origin.git"))
        yield state


def test_leases_are_pushed_and_read_over_http(scene: Scene, server: HttpGit) -> None:
    repository = scene.open()
    remote = Remote(repository, "origin")
    lease = write_commit(repository)
    assert push_lease(remote, lease)
    assert remote.fetch(LEASE, "HEAD") == {LEASE: lease, "HEAD": scene.first}
    assert server.round_trips() == 2


def test_a_persisted_header_is_the_only_one_sent(scene: Scene, server: HttpGit) -> None:
    server.authorization = _TOKEN
    scene.git("config", f"http.{server.address}/.extraheader", f"Authorization: {_TOKEN}")
    assert Remote(scene.open(), "origin").fetch("HEAD") == {"HEAD": scene.first}
    assert server.authorizations
    assert all(each == [_TOKEN] for each in server.authorizations)
    assert not any("t0ken" in argument for call in scene.calls.commands for argument in call)


def test_a_bearer_header_from_the_environment_is_sent(scene: Scene, server: HttpGit) -> None:
    server.authorization = "Bearer abc"
    header = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "http.extraHeader"}
    header["GIT_CONFIG_VALUE_0"] = "Authorization: Bearer abc"
    assert Remote(scene.open(extra=header), "origin").fetch("HEAD") == {"HEAD": scene.first}


def test_a_credential_helper_is_asked(scene: Scene, server: HttpGit) -> None:
    server.authorization = _TOKEN
    scene.git("config", "credential.helper", "!f() { echo username=x-access-token; echo password=t0ken; }; f")
    assert Remote(scene.open(), "origin").fetch("HEAD") == {"HEAD": scene.first}


def test_an_askpass_program_is_asked(scene: Scene, server: HttpGit) -> None:
    server.authorization = basic("t0ken", "t0ken")
    program = scene.folder / "askpass"
    program.write_text("#!/bin/sh\necho t0ken\n")
    program.chmod(0o755)
    assert Remote(scene.open(extra={"GIT_ASKPASS": str(program)}), "origin").fetch("HEAD")


def test_missing_credentials_fail_instead_of_prompting(scene: Scene, server: HttpGit) -> None:
    server.authorization = _TOKEN
    with pytest.raises(NylError) as caught:
        Remote(scene.open(), "origin", timeout=20).fetch("HEAD")
    assert caught.value.diagnostic.code is Code.REMOTE_UNAVAILABLE


def test_a_connection_that_drops_after_accepting_leaves_the_answer_open(scene: Scene, server: HttpGit) -> None:
    repository = scene.open()
    remote = Remote(repository, "origin")
    lease = write_commit(repository)
    server.drop_after_push = True
    result = remote.push([RefUpdate(LEASE, lease, None)])
    assert scene.remote_refs()[LEASE] == lease
    assert result.tries > 1
    assert result.statuses[LEASE] in (RefStatus.UNCHANGED, RefStatus.UNKNOWN, RefStatus.REFUSED)
    server.drop_after_push = False
    assert remote.fetch(LEASE) == {LEASE: lease}


def test_a_slow_server_is_waited_for_aloud(scene: Scene, server: HttpGit) -> None:
    server.delay = 2.2
    Remote(scene.open(), "origin").list("HEAD")
    assert scene.notices == [f"waiting to list the refs of {server.url('origin.git')}"]


def test_what_a_ci_checkout_persisted_works_for_other_repositories(
    scene: Scene, server: HttpGit, tmp_path: Path
) -> None:
    server.authorization = _TOKEN
    scene.git("config", f"http.{server.address}/.extraheader", f"Authorization: {_TOKEN}")
    scene.git("config", f"url.{server.address}/.insteadOf", "https://git.example.com/")
    remote = mirror(scene.open(), tmp_path / "cache", "https://git.example.com/origin.git")
    assert remote.fetch("HEAD") == {"HEAD": scene.first}
    assert remote.repository.resolve(scene.first) == scene.first
    assert server.authorizations
    assert all(each == [_TOKEN] for each in server.authorizations)
