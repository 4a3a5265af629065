"""Writing a rendered tree into a folder."""

import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from nyl.core import faults
from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.kubernetes.index import decode
from nyl.kubernetes.output_tree import OutputTree
from nyl.kubernetes.tree import RenderedTree
from nyl.kubernetes.tree_update import TreeUpdate
from tests.support.rendered_trees import SOURCE, digest, rendered, target

WEB = "apps/web/configmap/web/a.yaml"
API = "apps/api/configmap/api/b.yaml"
INDEX = "_nyl/index.json"


class Output:
    """An output folder with the tree of `dev` in it."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.folder = base / "dev"

    def write(self, tree: RenderedTree, *, force: bool = False) -> TreeUpdate:
        return OutputTree(self.base, "dev").write(tree, force=force)

    def refused(self, tree: RenderedTree, *, force: bool = False) -> NylError:
        before = self.snapshot()
        with pytest.raises(NylError) as error:
            self.write(tree, force=force)
        assert self.snapshot() == before
        return error.value

    def put(self, path: str, text: str) -> Path:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def files(self) -> dict[str, str]:
        """Every file but the index; no folder is empty."""
        for root, folders, names in os.walk(self.folder):
            assert folders or names, f"{root} is empty"
        return {path: text for path, text in self.snapshot().items() if path != INDEX}

    def snapshot(self) -> dict[str, str]:
        return dict(sorted(self._look()))

    def _look(self) -> Iterator[tuple[str, str]]:
        for root, _, names in os.walk(self.folder):
            for name in names:
                file = Path(root) / name
                text = f"-> {file.readlink()}" if file.is_symlink() else file.read_text()
                yield str(file.relative_to(self.folder)), text

    def owned(self) -> dict[str, str]:
        return dict(decode((self.folder / INDEX).read_bytes()).files)


@pytest.fixture
def output(tmp_path: Path) -> Output:
    return Output(tmp_path / "out")


def test_a_tree_is_written_below_the_prefix_with_its_index(output: Output) -> None:
    update = output.write(rendered({WEB: "a", API: "b"}, inputs={"apps/web.yaml": digest("x")}))
    assert output.files() == {WEB: "a", API: "b"}
    index = decode((output.folder / INDEX).read_bytes())
    assert (index.target, index.cluster, index.commit, index.owner) == ("dev", "shared", SOURCE, None)
    assert (index.files, index.inputs) == ({WEB: digest("a"), API: digest("b")}, {"apps/web.yaml": digest("x")})
    assert (index.publication.repository, index.publication.revision, index.publication.prefix) == (
        None,
        "deploy",
        "dev",
    )
    assert update.changes.added == (API, WEB)


def test_an_empty_prefix_is_the_output_folder_itself(tmp_path: Path) -> None:
    OutputTree(tmp_path, "").write(rendered({WEB: "a"}, of=target(prefix="")), force=False)
    assert (tmp_path / WEB).read_text() == "a"


def test_only_what_changed_is_written(output: Output) -> None:
    output.write(rendered({WEB: "a", API: "b"}))
    before = {path: (output.folder / path).stat().st_ino for path in (WEB, API)}
    output.write(rendered({WEB: "a", API: "c"}))
    after = {path: (output.folder / path).stat().st_ino for path in (WEB, API)}
    assert (before[WEB] == after[WEB], before[API] == after[API]) == (True, False)


def test_the_same_tree_of_another_commit_leaves_the_index_alone(output: Output) -> None:
    output.write(rendered({WEB: "a"}))
    before = (output.folder / INDEX).stat()
    assert output.write(rendered({WEB: "a"}, commit="6" * 40)).is_empty
    assert (output.folder / INDEX).stat() == before


def test_other_inputs_of_the_same_files_change_the_index_alone(output: Output) -> None:
    output.write(rendered({WEB: "a"}))
    update = output.write(rendered({WEB: "a"}, inputs={"apps/web.yaml": digest("y")}))
    assert (update.changes.is_empty, update.writes_index) == (True, True)
    assert decode((output.folder / INDEX).read_bytes()).inputs == {"apps/web.yaml": digest("y")}


def test_files_that_are_not_rendered_any_more_go_with_the_folders_that_this_empties(output: Output) -> None:
    output.write(rendered({WEB: "a", API: "b"}))
    output.write(rendered({API: "b"}))
    assert not (output.folder / "apps/web").exists()
    assert output.owned() == {API: digest("b")}


def test_unowned_files_stay_as_they_are_and_so_do_their_folders(output: Output) -> None:
    output.write(rendered({WEB: "a", API: "b"}))
    readme = output.put("apps/web/README", "mine")
    readme.chmod(0o751)
    (output.folder / "apps/empty").mkdir()
    before = readme.stat()
    output.write(rendered({API: "c"}))
    assert (readme.read_text(), readme.stat()) == ("mine", before)
    assert (output.folder / "apps/empty").is_dir()


@pytest.mark.parametrize("force", [False, True])
def test_a_file_that_nyl_does_not_own_is_never_overwritten(output: Output, force: bool) -> None:
    output.put(WEB, "a")
    error = output.refused(rendered({WEB: "a"}), force=force)
    assert error.diagnostic.code is Code.TREE_UNOWNED
    assert WEB in error.diagnostic.message


def test_edited_and_missing_files_are_refused_by_name_and_restored_with_force(output: Output) -> None:
    output.write(rendered({WEB: "a", API: "b"}))
    output.put(WEB, "edited")
    (output.folder / API).unlink()
    error = output.refused(rendered({WEB: "a", API: "b"}))
    assert error.diagnostic.code is Code.TREE_EDITED
    assert f"{API} (removed), {WEB} (changed)" in error.diagnostic.message
    update = output.write(rendered({WEB: "a", API: "b"}), force=True)
    assert [each.path for each in update.changes.edits] == [API, WEB]
    assert output.files() == {WEB: "a", API: "b"}


@pytest.mark.parametrize("instead", ["link", "folder"])
def test_what_replaced_a_file_is_refused_and_never_written_through(output: Output, instead: str) -> None:
    output.write(rendered({WEB: "a"}))
    victim = output.base / "victim"
    victim.write_text("mine")
    (output.folder / WEB).unlink()
    if instead == "link":
        (output.folder / WEB).symlink_to(victim)
    else:
        (output.folder / WEB).mkdir()
    with pytest.raises(NylError, match="NYL-TREE-EDITED"):
        output.write(rendered({WEB: "b"}))
    output.write(rendered({WEB: "b"}), force=True)
    assert (output.files(), victim.read_text()) == ({WEB: "b"}, "mine")


def test_a_symlink_where_a_folder_belongs_is_never_written_through(output: Output) -> None:
    elsewhere = output.base / "elsewhere"
    elsewhere.mkdir(parents=True)
    (output.folder / "apps").mkdir(parents=True)
    (output.folder / "apps/web").symlink_to(elsewhere)
    assert output.refused(rendered({WEB: "a"}), force=True).diagnostic.code is Code.TREE_UNOWNED
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("prefix", ["dev", "dev/deep"])
def test_a_prefix_through_a_symlink_is_refused(tmp_path: Path, prefix: str) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "dev").symlink_to("real")
    with pytest.raises(NylError, match="NYL-PATH-REFUSED"):
        OutputTree(tmp_path, prefix).write(rendered({WEB: "a"}), force=True)
    assert list((tmp_path / "real").iterdir()) == []


def test_nyls_own_folder_behind_a_symlink_is_refused(output: Output) -> None:
    elsewhere = output.base / "elsewhere"
    elsewhere.mkdir(parents=True)
    output.folder.mkdir()
    (output.folder / "_nyl").symlink_to(elsewhere)
    with pytest.raises(NylError, match="NYL-PATH-REFUSED"):
        output.write(rendered({WEB: "a"}), force=True)
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("kind", ["symlink", "hard"])
def test_what_lies_where_files_are_staged_is_not_written_through(output: Output, kind: str) -> None:
    victim = output.put("victim", "mine")
    staged = output.folder / "_nyl/.writing"
    staged.parent.mkdir()
    if kind == "symlink":
        staged.symlink_to(victim)
    else:
        staged.hardlink_to(victim)
    output.write(rendered({WEB: "a"}))
    assert output.files() == {WEB: "a", "victim": "mine"}


def test_an_output_folder_may_itself_be_reached_through_a_symlink(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    OutputTree(tmp_path / "link", "dev").write(rendered({WEB: "a"}), force=False)
    assert (tmp_path / "real/dev" / WEB).read_text() == "a"


def test_a_file_takes_the_place_of_a_folder_and_the_other_way_round(output: Output) -> None:
    output.write(rendered({"a/b": "1", "c": "2"}))
    output.write(rendered({"a": "1", "c/d": "2"}))
    assert output.files() == {"a": "1", "c/d": "2"}


def test_a_rename_by_case_alone_removes_before_it_writes(output: Output) -> None:
    output.write(rendered({"apps/Web/A.yaml": "1"}))
    seen: list[dict[str, str]] = []
    with at_points(lambda name: seen.append(output.files()) if name == "after removals of the tree" else None):
        output.write(rendered({"apps/web/a.yaml": "1"}))
    assert [path for path in seen[0] if path.startswith("apps")] == []
    assert not (output.folder / "apps/Web").exists()
    assert output.files() == {"apps/web/a.yaml": "1"}


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"version": 2}', b"\xff"])
def test_an_index_that_nyl_cannot_use_stops_everything(output: Output, content: bytes) -> None:
    output.write(rendered({WEB: "a"}))
    (output.folder / INDEX).write_bytes(content)
    with pytest.raises(NylError, match="NYL-TREE-INDEX"):
        output.write(rendered({WEB: "b"}), force=True)
    assert (output.folder / WEB).read_text() == "a"


def test_a_tree_without_its_index_is_not_taken_over(output: Output) -> None:
    output.write(rendered({WEB: "a"}))
    (output.folder / INDEX).unlink()
    assert output.refused(rendered({WEB: "a"}), force=True).diagnostic.code is Code.TREE_UNOWNED


def test_the_tree_of_another_target_is_refused(output: Output) -> None:
    output.write(rendered({WEB: "a"}))
    error = output.refused(rendered({WEB: "a"}, of=target("prod", "dev")), force=True)
    assert error.diagnostic.code is Code.TREE_FOREIGN
    assert "DeploymentTarget dev" in error.diagnostic.message
    assert "prod (targets/prod.yaml:1)" in error.diagnostic.message


def test_a_tree_around_that_of_another_target_is_refused(output: Output) -> None:
    output.write(rendered({WEB: "a"}))
    with pytest.raises(NylError, match="NYL-TREE-FOREIGN"):
        OutputTree(output.base, "").write(rendered({API: "b"}, of=target("all", "")), force=True)


def test_a_preview_writes_nothing_at_all(tmp_path: Path) -> None:
    update = OutputTree(tmp_path / "out", "dev").preview(rendered({WEB: "a"}))
    assert update.changes.added == (WEB,)
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_way_of_the_output_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(NylError, match="NYL-FILE-INACCESSIBLE"):
        OutputTree(tmp_path / "out", "dev").write(rendered({WEB: "a"}), force=True)


def test_names_that_are_no_text_are_unowned_files_like_others(output: Output) -> None:
    output.write(rendered({WEB: "a"}))
    odd = os.fsencode(output.folder) + b"/apps/\xff"
    Path(os.fsdecode(odd)).write_text("mine")
    output.write(rendered({WEB: "b"}))
    assert Path(os.fsdecode(odd)).read_text() == "mine"


def test_one_writer_waits_for_another(output: Output) -> None:
    output.write(rendered({WEB: "a"}))
    waits = threading.Event()
    handle = os.open(output.folder, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    second = threading.Thread(
        target=lambda: OutputTree(output.base, "dev", lambda text: waits.set()).write(rendered({WEB: "b"}), force=False)
    )
    second.start()
    assert waits.wait(20)
    assert output.files() == {WEB: "a"}
    os.close(handle)
    second.join(20)
    assert output.files() == {WEB: "b"}


# Deaths

ONE = {"apps/web/a": "1", "apps/web/b": "1", "apps/web/c": "1", "Case/x": "1"}
TWO = {"apps/web/a": "2", "apps/web/b": "1", "apps/api/d": "2", "case/x": "1"}
THREE = {"apps/web/a": "3", "apps/web/c": "3", "apps/api/d": "3"}


class _Death(BaseException):
    """The process ends here."""


class at_points:
    """Calls something at every fault point."""

    def __init__(self, hook: Callable[[str], None]) -> None:
        self._hook = hook

    def __enter__(self) -> None:
        faults.install(self._hook)

    def __exit__(self, *_: object) -> None:
        faults.install(None)


def dies(output: Output, files: dict[str, str], at: int) -> bool:
    """Whether a writer died at its fault point of some number, from 0; it had fewer otherwise."""
    left = [at]

    def hook(name: str) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise _Death

    try:
        with at_points(hook):
            output.write(rendered(files, inputs={"x": digest(repr(files))}))
    except _Death:
        return True
    return False


@pytest.mark.parametrize("then", [TWO, THREE, ONE])
@pytest.mark.parametrize("first", [None, ONE])
def test_after_a_death_at_any_point_the_next_writer_finishes(
    tmp_path: Path, first: dict[str, str] | None, then: dict[str, str]
) -> None:
    for at in range(100):
        output = Output(tmp_path / str(at))
        if first is not None:
            output.write(rendered(first))
        output.put("apps/README", "mine")
        died = dies(output, TWO, at)
        output.write(rendered(then))
        assert output.files() == {**then, "apps/README": "mine"}
        assert output.owned() == {path: digest(text) for path, text in then.items()}
        if not died:
            break
    assert at > 5


def test_after_two_deaths_in_a_row_the_next_writer_finishes(tmp_path: Path) -> None:
    for first in range(6):
        for second in range(100):
            output = Output(tmp_path / f"{first}-{second}")
            output.write(rendered(ONE))
            dies(output, TWO, first)
            died = dies(output, THREE, second)
            output.write(rendered(TWO))
            assert output.files() == TWO
            if not died:
                break


def test_a_preview_after_a_death_says_that_something_is_left_to_do(tmp_path: Path) -> None:
    for at in range(100):
        output = Output(tmp_path / str(at))
        died = dies(output, ONE, at)
        before = output.snapshot()
        preview = OutputTree(output.base, "dev").preview(rendered(ONE, inputs={"x": digest(repr(ONE))}))
        assert output.snapshot() == before
        assert preview.is_empty == (INDEX in before and not (output.folder / "_nyl/.pending.json").exists())
        if not died:
            break


def test_an_edit_after_a_death_is_still_found(output: Output) -> None:
    output.write(rendered(ONE))
    assert dies(output, TWO, 2)
    output.put("apps/web/b", "edited")
    assert output.refused(rendered(TWO)).diagnostic.code is Code.TREE_EDITED
