"""A whole world on a temporary folder: a bare remote, a project cloned from it, and the installed nyl."""

import json
import os
import shutil
import subprocess
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from tests.support import declarations, pushes
from tests.support.beginnings import begin, can_begin
from tests.support.environment import clean_environment, nyl_executable
from tests.support.processes import Invocation, run_git, run_nyl, start_nyl
from tests.support.repositories import new_bare_repository, new_repository
from tests.support.running import Running
from tests.support.warm import run_warm, start_warm

_EARLY = ("GIT_", "LANG", "LC_", "PYTHON")
"""How variables begin that Python and the libraries may read while nyl is loaded."""

_LOG = "${HOME%/*}/ran.log"
"""The log as scripts find it, wherever their world is: every home is a folder of the world."""

Started: TypeAlias = "Running | subprocess.Popen[str]"
"""A call that goes on beside the test."""


class World:
    """A project with a remote. Declarations are written fluently, then committed and pushed.

    `folder` is where nyl.toml lies below the repository's root. Commands that `unit` declares append their
    name to a log outside the repository, so that `ran` tells what really ran and in which order.

    `url` is that of the remote, its path where none is given. A world that is there already is opened.
    """

    def __init__(
        self, tmp: Path, *, remote: bool = True, folder: str = "", object_format: str = "sha1", url: str = ""
    ) -> None:
        self.tmp = tmp
        self.environ = clean_environment(tmp / "home")
        self.origin = tmp / "origin.git"
        self.root = tmp / "work"
        self.log = tmp / "ran.log"
        self.project = self.root / folder
        if not self.root.exists():
            self._lay(remote, object_format, url or str(self.origin))

    def _lay(self, remote: bool, object_format: str, url: str) -> None:
        if remote:
            new_bare_repository(self.origin, object_format=object_format)
        new_repository(self.root, object_format=object_format, origin=url if remote else "")
        self.project.mkdir(parents=True, exist_ok=True)
        self.write("nyl.toml", "").write(".gitignore", ".nyl/\n")

    # Writing declarations

    def write(self, path: str, text: str | bytes, mode: int | None = None) -> "World":
        """Writes a file of the project; scripts become executable."""
        target = self.project / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode() if isinstance(text, str) else text)
        if mode is not None or path.endswith(".sh"):
            target.chmod(0o755 if mode is None else mode)
        return self

    def remove(self, path: str) -> "World":
        """Deletes a file or folder of the project."""
        target = self.project / path
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        else:
            target.unlink()
        return self

    def environment(self, name: str = "dev", labels: Mapping[str, str] | None = None, **spec: Any) -> "World":
        """Declares an Environment."""
        return self.write(f"environments/{name}.yaml", declarations.environment(name, labels, **spec))

    def unit(
        self,
        name: str,
        *,
        writes: Mapping[str, Any] | None = None,
        script: str = "",
        arguments: Sequence[str] = (),
        labels: Mapping[str, str] | None = None,
        **spec: Any,
    ) -> "World":
        """Declares a Command with a script of its own.

        The script, called with `arguments`, logs the unit's name, runs `script`, then writes the outputs `writes`,
        which are declared with the types of their values unless `outputs` is given. String outputs may use shell
        variables.
        """
        body = f'echo {name} >> "{_LOG}"\n{textwrap.dedent(script)}\n'
        if writes:
            body += f'cat > "$NYL_OUTPUTS" <<END\n{json.dumps(dict(writes))}\nEND\n'
            spec = {"outputs": declarations.output_types(writes)} | spec
        path = f"scripts/{name}.sh"
        self.write(path, declarations.shell(body))
        spec = {"files": [path]} | spec
        return self.write(f"units/{name}.yaml", declarations.command(name, [f"./{path}", *arguments], labels, **spec))

    def pair(self) -> "World":
        """The smallest project of interest: `dev` with a database and a migration that needs its host."""
        self.environment("dev", values={"size": "small"})
        self.unit("database", writes={"host": "db-$1"}, arguments=["{{ values.size }}"])
        return self.unit("migrate", values={"host": declarations.from_unit("database", "host")})

    # Git

    def git(self, *arguments: str | Path, cwd: Path | None = None, stdin: str | None = None, check: bool = True) -> str:
        """Runs git in the project's repository, or in `cwd`."""
        return run_git(*arguments, cwd=cwd or self.root, environ=self.environ, stdin=stdin, check=check)

    def commit(self, message: str = "Change", *, push: bool = True, branch: str = "main") -> str:
        """Commits everything, pushes it to `branch` of the remote, and gives the commit's id."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        if push and self.origin.exists():
            pushes.push(self.root, self.origin, branch, self.environ)
        return pushes.head_of(self.root, self.environ)

    def clone(self, name: str, *options: str) -> Path:
        """Another clone of the remote, beside the project."""
        target = self.tmp / name
        self.git("clone", "-q", *options, f"file://{self.origin}", target, cwd=self.tmp)
        return target

    def refs(self) -> dict[str, str]:
        """Every ref of the place where state lives, with what it points at."""
        where = self.origin if self.origin.exists() else self.root
        lines = self.git("for-each-ref", "--format=%(refname) %(objectname)", cwd=where).splitlines()
        return dict(line.split(" ") for line in lines)

    def state_refs(self) -> dict[str, str]:
        """The refs that nyl made, but for those that a clone only remembers things by."""
        private = ("refs/nyl-seen/", "refs/nyl-worktrees/")
        return {name: value for name, value in self.refs().items() if "nyl" in name and not name.startswith(private)}

    def state(self, ref: str = "observed", environment: str = "dev") -> str:
        """The commit of a state ref."""
        return self.refs()[f"refs/heads/nyl/{environment}/{ref}"]

    def stored(self, path: str, ref: str = "observed", environment: str = "dev") -> Any:
        """A state document, parsed."""
        where = self.origin if self.origin.exists() else self.root
        text = self.git("show", f"refs/heads/nyl/{environment}/{ref}:{path}", cwd=where)
        return yaml.safe_load(text)

    def message(self, ref: str = "observed", environment: str = "dev") -> str:
        """The message of a state ref's newest commit."""
        where = self.origin if self.origin.exists() else self.root
        return self.git("log", "-1", "--format=%B", f"refs/heads/nyl/{environment}/{ref}", cwd=where)

    # nyl

    def nyl(
        self,
        *arguments: str | Path,
        exits: int | Sequence[int] | None = 0,
        cwd: Path | None = None,
        environ: Mapping[str, str] | None = None,
        timeout: float = 60.0,
        hurries: bool = False,
    ) -> Invocation:
        """Calls nyl in the project; it must end with one of `exits` (None: with any). `hurries` skips its pauses.

        With variables that may be read before nyl begins, the call is a process of its own, which cannot hurry.
        """
        wanted = (exits,) if isinstance(exits, int) else exits
        where, variables = cwd or self.project, self.environ | dict(environ or {})
        if _can_be_warm(environ or {}):
            return run_warm(arguments, cwd=where, environ=variables, exits=wanted, timeout=timeout, hurries=hurries)
        return run_nyl(nyl_executable(), arguments, cwd=where, environ=variables, exits=wanted, timeout=timeout)

    def report(self, *arguments: str | Path, exits: int | Sequence[int] | None = 0, **options: Any) -> Invocation:
        """Calls nyl with `-o json`."""
        return self.nyl(*arguments, "-o", "json", exits=exits, **options)

    def reconcile(self, *arguments: str | Path, exits: int | Sequence[int] | None = 0, **options: Any) -> Invocation:
        """Reconciles `dev`, or what the arguments select."""
        return self.report("reconcile", *_selecting(arguments), exits=exits, **options)

    def plan(self, *arguments: str | Path, exits: int | Sequence[int] | None = (0, 2), **options: Any) -> Invocation:
        """Plans `dev`, or what the arguments select."""
        return self.report("plan", *_selecting(arguments), exits=exits, **options)

    def start(self, *arguments: str | Path, cwd: Path | None = None) -> Started:
        """Starts nyl beside the test, as `nyl` calls it."""
        if not _can_be_warm({}):
            return self.start_installed(*arguments, cwd=cwd)
        return start_warm(arguments, cwd=cwd or self.project, environ=self.environ)

    def start_installed(self, *arguments: str | Path, cwd: Path | None = None) -> "subprocess.Popen[str]":
        """Starts nyl beside the test as its users do: a process of its own from its beginning to its end."""
        return start_nyl(nyl_executable(), arguments, cwd=cwd or self.project, environ=self.environ)

    def initialise(self, *environments: str) -> "World":
        """Commits what is there and initialises the state of these environments, `dev` by default."""
        self.commit("Declare")
        for environment in environments or ("dev",):
            if _can_be_warm({}) and can_begin(self.project, self.origin, environment):
                begin(self.origin, environment)
            else:
                self.nyl("state", "init", "-e", environment)
        return self

    # What ran

    def ran(self) -> list[str]:
        """Names of the units whose scripts ran since `forget`, in order."""
        return self.log.read_text().split() if self.log.exists() else []

    def forget(self) -> "World":
        """Empties the log of what ran."""
        self.log.unlink(missing_ok=True)
        return self


def _can_be_warm(environ: Mapping[str, str]) -> bool:
    return "NYL_EXE" not in os.environ and not any(each.startswith(_EARLY) for each in environ)


def _selecting(arguments: Sequence[str | Path]) -> list[str | Path]:
    selected = any(each in ("-e", "-l", "-g") for each in arguments)
    return list(arguments) if selected else ["-e", "dev", *arguments]
