"""Documents that are no business of nyl, because nothing installed has their API group."""

from collections.abc import Iterable, Iterator, Mapping

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location, NylError
from nyl.project.document_values import parse_text
from nyl.project.envelopes import RawDocument, decode, split_documents, split_unit


@dataclass(frozen=True)
class NobodysDocument:
    """A document that would be a unit if a driver had its kind, as far as its text tells."""

    api_version: str
    kind: str
    labels: Mapping[str, str]
    location: Location


def nobodys_documents(files: Mapping[str, bytes], versions: Iterable[str], name: str) -> Iterator[NobodysDocument]:
    """The documents of some files that have one of the API versions and this name."""
    wanted = frozenset(versions)
    for path, data in files.items():
        try:
            documents = split_documents(decode(data, path))
        except NylError:
            continue
        for document in documents:
            found = _read(document, path) if document.api_version() in wanted else None
            if found is not None and found[0] == name:
                yield found[1]


def _read(document: RawDocument, file: str) -> tuple[str, NobodysDocument] | None:
    api_version, kind = document.api_version(), document.kind()
    try:
        metadata = parse_text(split_unit(document, file).envelope, file, document.line).get("metadata")
    except NylError:
        return None
    if api_version is None or kind is None or not isinstance(metadata, Mapping):
        return None
    labels = metadata.get("labels")
    named = labels if isinstance(labels, Mapping) else {}
    place = Location(file, document.first_line())
    return str(metadata.get("name")), NobodysDocument(api_version, kind, named, place)
