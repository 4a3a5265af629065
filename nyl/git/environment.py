"""The environment that Git child processes get: nothing that misleads them or waits for a person."""

from collections.abc import Iterable, Mapping

_KEPT = frozenset(
    {
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GIT_SSH_VARIANT",
        "GIT_ASKPASS",
        "GIT_EXEC_PATH",
        "GIT_ALLOW_PROTOCOL",
        "GIT_PROXY_COMMAND",
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_SYSTEM",
        "GIT_CONFIG_NOSYSTEM",
    }
)
_KEPT_PREFIXES = ("GIT_SSL_", "GIT_HTTP_", "GIT_PYTHON_")
_COMMAND_SCOPE = ("GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_")

_NO_HOOKS = ("core.hooksPath", "/dev/null")
_ALWAYS = (
    _NO_HOOKS,
    ("core.fsmonitor", "false"),
    ("core.quotePath", "false"),
    ("core.pager", "cat"),
    ("core.safecrlf", "false"),
    ("core.splitIndex", "false"),
    ("add.ignoreErrors", "false"),
    ("color.ui", "false"),
    ("commit.gpgSign", "false"),
    ("tag.gpgSign", "false"),
    ("push.gpgSign", "false"),
    ("push.followTags", "false"),
    ("push.recurseSubmodules", "no"),
    ("push.useForceIfIncludes", "false"),
    ("push.pushOption", ""),
    ("fetch.prune", "false"),
    ("fetch.pruneTags", "false"),
    ("fetch.recurseSubmodules", "no"),
    ("fetch.writeCommitGraph", "false"),
    ("submodule.recurse", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("receive.autogc", "false"),
    ("advice.addEmbeddedRepo", "false"),
)


def git_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """What Git child processes see of the process's environment.

    Of Git's own variables only those stay that say how to reach and trust remotes and which user and system
    configuration to read; a hook's GIT_DIR, GIT_INDEX_FILE and the like go, and so do identities and dates. Prompts
    on a terminal, messages in other languages and optional locks are off, and settings of the user that would sign, run
    hooks, prune, push more or collect garbage are overridden in command scope, after those of GIT_CONFIG_COUNT.
    """
    kept = {name: value for name, value in environ.items() if not name.startswith("GIT_") or _is_kept(name)}
    kept.update(
        LC_ALL="C",
        LANGUAGE="C",
        GIT_TERMINAL_PROMPT="0",
        GIT_OPTIONAL_LOCKS="0",
        GIT_NO_REPLACE_OBJECTS="1",
        GCM_INTERACTIVE="never",
    )
    return with_config(kept, (*_passed_config(environ), *_ALWAYS))


def with_config(variables: Mapping[str, str], settings: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The environment with more configuration in command scope; later settings win."""
    result = dict(variables)
    count = int(result.get("GIT_CONFIG_COUNT", "0"))
    for name, value in settings:
        result[f"GIT_CONFIG_KEY_{count}"] = name
        result[f"GIT_CONFIG_VALUE_{count}"] = value
        count += 1
    result["GIT_CONFIG_COUNT"] = str(count)
    return result


def without_user_config(variables: Mapping[str, str]) -> dict[str, str]:
    """The environment without the user's and the system's configuration and attributes, for exact checkouts."""
    kept = {name: value for name, value in variables.items() if not name.startswith("GIT_CONFIG_")}
    kept.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1", GIT_ATTR_NOSYSTEM="1")
    return with_config(
        kept,
        (
            *_ALWAYS,
            ("core.autocrlf", "false"),
            ("core.eol", "lf"),
            ("core.attributesFile", "/dev/null"),
            ("core.excludesFile", "/dev/null"),
            ("core.symlinks", "true"),
            ("core.fileMode", "true"),
            ("core.trustctime", "true"),
        ),
    )


def with_users_hooks(variables: Mapping[str, str]) -> dict[str, str]:
    """The environment in which Git finds the hooks that it would run for the user: to ask where they are."""
    settings = [each for each in _passed_config(variables) if each != _NO_HOOKS]
    kept = {name: value for name, value in variables.items() if not name.startswith(_COMMAND_SCOPE)}
    return with_config(kept, settings)


def _is_kept(name: str) -> bool:
    return name in _KEPT or name.startswith(_KEPT_PREFIXES)


def _passed_config(environ: Mapping[str, str]) -> list[tuple[str, str]]:
    count = environ.get("GIT_CONFIG_COUNT", "")
    if not count.isdecimal():
        return []
    pairs = [(environ.get(f"GIT_CONFIG_KEY_{n}"), environ.get(f"GIT_CONFIG_VALUE_{n}")) for n in range(int(count))]
    return [(name, value) for name, value in pairs if name and value is not None]
