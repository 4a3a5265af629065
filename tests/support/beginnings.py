"""States that just began: nyl initialises the first of each environment's name, the others are copies of it.

Such a state says nothing of its project: a copy is what the project has whose state was initialised in another clone.
"""

import re
import shutil
from functools import cache
from pathlib import Path

from tests.support import declarations
from tests.support.environment import clean_environment
from tests.support.processes import run_git
from tests.support.repositories import kept, new_bare_repository, new_repository
from tests.support.warm import run_warm

_PLACE = re.compile(rb"^\s*\[?state\b", re.MULTILINE)


def can_begin(project: Path, origin: Path, environment: str) -> bool:
    """Whether the state of a declared environment belongs where it belongs without a word on it, and is not there."""
    declared = project / f"environments/{environment}.yaml"
    files = (project / "nyl.toml", *project.rglob("*.yaml"))
    return (
        declared.exists()
        and (origin / "refs").is_dir()
        and not (origin / _refs(environment)).exists()
        and "sha256" not in (origin / "config").read_text()
        and not any(_PLACE.search(each.read_bytes()) for each in files)
    )


def begin(origin: Path, environment: str) -> None:
    """Puts the state of an environment that just began into a remote."""
    begun = _begun(environment)
    for part in (_refs(environment), "objects"):
        shutil.copytree(begun / part, origin / part, dirs_exist_ok=True)


@cache
def _begun(environment: str) -> Path:
    """A remote with nothing but a state that just began."""
    folder = kept(f"state-{environment}")
    environ = clean_environment(folder / "home")
    origin = new_bare_repository(folder / "origin.git")
    work = new_repository(folder / "work", origin=str(origin))
    (work / "nyl.toml").touch()
    (work / "environments").mkdir()
    (work / f"environments/{environment}.yaml").write_text(declarations.environment(environment))
    for words in (("add", "-A"), ("commit", "-q", "-m", "Declare")):
        run_git(*words, cwd=work, environ=environ)
    run_warm(["state", "init", "-e", environment], cwd=work, environ=environ, exits=[0], timeout=60.0)
    return origin


def _refs(environment: str) -> str:
    return f"refs/heads/nyl/{environment}"
