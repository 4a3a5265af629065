"""The spec of an ApplicationGroup: rendering it for a target, and checking what it renders to.

Follows ApplicationGroup in the Kubernetes specification. `applicationNameTemplate` is a template of its own, which is
rendered for each Release: its text is taken over as it stands.
"""

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Problems
from nyl.core.schemas import Validator
from nyl.kubernetes.resources import GroupDocument
from nyl.project.envelopes import has_template_tags
from nyl.project.rendered_specs import SpecLines, parse_spec
from nyl.project.schema_catalog import rendered_schema
from nyl.project.schema_problems import Subject, resource_error, schema_errors
from nyl.project.templates import Templates, TemplateText

_KEY = r"""(["']?applicationNameTemplate["']?[ \t]*:[ \t]*(?:[!&]\S+[ \t]+)*)"""
_QUOTED = re.compile(_KEY + r"""((?:\r?\n[ ]+)?(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'))""", re.DOTALL)
_BLOCK = re.compile(rf"^( *){_KEY}([|>][-+0-9]*[ \t]*(?:#[^\n]*)?(?:\n(?:\1 +[^\n]*|[ \t]*(?=\n)))+)", re.MULTILINE)
_PLAIN = re.compile(rf"""^( *){_KEY}([^\s"'#|>&*!](?:(?![ \t]\#(?!\}}))[^\n])*)""", re.MULTILINE)
_RAW = re.compile(r"\{%[-+]?\s*raw\b")


@dataclass(frozen=True)
class GroupSpec:
    """A rendered spec that fits the schema, and the places of its fields."""

    value: Mapping[str, Any]
    subject: Subject


def render_spec(document: GroupDocument, templates: Templates) -> GroupSpec | None:
    """The spec of a group as some templates render it; None when it renders to nothing.

    Raises NYL-TEMPLATE-INVALID and NYL-RESOURCE-INVALID, all problems of the schema together.
    """
    template = _template(document)
    rendered = templates.render(template)
    value = parse_spec(template, rendered, templates)
    if value is None:
        return None
    lines = SpecLines(template, rendered, templates)
    subject = spec_subject(document, lines.line_of)
    if not isinstance(value, dict):
        raise resource_error(subject, "", "is not a mapping.", "write `spec` as a mapping of fields")
    problems = Problems()
    for problem in schema_errors(_validator().problems(value), subject):
        problems.add(problem)
    problems.raise_any()
    return GroupSpec(value, subject)


def spec_subject(document: GroupDocument, line_of: Callable[[str], int]) -> Subject:
    """How errors name a group; `line_of` gives the line of a JSON pointer into its rendered spec."""
    return Subject(f"ApplicationGroup {document.name}", document.location.file, line_of, root="/spec")


def spec_line(document: GroupDocument, templates: Templates, pointer: str) -> int:
    """The line of a group's file that a JSON pointer into its rendered spec comes from."""
    template = _template(document)
    return SpecLines(template, templates.render(template), templates).line_of(pointer)


def _template(document: GroupDocument) -> TemplateText:
    text = _BLOCK.sub(_kept_block, _PLAIN.sub(_kept_plain, _QUOTED.sub(_kept, document.spec)))
    return TemplateText(text, document.location.file, document.spec_line, f"ApplicationGroup {document.name}")


def _kept(found: "re.Match[str]") -> str:
    key, value = found.groups()
    return key + _unrendered(value, value)


def _kept_block(found: "re.Match[str]") -> str:
    indentation, key, value = found.groups()
    return indentation + key + _unrendered(value, value)


def _kept_plain(found: "re.Match[str]") -> str:
    """A template without quotes would be no YAML: it gets some."""
    indentation, key, value = found.groups()
    return indentation + key + _unrendered(value, json.dumps(value.rstrip()))


def _unrendered(value: str, written: str) -> str:
    """A value as it is `written` when it is a template; what its author keeps from rendering already is left alone."""
    is_kept = has_template_tags(value) and not _RAW.search(value)
    return f"{{% raw %}}{written}{{% endraw %}}" if is_kept else value


@cache
def _validator() -> Validator:
    return Validator(rendered_schema("ApplicationGroup"))
