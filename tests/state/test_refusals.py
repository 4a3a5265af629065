"""What to do about a push that a remote refused, by how it did so."""

import shlex
from pathlib import Path

import pytest

from nyl.core.clock import SystemClock
from nyl.git.remotes import Remote
from nyl.git.repository import Repository
from nyl.git.updates import PushResult, RefStatus
from nyl.state.by_hand import move_command
from nyl.state.refs import StateRefs
from nyl.state.refusals import push_refused
from tests.state.worlds import LOCATION
from tests.support.environment import clean_environment
from tests.support.repositories import run_git

REFS = StateRefs("dev", LOCATION)
DECLINED = PushResult({REFS.lease: RefStatus.REFUSED}, {REFS.lease: "hook declined"})
NO_ATOMIC = "fatal: the receiving end does not support --atomic push"


@pytest.mark.parametrize(
    ("result", "fix"),
    [
        (DECLINED, "coordinationRefPrefix"),
        (PushResult({REFS.desired: RefStatus.REFUSED}, {REFS.desired: "hook declined"}), f"push to {REFS.desired}"),
        (PushResult({REFS.lease: RefStatus.UNKNOWN}, text="fatal: 403", answered=False), "write access"),
        (PushResult({REFS.lease: RefStatus.UNKNOWN}, text=NO_ATOMIC, answered=False), "another repository with"),
        (PushResult({REFS.lease: RefStatus.REFUSED}, {REFS.lease: "directory file conflict"}), "if nothing uses it"),
    ],
)
def test_the_fix_fits_what_was_refused(result: PushResult, fix: str) -> None:
    error = push_refused(REFS, result, "the remote")
    assert fix in error.diagnostic.fix


def test_a_command_to_move_a_ref_by_hand_can_be_pasted(tmp_path: Path) -> None:
    origin, here = tmp_path / "it's here.git", tmp_path / "here"
    environ = clean_environment(tmp_path / "home")
    for folder in (origin, here):
        run_git("init", "-q", "--bare", str(folder), cwd=tmp_path, environ=environ)
    remote = Remote(Repository.discover(here, environ, SystemClock()), str(origin))
    command = shlex.split(move_command(remote, "refs/heads/$(x)", None, "1" * 40))
    assert command[-2:] == [str(origin), ":refs/heads/$(x)"]
