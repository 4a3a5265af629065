"""Git configurations and environments that a careless program trips over."""

from dataclasses import dataclass
from pathlib import Path

from tests.support.environment import GIT_CONFIGURATION
from tests.support.processes import run_git

_HOOKS = (
    "pre-commit prepare-commit-msg commit-msg post-commit pre-push post-checkout post-merge pre-rebase "
    "post-rewrite reference-transaction post-index-change pre-auto-gc fsmonitor-watchman"
)

_CONFIGURATION = """\
[commit]
\tgpgsign = true
[tag]
\tgpgSign = true
[gpg]
\tprogram = {signer}
[push]
\tgpgSign = true
\tfollowTags = true
\tdefault = nothing
\trecurseSubmodules = on-demand
[fetch]
\tprune = true
\tpruneTags = true
\trecurseSubmodules = yes
[submodule]
\trecurse = true
[core]
\thooksPath = {hooks}
\tautocrlf = true
\tpager = false
\tabbrev = 4
\tquotePath = true
\tattributesFile = {attributes}
\tfsmonitor = {hooks}/fsmonitor-watchman
[color]
\tui = always
[log]
\tshowSignature = true
[status]
\tshort = true
\tbranch = true
[diff]
\tnoprefix = true
[format]
\tpretty = oneline
[init]
\ttemplateDir = {template}
[gc]
\tauto = 1
"""


@dataclass(frozen=True)
class HostileGit:
    """A global configuration that signs, hooks, prunes, colours and converts, with traces of what it caught."""

    folder: Path

    @classmethod
    def configure(cls, environ: dict[str, str], folder: Path) -> "HostileGit":
        """Replaces the global configuration that `environ` names; messages come in another language, too."""
        hooks, template = folder / "hooks", folder / "template"
        for place in (hooks, template / "hooks"):
            place.mkdir(parents=True)
            for name in _HOOKS.split():
                _program(place / name, f"echo {name} >> '{folder}/caught'\nexit 1")
        signer = _program(folder / "signer", f"echo signer >> '{folder}/caught'\nsleep 600")
        attributes = folder / "attributes"
        attributes.write_text("* text eol=crlf\n")
        text = _CONFIGURATION.format(signer=signer, hooks=hooks, template=template, attributes=attributes)
        Path(environ["GIT_CONFIG_GLOBAL"]).write_text(GIT_CONFIGURATION + text)
        environ |= {"LANG": "de_DE.UTF-8", "LC_ALL": "de_DE.UTF-8", "LANGUAGE": "de"}
        return cls(folder)

    def caught(self) -> list[str]:
        """The hooks and signers that ran."""
        trace = self.folder / "caught"
        return trace.read_text().split() if trace.exists() else []


@dataclass(frozen=True)
class Decoy:
    """A repository that an environment left over from a Git hook points at, and that nobody may touch."""

    folder: Path

    @classmethod
    def lay(cls, folder: Path, environ: dict[str, str]) -> "Decoy":
        """Makes the repository, with one commit."""
        run_git("init", "-q", "-b", "main", folder, cwd=folder.parent, environ=environ)
        (folder / "file").write_text("decoy\n")
        run_git("add", "-A", cwd=folder, environ=environ)
        run_git("commit", "-q", "-m", "Decoy", cwd=folder, environ=environ)
        return cls(folder)

    def environ(self) -> dict[str, str]:
        """What Git exports to hooks, and more, all of it leading to the decoy."""
        git_dir = self.folder / ".git"
        return {
            "GIT_DIR": str(git_dir),
            "GIT_WORK_TREE": str(self.folder),
            "GIT_INDEX_FILE": str(git_dir / "index"),
            "GIT_OBJECT_DIRECTORY": str(git_dir / "objects"),
            "GIT_COMMON_DIR": str(git_dir),
            "GIT_PREFIX": "decoy/",
            "GIT_NAMESPACE": "decoy",
            "GIT_QUARANTINE_PATH": str(git_dir / "objects"),
            "GIT_AUTHOR_NAME": "Decoy",
            "GIT_AUTHOR_EMAIL": "decoy@example.com",
            "GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z",
            "GIT_COMMITTER_NAME": "Decoy",
            "GIT_COMMITTER_EMAIL": "decoy@example.com",
            "GIT_COMMITTER_DATE": "2001-01-01T00:00:00Z",
        }

    def bytes(self) -> dict[str, bytes]:
        """Every file of the repository, to compare before and after."""
        return contents(self.folder)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder by its relative path."""
    return {str(each.relative_to(folder)): each.read_bytes() for each in sorted(folder.rglob("*")) if each.is_file()}


def _program(path: Path, body: str) -> Path:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path
