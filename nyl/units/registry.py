"""Which kinds of unit there are: the built-in ones, and those that installed packages add."""

import hashlib
import json
from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.project.records import UNITS
from nyl.project.units import UnitKind
from nyl.units.installed import Installed, installed_groups
from nyl.units.protocol import protocol_problems
from nyl.units.undriven import INSTALL_DRIVER, undriven

if TYPE_CHECKING:  # many a command asks for the kinds, and for no driver
    from nyl.units.driver import Driver

# No package can add to the API group of the kinds that nyl itself brings.
_BUILT_IN: Mapping[tuple[str, str], tuple[str, str]] = MappingProxyType(
    {
        (UNITS, "Command"): ("nyl.units.command", "CommandDriver"),
        (UNITS, "KubernetesPublication"): ("nyl.units.publication.driver", "KubernetesPublicationDriver"),
        (UNITS, "OciImage"): ("nyl.units.images.driver", "OciImageDriver"),
        (UNITS, "OpenTofu"): ("nyl.units.terraform.driver", "OpenTofuDriver"),
        (UNITS, "Terraform"): ("nyl.units.terraform.driver", "TerraformDriver"),
    }
)


@dataclass(frozen=True)
class KindInfo:
    """One installed kind, as `nyl get kinds` lists it."""

    api_version: str
    kind: str
    behavior_version: int
    package: str
    """The distribution that brings it, with its version."""


class DriverRegistry:
    """The installed drivers. Modules of drivers are imported when one of their kinds is first asked for."""

    def __init__(self, find_installed: Callable[[], Mapping[str, tuple[Installed, ...]]] = installed_groups) -> None:
        self._find_installed = find_installed
        self._installed: Mapping[str, tuple[Installed, ...]] | None = None
        self._drivers: dict[tuple[str, str], Driver] = {}
        self._kinds: dict[tuple[str, str], UnitKind] = {}
        self._loaded: dict[str, dict[str, Driver]] = {}

    def groups(self) -> frozenset[str]:
        """The API groups/versions that hold unit kinds, such as units.gitops.nyl/v1."""
        return frozenset({UNITS, *self._groups()})

    def find(self, api_version: str, kind: str) -> UnitKind | None:
        """The kind, or None when no installed driver offers it. Raises NylError(DRIVER_INVALID)."""
        known = self._kinds.get((api_version, kind))
        if known is None:
            driver = self._find_driver(api_version, kind)
            if driver is None:
                return None
            known = self._kinds[api_version, kind] = _describe(driver)
        return known

    def names(self, api_version: str) -> tuple[str, ...]:
        """The kinds of a group, for suggestions. Raises NylError(DRIVER_INVALID)."""
        if api_version == UNITS:
            return tuple(sorted(kind for group, kind in _BUILT_IN if group == api_version))
        return tuple(sorted(self._group(api_version)))

    def driver(self, api_version: str, kind: str) -> "Driver":
        """The driver of a kind. Raises NylError(KIND_UNKNOWN, DRIVER_INVALID)."""
        driver = self._find_driver(api_version, kind)
        if driver is None:
            known = self.names(api_version)
            message = f"Kind {kind} is unknown: {undriven(kind, api_version)}"
            if not known:
                raise NylError(Code.KIND_UNKNOWN, f"{message}.", INSTALL_DRIVER)
            raise NylError(
                Code.KIND_UNKNOWN,
                f"{message}; that group offers {', '.join(known)}.",
                "install the version of the package that brings the kind, or correct it; `nyl get kinds` lists all",
            )
        return driver

    def all_kinds(self) -> tuple[KindInfo, ...]:
        """Every installed kind, sorted. Raises NylError(DRIVER_INVALID)."""
        from nyl import __version__

        found = [
            KindInfo(group, kind, self.driver(group, kind).behavior_version, f"nyl {__version__}")
            for group, kind in _BUILT_IN
        ]
        for group, packages in self._groups().items():
            package = ", ".join(each.package for each in packages)
            found += [
                KindInfo(group, kind, driver.behavior_version, package) for kind, driver in self._group(group).items()
            ]
        return tuple(sorted(found, key=lambda each: (each.api_version, each.kind)))

    def _groups(self) -> Mapping[str, tuple[Installed, ...]]:
        if self._installed is None:
            self._installed = self._find_installed()
        return self._installed

    def _find_driver(self, api_version: str, kind: str) -> "Driver | None":
        known = self._drivers.get((api_version, kind))
        if known is not None:
            return known
        if api_version == UNITS:
            place = _BUILT_IN.get((api_version, kind))
            driver: Driver | None = getattr(import_module(place[0]), place[1])() if place else None
        else:
            driver = self._group(api_version).get(kind)
        if driver is not None:
            self._drivers[api_version, kind] = driver
        return driver

    def _group(self, api_version: str) -> "Mapping[str, Driver]":
        """The drivers that packages add to a group, by kind."""
        known = self._loaded.get(api_version)
        if known is None:
            packages = self._groups().get(api_version, ())
            known = self._loaded[api_version] = _load_group(api_version, packages)
        return known


def _load_group(api_version: str, packages: tuple[Installed, ...]) -> "dict[str, Driver]":
    from nyl.units.guarded import GuardedDriver

    drivers: dict[str, Driver] = {}
    owners: dict[str, str] = {}
    for package in packages:
        for driver in package.load():
            problems = protocol_problems(driver, api_version)
            if problems:
                raise _invalid(package.package, f"{type(driver).__name__} {'; '.join(problems)}")
            if driver.kind in drivers:
                raise _invalid(
                    package.package, f"kind {driver.kind} of {api_version} is {owners[driver.kind]}'s already"
                )
            drivers[driver.kind] = GuardedDriver(driver, package.package)
            owners[driver.kind] = package.package
    return drivers


def _invalid(package: str, problem: str) -> NylError:
    return NylError(
        Code.DRIVER_INVALID,
        f"The driver package {package} does not fit: {problem}.",
        "uninstall the package, or install a version of it that fits this nyl",
    )


def _describe(driver: "Driver") -> UnitKind:
    schema = driver.schema()
    fields = (schema, driver.reference_fields, driver.default_timeout.total_seconds())
    return UnitKind(
        api_version=driver.api_version,
        kind=driver.kind,
        schema_digest=hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest(),
        schema=schema,
        reference_fields=tuple(driver.reference_fields),
        default_timeout=driver.default_timeout,
    )
