"""How `nyl plan --explain` shows what differs between a receipt's inputs and the new ones."""

from nyl.engine.results import UnitReport
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
