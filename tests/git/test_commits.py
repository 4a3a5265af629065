from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.commits import CommitSpec, CommitWriter, Earlier
from nyl.git.objects import ObjectReader
from tests.git.building import ME, Scene


def _files(scene: Scene, commit: str) -> dict[str, bytes]:
    with ObjectReader(scene.open()) as reader:
        return {path: reader.read(entry.oid) for path, entry in reader.tree(commit).items()}


def test_commits_of_a_batch_build_on_each_other(scene: Scene) -> None:
    specs = [
        CommitSpec(b"one", ME, 10, changes={"a": b"1", "b/c": b"2"}),
        CommitSpec(b"two", ME, 11, (Earlier(0),), {"a": None, "d": b"3"}),
        CommitSpec(b"three", ME, 12, (Earlier(1), scene.first), {"d": b"4"}),
    ]
    first, second, third = CommitWriter(scene.open()).write(specs)
    assert _files(scene, second) == {"b/c": b"2", "d": b"3"}
    assert _files(scene, third) == {"b/c": b"2", "d": b"4"}
    assert scene.git("log", "-1", "--format=%P", third).split() == [second, scene.first]
    assert scene.git("log", "-1", "--format=%P", first).strip() == ""


def test_writing_leaves_no_ref_and_starts_one_process(scene: Scene) -> None:
    repository = scene.open()
    before = scene.git("for-each-ref")
    scene.calls.commands.clear()
    CommitWriter(repository).write([CommitSpec(b"x", ME, 1), CommitSpec(b"y", ME, 1)])
    assert scene.git("for-each-ref") == before
    assert len(scene.calls.commands) == 1


def test_message_author_and_date_are_exact(scene: Scene) -> None:
    message = "nyl: reconcile dev\n\nunits: ünï\n\nTrailer: x\n".encode()
    (commit,) = CommitWriter(scene.open()).write([CommitSpec(message, ME, 1_700_000_000)])
    with ObjectReader(scene.open()) as reader:
        raw = reader.read(commit)
    assert raw.endswith(b"\n\n" + message)
    assert scene.git("log", "-1", "--format=%an %ae %at %cn %ce %ct", commit).strip() == (
        "Alice Example alice@example.com 1700000000 Alice Example alice@example.com 1700000000"
    )


def test_same_spec_gives_same_commit(scene: Scene) -> None:
    writer = CommitWriter(scene.open())
    spec = CommitSpec(b"x", ME, 1, changes={"a": b"1"})
    assert writer.write([spec]) == writer.write([spec])


@pytest.mark.parametrize("path", ['with "quotes"', "back\\slash", "new\nline", "ünï", " blank ", "a/b/c d"])
def test_any_path_can_be_written(scene: Scene, path: str) -> None:
    (commit,) = CommitWriter(scene.open()).write([CommitSpec(b"x", ME, 1, changes={path: b"\0binary\n"})])
    assert _files(scene, commit) == {path: b"\0binary\n"}


def test_a_file_takes_the_place_of_a_folder(scene: Scene) -> None:
    specs = [
        CommitSpec(b"x", ME, 1, changes={"a/b": b"1"}),
        CommitSpec(b"y", ME, 1, (Earlier(0),), {"a": b"2", "a/b": None}),
    ]
    assert _files(scene, CommitWriter(scene.open()).write(specs)[1]) == {"a": b"2"}


def test_files_may_start_from_nothing_or_from_a_tree(scene: Scene) -> None:
    tree = scene.git("rev-parse", "HEAD^{tree}").strip()
    specs = [
        CommitSpec(b"x", ME, 1, (scene.first,), {"a": b"1"}, from_nothing=True),
        CommitSpec(b"y", ME, 1, changes={"a": b"1"}, tree=tree),
    ]
    fresh, based = CommitWriter(scene.open()).write(specs)
    assert _files(scene, fresh) == {"a": b"1"}
    assert _files(scene, based) == {"a": b"1", "README.md": b"hello\n"}


def test_a_missing_parent_is_an_error_without_leftovers(scene: Scene) -> None:
    with pytest.raises(NylError) as caught:
        CommitWriter(scene.open()).write([CommitSpec(b"x", ME, 1, ("1" * 40,))])
    assert caught.value.diagnostic.code is Code.GIT_FAILED
    assert not list((scene.work / ".git").glob("fast_import_crash*"))


def test_a_parent_in_a_shallow_clone_is_enough(scene: Scene) -> None:
    second = scene.commit()
    scene.git("push", "-q", "origin", "main")
    shallow = scene.clone("shallow", "--depth=1")
    (commit,) = CommitWriter(scene.open(shallow)).write([CommitSpec(b"x", ME, 1, (second,), {"a": b"1"})])
    assert scene.git("log", "-1", "--format=%P", commit, cwd=shallow).strip() == second


def test_a_thousand_files_are_one_commit(scene: Scene) -> None:
    changes = {f"units/{number}.yaml": b"x: %d\n" % number for number in range(1000)}
    (commit,) = CommitWriter(scene.open()).write([CommitSpec(b"x", ME, 1, changes=changes)])
    assert _files(scene, commit) == changes


def test_sha256_repositories_are_written(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "sha256")
    (commit,) = CommitWriter(scene.open()).write([CommitSpec(b"x", ME, 1, (scene.first,), {"a": b"1"})])
    assert _files(scene, commit) == {"README.md": b"hello\n", "a": b"1"}
