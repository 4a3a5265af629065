"""Driver packages: the entry points of group `nyl.drivers`.

An entry point's name is the API group and version its package owns, such as `acme.example/v1`. It names an object
that is, or gives when it is called, a sequence of drivers.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.project.records import is_reserved

_ENTRY_POINT_GROUP = "nyl.drivers"
"""The entry point group by which packages add drivers."""


@dataclass(frozen=True)
class Installed:
    """One package that adds drivers to an API group."""

    group: str
    package: str
    """Name and version of the distribution."""
    load_object: Callable[[], Any]

    def load(self) -> tuple[Any, ...]:
        """Imports the package and gives its drivers, not checked yet. Raises NylError(DRIVER_INVALID)."""
        try:
            found = self.load_object()
            return tuple(found() if callable(found) else found)
        except Exception as error:
            raise NylError(
                Code.DRIVER_INVALID,
                f"The driver package {self.package} cannot be loaded: {type(error).__name__}: {error}.",
                "uninstall the package, or install a version of it that fits this nyl",
            ) from error


def installed_groups() -> Mapping[str, tuple[Installed, ...]]:
    """The packages that add drivers, by the API group they name. Imports none of them.

    Groups that are reserved for nyl itself are left out.
    """
    if not any(map(_mentions_drivers, sys.path)):
        return {}
    from importlib.metadata import entry_points

    found: dict[str, dict[str, Installed]] = {}
    for entry in entry_points(group=_ENTRY_POINT_GROUP):
        package = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
        if not is_reserved(entry.name):
            found.setdefault(entry.name, {}).setdefault(entry.value, Installed(entry.name, package, entry.load))
    return {group: tuple(packages.values()) for group, packages in found.items()}


def _mentions_drivers(folder: str) -> bool:
    """Whether a folder of the import path has a distribution with drivers.

    Asking importlib.metadata costs 40 ms, most of it imports, which every invocation would pay for nothing.
    """
    with suppress(OSError):
        return any(_ENTRY_POINT_GROUP.encode() in data for data in _entry_point_files(Path(folder or ".")))
    return False


def _entry_point_files(folder: Path) -> Iterable[bytes]:
    for suffix in (".dist-info", ".egg-info"):
        for metadata in folder.glob(f"*{suffix}"):
            with suppress(OSError):
                yield (metadata / "entry_points.txt").read_bytes()
