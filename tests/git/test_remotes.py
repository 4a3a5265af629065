import os
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.remotes import Remote
from nyl.git.updates import RefStatus, RefUpdate
from tests.git.building import LEASE, STATE, Scene, push_lease, write_commit
from tests.support.hostile import HostileGit


def test_a_push_moves_refs_and_a_fetch_reads_them_back(scene: Scene) -> None:
    repository = scene.open()
    remote = Remote(repository, "origin")
    state, lease = write_commit(repository, a="1"), write_commit(repository, b="2")
    result = remote.push([RefUpdate(STATE, state, None), RefUpdate(LEASE, lease, None)])
    assert result.statuses == {STATE: RefStatus.MOVED, LEASE: RefStatus.MOVED}
    assert remote.fetch(STATE, "refs/nyl/dev/*") == {STATE: state, LEASE: lease}


def test_a_fetch_is_one_process(scene: Scene) -> None:
    remote = Remote(scene.open(), "origin")
    scene.calls.commands.clear()
    remote.fetch(STATE, "refs/nyl/dev/*", "HEAD")
    assert [_subcommand(each) for each in scene.calls.commands] == ["fetch"]


def test_absent_refs_are_no_error_and_deleted_refs_vanish(scene: Scene) -> None:
    repository = scene.open()
    remote = Remote(repository, "origin")
    assert remote.fetch(STATE, "refs/nyl/dev/*") == {}
    lease = write_commit(repository)
    push_lease(remote, lease)
    assert remote.fetch(STATE, "refs/nyl/dev/*") == {LEASE: lease}
    remote.push([RefUpdate(LEASE, None, lease)])
    assert remote.fetch(STATE, "refs/nyl/dev/*") == {}


def test_packed_refs_are_read_and_moved_ones_are_newer(scene: Scene) -> None:
    repository = scene.open()
    remote = Remote(repository, "origin")
    one, two = write_commit(repository, a="1"), write_commit(repository, a="2")
    remote.push([RefUpdate(LEASE, one, None), RefUpdate(STATE, one, None)])
    remote.fetch(STATE, "refs/nyl/dev/*")
    scene.git("pack-refs", "--all")
    remote.push([RefUpdate(LEASE, two, one)])
    assert remote.fetch(STATE, "refs/nyl/dev/*") == {STATE: one, LEASE: two}
    remote.push([RefUpdate(LEASE, None, two)])
    assert remote.fetch(STATE, "refs/nyl/dev/*") == {STATE: one}


def test_a_lock_that_a_killed_fetch_left_behind_is_removed(scene: Scene) -> None:
    repository = scene.open()
    remote = Remote(repository, "origin")
    remote.fetch("refs/heads/main")
    lock = repository.common_dir / f"{remote.kept_ref('refs/heads/main')}.lock"
    lock.touch()
    os.utime(lock, (1, 1))
    scene.git("commit", "-q", "--allow-empty", "-m", "Next")
    scene.git("push", "-q", "origin", "main")
    assert remote.fetch("refs/heads/main") == {"refs/heads/main": scene.git("rev-parse", "main")}


def test_refs_that_only_start_alike_are_not_given(scene: Scene) -> None:
    scene.git("push", "-q", "origin", "main:refs/heads/main-2", "main:refs/nyl/developer/lease")
    remote = Remote(scene.open(), "origin")
    assert remote.fetch("refs/heads/main", "refs/nyl/dev/*") == {"refs/heads/main": scene.first}
    assert remote.list("refs/heads/main") == {"refs/heads/main": scene.first}


def test_annotated_tags_are_listed_once(scene: Scene) -> None:
    scene.git("tag", "-a", "-m", "One", "v1")
    scene.git("push", "-q", "origin", "v1")
    assert Remote(scene.open(), "origin").list("refs/tags/*").keys() == {"refs/tags/v1"}


def test_head_is_the_default_branch_whatever_its_name(scene: Scene) -> None:
    scene.git("push", "-q", "origin", "main:trunk")
    scene.git("symbolic-ref", "HEAD", "refs/heads/trunk", cwd=scene.origin)
    remote = Remote(scene.open(), "origin")
    assert remote.fetch("HEAD") == {"HEAD": scene.first}
    assert remote.default_branch() == "refs/heads/trunk"


