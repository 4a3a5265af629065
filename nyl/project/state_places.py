"""Where environments keep their state: each needs a place of its own, apart from the refs that coordinate runs."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError, Problems
from nyl.project.resources import Environment

_COORDINATION = ("lease", "runs", "signals", "evidence")
"""What lies below `<prefix>/<environment>`: the lease itself, and folders of refs that are named after runs."""
_DOCUMENTS = frozenset({"desired", "observed", "state.yaml"})
"""What lies below `state.path`."""


@dataclass(frozen=True)
class _Name:
    """A ref, or a folder of refs, that an environment uses in one repository."""

    repository: str
    parts: tuple[str, ...]
    is_state: bool
    environment: Environment

    @property
    def ref(self) -> str:
        return "/".join(self.parts)


def check_state_places(environments: Iterable[Environment], problems: Problems) -> None:
    """Adds a problem for every two environments whose state would overwrite each other's, or a run's refs.

    Git cannot have a ref and another below it, so such names collide as equal ones do.
    """
    wanted = list(environments)
    _check_folders(wanted, problems)
    names = sorted(
        (name for each in wanted for name in _names(each)),
        key=lambda each: (each.repository, each.parts, each.is_state),
    )
    for first, second in pairwise(names):
        if first.repository != second.repository or second.parts[: len(first.parts)] != first.parts:
            continue
        if first.parts == second.parts and first.is_state and second.is_state:
            continue
        problems.add(
            _taken(
                second.environment,
                f"the ref {second.ref} of {second.environment.name} collides with {first.ref} of "
                f"{first.environment.name}",
                "choose other names under `state`, none of which lies below another",
            )
        )


def _names(environment: Environment) -> Iterator[_Name]:
    state = environment.state
    repository = state.repository.url if state.repository else ""
    for ref in dict.fromkeys((state.desired_ref, state.observed_ref)):
        yield _Name(repository, tuple(ref.split("/")), True, environment)
    for name in _COORDINATION:
        parts = (*state.coordination_prefix.split("/"), environment.name, name)
        yield _Name(repository, parts, False, environment)


def _check_folders(environments: Iterable[Environment], problems: Problems) -> None:
    folders: dict[tuple[str, str], list[Environment]] = {}
    for environment in environments:
        state = environment.state
        url = state.repository.url if state.repository else ""
        for ref in dict.fromkeys((state.desired_ref, state.observed_ref)):
            folders.setdefault((url, ref), []).append(environment)
    found: dict[tuple[str, str], NylError] = {}
    for (_, ref), sharing in folders.items():
        for first in sharing:
            for second in sharing:
                if first is not second and _overlap(first.state.path, second.state.path):
                    one, other = sorted((first, second), key=lambda each: each.name)
                    what = (
                        f"the Environments {one.name} ({one.location}) and {other.name} keep their state in one folder"
                    )
                    fix = "give each of them a `state.path` of its own"
                    found.setdefault((one.name, other.name), _taken(other, f"{what} of {ref}", fix))
    for problem in found.values():
        problems.add(problem)


def _overlap(outer: str, inner: str) -> bool:
    """Whether a folder is another's, or lies among the documents that are kept in it."""
    above, below = ([part for part in path.split("/") if part] for path in (outer, inner))
    rest = below[len(above) :]
    return below[: len(above)] == above and (not rest or rest[0] in _DOCUMENTS)


def _taken(environment: Environment, what: str, fix: str) -> NylError:
    return NylError(
        Code.RESOURCE_INVALID,
        f"{environment.location}: {what}.",
        fix,
        location=environment.location,
        environment=environment.name,
    )
