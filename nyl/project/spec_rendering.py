"""Rendering specs that no cache knows."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nyl.core.diagnostics import NylError, Problems
from nyl.project.rendered_specs import SpecLines
from nyl.project.resources import Environment
from nyl.project.spec_check import SpecChecker
from nyl.project.templates import Templates, TemplateText
from nyl.project.units import UnitDocument

if TYPE_CHECKING:
    from nyl.project.rendering import RenderedKind


def render_specs(
    environment: Environment,
    documents: Sequence[UnitDocument],
    texts: Sequence[str],
    kinds: "Mapping[tuple[str, str], RenderedKind]",
    problems: Problems,
) -> dict[str, Mapping[str, Any] | None]:
    """The checked specs of some units by name, from the texts of their templates; None for what renders to nothing.

    Units with problems are left out, and their problems added.
    """
    templates = _templates(environment)
    checkers = {key: SpecChecker(kind.kind) for key, kind in kinds.items()}
    found: dict[str, Mapping[str, Any] | None] = {}
    for document, text in zip(documents, texts, strict=True):
        template = _template(document, text)
        key = (document.api_version, document.kind)
        try:
            rendered = templates.render(template)
            found[document.name] = checkers[key].check(template, rendered, templates, kinds[key].defaults)
        except NylError as error:
            problems.add(error.about(environment=environment.name, unit=document.name))
    return found


def spec_line(environment: Environment, document: UnitDocument, text: str, pointer: str) -> int:
    """The line of a unit's file that a JSON pointer into its rendered spec comes from."""
    templates = _templates(environment)
    template = _template(document, text)
    return SpecLines(template, templates.render(template), templates).line_of(pointer)


def _template(document: UnitDocument, text: str) -> TemplateText:
    return TemplateText(text, document.location.file, document.spec_line, f"unit {document.name}", document.name)


def _templates(environment: Environment) -> Templates:
    return Templates({"values": environment.values, "environment": environment.document})
