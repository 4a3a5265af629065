"""The bundle of a Release: the objects of its entry file and of the files that it includes, with its rendered spec.

Follows Pipeline and Files in the Kubernetes specification, and Declaring inputs of the page Release Inputs.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location, NylError, Problems
from nyl.kubernetes.bundle_templates import BundleText, ReleaseTemplates
from nyl.kubernetes.includes import IncludeGlobs
from nyl.kubernetes.manifests import Manifest
from nyl.kubernetes.release_specs import read_spec
from nyl.kubernetes.release_work import BundleSource
from nyl.kubernetes.resources import ReleaseSpec
from nyl.kubernetes.yaml_reading import read_manifests
from nyl.project.envelopes import RawDocument, decode, split_documents
from nyl.project.records import KUBERNETES, RELEASES, RESOURCES, UNITS
from nyl.project.release_texts import is_release

_CONTROL = frozenset({RESOURCES, UNITS, KUBERNETES})
"""Documents of nyl itself that may stand beside a Release, and are no part of its bundle."""


@dataclass(frozen=True)
class Bundle:
    """The objects of a Release before expansion."""

    spec: ReleaseSpec
    manifests: tuple[Manifest, ...]
    includes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Each glob, and the files that it matches."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Every file that was read: path in its repository -> hex SHA-256 of its bytes."""


def read_bundle(source: BundleSource, templates: ReleaseTemplates, content: bytes) -> Bundle:
    """The bundle of a Release; `content` is that of its entry file.

    Raises NYL-TEMPLATE-INVALID, NYL-YAML-INVALID and NYL-MANIFEST-INVALID at lines of the source files,
    NYL-RELEASE-CHANGED where a template changes what is literal, and NYL-INCLUDE-INVALID.
    """
    reader = _Reader(source, templates)
    rendered, text = reader.entry(content)
    spec = read_spec(source.document, rendered, text)
    globs = IncludeGlobs(source.tree, source.entry_file, source.left_out)
    includes = globs.matched(spec.include, source.document.location)
    manifests = [*reader.manifests(text, skipped=[rendered]), *reader.included(_each_once(includes))]
    return Bundle(spec, tuple(manifests), includes, reader.sources)


def _each_once(includes: Mapping[str, Iterable[str]]) -> list[str]:
    return sorted({path for paths in includes.values() for path in paths})


class _Reader:
    """Reads the files of one bundle."""

    def __init__(self, source: BundleSource, templates: ReleaseTemplates) -> None:
        self.sources: dict[str, str] = {}
        self._source = source
        self._templates = templates

    def entry(self, content: bytes) -> tuple[RawDocument, BundleText]:
        """The rendered text of the entry file, and the document of the Release in it."""
        file = self._source.entry_file
        text = self._rendered(file, content)
        releases = [each for each in split_documents(text.text) if is_release(each)]
        if len(releases) == 1:
            return releases[0], text
        place = self._source.document.location
        what = f"{len(releases)} Releases" if releases else "no Release"
        raise NylError(
            Code.RELEASE_CHANGED,
            f"{place}: the file of Release {self._source.document.name} renders to {what} instead of one.",
            "keep the Release outside of template blocks; leave it out of a target with `enabled` of its group",
            location=place,
        )

    def manifests(self, text: BundleText, skipped: Iterable[RawDocument] = ()) -> list[Manifest]:
        """The objects of a rendered text, without some of its documents."""
        provenance = (self._source.provenance(text.file),)
        try:
            found = read_manifests(_blanked(text.text, skipped), text.file)
        except NylError as error:
            raise text.located(error) from None
        return [
            Manifest(each.value, provenance, Location(text.file, text.line_of(each.line)), each.helm_source)
            for each in found
        ]

    def included(self, files: Sequence[str]) -> list[Manifest]:
        """The objects of the included files, in their order. Raises the problems of all of them."""
        contents = self._source.tree.read_many(files) if files else {}
        problems = Problems()
        found = []
        for file in files:
            try:
                text = self._rendered(file, contents[file])
                self._refuse_release(text)
                found.extend(self.manifests(text))
            except NylError as error:
                problems.add(error)
        problems.raise_any()
        return found

    def _rendered(self, file: str, content: bytes) -> BundleText:
        self.sources[file] = hashlib.sha256(content).hexdigest()
        return self._templates.render(_without_control(decode(content, file)), file)

    def _refuse_release(self, text: BundleText) -> None:
        if not any(each in text.text for each in RELEASES):
            return
        for document in split_documents(text.text):
            if is_release(document):
                place = Location(text.file, text.line_of(document.first_line()))
                own = self._source.document
                raise NylError(
                    Code.INCLUDE_INVALID,
                    f"{place}: Release {own.name} ({own.location}) includes the file, which holds a Release itself.",
                    "narrow spec.include, or remove the Release of the included file",
                    location=place,
                )


def _without_control(text: str) -> str:
    """The text without the documents of nyl that are no part of a bundle, whose templates see other names."""
    if "gitops.nyl/v1" not in text:
        return text
    documents = split_documents(text)
    return _blanked(text, [each for each in documents if each.api_version() in _CONTROL and not is_release(each)])


def _blanked(text: str, documents: Iterable[RawDocument]) -> str:
    """The text with the lines of some of its documents emptied."""
    lines: list[str] | None = None
    for document in documents:
        lines = lines or text.split("\n")
        height = document.text.count("\n") + (0 if document.text.endswith("\n") else 1)
        lines[document.line - 1 : document.line - 1 + height] = [""] * height
    return text if lines is None else "\n".join(lines)
