"""Rendering the text of a bundle's files with what a target gives them.

Follows Pipeline in the Kubernetes specification: templates see `values`, `cluster`, `target`, and `inputs` where the
Release declares any.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError
from nyl.project.envelopes import has_template_tags
from nyl.project.shown_lines import shown_line

if TYPE_CHECKING:
    from nyl.project.template_engine import TemplateContext, TemplateEngine

MOST_CHARACTERS = 64 * 1024 * 1024
"""Of what one file renders to."""
_MOST_STEPS = 2_000_000


class BundleText:
    """The rendered text of one file, which knows the lines that it comes from."""

    def __init__(self, file: str, source: str, text: str, context: "TemplateContext | None") -> None:
        self.file = file
        self.source = source
        self.text = text
        self._context = context

    def line_of(self, rendered_line: int) -> int:
        """The line of the file that a line of the rendered text comes from."""
        if self._context is None:
            return rendered_line
        return self._context.template_line(self.source, rendered_line)

    def located(self, error: NylError) -> NylError:
        """An error at a line of the rendered text as one at the line of the file."""
        if self._context is None:
            return error
        found = error.diagnostic
        line = found.location.line if found.location else 1
        place = Location(self.file, self.line_of(line))
        shown = shown_line(self.text, line)
        message = found.message.replace(str(Location(self.file, line)), str(place))
        return NylError(
            found.code, f"{message} Line {line} of the rendered text is: {shown}", found.fix, location=place
        )


class BundleTemplates:
    """Renders files for one target. Releases with the same inputs share what was rendered."""

    def __init__(self, context: Mapping[str, Any]) -> None:
        """`context` is what every Release of the target sees: `values`, and with a target `cluster` and `target`."""
        self._context = context
        self._engine: TemplateEngine | None = None
        self._plain: TemplateContext | None = None

    def with_inputs(self, inputs: Mapping[str, Any] | None) -> "ReleaseTemplates":
        """Rendering for a Release; `inputs` is None where it declares none."""
        return ReleaseTemplates(self, inputs)

    def bound(self, inputs: Mapping[str, Any] | None) -> "TemplateContext":
        """What renders texts; nothing of Jinja is imported before a text has a tag in it."""
        if self._engine is None:
            from nyl.project.template_engine import TemplateEngine, TemplateRules

            names = "`values`, `cluster`, `target` and the declared `inputs`"
            where = "`values` of the DeploymentTarget or its Cluster, or declare an input of the Release"
            self._engine = TemplateEngine(TemplateRules(where, names, MOST_CHARACTERS, _MOST_STEPS))
        if inputs is not None:
            return self._engine.at({**self._context, "inputs": inputs})
        if self._plain is None:
            self._plain = self._engine.at(self._context)
        return self._plain


class ReleaseTemplates:
    """Renders the files of one Release's bundle."""

    def __init__(self, templates: BundleTemplates, inputs: Mapping[str, Any] | None) -> None:
        self._templates = templates
        self._inputs = inputs
        self._bound: TemplateContext | None = None

    def render(self, text: str, file: str) -> BundleText:
        """The rendered text of a file. Raises NYL-TEMPLATE-INVALID with the file, the line and its text."""
        if not has_template_tags(text):
            return BundleText(file, text, text, None)
        from nyl.project.template_engine import TemplateFailed

        if self._bound is None:
            self._bound = self._templates.bound(self._inputs)
        try:
            return BundleText(file, text, self._bound.render(text), self._bound)
        except TemplateFailed as failure:
            place = Location(file, max(failure.line, 1))
            shown = shown_line(text, failure.line)
            raise NylError(
                Code.TEMPLATE_INVALID,
                f"{place}: the template cannot be rendered: {failure.reason.rstrip('.')}. The line is: {shown}",
                failure.fix,
                location=place,
            ) from None
