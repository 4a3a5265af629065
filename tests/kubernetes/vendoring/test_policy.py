"""Which of snapshot, cache and network a file comes from."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from nyl.core.diagnostics import NylError
from nyl.kubernetes.expansion.artifacts import CachedArtifacts
from nyl.kubernetes.vendoring.policy import Direct, Inspection, Recorder, Vendored
from nyl.kubernetes.vendoring.snapshot import Snapshot
from tests.support.kubernetes_charts import MemoryTree

KEY = "@chart/https://charts.example.com#web@1.2.3"


def snapshot(data: bytes = b"captured", damaged: bool = False) -> Snapshot:
    digest = hashlib.sha256(data).hexdigest()
    tree = MemoryTree({f"vendor/files/{digest}": b"damaged" if damaged else data})
    return Snapshot(tree, "vendor", {KEY: digest})


def gives(data: bytes) -> Callable[[], bytes]:
    return lambda: data


def never() -> bytes:
    raise AssertionError("nothing is to be fetched")


def test_preferred_takes_what_is_captured_and_fetches_the_rest() -> None:
    vendored = Vendored(snapshot(), Direct())
    assert vendored.read(KEY, never) == b"captured"
    assert vendored.read("@chart/other", gives(b"fetched")) == b"fetched"


def test_required_renders_from_the_snapshot_alone() -> None:
    vendored = Vendored(snapshot(), None)
    assert vendored.read(KEY, never) == b"captured"
    with pytest.raises(NylError, match="NYL-VENDOR-MISSING") as caught:
        vendored.read("@chart/other", never)
    assert "the chart other is not in the vendor folder vendor" in caught.value.diagnostic.message
    assert "nyl vendor" in caught.value.diagnostic.fix


@pytest.mark.parametrize("elsewhere", [None, Direct()])
def test_damaged_bytes_are_an_error_and_never_replaced_silently(elsewhere: Direct | None) -> None:
    with pytest.raises(NylError, match="NYL-VENDOR-CORRUPT"):
        Vendored(snapshot(damaged=True), elsewhere).read(KEY, never)


def test_recording_takes_over_what_was_captured_and_fetches_the_rest_once() -> None:
    recorder = Recorder(snapshot(), Direct())
    asked = []

    def fetch() -> bytes:
        asked.append(1)
        return b"new"

    assert recorder.read(KEY, never) == b"captured"
    assert [recorder.read("@new", fetch) for _ in range(2)] == [b"new", b"new"]
    assert len(asked) == 1
    assert recorder.digests == {
        KEY: hashlib.sha256(b"captured").hexdigest(),
        "@new": hashlib.sha256(b"new").hexdigest(),
    }


def test_refreshing_fetches_everything_again_and_so_does_damage() -> None:
    assert Recorder(snapshot(), Direct(), is_refreshing=True).read(KEY, gives(b"new")) == b"new"
    assert Recorder(snapshot(damaged=True), Direct()).read(KEY, gives(b"new")) == b"new"


def test_digests_tell_what_reading_would_give(tmp_path: Path) -> None:
    cached, digest = CachedArtifacts(tmp_path), hashlib.sha256(b"captured").hexdigest()
    assert cached.digest(KEY) is None
    cached.read(KEY, gives(b"cached"))
    known = hashlib.sha256(b"cached").hexdigest()
    assert cached.digest(KEY) == known
    assert CachedArtifacts(tmp_path, refresh=True).digest(KEY) is None
    assert CachedArtifacts(tmp_path, refresh=True, offline=True).digest(KEY) == known
    assert Vendored(snapshot(), cached).digest(KEY) == digest
    empty = Snapshot(MemoryTree({}), "vendor")
    assert Vendored(empty, cached).digest(KEY) == known
    assert Vendored(empty, None).digest(KEY) is None
    assert Recorder(snapshot(), cached).digest(KEY) is None


def test_what_is_of_git_is_left_to_its_mirror(tmp_path: Path) -> None:
    cached = CachedArtifacts(tmp_path / "folder", offline=True)
    assert cached.read("@git/x@c/file", gives(b"here")) == b"here"
    assert not (tmp_path / "folder").exists()


def test_an_inspection_fetches_nothing_and_notes_what_is_missing(tmp_path: Path) -> None:
    CachedArtifacts(tmp_path).read("@chart/cached", gives(b"cached"))
    inspection = Inspection(snapshot(), CachedArtifacts(tmp_path, offline=True))
    assert inspection.read(KEY, never) == b"captured"
    assert inspection.read("@chart/cached", never) == b"cached"
    with pytest.raises(NylError, match="NYL-VENDOR-MISSING"):
        inspection.read("@nowhere", never)
    assert (inspection.used, inspection.missing) == ({KEY}, {"@chart/cached", "@nowhere"})
