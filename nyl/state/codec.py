"""State documents as YAML files and back: versions, kinds, and what is wrong with a file that is neither."""

import json
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location, NylError
from nyl.state import record_codec, unit_codec
from nyl.state.coordination_documents import Checkpoint, Lease, Run
from nyl.state.documents import DesiredUnit, EnvironmentRecord, Observation, ObservedUnit, StateRecord
from nyl.state.fields import Fields, Malformed
from nyl.state.record_codec import Signal

API_VERSION = "gitops.nyl/v1"

_T = TypeVar("_T")


@dataclass(frozen=True)
class Codec(Generic[_T]):
    """One kind of document."""

    kind: str
    to_plain: Callable[[_T], dict[str, Any]]
    from_fields: Callable[[Fields], _T]


STATE_RECORD = Codec[StateRecord]("StateRecord", record_codec.encode_state, record_codec.decode_state)
ENVIRONMENT_RECORD = Codec[EnvironmentRecord](
    "EnvironmentRecord", record_codec.encode_environment, record_codec.decode_environment
)
DESIRED_UNIT = Codec[DesiredUnit]("DesiredUnit", unit_codec.encode_desired, unit_codec.decode_desired)
OBSERVED_UNIT = Codec[ObservedUnit]("ObservedUnit", unit_codec.encode_observed, unit_codec.decode_observed)
OBSERVATION = Codec[Observation]("Observation", unit_codec.encode_observation, unit_codec.decode_observation)
CHECKPOINT = Codec[Checkpoint]("ObservedUnit", unit_codec.encode_checkpoint, unit_codec.decode_checkpoint)
LEASE = Codec[Lease]("Lease", record_codec.encode_lease, record_codec.decode_lease)
RUN = Codec[Run]("Run", record_codec.encode_run, record_codec.decode_run)
SIGNAL = Codec[Signal]("Signal", record_codec.encode_signal, record_codec.decode_signal)

KINDS = ("StateRecord", "EnvironmentRecord", "DesiredUnit", "ObservedUnit", "Observation", "Lease", "Run", "Signal")
"""The kinds of documents that have a schema in `nyl/state/schemas`."""


@dataclass(frozen=True)
class Origin:
    """Where a document was read, for messages: a file of a commit."""

    commit: str
    path: str

    @property
    def location(self) -> Location:
        """The file, as the subject of a diagnostic."""
        return Location(self.path)


def plain(codec: Codec[_T], document: _T) -> dict[str, Any]:
    """A whole document as plain data."""
    return {"apiVersion": API_VERSION, "kind": codec.kind, **codec.to_plain(document)}


def encode(codec: Codec[_T], document: _T) -> bytes:
    """The YAML file of a document: same document, same bytes."""
    from nyl.core import yamlio

    return yamlio.dump(plain(codec, document)).encode()


def encode_short(codec: Codec[_T], document: _T) -> bytes:
    """The file of a lease or run record: YAML that is JSON, which needs no YAML library.

    Every run writes these few lines, also one that changes nothing, and importing that library takes longer.
    """
    return (json.dumps(plain(codec, document), indent=2, ensure_ascii=False, default=dict) + "\n").encode(
        errors="replace"
    )


def parse(data: bytes, origin: Origin) -> dict[str, Any]:
    """The plain data of a document's file. Raises NYL-STATE-CORRUPT, or NYL-STATE-VERSION for a later version."""
    from nyl.core import yamlio

    try:
        value = yamlio.load_document(data, origin.path)
    except NylError as error:
        raise corrupt(origin, f"it cannot be read as YAML: {error.diagnostic.message}") from error
    if not isinstance(value, dict):
        raise corrupt(origin, "it is no mapping, as if it had been truncated")
    _check_version(value.get("apiVersion"), origin)
    return value


def decode(codec: Codec[_T], value: dict[str, Any], origin: Origin) -> _T:
    """The document that plain data says. Raises NYL-STATE-CORRUPT when it is of another kind or malformed."""
    if value.get("kind") != codec.kind:
        raise corrupt(origin, f"its kind is {value.get('kind')!r} where {codec.kind} is expected")
    fields = Fields(value)
    fields.text("apiVersion")
    fields.text("kind")
    try:
        return codec.from_fields(fields)
    except Malformed as problem:
        raise corrupt(origin, f"{problem.pointer or 'the document'} {problem.reason}") from None


def settled(codec: Codec[_T], document: _T, origin: Origin) -> _T:
    """A document as reading what `encode` wrote of it gives it, without a way through YAML."""
    plain = {"apiVersion": API_VERSION, "kind": codec.kind, **codec.to_plain(document)}
    return decode(codec, json.loads(json.dumps(plain, default=dict)), origin)


def corrupt(origin: Origin, why: str) -> NylError:
    """The error for a document that cannot be trusted."""
    return NylError(
        Code.STATE_CORRUPT,
        f"{origin.path} in state commit {origin.commit} cannot be trusted: {why.rstrip('.')}.",
        f"compare it with the commit before (git log -p {origin.commit} -- {origin.path}), restore what it should "
        "say in a new commit on the state ref, and run the command again; nothing was written",
        location=origin.location,
    )


def check_environment(origin: Origin, found: object, expected: str) -> None:
    """Raises NYL-STATE-CORRUPT for a document of another environment than the one whose state holds it."""
    if found != expected:
        raise corrupt(origin, f"it belongs to environment {found}, not to {expected}")


def check_unit(origin: Origin, found: object, expected: str) -> None:
    """Raises NYL-STATE-CORRUPT for a document of another unit than the one its file is named after."""
    if found != expected:
        raise corrupt(origin, f"it is about unit {found}, which its file name does not say")


def _check_version(version: object, origin: Origin) -> None:
    if version == API_VERSION:
        return
    if isinstance(version, str) and version.startswith("gitops.nyl/"):
        raise NylError(
            Code.STATE_VERSION,
            f"{origin.path} in state commit {origin.commit} is of version {version}; this nyl knows {API_VERSION}.",
            "use the nyl version that wrote the state, or a later one",
            location=origin.location,
        )
    raise corrupt(origin, f"its apiVersion is {version!r} where {API_VERSION} is expected")
