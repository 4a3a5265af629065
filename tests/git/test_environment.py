import pytest

from nyl.git.environment import git_environment, with_config, without_user_config


def _config(variables: dict[str, str]) -> list[tuple[str, str]]:
    count = int(variables["GIT_CONFIG_COUNT"])
    return [(variables[f"GIT_CONFIG_KEY_{n}"], variables[f"GIT_CONFIG_VALUE_{n}"]) for n in range(count)]


_LEAKING = """
GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_COMMON_DIR GIT_PREFIX
GIT_NAMESPACE GIT_QUARANTINE_PATH GIT_AUTHOR_NAME GIT_AUTHOR_DATE GIT_COMMITTER_DATE GIT_TRACE GIT_TRACE2
GIT_CONFIG_PARAMETERS GIT_EDITOR GIT_SHALLOW_FILE
"""
_WANTED = """
GIT_SSH GIT_SSH_COMMAND GIT_ASKPASS GIT_SSL_CAINFO GIT_SSL_NO_VERIFY GIT_EXEC_PATH GIT_CONFIG_GLOBAL SSH_AUTH_SOCK
SSH_ASKPASS https_proxy HOME PATH
"""


@pytest.mark.parametrize("name", _LEAKING.split())
def test_what_a_hook_exports_does_not_reach_git(name: str) -> None:
    assert name not in git_environment({name: "/decoy"})


@pytest.mark.parametrize("name", _WANTED.split())
def test_how_to_reach_remotes_still_reaches_git(name: str) -> None:
    assert git_environment({name: "value"})[name] == "value"


def test_configuration_of_the_environment_is_kept_and_ours_wins() -> None:
    given = {"GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "http.extraHeader", "GIT_CONFIG_VALUE_0": "X: y"}
    given |= {"GIT_CONFIG_KEY_1": "core.hooksPath", "GIT_CONFIG_VALUE_1": "/hooks"}
    config = _config(git_environment(given))
    assert ("http.extraHeader", "X: y") in config
    assert [value for name, value in config if name == "core.hooksPath"] == ["/hooks", "/dev/null"]


def test_a_damaged_configuration_count_counts_as_none() -> None:
    assert ("core.hooksPath", "/dev/null") in _config(git_environment({"GIT_CONFIG_COUNT": "many"}))


def test_messages_prompts_and_optional_locks_are_set() -> None:
    variables = git_environment({"LC_ALL": "de_DE.UTF-8", "GIT_TERMINAL_PROMPT": "1"})
    assert variables["LC_ALL"] == "C"
    assert variables["GIT_TERMINAL_PROMPT"] == "0"
    assert variables["GIT_OPTIONAL_LOCKS"] == "0"


def test_more_configuration_is_appended() -> None:
    assert _config(with_config(git_environment({}), [("a.b", "c")]))[-1] == ("a.b", "c")


def test_exact_checkouts_see_no_configuration_of_the_user() -> None:
    given = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "filter.x.smudge", "GIT_CONFIG_VALUE_0": "rot13"}
    variables = without_user_config(git_environment({**given, "GIT_CONFIG_GLOBAL": "/home/me/.gitconfig"}))
    assert variables["GIT_CONFIG_GLOBAL"] == "/dev/null"
    assert "filter.x.smudge" not in dict(_config(variables))
    assert dict(_config(variables))["core.autocrlf"] == "false"
