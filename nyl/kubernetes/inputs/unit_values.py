"""Values of `fromUnit` bindings: what orchestration resolved for a unit that publishes a target.

Follows the table of sources in Binding inputs on a target of the page Release Inputs.
"""

from collections.abc import Mapping
from typing import Any

from nyl.core.dataclass import dataclass


@dataclass(frozen=True)
class UnitValues:
    """The values of a target's `fromUnit` bindings. Without `values` none is known, and each is told as that."""

    values: Mapping[str, Mapping[str, Any]] | None = None
    """Key `<group>/<release>` -> input -> value."""

    def is_known(self, key: str, name: str) -> bool:
        """Whether the value of a binding is known."""
        return self.values is not None and name in self.values.get(key, {})


UNKNOWN = UnitValues()
"""For who lists bindings without resolving them."""


def shown_reference(reference: Mapping[str, Any]) -> str:
    """A reference as people read it: `output host of unit infra/database`."""
    unit = f"{reference['environment']}/{reference['unit']}" if "environment" in reference else reference["unit"]
    if "output" in reference:
        return f"output {reference['output']} of unit {unit}"
    return f"artifact {reference['artifact']}{reference.get('pointer', '')} of unit {unit}"
