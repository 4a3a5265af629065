"""The literal part of a Release: its envelope and `spec.inputs`, which are known before anything is rendered.

Follows Declaring inputs in Release Inputs. The rest of the spec may be the text of a template. The literal part is the
text of the document with everything else blanked, so that its lines count as those of the document.
"""

import re
from dataclasses import replace
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError
from nyl.project.document_values import DocumentLines, parse_text, value_problems
from nyl.project.envelopes import RawDocument, has_template_tags, split_unit
from nyl.project.records import RELEASES, ReleaseRecord
from nyl.project.schema_catalog import literal_schema, resource_schema

_FIX = "write `spec.inputs` out, without template tags; let the target's bindings vary instead"
_INPUTS = re.compile(r"""[ ]*(?:inputs|"inputs"|'inputs')[ \t]*:(?=\s|$)""")
_BLOCK_TAG = re.compile(r"\{%[-+]?\s*(?P<end>end)?(?:if|for|macro|call|filter|with)\b")
_TAG_LINE = ("{%", "{{", "{#")
_OUTER_TAGS = ("{%", "{#")


def is_release(document: RawDocument) -> bool:
    """Whether a document is a Release, as far as its text tells."""
    return document.api_version() in RELEASES and document.kind() == "Release"


def read_release(
    document: RawDocument, file: str, earlier: ReleaseRecord | None
) -> tuple[ReleaseRecord | None, list[NylError]]:
    """The literal part of a Release, or None, and what is wrong with it. `earlier` is another Release of the file.

    Raises what `literal_part` raises, and NYL-YAML-INVALID.
    """
    if earlier is not None:
        raise _second(document, file, earlier)
    text = literal_part(document, file)
    value = parse_text(text, file, document.line)
    spec = value.get("spec")
    inputs = spec.get("inputs") if isinstance(spec, dict) else None
    envelope = {key: each for key, each in value.items() if key != "spec"}
    is_whole = spec is not None and not has_template_tags(_without_outer_tags(document).text)
    # Declarations of inputs have problems of their own; see nyl.kubernetes.inputs.declarations.
    checked = {**envelope, "spec": _without_inputs(spec)} if is_whole else envelope
    schema = resource_schema("Release") if is_whole else literal_schema("Release")
    problems = value_problems(checked, file, DocumentLines(text, document.line), schema)
    if problems:
        return None, problems
    return ReleaseRecord(envelope, inputs, document.first_line(), document.index), []


def _without_inputs(spec: Any) -> Any:
    return {key: each for key, each in spec.items() if key != "inputs"} if isinstance(spec, dict) else spec


def literal_part(document: RawDocument, file: str) -> str:
    """The text of a Release's literal part, which may still be no YAML.

    Lines of the template before and after all else, such as `{% set … %}`, are no part of it.

    Raises NYL-RESOURCE-INVALID for a template tag in the envelope, NYL-RELEASE-INPUTS for one in `spec.inputs`, and
    where `spec.inputs` stands twice; NYL-YAML-INVALID for a flow mapping that is no YAML.
    """
    document = _without_outer_tags(document)
    if document.is_flow:
        parse_text(document.text, file, document.line)
    parts = split_unit(document, file)
    if parts.spec is None or not has_template_tags(parts.spec):
        return document.text
    if document.is_flow or _rest(parts.spec):
        return _flow(document, file, parts.spec, parts.spec_line)
    literal = parts.envelope.split("\n")
    lines = parts.spec.split("\n")
    offset = parts.spec_line - document.line
    for number in (0, *_inputs_block(lines, file, parts.spec_line)):
        literal[offset + number] = lines[number]
    return "\n".join(literal)


def _without_outer_tags(document: RawDocument) -> RawDocument:
    lines = document.text.split("\n")
    for order in (range(len(lines)), range(len(lines) - 1, -1, -1)):
        for number in order:
            if lines[number].lstrip().startswith(_OUTER_TAGS):
                lines[number] = ""
            elif lines[number].strip() and not lines[number].lstrip().startswith("#"):
                break
    return replace(document, text="\n".join(lines))


