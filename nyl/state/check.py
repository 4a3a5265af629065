"""Looking for anything in recorded state that does not fit together: `nyl state check`. It repairs nothing."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from nyl.core.canonical import digest
from nyl.core.diagnostics import NylError
from nyl.core.schemas import Validator
from nyl.state import codec
from nyl.state.access import StateAccess
from nyl.state.chain import Chain, check_chain
from nyl.state.codec import Codec, Origin, check_environment, check_unit, corrupt, decode, parse
from nyl.state.documents import DesiredUnit, EnvironmentRecord, ObservedUnit, StateRecord
from nyl.state.paths import DESIRED_ROLES, OBSERVED_ROLES, FileRole, StateFile
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
    checked = [
        *_files(access, desired, DESIRED_ROLES, problems),
        *_files(access, observed, OBSERVED_ROLES, problems),
    ]
    problems.extend(_artifact_problems(checked))
    problems.extend(_relation_problems(checked))
    chains = list(_chains(access, desired, observed))
    problems.extend(problem for chain in chains for problem in chain.problems)
    return CheckResult(len(checked), sum(each.commits for each in chains), tuple(problems))


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
    found = _validator("Observation" if file.role is FileRole.OBSERVATION else _CODECS[file.role].kind).problems(value)
    if found:
        raise corrupt(origin, "; ".join(f"{each.pointer or 'the document'} {each.reason}" for each in found))
    document = decode(_CODECS[file.role], value, origin) if file.role in _CODECS else None
    _check_place(access, file, origin, document)
    return _Checked(file, origin, value, document)


@cache
def _validator(kind: str) -> Validator:
    return Validator(document_schema(kind))


def _check_place(access: StateAccess, file: StateFile, origin: Origin, document: object) -> None:
    environment = access.refs.environment
    if isinstance(document, StateRecord | EnvironmentRecord):
        check_environment(origin, document.environment, environment)
    if isinstance(document, DesiredUnit | ObservedUnit):
        check_environment(origin, document.unit.environment, environment)
        check_unit(origin, document.unit.name, file.unit)


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
    desired = {each.file.unit: each.document for each in checked if isinstance(each.document, DesiredUnit)}
    uids: dict[str, str] = {}
    for each in checked:
        if isinstance(each.document, DesiredUnit):
            yield from _desired_problems(each.origin, each.document, desired, uids)
        if isinstance(each.document, ObservedUnit):
            yield from _observed_problems(each.origin, each.document, desired.get(each.file.unit))


def _desired_problems(
    origin: Origin, document: DesiredUnit, desired: Mapping[str, DesiredUnit], uids: dict[str, str]
) -> Iterator[NylError]:
    """`uids` are those met so far, with their units."""
    name, uid = document.unit.name, document.unit.uid
    if uid is not None and uids.setdefault(uid, name) != name:
        yield corrupt(origin, f"unit {uids[uid]} has the same uid {uid}")
    for pointer, producer in document.provenance.items():
        if producer.environment is None and producer.unit not in desired:
            yield corrupt(origin, f"{pointer} was read from {producer.unit}, which is not in the state")


def _observed_problems(origin: Origin, document: ObservedUnit, desired: DesiredUnit | None) -> Iterator[NylError]:
    if desired is None:
        yield corrupt(origin, "there is no desired document of this unit")
    elif desired.unit.uid != document.unit.uid:
        yield corrupt(origin, f"its uid is {document.unit.uid}, and {desired.unit.uid} is desired")


def _chains(access: StateAccess, desired: str, observed: str) -> Iterator[Chain]:
    yield check_chain(access, access.refs.desired, desired, READ_DESIRED)
    if not access.refs.shared:
        yield check_chain(access, access.refs.observed, observed, READ_OBSERVED)
