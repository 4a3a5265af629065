"""What a written report (`--report json:PATH`) tells those who come after the operation."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, Location, Severity
from nyl.engine.results import Action

_CODES = {each.value: each for each in Code}
_CHANGING = frozenset({Action.EXECUTE, Action.TEARDOWN, Action.RETAIN, Action.RELEASE})


@dataclass(frozen=True)
class WrittenReport:
    """The parts of a report that outlive it: in outputs, annotations and approvals."""

    digests: Mapping[str, str] = field(default_factory=dict)
    """`<environment>/<unit>` -> the digest of its change."""
    runs: tuple[str, ...] = ()
    would_change: bool = False
    """A plan's: whether a run would do something."""
    diagnostics: tuple[Diagnostic, ...] = ()


def written_report(document: Mapping[str, Any]) -> WrittenReport:
    """The parts of a document of `report.nyl/v1`, as `report_document` makes it."""
    sections: Mapping[str, Any] = document["environments"]
    units = [
        (f"{name}/{unit}", section["units"][unit])
        for name, section in sections.items()
        for unit in section["unitOrder"]
    ]
    return WrittenReport(
        {address: unit["changeDigest"] for address, unit in units if "changeDigest" in unit},
        tuple(section["run"] for section in sections.values() if "run" in section),
        any(unit.get("action") in _CHANGING for _, unit in units),
        tuple(_diagnostics(document)),
    )


def _diagnostics(document: Mapping[str, Any]) -> Iterator[Diagnostic]:
    for each in document["diagnostics"]:
        yield Diagnostic(
            _CODES[each["code"]],
            each["message"],
            each["fix"],
            Severity(each["severity"]),
            each.get("environment"),
            each.get("unit"),
            Location(each["file"], each.get("line", 0)) if "file" in each else None,
        )