def test_a_ref_with_another_value_than_expected_refuses_the_whole_push(scene: Scene) -> None:
    repository = scene.open()
    remote = Remote(repository, "origin")
    mine, theirs = write_commit(repository, a="1"), write_commit(repository, b="1")
    assert push_lease(remote, theirs)
    result = remote.push([RefUpdate(LEASE, mine, None), RefUpdate(STATE, mine, None)])
    assert not result.accepted
    assert result.answered
    assert result.tries == 1
    assert result.statuses[LEASE] is RefStatus.OUTPACED
    assert result.outpaced
    assert scene.remote_refs() == {"refs/heads/main": scene.first, LEASE: theirs}


def test_a_deletion_expects_a_value_too(scene: Scene) -> None:
    repository = scene.open()
    remote = Remote(repository, "origin")
    lease = write_commit(repository)
    push_lease(remote, lease)
    assert not remote.push([RefUpdate(LEASE, None, scene.first)]).accepted
    assert remote.push([RefUpdate(LEASE, None, lease)]).statuses == {LEASE: RefStatus.MOVED}


def test_an_identical_push_is_told_from_one_that_moved_the_ref(scene: Scene) -> None:
    repository = scene.open()
    remote = Remote(repository, "origin")
    lease = write_commit(repository)
    push_lease(remote, lease)
    assert remote.push([RefUpdate(LEASE, lease, None)]).statuses == {LEASE: RefStatus.UNCHANGED}


def test_one_of_many_runners_gets_the_lease(scene: Scene) -> None:
    remotes = [Remote(scene.open(scene.clone(f"clone{number}")), "origin") for number in range(4)]
    start = threading.Barrier(4)

    def contend(number: int) -> bool:
        commit = write_commit(remotes[number].repository, f"nonce {number}")
        start.wait()
        return push_lease(remotes[number], commit)

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(contend, range(4))) == [False, False, False, True]


def test_a_hook_that_declines_one_ref_is_a_refusal_with_its_text(scene: Scene) -> None:
    hook = scene.origin / "hooks" / "update"
    hook.write_text('#!/bin/sh\ncase $1 in refs/heads/nyl/*) echo "rule GH013" >&2; exit 1;; esac\n')
    hook.chmod(0o755)
    repository = scene.open()
    commit = write_commit(repository)
    result = Remote(repository, "origin").push([RefUpdate(LEASE, commit, None), RefUpdate(STATE, commit, None)])
    assert result.statuses == {LEASE: RefStatus.REFUSED, STATE: RefStatus.REFUSED}
    assert result.tries == 1
    assert not result.outpaced
    assert "rule GH013" in result.text
    assert "hook declined" in result.reasons[STATE]
    assert LEASE not in scene.remote_refs()


def test_hidden_refs_refuse_a_push_and_list_as_nothing(scene: Scene) -> None:
    scene.git("config", "transfer.hideRefs", "refs/nyl", cwd=scene.origin)
    repository = scene.open()
    remote = Remote(repository, "origin")
    assert not push_lease(remote, write_commit(repository))
    assert remote.fetch("refs/nyl/*") == {}


def test_a_remote_without_atomic_pushes_changes_nothing(scene: Scene) -> None:
    scene.git("config", "receive.advertiseAtomic", "false", cwd=scene.origin)
    repository = scene.open()
    result = Remote(repository, "origin").push([RefUpdate(LEASE, write_commit(repository), None)])
    assert not result.answered
    assert result.statuses == {LEASE: RefStatus.UNKNOWN}
    assert "atomic" in result.text
    assert LEASE not in scene.remote_refs()


def test_an_unreachable_remote_is_tried_three_times_and_said(scene: Scene) -> None:
    scene.git("remote", "set-url", "origin", str(scene.folder / "gone.git"))
    remote = Remote(scene.open(), "origin")
    with pytest.raises(NylError, match=r"gone\.git") as caught:
        remote.fetch("refs/heads/*")
    assert caught.value.diagnostic.code is Code.REMOTE_UNAVAILABLE
    assert scene.clock.slept == [1.0, 3.0]
    assert len(scene.notices) == 2
    assert all("fetch from" in each and "does not appear to be a git repository" in each for each in scene.notices)


