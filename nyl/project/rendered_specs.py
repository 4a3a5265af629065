"""The text that the template of a spec renders to: parsing it, and finding where its lines come from."""

from collections.abc import Mapping
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.project.document_values import parse_text
from nyl.project.envelopes import has_template_tags
from nyl.project.shown_lines import MOST_SHOWN, shown_line
from nyl.project.templates import Templates, TemplateText


class SpecLines:
    """Finds the line of the file that a pointer into a rendered spec comes from."""

    def __init__(self, template: TemplateText, rendered: str, templates: Templates) -> None:
        self._template = template
        self._rendered = rendered
        self._templates = templates

    def line_of(self, pointer: str) -> int:
        """The line of the file; that of the nearest parent where the spec has nothing at the pointer."""
        from nyl.core.yamlio import line_of

        rendered = max(line_of(self._rendered.encode(), 0, "/spec" + pointer), 1)
        return self._template.location(self._templates.line_of(self._template, rendered)).line


def parse_spec(template: TemplateText, rendered: str, templates: Templates) -> Any:
    """What the rendered text of a spec holds below `spec`; None for nothing.

    Raises NYL-TEMPLATE-INVALID for text that is not YAML, with the line of the template and the rendered one, and
    for keys beside `spec`.
    """
    if not has_template_tags(template.text):
        return _only_spec(parse_text(rendered, template.file, template.line), template)
    try:
        return _only_spec(parse_text(rendered, template.file, 1), template)
    except NylError as error:
        found = error.diagnostic
        if found.code is not Code.YAML_INVALID:
            raise
        line = found.location.line if found.location else 1
        place = template.location(templates.line_of(template, line))
        reason = found.message.partition("not valid YAML: ")[2] or found.message.partition(": ")[2]
        raise NylError(
            Code.TEMPLATE_INVALID,
            f"{place}: the spec of {template.subject} is not YAML after rendering: {reason.rstrip('.')}. "
            f"The rendered line {line} is: {shown_line(rendered, line)}",
            "quote what the template inserts, or correct its indentation",
            unit=template.unit,
            location=place,
        ) from None


def _only_spec(document: Mapping[str, Any], template: TemplateText) -> Any:
    beside = sorted(set(document) - {"spec"})
    if not beside:
        return document.get("spec")
    place = template.location(1)
    raise NylError(
        Code.TEMPLATE_INVALID,
        f"{place}: the template of {template.subject} renders keys beside `spec`: {', '.join(beside)[:MOST_SHOWN]}.",
        "indent what the template inserts, so that it stays inside `spec`",
        unit=template.unit,
        location=place,
    )
