"""Parsing and checking the rendered text of a spec."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError, Problems
from nyl.core.pointers import lies_in, split
from nyl.project.rendered_specs import SpecLines, parse_spec
from nyl.project.schema_catalog import spec_schema
from nyl.project.schema_problems import DURATION_FIX, Subject, resource_error, schema_errors
from nyl.project.templates import Templates, TemplateText
from nyl.project.units import UnitKind

_MAX_TIMEOUT = timedelta(days=7)
_SHOWN = 160


class SpecChecker:
    """Checks the specs of one kind; its schema is compiled on first use."""

    def __init__(self, kind: UnitKind) -> None:
        self._kind = kind
        self._validator: Any = None

    def check(
        self, template: TemplateText, rendered: str, templates: Templates, defaults: Mapping[str, Any]
    ) -> Mapping[str, Any] | None:
        """The spec as data, over the defaults of its kind; None when nothing was rendered. Raises all its problems."""
        spec = parse_spec(template, rendered, templates)
        if spec is None:
            return None
        subject = Subject(
            f"{self._kind.kind} {template.unit}",
            template.file,
            SpecLines(template, rendered, templates).line_of,
            unit=template.unit,
        )
        if not isinstance(spec, dict):
            raise resource_error(subject, "", "the spec is not a mapping.", "write `spec` as a mapping of fields")
        whole = {**defaults, **spec}
        problems = Problems()
        refused = dict(_attestations(whole, subject))
        for problem in (*refused.values(), *self._schema_problems(whole, subject, tuple(refused))):
            problems.add(problem)
        if not len(problems):
            for problem in _timeout(whole, subject):
                problems.add(problem)
        problems.raise_any()
        return whole

    def _schema_problems(self, spec: Mapping[str, Any], subject: Subject, known: tuple[str, ...]) -> list[NylError]:
        """What the schema says, except of references and of places below those that are known to be wrong."""
        if self._validator is None:
            from nyl.core.schemas import Validator

            self._validator = Validator(spec_schema(self._kind))
        problems = self._validator.problems(spec)
        found = [each for each in problems if not any(lies_in(each.pointer, place) for place in known)]
        fields = self._kind.reference_fields
        return schema_errors((each for each in found if not _is_reference(spec, each.pointer, fields)), subject)


def _attestations(spec: Mapping[str, Any], subject: Subject) -> Iterator[tuple[str, NylError]]:
    """Refused before the schema says anything, because the pages promise a code of its own for it."""
    entries = spec.get("dependsOn")
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(entry, dict) and (entry.get("evidence") == "attested" or "attestations" in entry):
            pointer = f"/dependsOn/{index}"
            yield (
                pointer,
                resource_error(
                    subject,
                    pointer,
                    "asks for attestations, which units do not record yet.",
                    "remove `attestations`, and `evidence` or set it to `published`",
                    Code.ATTESTATIONS_UNSUPPORTED,
                ),
            )


def _timeout(spec: Mapping[str, Any], subject: Subject) -> Iterator[NylError]:
    from nyl.core.durations import parse_duration

    if "timeout" not in spec:
        return
    try:
        good = parse_duration(spec["timeout"]) <= _MAX_TIMEOUT
    except ValueError:
        good = False
    if not good:
        sentence = f"{spec['timeout']!r} is not a duration of at most 7d."
        yield resource_error(subject, "/timeout", sentence, DURATION_FIX)


def _is_reference(spec: Mapping[str, Any], pointer: str, fields: tuple[str, ...]) -> bool:
    """Whether a place is, or lies in, a reference to another unit: its value is checked once it is known."""
    if not any(lies_in(pointer, field) for field in fields):
        return False
    value: Any = spec
    for token in split(pointer):
        if isinstance(value, dict) and "fromUnit" in value:
            return True
        try:
            value = value[int(token)] if isinstance(value, list) else value[token]
        except (KeyError, IndexError, ValueError, TypeError):
            return False
    return isinstance(value, dict) and "fromUnit" in value
