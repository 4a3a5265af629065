"""Looking for anything in recorded state that does not fit together: `nyl state check`. It repairs nothing."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any

from nyl.core.canonical import digest
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.core.schemas import Validator
from nyl.state import codec
from nyl.state.access import StateAccess
from nyl.state.chain import Chain, check_chain
from nyl.state.codec import Codec, Origin, check_environment, check_unit, corrupt, decode, parse
from nyl.state.coordination import Sighting
from nyl.state.documents import DesiredUnit, EnvironmentRecord, Observation, ObservedUnit, StateRecord
from nyl.state.paths import DESIRED_ROLES, OBSERVED_ROLES, FileRole, StateFile
from nyl.state.refs import RunRefKind
from nyl.state.relations import Placed, relation_problems
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
    problems.extend(relation_problems(_placed(checked)))
    problems.extend(_coordination_problems(access, sighting))
    chains = list(_chains(access, desired, observed))
    problems.extend(problem for chain in chains for problem in chain.problems)
    return CheckResult(len(checked), sum(each.commits for each in chains), tuple(problems))


_CODECS: Mapping[FileRole, Codec[Any]] = {
    FileRole.STATE: codec.STATE_RECORD,
    FileRole.ENVIRONMENT: codec.ENVIRONMENT_RECORD,
    FileRole.DESIRED: codec.DESIRED_UNIT,
    FileRole.OBSERVED: codec.OBSERVED_UNIT,
    FileRole.OBSERVATION: codec.OBSERVATION,
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
    wanted = _CODECS[file.role]
    found = _validator(wanted.kind).problems(value)
    if found:
        raise corrupt(origin, "; ".join(f"{each.pointer or 'the document'} {each.reason}" for each in found))
    document = decode(wanted, value, origin)
    _check_place(access, file, origin, document)
    return _Checked(file, origin, value, document)


@cache
def _validator(kind: str) -> Validator:
    return Validator(document_schema(kind))


def _check_place(access: StateAccess, file: StateFile, origin: Origin, document: object) -> None:
    environment = access.refs.environment
    if isinstance(document, StateRecord | EnvironmentRecord):
        check_environment(origin, document.environment, environment)
    if isinstance(document, DesiredUnit | ObservedUnit | Observation):
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


def _placed(checked: list[_Checked]) -> list[Placed]:
    return [Placed(each.file.unit, each.file.name, each.origin, each.document) for each in checked]


def _coordination_problems(access: StateAccess, sighting: Sighting) -> Iterator[NylError]:
    """What is wrong with the lease and with what runs left: none of it can be imported then."""
    reader = access.coordination
    looks: list[Callable[[], object]] = [partial(reader.lease, sighting.lease)] if sighting.lease else []
    for kind in (RunRefKind.RUNS, RunRefKind.EVIDENCE):
        looks += [partial(reader.run, run, commit) for run, commit in sighting.of_runs(kind).items()]
    looks += [partial(reader.holds, run, commit) for run, commit in sighting.of_runs(RunRefKind.SIGNALS).items()]
    for look in looks:
        try:
            look()
        except NylError as problem:
            yield problem


def _chains(access: StateAccess, desired: str, observed: str) -> Iterator[Chain]:
    yield check_chain(access, access.refs.desired, desired, READ_DESIRED)
    if not access.refs.shared:
        yield check_chain(access, access.refs.observed, observed, READ_OBSERVED)
