"""Bringing the vendor folder of a working tree in line with what was collected."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location, NylError
from nyl.core.faults import point
from nyl.core.files import write_atomically
from nyl.kubernetes.vendoring.snapshot import ATTRIBUTES, FILES, IGNORE, INDEX, encoded, is_digest


@dataclass(frozen=True)
class VendorChanges:
    """How one snapshot differs from another, in keys."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]


def planned_entries(old: Mapping[str, str], found: Mapping[str, str], *, prune: bool) -> dict[str, str]:
    """The entries of the new snapshot: what was found, and without `prune` what else was captured before."""
    return dict(found) if prune else {**old, **found}


def vendor_changes(old: Mapping[str, str], new: Mapping[str, str]) -> VendorChanges:
    """What becomes another snapshot, by key."""
    return VendorChanges(
        added=tuple(sorted(new.keys() - old.keys())),
        changed=tuple(sorted(key for key in new.keys() & old.keys() if new[key] != old[key])),
        removed=tuple(sorted(old.keys() - new.keys())),
    )


def write_snapshot(root: Path, folder: str, entries: Mapping[str, str], contents: Mapping[str, bytes]) -> list[str]:
    """Writes a snapshot below the root of a working tree, and gives the paths that changed.

    `contents` holds the bytes of every entry whose file may not be there yet, by key. Files go before the index, and
    what it no longer names goes after it, so that a death in between leaves a whole snapshot. Raises
    NYL-FILE-INACCESSIBLE, and NYL-PATH-REFUSED where a symlink is in the way.
    """
    place = root / folder
    _refuse_links(root, folder)
    wanted = {f"{FILES}/{digest}": contents.get(key) for key, digest in entries.items()}
    texts = {".gitattributes": ATTRIBUTES.encode(), ".gitignore": IGNORE.encode()}
    changed: list[str] = []
    try:
        for name, data in sorted({**texts, **wanted}.items()):
            if data is not None and _differs(place / name, data):
                _write(place / name, data)
                changed.append(f"{folder}/{name}")
        point("vendored files written")
        index = encoded(entries)
        if _differs(place / INDEX, index):
            _write(place / INDEX, index)
            changed.append(f"{folder}/{INDEX}")
        point("vendor index written")
        changed += _remove_others(place / FILES, {Path(name).name for name in wanted}, f"{folder}/{FILES}")
    except OSError as error:
        message = f"{error.filename or place} cannot be written: {error.strerror}."
        raise NylError(
            Code.FILE_INACCESSIBLE, message, "make the vendor folder writable", location=Location(folder)
        ) from None
    return changed


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, data)


def _differs(path: Path, data: bytes) -> bool:
    try:
        return path.stat().st_size != len(data) or _digest(path.read_bytes()) != _digest(data)
    except FileNotFoundError:
        return True


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def _remove_others(folder: Path, wanted: set[str], shown: str) -> list[str]:
    """Removes files that have the name of a digest and are not wanted; nobody else names files so."""
    others = [each for each in sorted(folder.glob("*")) if each.name not in wanted and is_digest(each.name)]
    for each in others:
        each.unlink()
    return [f"{shown}/{each.name}" for each in others]


def _refuse_links(root: Path, folder: str) -> None:
    place = root
    for part in (*folder.split("/"), FILES):
        place = place / part
        if place.is_symlink():
            message = f"{place.relative_to(root)} is a symlink, and nothing is written through it."
            fix = "name a real folder as `path` of [vendor]"
            raise NylError(Code.PATH_REFUSED, message, fix, location=Location(folder))
