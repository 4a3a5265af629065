"""Drivers of installed packages, asked so that whatever they answer is an answer: what else becomes a clear error."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.units.driver import Capability, RecoveryPolicy
from nyl.units.inputs import Inputs
from nyl.units.protocol import missing_methods

_Answer = TypeVar("_Answer")


class GuardedDriver:
    """A driver whose answers about specs have the right types. Each raises NYL-DRIVER-INVALID.

    What it does to units goes through as it is: `nyl.units.execution` judges that.
    """

    def __init__(self, driver: Any, package: str) -> None:
        self._driver = driver
        self._package = package

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._driver, name)
        return self._secrets if name == "secrets" and callable(found) else found

    def capabilities(self, spec: Mapping[str, Any]) -> frozenset[Capability]:
        """What the driver can do for a unit with this spec; it has the methods for that."""
        given = self._ask("what it can do", lambda: [Capability(each) for each in self._driver.capabilities(spec)])
        missing = missing_methods(self._driver, given)
        if missing:
            raise self._invalid("; ".join(missing))
        return frozenset(given)

    def recovery(self, spec: Mapping[str, Any]) -> RecoveryPolicy:
        """What to do with an uncertain execution of a unit with this spec."""
        return self._ask("how it recovers", lambda: RecoveryPolicy(self._driver.recovery(spec)))

    def teardown_recovery(self, spec: Mapping[str, Any]) -> RecoveryPolicy:
        """What to do with an uncertain teardown of a unit with this spec."""
        return self._ask("how its teardown recovers", lambda: RecoveryPolicy(self._driver.teardown_recovery(spec)))

    def inputs(self, spec: Mapping[str, Any]) -> Inputs:
        """What a unit with this spec reads."""
        given = self._ask("what it reads", lambda: self._driver.inputs(spec))
        if not isinstance(given, Inputs):
            raise self._invalid(f"says that a unit reads {given!r}, where Inputs are expected")
        return given

    def _secrets(self, spec: Mapping[str, Any]) -> tuple[str, ...]:
        """The keys of the secrets that the driver itself needs; only some drivers ask for any."""
        given = self._ask("which secrets it needs", lambda: self._driver.secrets(spec))
        if not isinstance(given, tuple | list) or not all(isinstance(each, str) for each in given):
            raise self._invalid(f"asks for secrets {given!r}, where a tuple of their keys is expected")
        return tuple(given)

    def _ask(self, what: str, ask: Callable[[], _Answer]) -> _Answer:
        try:
            return ask()
        except NylError:
            raise
        except Exception as error:
            raise self._invalid(f"cannot say of a unit {what}: {type(error).__name__}: {error}") from error

    def _invalid(self, problem: str) -> NylError:
        return NylError(
            Code.DRIVER_INVALID,
            f"The driver of {self._driver.kind} in the package {self._package} {problem}.",
            "install a version of the package that fits this nyl, or report this to its authors",
        )
