"""Secrets from variables of the runner: the key `db-password` is read from NYL_SECRET_DB_PASSWORD."""

import re
from collections.abc import Collection, Mapping

_PREFIX = "NYL_SECRET_"


class VariableSecrets:
    """The provider `env`."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    def get(self, keys: Collection[str]) -> Mapping[str, str]:
        """The values of those keys whose variables are set."""
        found = ((key, self._environ.get(variable_of(key))) for key in keys)
        return {key: value for key, value in found if value is not None}


def variable_of(key: str) -> str:
    """The variable that holds a key: upper case, with an underscore for every other character."""
    return _PREFIX + re.sub(r"[^A-Za-z0-9]", "_", key).upper()
