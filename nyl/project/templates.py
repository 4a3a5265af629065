"""Rendering the text of a spec, in a sandbox that sees a few names and nothing else.

Jinja without `include`, `import`, randomness, clocks, files or the process environment; undefined names are errors.
Text without a template tag is its own rendering, and Jinja is not even imported for it.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location, NylError
from nyl.project.envelopes import has_template_tags
from nyl.project.shown_lines import shown_line

if TYPE_CHECKING:
    from nyl.project.template_engine import TemplateContext


@dataclass(frozen=True)
class TemplateText:
    """The text of a template, and where it stands: `line` is the line of the file on which it starts."""

    text: str
    file: str
    line: int
    subject: str
    """What messages call the owner of the template, such as `unit web`."""
    unit: str | None = None
    """The unit that errors are about."""

    def location(self, line: int) -> Location:
        """The place in the file of a line of the template, from 1."""
        return Location(self.file, self.line + max(line, 1) - 1)


class Templates:
    """Renders templates that see the names of a context. What these stand for must not change."""

    def __init__(
        self,
        context: Mapping[str, Any],
        *,
        values: str = "the Environment's `values`",
        names: str = "`values` and `environment`",
    ) -> None:
        """`values` and `names` are words for messages: where a missing name is to be defined, and what there is."""
        self._context = context
        self._values = values
        self._names = names
        self._bound: TemplateContext | None = None

    def render(self, template: TemplateText) -> str:
        """The rendered text. Raises NYL-TEMPLATE-INVALID with the file, the line and its text."""
        if not has_template_tags(template.text):
            return template.text
        from nyl.project.template_engine import TemplateFailed

        try:
            return self._bound_to().render(template.text)
        except TemplateFailed as failure:
            place = template.location(failure.line)
            raise NylError(
                Code.TEMPLATE_INVALID,
                f"{place}: the template of {template.subject} cannot be rendered: {failure.reason.rstrip('.')}. "
                f"The line is: {shown_line(template.text, failure.line)}",
                failure.fix,
                unit=template.unit,
                location=place,
            ) from None

    def line_of(self, template: TemplateText, rendered_line: int) -> int:
        """The line of the template, from 1, that a line of its rendered text comes from."""
        if not has_template_tags(template.text):
            return rendered_line
        return self._bound_to().template_line(template.text, rendered_line)

    def _bound_to(self) -> "TemplateContext":
        if self._bound is None:
            from nyl.project.template_engine import TemplateEngine, TemplateRules

            self._bound = TemplateEngine(TemplateRules(self._values, self._names)).at(self._context)
        return self._bound
