"""What no two units of one environment may have, such as the place that a tree is published to."""

from collections.abc import Iterator, Mapping

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.project.units import RenderedUnit
from nyl.units.completion import Expansion


def check_claims(units: Mapping[str, RenderedUnit], expansions: Mapping[str, Expansion]) -> Iterator[NylError]:
    """NYL-RESOURCE-CLAIMED for every unit that claims what a unit before it, by name, has claimed."""
    owners: dict[str, str] = {}
    for name in sorted(expansions):
        for claim in expansions[name].claims:
            owner = owners.setdefault(claim, name)
            if owner == name:
                continue
            unit, other = units[name], units[owner]
            yield NylError(
                Code.RESOURCE_CLAIMED,
                f"Unit {name} has {claim}, which unit {owner} ({other.location}) has already.",
                "let one of the two units have it",
                unit=name,
                location=unit.location,
            )
