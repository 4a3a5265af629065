"""The environment that a unit's tools run in: which variables and secrets it gets, and what is missing."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from fnmatch import fnmatchcase
from typing import Any, cast

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.project.resources import Admission
from nyl.project.secrets.provider import SecretsProvider
from nyl.project.units import RenderedUnit
from nyl.units.driver import Driver, UsesSecrets
from nyl.units.outcomes import Failed, FailureCategory

_BASE = ("PATH", "HOME", "LANG")
_DEFAULTS = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
_CREDENTIAL = re.compile(r"(^|_)(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|KEY)$|SECRET", re.IGNORECASE)


def secret_keys(driver: Driver, spec: Mapping[str, Any]) -> tuple[str, ...]:
    """The keys of the secrets that a driver itself reads for a unit with this spec."""
    if not callable(getattr(driver, "secrets", None)):
        return ()
    return tuple(cast(UsesSecrets, driver).secrets(spec))


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
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    """What the driver itself asked for, by key."""
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
    passthrough: Sequence[str],
    secrets: Mapping[str, str],
    environ: Mapping[str, str],
    provider: SecretsProvider,
    keys: Collection[str] = (),
) -> Admitted:
    """The variables of a unit that passes runner variables through and maps variable names to secret keys.

    `keys` are those of secrets that its driver asks for. The provider is only asked when there are secrets. A provider
    that fails makes every secret missing.
    """
    variables = base_variables(environ)
    missing = [f"variable {name} is not set on the runner" for name in passthrough if name not in environ]
    passed = {name: environ[name] for name in passthrough if name in environ}
    values, problems = _secrets((*secrets.values(), *keys), provider)
    found = {name: values[key] for name, key in secrets.items() if key in values}
    if not problems:
        problems = _secret_problems(secrets, keys, values)
    hidden = [*values.values(), *(value for name, value in passed.items() if _is_credential(name, value))]
    return Admitted(
        variables={**variables, **passed, **found},
        secrets={key: values[key] for key in keys if key in values},
        secret_values=tuple(dict.fromkeys(hidden)),
        missing=(*missing, *problems),
    )


def base_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """What every tool gets of the runner's variables: PATH, HOME and LANG."""
    return {name: value for name in _BASE if (value := environ.get(name) or _DEFAULTS.get(name))}


def check_admission(
    unit: RenderedUnit, environment: str, admission: Admission, keys: Collection[str] = ()
) -> NylError | None:
    """The refusal of a unit that asks for variables or secrets its environment does not admit, or None.

    `keys` are those of secrets that its driver asks for.
    """
    denied = [f"variable {name}" for name in unit.passthrough if not _admits(admission.passthrough, name)]
    denied += [f"secret {key}" for key in (*unit.secrets.values(), *keys) if not _admits(admission.secrets, key)]
    if not denied:
        return None
    return NylError(
        Code.ADMISSION_DENIED,
        f"Unit {unit.name} asks for {', '.join(denied)}, which environment {environment} does not admit.",
        f"remove it from the unit, or admit it in spec.admission of environment {environment}",
        environment=environment,
        unit=unit.name,
        location=unit.location,
    )


def _secrets(keys: Sequence[str], provider: SecretsProvider) -> tuple[Mapping[str, str], list[str]]:
    if not keys:
        return {}, []
    try:
        return provider.get(tuple(dict.fromkeys(keys))), []
    except NylError as error:
        return {}, [f"{each.message.rstrip('.')}; {each.fix}" for each in error.diagnostics]


def _secret_problems(secrets: Mapping[str, str], keys: Collection[str], values: Mapping[str, str]) -> list[str]:
    lost = [f"secret {key} (for {name}) does not exist" for name, key in secrets.items() if key not in values]
    lost += [f"secret {key} does not exist" for key in dict.fromkeys(keys) if key not in values]
    unfit = [f"secret {key} holds a NUL, which no variable can" for key, value in values.items() if "\0" in value]
    return lost + unfit


def _is_credential(name: str, value: str) -> bool:
    """Whether a passed-through variable looks like a credential: a path to one is none."""
    return bool(_CREDENTIAL.search(name)) and len(value) >= 8 and not value.startswith("/")


def _admits(globs: Sequence[str], name: str) -> bool:
    return any(fnmatchcase(name, glob) for glob in globs)
