"""Runs page, Worktree inputs: reconciling what is not committed yet."""

from pathlib import Path

import pytest

from tests.support import declarations
from tests.support.copies import copied
from tests.support.deaths import kill, open_gate, start_until, waits
from tests.support.world import World

LFS_POINTER = (
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
)


@pytest.fixture
def draft(tmp_path: Path) -> World:
    """`dev` may run from anywhere, its state is initialised, and a unit is written but not committed."""
    return copied(tmp_path, _draft)


def _draft(world: World) -> World:
    world.environment("dev", allowUnprotectedSource=True).unit("old").initialise()
    return world.unit("new", writes={"x": "1"})


def snapshot_of(world: World, *arguments: str) -> str:
    """The snapshot commit that a worktree run worked at."""
    return str(world.reconcile("--worktree", *arguments).environment()["source"])


def test_uncommitted_declarations_and_files_are_reconciled(draft: World) -> None:
    assert draft.reconcile("--worktree").verdicts() == {"old": "executed", "new": "executed"}


def test_head_index_and_worktree_stay_untouched(draft: World) -> None:
    draft.write("staged.txt", "x")
    draft.git("add", "staged.txt")
    before = (
        (draft.root / ".git/index").read_bytes(),
        draft.git("status", "--porcelain"),
        draft.git("rev-parse", "HEAD"),
    )
    draft.reconcile("--worktree")
    after = (draft.root / ".git/index").read_bytes(), draft.git("status", "--porcelain"), draft.git("rev-parse", "HEAD")
    assert before == after


def test_deletions_modes_and_links_are_kept_and_ignored_files_left_out(draft: World) -> None:
    draft.write("gone.txt", "x").write("kept.txt", "y").commit()
    draft.remove("gone.txt").write("kept.txt", "y", 0o755).write("ignored.log", "z")
    draft.write(".gitignore", ".nyl/\n*.log\n")
    (draft.project / "link").symlink_to("kept.txt")
    entries = draft.git("ls-tree", "-r", snapshot_of(draft)).splitlines()
    modes = {line.split("\t")[1]: line.split()[0] for line in entries}
    assert (modes["kept.txt"], modes["link"]) == ("100755", "120000")
    assert not {"gone.txt", "ignored.log"} & set(modes)


def test_the_snapshot_has_no_parent_and_names_its_base(draft: World) -> None:
    snapshot = snapshot_of(draft)
    text = draft.git("cat-file", "commit", snapshot)
    assert "\nparent " not in text
    assert f"Nyl-Worktree-Base: {draft.git('rev-parse', 'HEAD')}" in text


def test_a_local_ref_caches_the_snapshot(draft: World) -> None:
    snapshot = snapshot_of(draft)
    assert draft.git("rev-parse", f"refs/nyl-worktrees/{snapshot}") == snapshot
    assert not [ref for ref in draft.refs() if ref.startswith("refs/nyl-worktrees/")]


def test_an_unchanged_worktree_reuses_its_snapshot_and_writes_nothing(draft: World) -> None:
    first = snapshot_of(draft)
    before = draft.refs()
    assert snapshot_of(draft) == first
    assert draft.refs() == before


def test_another_clone_finds_the_inputs_in_the_state_history(draft: World) -> None:
    snapshot = snapshot_of(draft)
    clone = draft.clone("elsewhere")
    assert "echo new" in draft.git("show", f"{snapshot}:scripts/new.sh", cwd=clone)
    assert snapshot in draft.git("log", "-1", "--format=%P", "origin/nyl/dev/observed", cwd=clone)


def test_a_snapshot_that_changes_no_receipt_is_kept_as_well(draft: World) -> None:
    draft.commit()
    draft.reconcile()
    draft.unit("new", writes={"x": "1"}, timeout="5m")
    snapshot = snapshot_of(draft)
    assert snapshot in draft.git("rev-list", "nyl/dev/observed", cwd=draft.origin).split()


def test_a_snapshot_is_kept_when_its_run_died_and_is_imported_elsewhere(draft: World) -> None:
    draft.unit("dying", script=waits(draft))
    process = start_until(draft, ["old", "new", "dying"], "-e", "dev", "--worktree")
    kill(process)
    open_gate(draft)
    snapshot = draft.git("for-each-ref", "refs/nyl-worktrees", "--format=%(objectname)")
    clone = draft.clone("elsewhere")
    draft.nyl("lease", "break", "-e", "dev", "--reason", "killed", cwd=clone)
    draft.nyl("recover", "-e", "dev", cwd=clone)
    assert draft.stored("desired/units/dying.yaml", "desired")["sourceCommit"] == snapshot
    assert snapshot in draft.git("rev-list", "nyl/dev/observed", cwd=draft.origin).split()


@pytest.mark.parametrize("options", [(), ("--filter=blob:none", "--sparse")], ids=["complete", "partial and sparse"])
def test_a_state_repository_of_its_own_archives_the_whole_snapshot(
    draft: World, tmp_path: Path, options: tuple[str, ...]
) -> None:
    archive = tmp_path / "archive.git"
    draft.git("init", "-q", "--bare", archive)
    draft.environment("apart", allowUnprotectedSource=True, state={"repository": {"repoURL": str(archive)}})
    draft.git("config", "uploadpack.allowFilter", "true", cwd=draft.origin)
    draft.commit()
    clone = draft.clone("draft", *options)
    draft.nyl("state", "init", "-e", "apart", cwd=clone)
    (clone / "note.txt").write_text("not committed\n")
    assert draft.report("reconcile", "-e", "apart", "--worktree", cwd=clone).verdicts("apart")["new"] == "executed"
    draft.git("fsck", "--strict", "--connectivity-only", cwd=archive)
    files = draft.git("ls-tree", "-r", "--name-only", "nyl/apart/observed^2", cwd=archive).splitlines()
    assert {"note.txt", "scripts/new.sh"} <= set(files)
    assert draft.git("show", "nyl/apart/observed^2:note.txt", cwd=archive) == "not committed"


