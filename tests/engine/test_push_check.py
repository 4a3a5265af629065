"""What is checked of a push, and what is not: pushed commits decide, and neither the working tree nor a remote."""

from collections.abc import Callable
from pathlib import Path

import pytest

from nyl.core.clock import SystemClock
from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.push_check import Push, PushReport, check_push
from nyl.engine.push_repository import check_push_from
from nyl.git.pushes import PushedRef
from nyl.git.repository import Repository
from nyl.report.pushes import push_line
from tests.support.git_processes import GitRecorder
from tests.support.hostile import Decoy
from tests.support.kubernetes_project import CLUSTER, PROJECT, TARGET
from tests.support.world import World

MAIN = "refs/heads/main"


def checked(world: World, *refs: PushedRef, remote: str = "origin", allows_state: bool = False) -> PushReport:
    repository = Repository.discover(world.root, world.environ, SystemClock())
    return check_push(repository, Push(remote, str(world.origin), refs, allows_state))


def codes(report: PushReport) -> list[str]:
    return [each.code.value for each in report.problems]


def pushing(world: World, revision: str = "HEAD", ref: str = MAIN, old: str | None = None) -> PushedRef:
    """A push of a revision to a ref that is at another one."""
    return PushedRef(ref, world.git("rev-parse", revision), world.git("rev-parse", old) if old else None)


def broken(world: World) -> World:
    return world.unit("migrate", dependsOn=["nobody"])


@pytest.fixture
def pushed(world: World) -> World:
    """The pair, pushed and fetched, with a branch `broken` over it that is only here."""
    return lay(world)


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> World:
    """The same, for tests that only read."""
    return lay(World(tmp_path_factory.mktemp("known")))


def lay(world: World) -> World:
    world.pair().commit()
    world.git("fetch", "-q")
    world.git("checkout", "-q", "-b", "broken")
    broken(world).commit(push=False)
    world.git("checkout", "-q", "main")
    return world


def test_git_is_asked_once_for_all_new_refs_at_one_commit(known: World, tmp_path: Path) -> None:
    counts = []
    for many in (1, 20):
        recorder = GitRecorder.install(tmp_path / str(many))
        environ = {**known.environ, **recorder.environ(known.environ["PATH"])}
        repository = Repository.discover(known.root, environ, SystemClock())
        refs = [pushing(known, "broken", f"refs/heads/new-{each}") for each in range(many)]
        report = check_push(repository, Push("origin", str(known.origin), refs))
        assert len(report.checked[0].refs) == many
        counts.append(len(recorder.calls()))
    assert counts[0] == counts[1]


Case = Callable[[World], list[PushedRef]]
UNKNOWN = "1" * 40


@pytest.mark.parametrize(
    ("refs", "problems", "line"),
    [
        (lambda w: [], 0, "checked no project, as nothing is pushed"),
        (lambda w: [PushedRef("refs/heads/x", None, UNKNOWN)], 0, "checked no project, as the push only deletes"),
        (lambda w: [pushing(w, "main", old="main")], 0, "checked no project, as the push changes none"),
        (lambda w: [pushing(w, "main", "refs/heads/new")], 0, "checked no project, as the push changes none"),
        (lambda w: [pushing(w, "broken", old="main")], 1, "for refs/heads/main: 1 problem, so nothing is pushed"),
        (lambda w: [pushing(w, "broken", "refs/heads/new")], 1, "for refs/heads/new: 1 problem"),
        (lambda w: [pushing(w, "broken", "refs/tags/v1")], 1, "for refs/tags/v1: 1 problem"),
        (lambda w: [PushedRef(MAIN, w.git("rev-parse", "broken"), UNKNOWN)], 1, "for refs/heads/main: 1 problem"),
        (lambda w: [pushing(w, "main", old="broken")], 0, "for refs/heads/main: valid"),
        (
            lambda w: [PushedRef("refs/heads/x", None, UNKNOWN), pushing(w, "broken", old="main")],
            1,
            "for refs/heads/main: 1 problem",
        ),
        (
            lambda w: [pushing(w, "broken", "refs/heads/a"), pushing(w, "broken", "refs/heads/b")],
            1,
            "for refs/heads/a, refs/heads/b: 1 problem",
        ),
    ],
    ids=[
        "empty",
        "delete",
        "same",
        "new branch at an old commit",
        "update",
        "new branch",
        "tag",
        "unknown remote object",
        "forced back",
        "delete and update",
        "two refs",
    ],
)
def test_each_new_tip_that_changes_the_project_is_checked(known: World, refs: Case, problems: int, line: str) -> None:
    report = checked(known, *refs(known))
    assert codes(report) == ["NYL-DEPENDENCY-UNKNOWN"] * problems
    assert line in push_line(report)


