"""The literal part of a Release as data."""

from collections.abc import Callable

from nyl.core.diagnostics import Location, NylErrors
from nyl.kubernetes.inputs.declarations import InvalidDeclarations, declare
from nyl.kubernetes.resources import ReleaseDocument
from nyl.project.records import ReleaseRecord
from nyl.project.schema_problems import Subject


def release_document(record: ReleaseRecord, location: Location, line_of: Callable[[str], int]) -> ReleaseDocument:
    """The Release at a place; `line_of` gives the line of a JSON pointer into it.

    Raises everything that is wrong with the inputs that it declares together: NYL-RELEASE-INPUTS.
    """
    try:
        inputs = declare(record.inputs)
    except InvalidDeclarations as invalid:
        raise NylErrors(invalid.errors(Subject(f"Release {record.name}", location.file, line_of))) from None
    namespace = record.document["metadata"].get("namespace")
    return ReleaseDocument(record.name, namespace, inputs, location, record.index, record.document)


def foreign_document(record: ReleaseRecord, file: str) -> ReleaseDocument:
    """The Release in a file of another repository. Raises as `release_document`, at the line on which it starts."""
    location = Location(file, record.line)
    return release_document(record, location, lambda pointer: location.line)
