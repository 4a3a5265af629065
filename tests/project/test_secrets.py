"""Secrets providers: what they read, when, and that no error shows a value."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.project.config import SecretsConfig, SecretsProviderKind
from nyl.project.secrets.provider import RunProgram, SecretsProvider, secrets_provider
from nyl.project.secrets.values import secret_values
from tests.project.repositories import commit_all, new_repository

CANARY = "c4nary-value"


def provider(folder: Path, config: SecretsConfig, run: RunProgram | None = None, **environ: str) -> SecretsProvider:
    def no_program(argv: Sequence[str], timeout: float) -> bytes:
        raise AssertionError(f"nothing may be run: {argv}")

    return secrets_provider(config, folder, environ, run or no_program, new_repository(folder))


def refusal(found: SecretsProvider) -> str:
    with pytest.raises(NylError) as caught:
        found.get(["a"])
    assert caught.value.diagnostic.code is Code.SECRET_UNAVAILABLE
    assert caught.value.diagnostic.fix
    assert CANARY not in caught.value.diagnostic.message
    return caught.value.diagnostic.message


def test_variables_hold_secrets(tmp_path: Path) -> None:
    found = provider(tmp_path, SecretsConfig(), NYL_SECRET_DB_PASSWORD="x", db="y")
    assert found.get(["db-password", "db"]) == {"db-password": "x"}


def test_an_ignored_file_holds_secrets(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*.secret\n")
    (tmp_path / "my.secret").write_text("a: x\nb: {c: y}\nd: 7\ne: true\nf: null\n")
    found = provider(tmp_path, SecretsConfig(SecretsProviderKind.FILE, "my.secret"))
    assert found.get(["a", "b.c", "d", "e", "f", "g"]) == {"a": "x", "b.c": "y", "d": "7", "e": "true"}


def test_a_file_that_git_does_not_ignore_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secrets.yaml").write_text(f"a: {CANARY}\n")
    message = refusal(provider(tmp_path, SecretsConfig(SecretsProviderKind.FILE, "secrets.yaml")))
    assert "does not ignore" in message


def test_a_tracked_file_is_refused_although_a_pattern_ignores_it(tmp_path: Path) -> None:
    (tmp_path / "secrets.yaml").write_text(f"a: {CANARY}\n")
    commit_all(new_repository(tmp_path))
    (tmp_path / ".gitignore").write_text("secrets.yaml\n")
    refusal(provider(tmp_path, SecretsConfig(SecretsProviderKind.FILE, "secrets.yaml")))


def test_a_file_outside_the_repository_may_hold_secrets(tmp_path: Path) -> None:
    (tmp_path / "secrets.yaml").write_text("a: x\n")
    found = provider(tmp_path / "repository", SecretsConfig(SecretsProviderKind.FILE, "../secrets.yaml"))
    assert found.get(["a"]) == {"a": "x"}


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("secrets.yaml\n")
    assert "secrets.yaml" in refusal(provider(tmp_path, SecretsConfig(SecretsProviderKind.FILE, "secrets.yaml")))


@pytest.mark.parametrize("text", [f"a: [{CANARY}", f"- {CANARY}", f"a: {CANARY}\na: {CANARY}", "a: 1.10", f"{CANARY}"])
def test_a_malformed_text_is_refused_without_showing_it(text: str) -> None:
    with pytest.raises(NylError) as caught:
        secret_values(text.encode(), "the file")
    shown = f"{caught.value.diagnostic.message} {caught.value.diagnostic.fix}"
    assert CANARY not in shown
    assert "1.10" not in shown


def test_a_command_is_run_once_and_only_when_a_secret_is_needed(tmp_path: Path) -> None:
    ran: list[Sequence[str]] = []

    def run(argv: Sequence[str], timeout: float) -> bytes:
        ran.append(argv)
        return b'{"a": "x"}'

    found = provider(tmp_path, SecretsConfig(SecretsProviderKind.COMMAND, command=("pass", "show")), run)
    assert (found.get([]), ran) == ({}, [])
    assert (found.get(["a"]), found.get(["a", "b"])) == ({"a": "x"}, {"a": "x"})
    assert ran == [("pass", "show")]


def test_sops_decrypts_the_file(tmp_path: Path) -> None:
    (tmp_path / "enc.yaml").write_text("a: ENC[x]\n")

    def run(argv: Sequence[str], timeout: float) -> bytes:
        assert argv == ("sops", "--decrypt", "--output-type", "json", str(tmp_path / "enc.yaml"))
        return b'{"a": "x"}'

    assert provider(tmp_path, SecretsConfig(SecretsProviderKind.SOPS, "enc.yaml"), run).get(["a"]) == {"a": "x"}


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (FileNotFoundError(2, "No such file"), "not installed"),
        (TimeoutError(), "did not end"),
        (ChildProcessError("exit code 3"), "exit code 3"),
    ],
)
def test_a_program_that_fails_is_named_and_not_run_again(tmp_path: Path, error: OSError, said: str) -> None:
    ran = []

    def run(argv: Sequence[str], timeout: float) -> bytes:
        ran.append(argv)
        raise error

    found = provider(tmp_path, SecretsConfig(SecretsProviderKind.COMMAND, command=("pass",)), run)
    assert said in refusal(found)
    assert "pass" in refusal(found)
    assert len(ran) == 1