def _rest(spec: str) -> str:
    """What stands beside `spec:` on its line, comments aside."""
    return spec.split("\n", 1)[0].partition(":")[2].partition("#")[0].strip()


def _flow(document: RawDocument, file: str, spec: str, line: int) -> str:
    """Text whose spec is a flow mapping: it has no lines of its own, so that a template in it must be in quotes."""
    inputs = parse_text(document.text, file, document.line).get("spec")
    declared = inputs.get("inputs") if isinstance(inputs, dict) else None
    if _holds_tags(declared):
        raise _not_literal(file, line, spec.split("\n", 1)[0])
    return document.text


def _holds_tags(value: object) -> bool:
    if isinstance(value, dict):
        return any(_holds_tags(each) for pair in value.items() for each in pair)
    if isinstance(value, list):
        return any(map(_holds_tags, value))
    return isinstance(value, str) and has_template_tags(value)


def _inputs_block(lines: list[str], file: str, first_line: int) -> range:
    """The lines of `inputs:` in the text of a spec; empty when it has none."""
    content = [number for number, line in enumerate(lines) if number and _is_content(line)]
    if not content:
        return range(0)
    indentation = _indentation(lines[content[0]])
    starts = [each for each in content if _indentation(lines[each]) == indentation and _INPUTS.match(lines[each])]
    if len(starts) > 1:
        first, second = (first_line + each for each in starts[:2])
        place = Location(file, second)
        message = f"{place}: the key `inputs` of the Release stands twice, on lines {first} and {second}."
        raise NylError(Code.RELEASE_INPUTS, message, "keep one of them, without a template around it", location=place)
    if not starts:
        return range(0)
    start = starts[0]
    _check_unconditional(lines[:start], Location(file, first_line + start))
    end = next((each for each in content if each > start and _indentation(lines[each]) <= indentation), len(lines))
    last = max(number for number in range(start, end) if _belongs(lines[number], indentation) or number == start)
    for number in range(start, last + 1):
        if has_template_tags(lines[number]):
            raise _not_literal(file, first_line + number, lines[number])
    return range(start, last + 1)


def _check_unconditional(before: list[str], place: Location) -> None:
    """Raises NYL-RELEASE-INPUTS when a block or comment of the template that begins above the inputs is open there."""
    depth = sum(-1 if found["end"] else 1 for line in before for found in _BLOCK_TAG.finditer(line))
    text = "\n".join(before)
    what = "a block" if depth > 0 else "a comment" if text.rfind("{#") > text.rfind("#}") else None
    if what is not None:
        message = f"{place}: the inputs of a Release are literal, but they stand inside {what} of the template."
        raise NylError(Code.RELEASE_INPUTS, message, _FIX, location=place)


def _is_content(line: str) -> bool:
    stripped = line.strip()
    return bool(stripped) and not stripped.startswith(("#", *_TAG_LINE))


def _belongs(line: str, indentation: int) -> bool:
    """Whether a line is part of a block, not one of the template that only stands below it."""
    return bool(line.strip()) and _indentation(line) > indentation


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _second(document: RawDocument, file: str, earlier: ReleaseRecord) -> NylError:
    place = Location(file, document.first_line())
    return NylError(
        Code.RESOURCE_INVALID,
        f"{place}: a file holds one Release, but this is the second; {earlier.name} starts on line {earlier.line}.",
        "move one of the two to a file of its own",
        location=place,
    )


def _not_literal(file: str, line: int, text: str) -> NylError:
    place = Location(file, line)
    message = f"{place}: the inputs of a Release are literal, but this holds a template tag: {text.strip()[:160]}"
    return NylError(Code.RELEASE_INPUTS, message, _FIX, location=place)
