"""Which kinds there are."""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.project.records import UNITS
from nyl.units.command import CommandDriver
from nyl.units.installed import Installed, installed_groups
from nyl.units.registry import DriverRegistry
from tests.driver_package.installed import installed_at

GROUP = "acme.example/v1"


class Acme(CommandDriver):
    """A kind of another group."""

    api_version = GROUP
    kind = "Acme"


class Faulty(Acme):
    """Breaks the protocol in several ways."""

    behavior_version = 0
    neutral_fields: Any = "idempotent"


class WithSchema(Acme):
    """Has the schema that it is given."""

    def __init__(self, **properties: Any) -> None:
        own = {name: {} for name in ("values", *self.neutral_fields)}
        self._schema = {"type": "object", "properties": own | properties}

    def schema(self) -> Mapping[str, Any]:
        return self._schema


class WithFields(Acme):
    """Says of its fields what it is given."""

    def __init__(self, *references: str, neutral: str = "verify") -> None:
        self.reference_fields = references
        self.neutral_fields = (neutral,)


def registry(*packages: tuple[str, Any]) -> DriverRegistry:
    found = tuple(Installed(GROUP, name, partial(_same, given)) for name, given in packages)
    return DriverRegistry(lambda: {GROUP: found})


def _same(given: Any) -> Any:
    return given


@pytest.fixture
def driver_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = installed_at(tmp_path)
    monkeypatch.syspath_prepend(str(folder))
    yield folder
    for name in [each for each in sys.modules if each.startswith("nyl_test_drivers")]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("kind", "minutes"),
    [("Command", 30), ("Terraform", 60), ("OpenTofu", 60), ("OciImage", 60), ("KubernetesPublication", 10)],
)
def test_every_kind_has_its_own_default_timeout(kind: str, minutes: int) -> None:
    assert registry().driver(UNITS, kind).default_timeout == timedelta(minutes=minutes)


def test_command_is_built_in() -> None:
    kind = DriverRegistry().find(UNITS, "Command")

    assert kind is not None
    assert (kind.kind, kind.reference_fields) == ("Command", ("/values",))
    assert {"Command", "OpenTofu", "Terraform"} <= set(DriverRegistry().names(UNITS))


def test_an_unknown_kind_is_none_to_find_and_an_error_to_use() -> None:
    assert DriverRegistry().find(UNITS, "Comand") is None
    with pytest.raises(NylError) as caught:
        DriverRegistry().driver(UNITS, "Comand")

    assert caught.value.diagnostic.code is Code.KIND_UNKNOWN
    assert "Command" in caught.value.diagnostic.message


def test_an_installed_package_adds_its_group(driver_package: Path) -> None:
    found = DriverRegistry()

    assert "test.nyl.example/v1" in found.groups()
    assert found.names("test.nyl.example/v1") == ("Broken", "CommittedOnly", "Preview", "Probe", "Waiter")
    assert found.driver("test.nyl.example/v1", "Probe").kind == "Probe"


def test_every_installed_kind_is_listed_with_its_package(driver_package: Path) -> None:
    kinds = [(each.kind, each.package.split()[0]) for each in DriverRegistry().all_kinds()]

    assert ("Probe", "nyl-test-drivers") in kinds
    assert ("Command", "nyl") in kinds


def test_looking_for_groups_imports_no_driver(driver_package: Path) -> None:
    script = "import sys; from nyl.units.registry import DriverRegistry; DriverRegistry().groups(); print(*sys.modules)"

    done = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": str(driver_package)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert not {"nyl_test_drivers", "nyl.units.command", "subprocess", "jsonschema"} & set(done.stdout.split())


@pytest.mark.parametrize("reserved", ["units.gitops.nyl/v1", "gitops.nyl/v1", "k8s.nyl/v1", "more.gitops.nyl/v2"])
def test_groups_of_nyl_itself_are_reserved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reserved: str) -> None:
    metadata = tmp_path / "thief-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: thief\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[nyl.drivers]\n{reserved} = thief:drivers\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    assert reserved not in installed_groups()
    assert isinstance(DriverRegistry().driver(UNITS, "Command"), CommandDriver)


@pytest.mark.parametrize(
    ("packages", "reason"),
    [
        ([("acme 1", [Faulty()])], "behavior_version 0"),
        ([("acme 1", [Faulty()])], "neutral_fields"),
        ([("acme 1", [object()])], "has no method execute"),
        ([("acme 1", [CommandDriver()])], "its entry point is named"),
        ([("acme 1", [Acme()]), ("other 2", [Acme()])], "acme 1's already"),
        ([("acme 1", [WithSchema(outputs={})])], "has field outputs in its schema, which every kind has already"),
        ([("acme 1", [WithSchema(a={"type": "strng"})])], "has a schema that is invalid at /properties/a/type"),
        ([("acme 1", [WithSchema(a={"const": GROUP.encode()})])], "has a schema that is not plain data"),
        ([("acme 1", [WithFields("values")])], "has reference field 'values', which is not a JSON pointer"),
        ([("acme 1", [WithFields("/a~2")])], "has reference field '/a~2', which is not a JSON pointer"),
        ([("acme 1", [WithFields("/nothing/x")])], "takes references at /nothing/x, which its schema lacks"),
        ([("acme 1", [WithFields("")])], "takes references at its whole spec, which its schema lacks"),
        ([("acme 1", [WithFields(neutral="nothing")])], "has neutral field nothing, which its schema lacks"),
        ([("acme 1", 5)], "cannot be loaded: TypeError"),
    ],
)
def test_a_package_that_breaks_the_protocol_is_named(packages: list[tuple[str, Any]], reason: str) -> None:
    with pytest.raises(NylError) as caught:
        registry(*packages).find(GROUP, "Acme")

    assert caught.value.diagnostic.code is Code.DRIVER_INVALID
    assert reason in caught.value.diagnostic.message


def test_drivers_may_be_given_by_a_function() -> None:
    assert registry(("acme 1", lambda: [Acme()])).names(GROUP) == ("Acme",)


def test_the_schema_digest_changes_with_the_schema() -> None:
    class Newer(Acme):
        def schema(self) -> Mapping[str, Any]:
            return {**super().schema(), "required": []}

    digests = {
        found.schema_digest for each in (Acme(), Newer()) if (found := registry(("a 1", [each])).find(GROUP, "Acme"))
    }

    assert len(digests) == 2