def test_an_unanswered_push_says_that_it_does_not_know(scene: Scene) -> None:
    repository = scene.open()
    commit = write_commit(repository)
    scene.git("remote", "set-url", "origin", str(scene.folder / "gone.git"))
    result = Remote(scene.open(), "origin").push([RefUpdate(LEASE, commit, None)])
    assert (result.answered, result.tries, result.accepted) == (False, 3, False)


def test_a_push_that_must_not_go_on_after_a_pause_is_not_tried_again(scene: Scene) -> None:
    commit = write_commit(scene.open())
    scene.git("remote", "set-url", "origin", str(scene.folder / "gone.git"))
    result = Remote(scene.open(), "origin").push([RefUpdate(LEASE, commit, None)], lambda: not scene.clock.slept)
    assert (result.answered, result.tries, scene.clock.slept) == (False, 1, [1.0])


def test_a_remote_that_does_not_answer_is_given_up_in_time(scene: Scene) -> None:
    program = scene.folder / "slow"
    program.write_text("#!/bin/sh\nsleep 60\n")
    program.chmod(0o755)
    scene.git("config", "remote.origin.uploadpack", str(program))
    with pytest.raises(NylError, match="in time"):
        Remote(scene.open(), "origin", timeout=0.2).fetch("refs/heads/*")


def test_hostile_settings_change_nothing(scene: Scene) -> None:
    hostile = HostileGit.configure(scene.environ, scene.folder / "hostile")
    (scene.work / ".git" / "hooks").mkdir(exist_ok=True)
    before = scene.git("for-each-ref", cwd=scene.work)
    for setting in ("remote.origin.mirror", "remote.origin.prune"):
        scene.git("config", setting, "true")
    scene.git("config", "push.pushOption", "x")
    repository = scene.open()
    remote = Remote(repository, "origin", timeout=20)
    lease = write_commit(repository)
    assert push_lease(remote, lease)
    assert remote.fetch(LEASE) == {LEASE: lease}
    assert hostile.caught() == []
    after = scene.git("for-each-ref", cwd=scene.work).splitlines()
    assert [each for each in after if "refs/nyl-fetched/" not in each] == before.splitlines()


def test_hooks_of_the_receiving_repository_run_where_hooks_of_the_user_do_not(scene: Scene) -> None:
    hostile = HostileGit.configure(scene.environ, scene.folder / "hostile")
    hook = scene.origin / "hooks" / "update"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    repository = scene.open()
    assert not push_lease(Remote(repository, "origin"), write_commit(repository))
    assert hostile.caught() == []


def test_a_remote_that_dies_after_accepting_leaves_the_answer_open(scene: Scene) -> None:
    hook = scene.origin / "hooks" / "reference-transaction"
    hook.write_text("#!/bin/sh\n[ $1 = committed ] && kill -9 $PPID\nexit 0\n")
    hook.chmod(0o755)
    repository = scene.open()
    remote = Remote(repository, "origin")
    lease = write_commit(repository)
    result = remote.push([RefUpdate(LEASE, lease, None)])
    assert scene.remote_refs()[LEASE] == lease
    assert result.tries > 1
    hook.unlink()
    assert remote.fetch(LEASE) == {LEASE: lease}


def test_no_decision_depends_on_the_wording_of_messages(scene: Scene) -> None:
    wrapper = scene.folder / "bin" / "git"
    wrapper.parent.mkdir()
    real = shutil.which("git", path=scene.environ["PATH"])
    wrapper.write_text(f'#!/bin/sh\n{real} "$@" 2>/dev/null\ncode=$?\necho Oje >&2\nexit $code\n')
    wrapper.chmod(0o755)
    repository = scene.open(extra={"PATH": f"{wrapper.parent}:{scene.environ['PATH']}"})
    remote = Remote(repository, "origin")
    mine, theirs = write_commit(repository, a="1"), write_commit(repository, b="1")
    assert push_lease(remote, theirs)
    result = remote.push([RefUpdate(LEASE, mine, None)])
    assert (result.statuses, result.tries) == ({LEASE: RefStatus.OUTPACED}, 1)
    assert remote.fetch(LEASE, "refs/heads/none") == {LEASE: theirs}


