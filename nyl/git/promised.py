"""Objects that a partial clone left at its remote: fetched together, before they would be missed one by one."""

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from nyl.git.bare import lay_bare
from nyl.git.network import Step, take, unfetched
from nyl.git.refs import without_credentials
from nyl.git.repository import Repository

_SIGNS = (b"promisor", b"partialclone")


def fetch_promised(repository: Repository, oids: Iterable[str]) -> None:
    """Fetches those of some objects that the clone lacks. A clone that is not partial is left alone.

    Raises NylError (NYL-REMOTE-UNAVAILABLE) when the remote that promised them does not give them.
    """
    if not _may_be_partial(repository):
        return
    remote = _promisor(repository)
    missing = _missing(repository, oids) if remote is not None else ()
    if remote is None or not missing:
        return
    url = without_credentials(repository.remote_url(remote) or remote)
    answer = take(repository, _fetch(remote, url, missing))
    if answer.result.code != 0:
        raise unfetched(repository, url, answer.result)


def fetch_files(repository: Repository, commit: str, paths: Iterable[str] | None = None) -> None:
    """Fetches those files of a commit, or of some paths in it, that the clone lacks, and the folders on the way.

    Raises NylError as `fetch_promised` does. A commit that does not exist has no files.
    """
    if not _may_be_partial(repository):
        return
    chosen = () if paths is None else ("--", *paths)
    listing = repository.git("ls-tree", "-r", "-z", "--full-tree", commit, *chosen).stdout
    fields = (entry.partition(b"\t")[0].split() for entry in listing.split(b"\0") if entry)
    fetch_promised(repository, [oid.decode() for _, kind, oid in fields if kind == b"blob"])


def _may_be_partial(repository: Repository) -> bool:
    """A glance that starts no Git: nearly all clones are complete, and need not be asked about."""
    try:
        text = (repository.common_dir / "config").read_bytes().lower()
    except OSError:
        return False
    return any(sign in text for sign in _SIGNS)


def _promisor(repository: Repository) -> str | None:
    named = repository.config("extensions.partialClone")
    marked = (
        each.name.removeprefix("remote.").removesuffix(".promisor")
        for each in repository.settings.settings
        if each.name.startswith("remote.") and each.name.endswith(".promisor") and each.value == "true"
    )
    return named or next(marked, None)


def _missing(repository: Repository, oids: Iterable[str]) -> list[str]:
    """Asked in a repository that only borrows the objects: it has no remote to fetch from when one is missing."""
    with TemporaryDirectory(prefix="nyl-promised-") as folder:
        lay_bare(Path(folder, "git"), repository.object_format, repository.common_dir / "objects")
        command = [f"--git-dir={Path(folder, 'git')}", "cat-file", "--batch-check=%(objectname)"]
        result = repository.gateway.run(command, Path(folder), "".join(f"{oid}\n" for oid in oids).encode())
    lines = (line.split() for line in result.stdout.decode().splitlines())
    return [line[0] for line in lines if line[1:] == ["missing"]]


def _fetch(remote: str, url: str, missing: Iterable[str]) -> Step:
    return Step(
        ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--filter=blob:none", "--stdin", "--", remote),
        f"fetch files from {url}",
        # As Git does when it fetches what was promised: nothing that is here tells what is missing.
        settings=(("fetch.negotiationAlgorithm", "noop"),),
        stdin="".join(f"{oid}\n" for oid in missing).encode(),
    )
