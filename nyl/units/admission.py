"""The environment that a unit's tools run in: which variables and secrets it gets, and what is missing."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.project.resources import Admission
from nyl.project.secrets.provider import SecretsProvider
from nyl.project.units import RenderedUnit
from nyl.units.outcomes import Failed, FailureCategory

_BASE = ("PATH", "HOME", "LANG")
_DEFAULTS = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
_CREDENTIAL = re.compile(r"(^|_)(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|KEY)$|SECRET", re.IGNORECASE)


class NoSecrets:
    """A secrets provider for what must get none."""

    def get(self, keys: Collection[str]) -> Mapping[str, str]:
        """Nothing."""
        return {}


@dataclass(frozen=True)
class Admitted:
    """What a unit gets. With anything `missing` it must not start."""

    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    """PATH, HOME and LANG of the runner, passed-through variables and secrets. The context adds TMPDIR."""
    secret_values: tuple[str, ...] = field(default=(), repr=False)
    """What must be masked."""
    missing: tuple[str, ...] = ()
    """One clause for each thing that is not there, such as `secret db-password (for PGPASSWORD) does not exist`."""

    def failure(self) -> Failed | None:
        """The outcome of a unit whose credentials are missing, or None."""
        if not self.missing:
            return None
        return Failed(FailureCategory.CREDENTIALS, True, "; ".join(self.missing))


def admit(
    passthrough: Sequence[str], secrets: Mapping[str, str], environ: Mapping[str, str], provider: SecretsProvider
) -> Admitted:
    """The variables of a unit that passes runner variables through and maps variable names to secret keys.

    The provider is only asked when there are secrets. A provider that fails makes every secret missing.
    """
    variables = base_variables(environ)
    missing = [f"variable {name} is not set on the runner" for name in passthrough if name not in environ]
    passed = {name: environ[name] for name in passthrough if name in environ}
    found, problems = _secrets(secrets, provider)
    hidden = [*found.values(), *(value for name, value in passed.items() if _is_credential(name, value))]
    return Admitted(
        variables={**variables, **passed, **found},
        secret_values=tuple(dict.fromkeys(hidden)),
        missing=(*missing, *problems),
    )


def base_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """What every tool gets of the runner's variables: PATH, HOME and LANG."""
    return {name: value for name in _BASE if (value := environ.get(name) or _DEFAULTS.get(name))}


def check_admission(unit: RenderedUnit, environment: str, admission: Admission) -> NylError | None:
    """The refusal of a unit that asks for variables or secrets its environment does not admit, or None."""
    denied = [f"variable {name}" for name in unit.passthrough if not _admits(admission.passthrough, name)]
    denied += [f"secret {key}" for key in unit.secrets.values() if not _admits(admission.secrets, key)]
    if not denied:
        return None
    return NylError(
        Code.ADMISSION_DENIED,
        f"Unit {unit.name} asks for {', '.join(denied)}, which environment {environment} does not admit.",
        f"remove it from the unit's env, or admit it in spec.admission of environment {environment}",
        environment=environment,
        unit=unit.name,
        location=unit.location,
    )


def _secrets(wanted: Mapping[str, str], provider: SecretsProvider) -> tuple[dict[str, str], list[str]]:
    if not wanted:
        return {}, []
    try:
        values = provider.get(tuple(dict.fromkeys(wanted.values())))
    except NylError as error:
        return {}, [f"{each.message.rstrip('.')}; {each.fix}" for each in error.diagnostics]
    found = {variable: values[key] for variable, key in wanted.items() if key in values}
    lost = [f"secret {key} (for {name}) does not exist" for name, key in wanted.items() if key not in values]
    unfit = [
        f"secret {wanted[name]} holds a NUL, which no variable can" for name, value in found.items() if "\0" in value
    ]
    return found, lost + unfit


def _is_credential(name: str, value: str) -> bool:
    """Whether a passed-through variable looks like a credential: a path to one is none."""
    return bool(_CREDENTIAL.search(name)) and len(value) >= 8 and not value.startswith("/")


def _admits(globs: Sequence[str], name: str) -> bool:
    return any(fnmatchcase(name, glob) for glob in globs)