def test_ssh_that_asks_has_no_terminal_and_ends(scene: Scene) -> None:
    scene.git("remote", "set-url", "origin", "git@nowhere.invalid:x.git")
    ssh = scene.folder / "ssh"
    ssh.write_text("#!/bin/sh\nread answer < /dev/tty\necho $?\nexit 255\n")
    ssh.chmod(0o755)
    with pytest.raises(NylError) as caught:
        Remote(scene.open(extra={"GIT_SSH_COMMAND": str(ssh)}), "origin", timeout=10).fetch("HEAD")
    assert caught.value.diagnostic.code is Code.REMOTE_UNAVAILABLE


def test_the_users_refs_and_fetch_head_stay(scene: Scene) -> None:
    scene.git("fetch", "-q", "origin")
    scene.git("push", "-q", str(scene.origin), f"{scene.commit()}:main")
    before = (scene.git("rev-parse", "origin/main"), (scene.work / ".git" / "FETCH_HEAD").read_bytes())
    Remote(scene.open(), "origin").fetch("refs/heads/*")
    assert (scene.git("rev-parse", "origin/main"), (scene.work / ".git" / "FETCH_HEAD").read_bytes()) == before


def test_a_push_moves_no_tracking_branch_and_honours_a_push_url(scene: Scene) -> None:
    scene.git("fetch", "-q", "origin")
    before = scene.git("for-each-ref", "refs/remotes")
    scene.git("config", "remote.origin.url", str(scene.folder / "gone.git"))
    scene.git("config", "remote.origin.pushurl", str(scene.origin))
    repository = scene.open()
    commit = write_commit(repository)
    assert Remote(repository, "origin").push([RefUpdate(STATE, commit, None)]).accepted
    assert scene.git("for-each-ref", "refs/remotes") == before


def test_a_url_with_a_token_is_on_no_command_line(scene: Scene) -> None:
    scene.git("remote", "set-url", "origin", "https://git.example.com/me:secret@x")
    scene.git("config", f"url.{scene.origin}.insteadOf", "https://git.example.com/me:secret@x")
    assert Remote(scene.open(), "origin").fetch("HEAD") == {"HEAD": scene.first}
    assert not any("secret" in argument for call in scene.calls.commands for argument in call)


def test_a_partial_clone_gets_whole_state(scene: Scene) -> None:
    scene.git("config", "uploadpack.allowFilter", "true", cwd=scene.origin)
    partial = scene.clone("partial", "--filter=blob:none", "--no-checkout")
    repository = scene.open()
    state = write_commit(repository, a="1")
    Remote(repository, "origin").push([RefUpdate(STATE, state, None)])
    found = Remote(scene.open(partial), "origin").fetch(STATE)
    scene.origin.rename(scene.folder / "away.git")
    assert scene.git("show", f"{found[STATE]}:a", cwd=partial) == "1"


def test_concurrent_fetches_in_one_clone_all_succeed(scene: Scene) -> None:
    repository = scene.open()
    push_lease(Remote(repository, "origin"), write_commit(repository))
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: Remote(repository, "origin").fetch("refs/nyl/dev/*"), range(8)))
    assert all(each.keys() == {LEASE} for each in found)
    assert scene.clock.slept == []


def test_a_commit_is_fetched_by_its_id(scene: Scene) -> None:
    shallow = scene.open(scene.clone("shallow", "--depth=1"))
    scene.git("push", "-q", str(scene.origin), f"{scene.commit()}:refs/heads/other")
    commit = scene.git("rev-parse", "HEAD")
    assert Remote(shallow, "origin").fetch_object(commit)
    assert shallow.resolve(commit) == commit
    assert not Remote(shallow, "origin").fetch_object("1" * 40)


def test_sha256_remotes_work(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "sha256")
    repository = scene.open()
    remote = Remote(repository, "origin")
    lease = write_commit(repository)
    assert push_lease(remote, lease)
    assert remote.fetch(LEASE) == {LEASE: lease}
    assert remote.push([RefUpdate(LEASE, None, lease)]).accepted


def test_credentials_do_not_show(scene: Scene) -> None:
    scene.git("remote", "set-url", "origin", "http://me:secret@127.0.0.1:9/x.git")
    remote = Remote(scene.open(extra={"no_proxy": "*"}), "origin")
    with pytest.raises(NylError) as caught:
        remote.fetch("refs/heads/*")
    assert "secret" not in remote.description + str(caught.value) + "".join(scene.notices)


def _subcommand(command: tuple[str, ...]) -> str:
    rest = [each for each in command if not each.startswith("-") and "=" not in each]
    return os.fspath(rest[0])
