"""Looking for anything in recorded state that does not fit together: `nyl state check`. It repairs nothing."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nyl.core.canonical import digest
from nyl.core.diagnostics import NylError
from nyl.core.schemas import Validator
from nyl.state import codec
from nyl.state.access import StateAccess
from nyl.state.chain import Chain, check_chain
from nyl.state.codec import Codec, Origin, corrupt, decode, parse
from nyl.state.documents import DesiredUnit, EnvironmentRecord, ObservedUnit, StateRecord
from nyl.state.paths import FileRole, StateFile
from nyl.state.schema_catalog import document_schema
from nyl.state.transitions import READ_DESIRED, READ_OBSERVED


@dataclass(frozen=True)
class CheckResult:
    """How many documents and commits were looked at, and everything that is wrong with them."""

    documents: int
    commits: int
    problems: tuple[NylError, ...]


@dataclass(frozen=True)
class _Checked:
    """A file that could be read as what its path says."""

    file: StateFile
    origin: Origin
    value: Any
    document: object


def check(access: StateAccess) -> CheckResult:
    """Reads everything: schemas, names, digests, uids, references, and the chain of transition commits.

    Raises NYL-STATE-MISSING, NYL-STATE-DIVERGED and NYL-REMOTE-UNAVAILABLE; anything else that is wrong is a problem
    of the result.
    """
    sighting = access.look()
    desired, observed = access.state_commits(sighting)
    problems: list[NylError] = []
    checked = [*_files(access, desired, _DESIRED, problems), *_files(access, observed, _OBSERVED, problems)]
    problems.extend(_artifact_problems(checked))
    problems.extend(_relation_problems(checked))
    chains = list(_chains(access, desired, observed))
    problems.extend(problem for chain in chains for problem in chain.problems)
    return CheckResult(len(checked), sum(each.commits for each in chains), tuple(problems))


_DESIRED = frozenset({FileRole.STATE, FileRole.ENVIRONMENT, FileRole.DESIRED})
_OBSERVED = frozenset({FileRole.STATE, FileRole.OBSERVED, FileRole.ARTIFACT, FileRole.OBSERVATION})

_CODECS: Mapping[FileRole, Codec[Any]] = {
    FileRole.STATE: codec.STATE_RECORD,
    FileRole.ENVIRONMENT: codec.ENVIRONMENT_RECORD,
    FileRole.DESIRED: codec.DESIRED_UNIT,
    FileRole.OBSERVED: codec.OBSERVED_UNIT,
}


def _files(
    access: StateAccess, commit: str, roles: frozenset[FileRole], problems: list[NylError]
) -> Iterator[_Checked]:
    tree = access.documents.tree(commit)
    contents = access.documents.contents([entry.oid for path, entry in tree.items() if access.paths.owns(path)])
    for path, entry in tree.items():
        if not access.paths.owns(path):
            continue
        origin, file = Origin(commit, path), access.paths.parse(path)
        if file is None:
            problems.append(corrupt(origin, "no document of state has such a name"))
        elif file.role in roles:
            try:
                yield _checked(access, file, origin, contents[entry.oid])
            except NylError as problem:
                problems.append(problem)


def _checked(access: StateAccess, file: StateFile, origin: Origin, data: bytes) -> _Checked:
    from nyl.core import yamlio

    if file.role is FileRole.ARTIFACT:
        return _Checked(file, origin, yamlio.load_document(data, origin.path), None)
    value = parse(data, origin)
    found = _schema("Observation" if file.role is FileRole.OBSERVATION else _CODECS[file.role].kind)(value)
    if found:
        raise corrupt(origin, "; ".join(f"{each.pointer or 'the document'} {each.reason}" for each in found))
    document = decode(_CODECS[file.role], value, origin) if file.role in _CODECS else None
    _check_place(access, file, origin, document)
    return _Checked(file, origin, value, document)


def _schema(kind: str) -> Callable[[Any], Any]:
    if kind not in _VALIDATORS:
        _VALIDATORS[kind] = Validator(document_schema(kind))
    return _VALIDATORS[kind].problems


_VALIDATORS: dict[str, Validator] = {}


def _check_place(access: StateAccess, file: StateFile, origin: Origin, document: object) -> None:
    environment = access.refs.environment
    if isinstance(document, StateRecord | EnvironmentRecord) and document.environment != environment:
        raise corrupt(origin, f"it belongs to environment {document.environment}, not to {environment}")
    if isinstance(document, DesiredUnit | ObservedUnit):
        if document.unit.environment != environment:
            raise corrupt(origin, f"it belongs to environment {document.unit.environment}, not to {environment}")
        if document.unit.name != file.unit:
            raise corrupt(origin, f"it is about unit {document.unit.name}, which its file name does not say")


def _artifact_problems(checked: list[_Checked]) -> Iterator[NylError]:
    artifacts = {(each.file.unit, each.file.name): each for each in checked if each.file.role is FileRole.ARTIFACT}
    named = set()
    for each in checked:
        receipt = each.document.receipt if isinstance(each.document, ObservedUnit) else None
        for name, expected in receipt.artifacts.items() if receipt else ():
            named.add((each.file.unit, name))
            stored = artifacts.get((each.file.unit, name))
            if stored is None:
                yield corrupt(each.origin, f"its receipt names the artifact {name}, which is not stored")
            elif digest(stored.value) != expected:
                yield corrupt(stored.origin, "its content does not have the digest that the receipt names")
    for key, artifact in artifacts.items():
        if key not in named:
            yield corrupt(artifact.origin, "no receipt names this artifact")


def _relation_problems(checked: list[_Checked]) -> Iterator[NylError]:
    desired = {each.file.unit: each for each in checked if isinstance(each.document, DesiredUnit)}
    uids: dict[str, str] = {}
    for unit, each in desired.items():
        document = each.document
        assert isinstance(document, DesiredUnit)
        uid = document.unit.uid
        if uid is not None and uids.setdefault(uid, unit) != unit:
            yield corrupt(each.origin, f"unit {uids[uid]} has the same uid {uid}")
        for pointer, producer in document.provenance.items():
            if producer.environment is None and producer.unit not in desired:
                yield corrupt(each.origin, f"{pointer} was read from {producer.unit}, which is not in the state")
    for each in checked:
        if isinstance(each.document, ObservedUnit):
            yield from _observed_problems(each, each.document, desired.get(each.file.unit))


def _observed_problems(each: _Checked, document: ObservedUnit, beside: _Checked | None) -> Iterator[NylError]:
    if beside is None or not isinstance(beside.document, DesiredUnit):
        yield corrupt(each.origin, "there is no desired document of this unit")
    elif beside.document.unit.uid != document.unit.uid:
        yield corrupt(each.origin, f"its uid is {document.unit.uid}, and {beside.document.unit.uid} is desired")


def _chains(access: StateAccess, desired: str, observed: str) -> Iterator[Chain]:
    yield check_chain(access, access.refs.desired, desired, READ_DESIRED)
    if not access.refs.shared:
        yield check_chain(access, access.refs.observed, observed, READ_OBSERVED)
