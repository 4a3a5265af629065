"""How `nyl plan --explain` shows what differs between a receipt's inputs and the new ones."""

from collections.abc import Collection
from dataclasses import replace

from nyl.engine.results import EnvironmentReport, Report, UnitReport
from nyl.report.plaintext import one_line


def explanation_text(unit: UnitReport) -> str:
    """One line a difference below a heading; '' for a unit that was not to be explained."""
    explanation = unit.explanation
    if explanation is None:
        return ""
    found = [
        *(("spec", each) for each in explanation.fields),
        *(("file", each) for each in explanation.files),
        *(("note", each) for each in explanation.other),
    ]
    body = [f"  {label}  {one_line(text)}" for label, text in found] or ["  the inputs are those of the receipt"]
    return "\n".join([f"What differs for {unit.unit}:", *body, ""])


def explaining_only(report: Report, named: Collection[str]) -> Report:
    """The report with the explanations of these units alone, named `unit` or `environment/unit`."""

    def unit(section: EnvironmentReport, each: UnitReport) -> UnitReport:
        is_named = each.unit in named or f"{section.environment}/{each.unit}" in named
        return each if is_named else replace(each, explanation=None)

    def section(each: EnvironmentReport) -> EnvironmentReport:
        return replace(each, units=tuple(unit(each, found) for found in each.units))

    return replace(report, environments=tuple(map(section, report.environments)))
