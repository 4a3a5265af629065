"""Which refs a push by hand must not change."""

import pytest

from nyl.core.codes import Code
from nyl.engine.push_guard import may_live_at, mirror_refusal, refusal
from nyl.git.pushes import PushedRef
from nyl.project.resources import RepositoryLocation, StateLocation
from nyl.state.refs import StateRefs

A, B = "a" * 40, "b" * 40
DEV = StateRefs("dev", StateLocation(None, "refs/heads/state/dev", "refs/heads/state/seen", "", "refs/heads/locks"))


@pytest.mark.parametrize(
    ("ref", "refused"),
    [
        ("refs/heads/main", False),
        ("refs/tags/nyl/dev/desired", False),
        ("refs/heads/nyl/dev", False),
        ("refs/heads/nyl/dev/desired", True),
        ("refs/heads/nyl/some-other/observed", True),
        ("refs/heads/nyl/dev/other", False),
        ("refs/nyl/dev/lease", True),
        ("refs/nyl/anything", True),
        ("refs/nylon", False),
        ("refs/heads/state/dev", True),
        ("refs/heads/state/seen", True),
        ("refs/heads/state/prod", False),
        ("refs/heads/locks/dev/runs/1", True),
        ("refs/heads/locks/prod/lease", False),
    ],
)
def test_the_refs_of_environments_and_the_default_ones_are_nyls(ref: str, refused: bool) -> None:
    assert (refusal(PushedRef(ref, A, B), [DEV]) is not None) is refused


@pytest.mark.parametrize(
    ("ref", "new", "refused"),
    [
        ("refs/remotes/origin/main", A, True),
        ("refs/nyl-seen/dev/1/2", A, True),
        ("refs/remotes/origin/main", None, False),
        ("refs/heads/remotes/main", A, False),
    ],
)
def test_a_push_of_what_only_mirroring_names_is_refused(ref: str, new: str | None, refused: bool) -> None:
    assert (mirror_refusal([PushedRef("refs/heads/main", A, B), PushedRef(ref, new, B)]) is not None) is refused


@pytest.mark.parametrize(
    ("state", "pushed_to", "may"),
    [
        (None, "https://example.com/anything", True),
        (RepositoryLocation("https://example.com/state.git"), "https://example.com/state/", True),
        (RepositoryLocation("https://example.com/state"), "git@example.com:state.git", True),
        (RepositoryLocation("https://example.com/state", "ssh://example.com/s"), "ssh://example.com/s.git", True),
        (RepositoryLocation("https://example.com/state"), "https://example.com/project", False),
    ],
)
def test_the_refs_of_state_elsewhere_are_ordinary_ones_here(
    state: RepositoryLocation | None, pushed_to: str, may: bool
) -> None:
    environment = StateRefs("dev", StateLocation(state, "refs/heads/main", "refs/heads/main"))
    assert may_live_at(environment, pushed_to) is may


@pytest.mark.parametrize(("new", "old", "deed"), [(A, B, "change"), (A, None, "create"), (None, B, "delete")])
def test_the_refusal_says_what_would_happen_and_how_to_do_it_all_the_same(
    new: str | None, old: str | None, deed: str
) -> None:
    refused = refusal(PushedRef("refs/heads/state/dev", new, old), [DEV])
    assert refused is not None
    told = refused.diagnostic
    assert (told.code, told.message.split()[3]) == (Code.PUSH_OF_STATE, deed)
    assert "a state ref of dev" in told.message
    assert "NYL_ALLOW_STATE_PUSH=1" in told.fix
