"""Packed charts: what is in them, taken out in memory and within limits."""

import io
import tarfile
import zlib

from nyl.kubernetes.expansion.chart_content import ChartContent

MOST_BYTES = 100 * 1024 * 1024
MOST_FILES = 20_000
_TAR = b"ustar"


def unpacked(archive: bytes) -> ChartContent:
    """The chart in a `.tgz` or a `.tar`, below the one folder that such archives hold.

    Raises ValueError for what is no such archive, for links and paths that lead out of it, and for what is larger than
    100 MiB or more than 20,000 files.
    """
    files: dict[str, bytes] = {}
    size = 0
    try:
        with tarfile.open(fileobj=io.BytesIO(_inflated(archive))) as opened:
            for member in opened:
                if member.isdir():
                    continue
                _check(member)
                size += member.size
                if size > MOST_BYTES:
                    raise _too_large()
                data = opened.extractfile(member)
                assert data is not None
                files[_below_top(member.name)] = data.read()
                if len(files) > MOST_FILES:
                    raise ValueError(f"it holds more than {MOST_FILES:,} files")
    except (tarfile.TarError, EOFError) as error:
        raise ValueError(f"it is no packed chart: {error}") from None
    return ChartContent(files)


def packed(content: ChartContent) -> bytes:
    """A chart as one `.tar`: the same files always give the same bytes, which no compression could promise."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, data in sorted(content.files.items()):
            member = tarfile.TarInfo(f"chart/{path}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def _inflated(archive: bytes) -> bytes:
    if archive[257:262] == _TAR:
        return archive
    engine = zlib.decompressobj(wbits=31)
    try:
        data = engine.decompress(archive, MOST_BYTES + 1)
    except zlib.error as error:
        raise ValueError(f"it is neither packed with gzip nor a tar archive: {error}") from None
    if len(data) > MOST_BYTES:
        raise _too_large()
    if not engine.eof:
        raise ValueError("it ends early")
    return data


def _too_large() -> ValueError:
    return ValueError(f"it is larger than {MOST_BYTES // 1024**2} MiB when unpacked")


def _check(member: tarfile.TarInfo) -> None:
    if not member.isreg() or member.issparse():
        raise ValueError(f"it holds {member.name}, which is no regular file")
    parts = member.name.split("/")
    if member.name.startswith("/") or ".." in parts or "\0" in member.name or "\\" in member.name:
        raise ValueError(f"it holds {member.name!r}, a path that leads out of it")
    if len(parts) < 2:
        raise ValueError(f"it holds {member.name!r} beside the folder of the chart")


def _below_top(name: str) -> str:
    parts = [part for part in name.split("/") if part not in ("", ".")]
    return "/".join(parts[1:])
