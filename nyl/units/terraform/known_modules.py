"""What root modules declare, remembered from one plan to the next of the same files and the same version of the tool.

The tool tells it with a plan that it is asked to show, which takes another start of it. All of it stands in the files
of the root module itself, so an execution whose change is compared with no digest can do without where it is known.
"""

import hashlib
import json
from contextlib import suppress
from pathlib import Path

from nyl.core.canonical import digest
from nyl.units.steps import replace_private_json
from nyl.units.terraform.binary import is_script
from nyl.units.terraform.declarations import Declarations, check_declarations
from nyl.units.terraform.workdir import Workdir


def known_declarations(workdir: Workdir) -> Declarations | None:
    """What the tool told of these very files before; None where it did not, or where a script may be another tool now.

    Raises Halt where what the unit declares does not fit the module.
    """
    version = None if is_script(workdir.binary.path) else _initialised_by(workdir)
    module = None if version is None else _read(workdir, version)
    if module is not None:
        check_declarations(module, workdir)
    return module


def remember(workdir: Workdir, module: Declarations) -> None:
    """Keeps what the tool told of these files, as far as the cache can be written, and not what a script told."""
    if is_script(workdir.binary.path):
        return
    with suppress(OSError):
        told = {"outputs": dict(module.outputs), "variables": sorted(module.variables)}
        replace_private_json(_place(workdir, module.version), told, workdir.context.temporary.name)


def _initialised_by(workdir: Workdir) -> str | None:
    """The version that initialised the module, where the tool wrote it down: some programs start one by the folder."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        told = json.loads((workdir.data / "terraform.tfstate").read_bytes())["terraform_version"]
        return told if isinstance(told, str) else None
    return None


def _read(workdir: Workdir, version: str) -> Declarations | None:
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        told = json.loads(_place(workdir, version).read_bytes())
        outputs = {str(name): bool(sensitive) for name, sensitive in told["outputs"].items()}
        return Declarations(outputs, frozenset(told["variables"]), version)
    return None


def _place(workdir: Workdir, version: str) -> Path:
    files = {name: hashlib.sha256(text).hexdigest() for name, text in workdir.module_texts.items()}
    known = digest([workdir.binary.program, version, files])
    return workdir.context.cache / "terraform" / "modules" / f"{known.rpartition(':')[2]}.json"
