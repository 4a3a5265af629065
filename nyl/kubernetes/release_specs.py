"""The spec of a Release after rendering, which must say what its literal part said.

Follows Declaring inputs of the page Release Inputs: templating cannot add, remove, or change declarations.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError, Problems
from nyl.kubernetes.bundle_templates import BundleText
from nyl.kubernetes.inputs.declarations import InvalidDeclarations, declare
from nyl.kubernetes.resources import InputDeclaration, ReleaseDocument, ReleaseSpec
from nyl.project.document_values import DocumentLines, parse_text, value_problems
from nyl.project.envelopes import RawDocument
from nyl.project.schema_catalog import resource_schema
from nyl.project.schema_problems import Subject, resource_error


def read_spec(release: ReleaseDocument, rendered: RawDocument, text: BundleText) -> ReleaseSpec:
    """The spec of the Release as a document of a rendered text has it.

    Raises all problems together: NYL-RELEASE-CHANGED, NYL-RESOURCE-INVALID, and NYL-YAML-INVALID.
    """
    try:
        value = parse_text(rendered.text, text.file, rendered.line)
    except NylError as error:
        raise text.located(error) from None
    lines = _TemplateLines(rendered, text)
    problems = Problems()
    for each in value_problems(value, text.file, lines, resource_schema("Release")):
        problems.add(each)
    problems.raise_any()
    for each in _changes(release, value, Subject(f"Release {release.name}", text.file, lines.line_of)):
        problems.add(each)
    problems.raise_any()
    spec = value.get("spec") or {}
    override = spec.get("argocd", {}).get("applicationOverride", {})
    return ReleaseSpec(tuple(spec.get("include", ())), tuple(spec.get("additionalNamespaces", ())), override)


class _TemplateLines(DocumentLines):
    """Finds the lines of the source file that pointers into a rendered document come from."""

    def __init__(self, rendered: RawDocument, text: BundleText) -> None:
        super().__init__(rendered.text, rendered.line)
        self._text = text

    def line_of(self, pointer: str) -> int:
        return self._text.line_of(super().line_of(pointer))


def _changes(release: ReleaseDocument, value: Mapping[str, Any], subject: Subject) -> Iterator[NylError]:
    fix = "write it out as a literal: what a target may vary goes below its values or bindings"
    if value["metadata"] != release.document["metadata"]:
        sentence = "renders to something else than its literal text says."
        yield resource_error(subject, "/metadata", sentence, fix, Code.RELEASE_CHANGED)
    if _inputs(value) != dict(release.inputs):
        sentence = "renders to other declarations than its literal text holds."
        yield resource_error(subject, "/spec/inputs", sentence, fix, Code.RELEASE_CHANGED)


def _inputs(value: Mapping[str, Any]) -> dict[str, InputDeclaration] | None:
    try:
        return declare((value.get("spec") or {}).get("inputs"))
    except InvalidDeclarations:
        return None
