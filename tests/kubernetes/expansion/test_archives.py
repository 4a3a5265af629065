"""Packed charts: hostile ones are refused, and whatever is wrong with one is a ValueError."""

import io
import random
import tarfile
import zlib

import pytest

from nyl.kubernetes.expansion import archives
from nyl.kubernetes.expansion.archives import packed, unpacked
from nyl.kubernetes.expansion.chart_content import ChartContent
from tests.support import kubernetes_charts

FILES = {"Chart.yaml": b"name: web\n", "templates/\u00e4.yaml": b"\r\n\0", "deep/" * 30 + "x": b""}


def archive(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as opened:
        for member, data in members:
            opened.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "", size: int = 0) -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type, made.linkname, made.size = kind, link, size
    return made


def test_what_is_packed_is_unpacked_and_packs_to_the_same_bytes_again() -> None:
    data = packed(ChartContent(FILES))
    assert unpacked(data).files == FILES
    assert packed(ChartContent(dict(reversed(FILES.items())))) == data


def test_the_folder_that_an_archive_holds_is_left_out_whatever_its_name() -> None:
    assert unpacked(kubernetes_charts.packed("any", FILES)).files == FILES


@pytest.mark.parametrize(
    "made",
    [
        member("web/../../x"),
        member("/web/x"),
        member("web/a\\b"),
        member("x"),
        member("web/link", tarfile.SYMTYPE, "/etc/passwd"),
        member("web/link", tarfile.LNKTYPE, "web/x"),
        member("web/device", tarfile.CHRTYPE),
        member("web/pipe", tarfile.FIFOTYPE),
    ],
)
def test_members_that_are_no_files_of_the_chart_are_refused(made: tarfile.TarInfo) -> None:
    with pytest.raises(ValueError):
        unpacked(archive((made, b"")))


def test_archives_that_grow_are_refused_before_they_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_BYTES", 15_000)
    monkeypatch.setattr(archives, "MOST_FILES", 3)
    with pytest.raises(ValueError, match="larger than"):
        unpacked(archive((member("web/x", size=20_000), b"\0" * 20_000)))
    with pytest.raises(ValueError, match="more than 3 files"):
        unpacked(archive(*((member(f"web/{number}"), b"") for number in range(4))))


def test_whatever_is_damaged_is_told_and_never_breaks() -> None:
    whole = zlib.decompress(kubernetes_charts.packed("web", FILES), wbits=31)
    chance = random.Random(1)
    for _ in range(300):
        damaged = bytearray(whole)
        for _ in range(chance.randint(1, 5)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        try:
            unpacked(bytes(damaged[: chance.randrange(len(damaged))]))
        except ValueError:
            continue