@pytest.mark.parametrize("target", ["HEAD", "HEAD^{tree}", "HEAD:nyl.toml"])
def test_an_annotated_tag_is_checked_where_it_is_one_of_a_commit(pushed: World, target: str) -> None:
    pushed.git("checkout", "-q", "broken")
    pushed.git("tag", "-a", "-m", "Tag", "v1", target)
    report = checked(pushed, pushing(pushed, "v1", "refs/tags/v1"))
    assert len(report.checked) == len(codes(report)) == (target == "HEAD")


def test_the_working_tree_does_not_count(pushed: World) -> None:
    pushed.write("units/migrate.yaml", "{{ broken").write("nyl.toml", "[broken").remove("environments")
    report = checked(pushed, pushing(pushed, "main", "refs/heads/new", old="broken"))
    assert ([each.folder for each in report.checked], codes(report)) == ([""], [])


def test_a_worktree_without_the_project_checks_it_all_the_same(pushed: World) -> None:
    tip = pushing(pushed, "broken", "refs/heads/new")
    pushed.git("checkout", "-q", "--orphan", "pages")
    pushed.git("rm", "-rqf", ".")
    assert codes(checked(pushed, tip)) == ["NYL-DEPENDENCY-UNKNOWN"]


def test_only_commits_that_touch_a_project_are_checked(world: World) -> None:
    for folder, needs in (("apps", ["nobody"]), ("infra", [])):
        project = World.__new__(World)
        project.__dict__ |= world.__dict__ | {"project": world.root / folder}
        project.write("nyl.toml", "").environment().unit("only", dependsOn=needs)
    world.remove("nyl.toml").commit()
    world.git("fetch", "-q")
    (world.root / "README.md").write_text("one more word")
    world.commit(push=False)
    known = checked(world, pushing(world, old="HEAD~1"))
    assert (known.unchanged, known.checked) == (2, ())
    assert checked(world, pushing(world, ref="refs/heads/new")).checked == ()
    (world.root / "infra" / "more.txt").write_text("more")
    world.commit(push=False)
    changed = checked(world, pushing(world, ref="refs/heads/new"))
    assert ([each.folder for each in changed.checked], codes(changed)) == (["infra"], [])
    everything = checked(world, pushing(world, ref="refs/heads/new"), remote="elsewhere")
    assert [(each.folder, len(each.diagnostics)) for each in everything.checked] == [("apps", 1), ("infra", 0)]


@pytest.mark.parametrize(
    ("where", "ref", "refused"),
    [
        ("worktree", "refs/heads/state/dev", True),
        ("remote", "refs/heads/state/dev", True),
        ("remote", "refs/heads/state/prod", False),
        ("nowhere", "refs/heads/state/dev", False),
        ("nowhere", "refs/heads/nyl/dev/desired", True),
        ("nowhere", "refs/nyl/dev/lease", True),
    ],
)
def test_state_refs_of_the_working_tree_and_of_what_the_remote_has_are_kept(
    world: World, where: str, ref: str, refused: bool
) -> None:
    world.environment()
    if where == "remote":
        world.environment(state={"desiredRef": "state/dev"}).commit()
        world.git("fetch", "-q")
        world.environment().commit(push=False)
    if where == "worktree":
        world.environment(state={"desiredRef": "state/dev"}).write("broken.yaml", "{{")
    deletion = PushedRef(ref, None, UNKNOWN)
    assert codes(checked(world, deletion)) == (["NYL-PUSH-OF-STATE"] if refused else [])
    assert codes(checked(world, deletion, allows_state=True)) == []


