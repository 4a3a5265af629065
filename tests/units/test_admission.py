"""Which variables a unit gets."""

from collections.abc import Collection, Mapping
from datetime import timedelta

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError
from nyl.project.resources import Admission
from nyl.project.units import RenderedUnit
from nyl.units.admission import admit, check_admission
from nyl.units.outcomes import FailureCategory

RUNNER = {"PATH": "/bin", "HOME": "/home/u", "LANG": "de_DE", "REGION": "eu", "GIT_DIR": "/x", "TF_LOG": "trace"}


class Vault:
    """Secrets that count how often they are asked for."""

    def __init__(self, **values: str) -> None:
        self.values = values
        self.asked: list[Collection[str]] = []

    def get(self, keys: Collection[str]) -> Mapping[str, str]:
        self.asked.append(keys)
        return {key: self.values[key] for key in keys if key in self.values}


class ClosedVault:
    """Secrets that cannot be read."""

    def get(self, keys: Collection[str]) -> Mapping[str, str]:
        raise NylError(Code.SECRET_UNAVAILABLE, "The vault is closed.", "open it")


def rendered(passthrough: tuple[str, ...], secrets: Mapping[str, str]) -> RenderedUnit:
    return RenderedUnit(
        api_version="units.gitops.nyl/v1",
        kind="Command",
        name="seed",
        labels={},
        location=Location("u.yaml", 1),
        spec={},
        enabled=True,
        outputs={},
        depends_on=(),
        approval=None,
        deletion_policy=None,
        timeout=timedelta(minutes=1),
        passthrough=passthrough,
        secrets=secrets,
    )


def test_secrets_that_cannot_be_read_are_told_with_the_way_to_mend_it() -> None:
    failure = admit([], {"A": "a"}, RUNNER, ClosedVault()).failure()
    assert failure is not None
    assert failure.message == "The vault is closed; open it"


def test_a_unit_gets_path_home_lang_and_what_it_asks_for_and_nothing_else() -> None:
    admitted = admit(["REGION"], {"PGPASSWORD": "db"}, RUNNER, Vault(db="hunter22"))

    assert admitted.variables == {
        "PATH": "/bin",
        "HOME": "/home/u",
        "LANG": "de_DE",
        "REGION": "eu",
        "PGPASSWORD": "hunter22",
    }
    assert admitted.failure() is None


def test_a_runner_without_path_and_lang_gets_usable_ones() -> None:
    assert admit([], {}, {}, Vault()).variables == {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}


def test_missing_credentials_stop_the_unit_and_are_all_named() -> None:
    failure = admit(["REGION", "AWS_PROFILE"], {"A": "a", "B": "b"}, RUNNER, Vault(a="1")).failure()

    assert failure is not None
    assert (failure.category, failure.retryable) == (FailureCategory.CREDENTIALS, True)
    assert failure.message == "variable AWS_PROFILE is not set on the runner; secret b (for B) does not exist"


def test_secrets_that_cannot_be_read_stop_the_unit() -> None:
    failure = admit([], {"A": "a"}, RUNNER, ClosedVault()).failure()

    assert failure is not None
    assert failure.category is FailureCategory.CREDENTIALS
    assert "vault is closed" in failure.message


def test_secrets_are_only_asked_for_when_a_unit_needs_them() -> None:
    vault = Vault()
    admit(["REGION"], {}, RUNNER, vault)

    assert vault.asked == []


def test_secrets_and_passed_through_credentials_are_to_be_masked() -> None:
    runner = {**RUNNER, "NPM_TOKEN": "npm_12345678", "SSH_KEY": "/home/u/.ssh/key", "AWS_SECRET_ACCESS_KEY": "wJalrXUt"}

    admitted = admit(["REGION", "NPM_TOKEN", "SSH_KEY", "AWS_SECRET_ACCESS_KEY"], {"A": "a"}, runner, Vault(a="sesame"))

    assert admitted.secret_values == ("sesame", "npm_12345678", "wJalrXUt")


def test_what_is_admitted_does_not_show_in_a_traceback() -> None:
    assert "hunter22" not in repr(admit([], {"A": "a"}, RUNNER, Vault(a="hunter22")))


@pytest.mark.parametrize(
    ("passthrough", "secrets", "denied"),
    [
        (("AWS_REGION",), {"A": "app-key"}, None),
        (("HOME2",), {}, "variable HOME2"),
        ((), {"A": "root-key"}, "secret root-key"),
        (("aws_region",), {}, "variable aws_region"),
    ],
)
def test_an_environment_bounds_what_its_units_may_ask_for(
    passthrough: tuple[str, ...], secrets: dict[str, str], denied: str | None
) -> None:
    refusal = check_admission(rendered(passthrough, secrets), "dev", Admission(("AWS_*",), ("app-*",)))

    assert (refusal is None) == (denied is None)
    if refusal is not None:
        assert refusal.diagnostic.code is Code.ADMISSION_DENIED
        assert denied is not None
        assert denied in refusal.diagnostic.message


def test_secrets_of_the_driver_itself_reach_no_variable() -> None:
    vault = Vault(user="alice", password="hunter22")
    given = admit((), {"NAME": "user"}, {}, vault, ("user", "password"))
    assert given.secrets == {"user": "alice", "password": "hunter22"}
    assert given.variables["NAME"] == "alice"
    assert "hunter22" not in given.variables.values()
    assert set(given.secret_values) == {"alice", "hunter22"}
    assert vault.asked == [("user", "password")]


def test_a_missing_secret_of_the_driver_is_named() -> None:
    given = admit((), {}, {}, Vault(), ("user", "user"))
    assert given.missing == ("secret user does not exist",)


def test_secrets_of_the_driver_must_be_admitted() -> None:
    refused = check_admission(rendered((), {}), "dev", Admission((), ("db-*",)), ("registry-user",))
    assert refused is not None
    assert "secret registry-user" in refused.diagnostic.message
    assert check_admission(rendered((), {}), "dev", Admission((), ("registry-*",)), ("registry-user",)) is None
