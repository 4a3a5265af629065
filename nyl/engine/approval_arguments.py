"""The approvals of one invocation as its command line gives them: `unit`, `unit=digest`, `environment/unit[=digest]`.

Follows the section Approvals of the Runs page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field

from nyl.core.canonical import is_digest
from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.engine.selection import unit_option


@dataclass(frozen=True)
class Approvals:
    """What is approved in one environment: units by name, and with `everything` whatever waits for an approval."""

    digests: Mapping[str, str | None] = field(default_factory=dict)
    """Unit -> the digest of the change that was reviewed; None where none was named."""
    everything: bool = False

    @property
    def any(self) -> bool:
        """Whether anything is approved at all."""
        return self.everything or bool(self.digests)


def approvals_by_environment(
    arguments: Sequence[str], environments: Sequence[str], *, everything: bool = False
) -> dict[str, Approvals]:
    """What `--approve` options, and `--approve-all`, approve in each environment.

    Raises NYL-APPROVAL-INVALID for what is no digest, or two digests for one unit; NYL-USAGE for a unit that does not
    name one of several environments, or one outside the selection.
    """
    found: dict[str, dict[str, str | None]] = {name: {} for name in environments}
    for text in arguments:
        name, equals, digest = text.partition("=")
        environment, unit = unit_option(name, environments)
        if equals and not is_digest(digest):
            raise _malformed(text, name, digest)
        known = found[environment].get(unit)
        if equals and known is not None and known != digest:
            raise _two_digests(environment, unit)
        found[environment][unit] = digest if equals else known
    return {name: Approvals(digests, everything) for name, digests in found.items()}


def _malformed(text: str, name: str, digest: str) -> NylError:
    return NylError(
        Code.APPROVAL_INVALID,
        f"The approval {text} names no digest: {digest or 'nothing'} is not sha256: and 64 hexadecimal digits.",
        f"copy the whole digest that `nyl plan` shows for {name}, or leave it out with its equals sign",
    )


def _two_digests(environment: str, unit: str) -> NylError:
    return NylError(
        Code.APPROVAL_INVALID,
        f"Unit {unit} is approved for two different changes.",
        "name the one digest that was reviewed",
        environment=environment,
        unit=unit,
    )
