"""Which environments an invocation works on, in which order, and which of their units.

Follows the section Multi-environment runs of the Runs page.
"""

from collections.abc import Iterable, Mapping, Sequence, Set

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.core.suggestions import did_you_mean, suggest
from nyl.engine.graph import cycle_of, dependency_order
from nyl.engine.requests import Selection
from nyl.project.resources import Environment, EnvironmentGroup


def select_environments(
    environments: Mapping[str, Environment], groups: Mapping[str, EnvironmentGroup], selection: Selection
) -> tuple[Environment, ...]:
    """The environments that a selection names, labels or groups, by name.

    Raises NYL-ENVIRONMENT-UNKNOWN when a name, label selector or group selects nothing.
    """
    chosen: dict[str, Environment] = {}
    for name in selection.names:
        if name not in environments:
            raise _unknown(f"There is no Environment {name}.", name, environments)
        chosen[name] = environments[name]
    if selection.labels is not None:
        matching = _labelled(environments.values(), selection.labels)
        if not matching:
            pairs = ",".join(f"{key}={value}" for key, value in selection.labels.items())
            raise _unknown(f"No Environment has the labels {pairs}.", "", environments)
        chosen |= matching
    for name in selection.groups:
        if name not in groups:
            raise _unknown(f"There is no EnvironmentGroup {name}.", name, groups, "EnvironmentGroup")
        members = _labelled(environments.values(), groups[name].match_labels)
        if not members:
            raise _unknown(f"EnvironmentGroup {name} selects no Environment.", "", environments)
        chosen |= members
    return tuple(chosen[name] for name in sorted(chosen))


def _labelled(environments: Iterable[Environment], labels: Mapping[str, str]) -> dict[str, Environment]:
    return {each.name: each for each in environments if labels.items() <= each.labels.items()}


def _unknown(message: str, name: str, known: Iterable[str], what: str = "Environment") -> NylError:
    names = sorted(known)
    if what == "Environment" and not names:
        return NylError(Code.ENVIRONMENT_UNKNOWN, message, f"declare it with `nyl create environment {name or 'NAME'}`")
    return NylError(Code.ENVIRONMENT_UNKNOWN, message, suggest(name, names, what))


def order_environments(dependencies: Mapping[str, Set[str]]) -> tuple[str, ...]:
    """Environments, producers first, ties by name. Raises NYL-DEPENDENCY-CYCLE."""
    cycle = cycle_of(dependencies)
    if cycle:
        raise NylError(
            Code.DEPENDENCY_CYCLE,
            f"Environments depend on each other in a circle: {' → '.join(cycle)}.",
            f"remove one of the cross-environment references between {', '.join(sorted(set(cycle)))}",
        )
    return dependency_order(dependencies)


def units_by_environment(units: Sequence[str], environments: Sequence[str]) -> dict[str, frozenset[str]] | None:
    """The units that `--unit` options name, by environment; None without any.

    With several environments every name must be qualified. Raises NYL-USAGE for one that is not, or that names an
    environment outside the selection.
    """
    if not units:
        return None
    named: dict[str, set[str]] = {name: set() for name in environments}
    for text in units:
        environment, unit = unit_option(text, environments)
        named[environment].add(unit)
    return {name: frozenset(each) for name, each in named.items()}


def unit_option(text: str, environments: Sequence[str]) -> tuple[str, str]:
    """The environment and the unit that an option such as `--unit` or `--approve` names.

    Raises NYL-USAGE where it names no unit, no environment although several are selected, or one that is not among
    them.
    """
    environment, slash, unit = text.rpartition("/")
    if not unit:
        raise NylError(
            Code.USAGE, f'The unit option "{text}" names no unit.', "write the name of a unit, or <environment>/<unit>"
        )
    if not slash:
        if len(environments) != 1:
            raise _unit_option(text, f"does not name its environment, and {len(environments)} are selected", unit)
        environment = environments[0]
    if environment not in environments:
        raise _unit_option(text, f"names {environment}, which is not among the selected environments", unit)
    return environment, unit


def _unit_option(text: str, what: str, unit: str) -> NylError:
    return NylError(Code.USAGE, f"The unit option {text} {what}.", f"write <environment>/{unit}")


def check_unit_names(environment: str, named: Iterable[str], known: Iterable[str]) -> None:
    """Raises NYL-UNIT-UNKNOWN for a named unit that the environment does not have."""
    names = sorted(known)
    for unit in sorted(named):
        if unit not in names:
            raise NylError(
                Code.UNIT_UNKNOWN,
                f"Environment {environment} has no unit {unit}.",
                did_you_mean(unit, names, f"choose one that `nyl get units -e {environment}` lists"),
                environment=environment,
            )