@pytest.mark.parametrize(
    ("broken_files", "code", "told"),
    [
        ({"u.yaml": ["a: [b]", "b: [a]"]}, "NYL-DEPENDENCY-CYCLE", "a → b → a"),
        ({"u.yaml": ["a: [a]"]}, "NYL-DEPENDENCY-CYCLE", "a"),
        ({"u.yaml": ["database: []", "b: [databse]"]}, "NYL-DEPENDENCY-UNKNOWN", "database"),
        ({"u.yaml": ["a: []"], "v.yaml": ["a: []"]}, "NYL-NAME-TAKEN", "u.yaml"),
    ],
)
def test_what_no_plan_would_take_is_not_pushed(
    world: World, broken_files: dict[str, list[str]], code: str, told: str
) -> None:
    world.environment()
    for file, units in broken_files.items():
        world.write(file, "---\n".join(_command(*each.split(": ")) for each in units))
    world.commit(push=False)
    report = checked(world, pushing(world))
    assert codes(report) == [code]
    assert told in report.problems[0].message + report.problems[0].fix


def _command(name: str, needs: str) -> str:
    return (
        "apiVersion: units.gitops.nyl/v1\nkind: Command\n"
        f"metadata: {{name: {name}}}\nspec: {{command: ['true'], dependsOn: {needs}}}\n"
    )


def test_a_duplicate_key_is_told_with_both_positions(world: World) -> None:
    world.environment().write("u.yaml", _command("a", "[]").replace("kind: Command", "kind: Command\nkind: Command"))
    world.commit(push=False)
    (problem,) = checked(world, pushing(world)).problems
    assert problem.location is not None
    assert (problem.location.file, "line 2" in problem.message or ":2" in problem.message) == ("u.yaml", True)


def test_a_bare_repository_pushes_what_is_checked_too(pushed: World) -> None:
    tip = pushing(pushed, "broken", "refs/heads/new")
    pushed.git("push", "-q", "--no-verify", "origin", "broken:refs/nyl/dev/lease")
    bare = Repository.discover(pushed.origin, pushed.environ, SystemClock())
    assert codes(check_push(bare, Push("elsewhere", "", [tip]))) == ["NYL-DEPENDENCY-UNKNOWN"]


def test_objects_that_are_not_here_are_no_reason_to_let_a_push_through(pushed: World) -> None:
    with pytest.raises(NylError) as caught:
        checked(pushed, PushedRef(MAIN, UNKNOWN, None))
    assert caught.value.diagnostic.code is Code.PUSH_INPUT


def test_the_repository_is_the_one_that_has_what_is_pushed(pushed: World) -> None:
    decoy = Decoy.lay(pushed.tmp / "decoy", pushed.environ)
    before = decoy.bytes()
    push = Push("origin", "", [pushing(pushed, "broken", old="main")])
    for cwd, variables in ((pushed.root, decoy.environ()), (decoy.folder, {"GIT_DIR": str(pushed.root / ".git")})):
        repository, report = check_push_from(cwd, pushed.environ | variables, SystemClock(), push)
        assert (repository.git_dir, codes(report)) == (pushed.root / ".git", ["NYL-DEPENDENCY-UNKNOWN"])
    assert decoy.bytes() == before


def test_a_push_of_targets_that_overlap_is_refused_and_names_both(world: World) -> None:
    for name, text in {**PROJECT, "z.yaml": TARGET.replace("name: prod,", "name: eu,")}.items():
        world.write(name, text)
    world.write("cluster.yaml", f"{CLUSTER}---\n{CLUSTER.replace('{name: prod}', '{name: eu}')}")
    world.write("z.yaml", (world.root / "z.yaml").read_text().replace("revision:", "pathPrefix: prod/eu, revision:"))
    world.commit(push=False)
    (found,) = checked(world, pushing(world)).problems
    assert found.code is Code.TARGET_OVERLAP
    assert "z.yaml:1" in found.message
    assert "target.yaml:1" in found.message
