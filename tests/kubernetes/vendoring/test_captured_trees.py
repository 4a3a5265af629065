"""Trees of other repositories that are captured folder by folder."""

from pathlib import Path

import pytest

from nyl.core.diagnostics import NylError
from nyl.kubernetes.expansion.artifacts import CachedArtifacts
from nyl.kubernetes.vendoring.captured_trees import CapturedTree, CapturedTrees, packed_entries, unpacked_entries
from nyl.kubernetes.vendoring.policy import Direct, Recorder, Vendored
from nyl.kubernetes.vendoring.snapshot import Snapshot, encoded
from tests.support.kubernetes_charts import MemoryTree

FILES = {"apps/web.yaml": "web", "apps/deep/x.yaml": "x", "charts/web/Chart.yaml": "chart", "nyl.toml": "", "z": "z"}
COMMIT = "3f1c9a" + "0" * 34


class Git:
    """Gives one tree, and counts how often it is asked."""

    def __init__(self, tree: MemoryTree) -> None:
        self._tree = tree
        self.asked = 0

    def tree(self, url: str, commit: str, lock: str) -> MemoryTree:
        self.asked += 1
        return self._tree


def looked_at(tree: CapturedTree) -> list[object]:
    """What rendering a remote group looks at."""
    return [
        [path for path, _ in tree.under("apps")],
        [path for path, _ in tree.under("apps/deep")],
        tree.read_many(["apps/web.yaml", "apps/deep/x.yaml"]),
        tree.entry("nyl.toml") is not None,
        tree.entry("none"),
        list(tree.under("nowhere")),
        dict(tree.under("charts/web"))["charts/web/Chart.yaml"].is_regular,
        tree.read_many(["z"]),
    ]


def test_what_was_looked_at_is_rendered_again_without_the_repository() -> None:
    git = Git(MemoryTree(FILES))
    recorder = Recorder(Snapshot(MemoryTree({}), "vendor"), Direct())
    first = looked_at(CapturedTrees(git, recorder).tree("https://x/r", COMMIT, "lock"))  # type: ignore[arg-type]
    asked = git.asked
    stored: dict[str, str | bytes] = {"vendor/index.json": encoded(recorder.digests)}
    stored.update({f"vendor/files/{recorder.digests[key]}": data for key, data in recorder.found.items()})
    vendored = Vendored(Snapshot.read(MemoryTree(stored), "vendor"), None)
    assert looked_at(CapturedTrees(git, vendored).tree("https://x/r", COMMIT, "lock")) == first  # type: ignore[arg-type]
    assert git.asked == asked
    assert f"@tree/https://x/r@{COMMIT}/apps" in recorder.found
    other_order = CapturedTrees(git, vendored).tree("https://x/r", COMMIT, "lock")  # type: ignore[arg-type]
    assert other_order.read_many(["apps/web.yaml"]) == {"apps/web.yaml": b"web"}
    with pytest.raises(NylError, match="NYL-VENDOR-MISSING"):
        list(CapturedTrees(git, vendored).tree("https://x/r", COMMIT, "lock").under("other"))


def test_a_captured_tree_shows_what_the_commit_shows(tmp_path: Path) -> None:
    tree = MemoryTree(FILES, links=["apps/link"])
    shown = CapturedTree("r@c", COMMIT, CachedArtifacts(tmp_path), lambda: tree)
    assert [(path, entry.mode) for path, entry in shown.under("")] == [(p, e.mode) for p, e in tree.under("")]
    assert shown.read_many(FILES) == tree.read_many(FILES)
    assert set(shown.files((".yaml",))) == {path for path in FILES if path.endswith(".yaml")}
    with pytest.raises(NylError, match="NYL-FILE-INACCESSIBLE"):
        shown.read_many(["apps/link"])


def test_the_same_entries_pack_to_the_same_bytes() -> None:
    tree = MemoryTree({**FILES, "\udcff" + "long" * 80: "odd"})
    entries = dict(tree.under(""))
    packed = packed_entries(entries, tree)
    assert packed == packed_entries(dict(reversed(entries.items())), tree)
    assert {path: data for path, (_, data) in unpacked_entries(packed).items()} == tree.read_many(list(entries))


def test_damaged_archives_are_refused() -> None:
    class Damaged(Direct):
        def read(self, key: str, fetch: object) -> bytes:
            return b"no archive"

    tree = CapturedTree("r@c", COMMIT, Damaged(), lambda: MemoryTree({}))
    with pytest.raises(NylError, match="NYL-VENDOR-CORRUPT"):
        list(tree.under("apps"))