def test_the_transition_and_the_report_say_that_it_was_a_worktree(draft: World) -> None:
    ended = draft.reconcile("--worktree")
    assert "worktreeSource" in draft.message()
    assert "NYL-SOURCE-WORKTREE" in ended.codes
    assert draft.stored("desired/units/new.yaml", "desired")["sourceCommit"] == ended.environment()["source"]


def test_capture_progress_goes_to_stderr(draft: World) -> None:
    ended = draft.reconcile("--worktree")
    assert draft.git("rev-parse", "HEAD")[:7] in ended.stderr
    assert str(ended.environment()["source"])[:7] in ended.stderr
    assert "refs/nyl-worktrees/" in ended.stderr


def test_later_edits_belong_to_the_next_run(draft: World) -> None:
    edit = f"echo 'exit 1' >> '{draft.project}/scripts/late.sh'"
    draft.unit("early", script=edit).unit("late", dependsOn=["early"])
    assert draft.reconcile("--worktree").verdicts()["late"] == "executed"
    assert draft.reconcile("--worktree", exits=3).verdicts()["late"] == "failed"


def test_committing_the_same_bytes_runs_nothing_again(draft: World) -> None:
    draft.reconcile("--worktree")
    draft.commit()
    assert draft.reconcile().verdicts() == {"old": "current", "new": "current"}


def test_a_snapshot_counts_as_unprotected(world: World) -> None:
    world.environment("dev").unit("a").initialise()
    world.unit("b")
    assert "NYL-SOURCE-UNREACHABLE" in world.reconcile("--worktree", exits=1).codes


def test_plan_sees_the_worktree_too(draft: World) -> None:
    assert draft.plan("--worktree").verdicts() == {"old": "execute", "new": "execute"}


def test_tracked_files_inside_the_cache_are_refused(draft: World) -> None:
    draft.write(".nyl/tracked.txt", "x")
    draft.git("add", "-f", ".nyl/tracked.txt")
    refused = draft.reconcile("--worktree", exits=1)
    assert "NYL-WORKTREE-REFUSED" in refused.codes
    assert ".nyl" in str(refused.diagnostics)


@pytest.mark.parametrize(
    "conflict",
    [("--source", "main"), ("-e", "other"), ("-l", "stage=dev"), ("-g", "devs")],
    ids=lambda each: str(each[0]),
)
def test_it_takes_exactly_one_named_environment_and_nothing_else(draft: World, conflict: tuple[str, str]) -> None:
    draft.environment("other")
    group = {"environmentSelector": {"matchLabels": {"stage": "dev"}}}
    draft.write("group.yaml", declarations.resource("gitops.nyl/v1", "EnvironmentGroup", "devs", group)).commit()
    selected = ("-e", "dev") if conflict[0] in ("-e", "--source") else ()
    assert "NYL-USAGE" in draft.report("reconcile", *selected, *conflict, "--worktree", exits=1).codes


def test_an_lfs_pointer_that_a_unit_reads_is_refused(draft: World) -> None:
    draft.write("data/big.bin", LFS_POINTER).unit("reader", files=["data/**"])
    refused = draft.reconcile("--worktree", exits=(1, 3))
    assert "NYL-SOURCE-INPUT" in refused.codes
    assert "data/big.bin" in str(refused.diagnostics)
    assert "reader" not in draft.ran()


def test_an_lfs_pointer_that_no_unit_reads_does_not_matter(draft: World) -> None:
    draft.write("data/big.bin", LFS_POINTER)
    draft.reconcile("--worktree")


def test_an_input_path_through_a_symlink_is_refused(draft: World) -> None:
    draft.write("real/data.txt", "x").unit("reader", files=["alias/data.txt"])
    (draft.project / "alias").symlink_to("real")
    refused = draft.reconcile("--worktree", exits=(1, 3))
    assert refused.codes & {"NYL-PATH-REFUSED", "NYL-SOURCE-INPUT"}


def test_a_submodule_that_a_unit_reads_is_refused(draft: World, tmp_path: Path) -> None:
    library = tmp_path / "library"
    draft.git("init", "-q", library, cwd=tmp_path)
    (library / "file.txt").write_text("x")
    draft.git("add", "-A", cwd=library)
    draft.git("commit", "-q", "-m", "Library", cwd=library)
    draft.git("submodule", "--quiet", "add", str(library), "vendor")
    draft.unit("reader", files=["vendor/file.txt"])
    assert "NYL-SOURCE-INPUT" in draft.reconcile("--worktree", exits=(1, 3)).codes


def test_a_repository_without_commits_is_told_what_to_do(tmp_path: Path) -> None:
    world = World(tmp_path, remote=False).environment("dev", allowUnprotectedSource=True).unit("a")
    world.nyl("reconcile", "-e", "dev", "--worktree", exits=(0, 1))
