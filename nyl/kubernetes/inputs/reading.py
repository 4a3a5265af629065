"""Reading what bindings name, each file once, and noting where it came from."""

import hashlib
from collections.abc import Callable
from enum import StrEnum
from functools import cache
from typing import Any

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, Severity
from nyl.git.refs import without_credentials
from nyl.kubernetes.inputs.bindings import (
    Binding,
    BindingContext,
    FromFile,
    FromGit,
    FromPublication,
    FromUnit,
    InlineValue,
)
from nyl.kubernetes.inputs.documents import read_document, value_at
from nyl.kubernetes.inputs.provenance import carried_key, publication_key
from nyl.kubernetes.inputs.sources import InputSources
from nyl.kubernetes.inputs.unit_values import shown_reference
from nyl.kubernetes.tree import StateFile


class InputSource(StrEnum):
    """Where an effective input comes from."""

    VALUE = "value"
    FILE = "fromFile"
    GIT = "fromGit"
    PUBLICATION = "fromPublication"
    CARRIED = "carried"
    UNIT = "fromUnit"
    DEFAULT = "default"
    OVERRIDE = "override"


@dataclass(frozen=True)
class Bound:
    """What a binding gives. It gives nothing while the publication branch or its file does not exist."""

    source: InputSource
    place: str
    """The JSON pointer of the binding."""
    value: Any = None
    detail: str = ""
    """The file and the pointer into it, as people read them."""
    is_bound: bool = True
    is_known: bool = True
    """Whether `value` is what it gives; that of a unit may be unknown."""
    carry: str | None = None
    """The file of the working tree that would give the value, where nothing does yet."""


_PUBLISHED = " of the publication"


class SourceReader:
    """Reads the bindings of one target. `provenance`, `state_files` and `warnings` tell of everything read so far."""

    def __init__(self, context: BindingContext, sources: InputSources) -> None:
        self._context = context
        self._sources = sources
        self._documents: dict[str, Any] = {}
        self._file = cache(sources.file)
        self._state = cache(lambda path: sources.state.read(path))
        self._files: dict[str, StateFile] = {}
        self._warnings: dict[Diagnostic, None] = {}
        self.provenance: dict[str, str] = {}

    @property
    def state_files(self) -> tuple[StateFile, ...]:
        """The carried state files, in the order of their paths."""
        return tuple(self._files[path] for path in sorted(self._files))

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What is to be told beside the values."""
        return tuple(self._warnings)

    def read(self, binding: Binding) -> Bound:
        """What a binding gives. Raises what its source raises, and NYL-INPUT-UNRESOLVED."""
        source = binding.source
        if isinstance(source, InlineValue):
            return Bound(InputSource.VALUE, binding.place, source.value)
        if isinstance(source, FromFile):
            return self._from_file(binding, source)
        if isinstance(source, FromGit):
            return self._from_git(binding, source)
        if isinstance(source, FromUnit):
            return self._from_unit(binding, source)
        return self._from_publication(binding, source)

    def _from_file(self, binding: Binding, source: FromFile) -> Bound:
        file = self._file(source.path)
        document = self._document(file.path, file.path, lambda: file.content)
        return _bound(binding, InputSource.FILE, document, source.pointer, file.path)

    def _from_git(self, binding: Binding, source: FromGit) -> Bound:
        lock = source.lock
        document = self._document(lock.key, lock.path, lambda: self._sources.git(lock))
        where = f" of {without_credentials(lock.repository.url)} at {lock.commit[:12]}"
        return _bound(binding, InputSource.GIT, document, source.pointer, lock.path, where)

    def _from_unit(self, binding: Binding, source: FromUnit) -> Bound:
        units, key = self._context.units, str(binding.address)
        if units is None or units.values is None:
            return Bound(InputSource.UNIT, binding.place, detail=shown_reference(source.reference), is_known=False)
        value = units.values[key][binding.input]
        return Bound(InputSource.UNIT, binding.place, value, shown_reference(source.reference))

    def _from_publication(self, binding: Binding, source: FromPublication) -> Bound:
        if source.carry is not None:
            carried = self._sources.carry(source.carry)
            if carried is not None:
                self._files[source.path] = StateFile(source.path, carried)
                document = self._document(carried_key(source.path), source.carry, lambda: carried, source.path)
                return _bound(binding, InputSource.CARRIED, document, source.pointer, source.carry)
        stored = self._state(source.path)
        if stored is None:
            self._warn_of_unknown_state()
            shown = f"{source.path}{_PUBLISHED}"
            return Bound(InputSource.PUBLICATION, binding.place, detail=shown, is_bound=False, carry=source.carry)
        if source.carry is not None:
            self._files[source.path] = StateFile(source.path, stored)
        document = self._document(publication_key(source.path), source.path, lambda: stored)
        return _bound(binding, InputSource.PUBLICATION, document, source.pointer, source.path, _PUBLISHED)

    def _document(self, key: str, file: str, read: Callable[[], bytes], kept_as: str | None = None) -> Any:
        if key not in self._documents:
            content = read()
            self.provenance[key] = hashlib.sha256(content).hexdigest()
            self._documents[key] = read_document(content, file, kept_as)
        return self._documents[key]

    def _warn_of_unknown_state(self) -> None:
        state = self._sources.state
        if state.commit is not None or not state.is_cached:
            return
        target = self._context.target
        message = (
            f"Nothing is known offline of the branch {target.publication.revision} that DeploymentTarget {target.name} "
            "is published to, so inputs that are bound to it have the defaults of their Releases."
        )
        fix = "run the command once without --offline"
        code = Code.INPUT_UNKNOWN_STATE
        self._warnings[Diagnostic(code, message, fix, Severity.WARNING, location=target.location)] = None


def _bound(binding: Binding, source: InputSource, document: Any, pointer: str, file: str, where: str = "") -> Bound:
    value = value_at(document, pointer, f"{file}{where}")
    return Bound(source, binding.place, value, f"{file}{'#' if pointer else ''}{pointer}{where}")
