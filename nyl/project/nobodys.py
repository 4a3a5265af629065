"""Documents that are no business of nyl, because nothing installed has their API group."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location, NylError
from nyl.project.document_values import parse_text
from nyl.project.envelopes import RawDocument, decode, split_documents, split_unit


@dataclass(frozen=True)
class NobodysDocument:
    """A document that would be a resource if something had its kind, as far as its text tells; '' where it does not."""

    api_version: str
    kind: str
    name: str
    labels: Mapping[str, str]
    location: Location


def nobodys_documents(files: Mapping[str, bytes], versions: Iterable[str]) -> Iterator[NobodysDocument]:
    """The documents of some files that have one of the API versions."""
    wanted = frozenset(versions)
    for path, data in files.items():
        try:
            documents = split_documents(decode(data, path))
        except NylError:
            continue
        for document in documents:
            api_version = document.api_version()
            if api_version in wanted:
                metadata = _metadata(document, path)
                labels = metadata.get("labels")
                yield NobodysDocument(
                    api_version,
                    document.kind() or "",
                    str(metadata.get("name", "")),
                    labels if isinstance(labels, Mapping) else {},
                    Location(path, document.first_line()),
                )


def _metadata(document: RawDocument, file: str) -> Mapping[str, Any]:
    try:
        found = parse_text(split_unit(document, file).envelope, file, document.line).get("metadata")
    except NylError:
        return {}
    return found if isinstance(found, Mapping) else {}
