"""Remote repositories: atomic pushes with expectations, and fetching into a namespace of nyl's own."""

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from nyl.core.diagnostics import NylError
from nyl.git.fetched import remove_dead_locks
from nyl.git.network import DEFAULT_TIMEOUT, Step, succeeded, take, take_once, unavailable, unfetched
from nyl.git.process import GitResult
from nyl.git.receiving import receive_pack
from nyl.git.ref_files import refs_below
from nyl.git.refs import check_url, without_credentials
from nyl.git.repository import Repository
from nyl.git.updates import PushResult, RefStatus, RefUpdate, always, matches

FETCHED = "refs/nyl-fetched"
"""Below here lie the refs that were fetched, private to nyl and replaced at every fetch."""

_FLAGS = {
    " ": RefStatus.MOVED,
    "+": RefStatus.MOVED,
    "-": RefStatus.MOVED,
    "*": RefStatus.MOVED,
    "=": RefStatus.UNCHANGED,
    "!": RefStatus.REFUSED,
}
_ALIAS = "nyl-remote"
_REACHING = frozenset({"url", "pushurl", "proxy", "proxyauthmethod", "receivepack", "uploadpack", "vcs"})

# What the porcelain format says of a ref when the connection ended before the remote's report, and when Git did not
# send anything because of what the remote has.
_UNREPORTED = b"\t[remote failure]"
_UNSENT = "[rejected]"
_PEELED = "^{}"
"""Ends the lines that tell what an annotated tag points to: no ref has that name."""


class Remote:
    """A remote of a repository, by its configured name or by URL. Every step has a timeout and three tries.

    Steps raise NylError (NYL-REMOTE-UNAVAILABLE) when the remote does not answer, except `push`, whose result says so:
    an unanswered push may have been accepted.
    """

    def __init__(self, repository: Repository, url_or_name: str, timeout: float = DEFAULT_TIMEOUT) -> None:
        is_name = not (":" in url_or_name or url_or_name.startswith(("/", ".")))
        configured = repository.remote_url(url_or_name) if is_name else None
        self._repository = repository
        self._timeout = timeout
        self._url = configured if configured is not None else check_url(url_or_name)
        self._settings = () if configured is None else _alias(repository, url_or_name)
        self._address = url_or_name if configured is None else _ALIAS
        self._name = None if configured is None else url_or_name

    @property
    def repository(self) -> Repository:
        """The local repository that fetched objects go to."""
        return self._repository

    @property
    def description(self) -> str:
        """The URL, without credentials."""
        return without_credentials(self._url)

    def push(self, updates: Sequence[RefUpdate], go_on: Callable[[], bool] = always) -> PushResult:
        """Asks for all updates or none of them, each only if its ref is as expected. Refusals are not tried again."""
        command = ["push", "--porcelain", "--atomic", "--no-verify", "--no-signed", "--no-follow-tags"]
        command += [f"--force-with-lease={each.ref}:{each.expected or ''}" for each in updates]
        receiver = receive_pack(self._repository, self._url)
        command += [f"--receive-pack={receiver}"] if receiver else []
        command += ["--", self._address, *(f"{each.new or ''}:{each.ref}" for each in updates)]
        answer = take(self._repository, self._step(command, "push to"), lambda it: _has_verdict(it) or not go_on())
        if not _has_verdict(answer.result):
            unknown = {each.ref: RefStatus.UNKNOWN for each in updates}
            return PushResult(unknown, text=answer.result.stderr, answered=False, tries=answer.tries)
        return _verdict(updates, answer.result, answer.tries)

    def fetch(self, *patterns: str) -> dict[str, str]:
        """The refs that match now and what they lead to, in one round trip.

        A pattern is a full ref name, or starts one and ends in `*`; `HEAD` is the default branch. The answer is what
        this very fetch saw, whoever else fetches here.
        """
        return self._fetch(patterns, ())

    def deepen(self, amount: str, *patterns: str) -> dict[str, str]:
        """The same for a shallow repository, with more history: `--deepen=<commits>` or `--unshallow`."""
        return self._fetch(patterns, (amount,))

    def _fetch(self, patterns: Sequence[str], options: Sequence[str]) -> dict[str, str]:
        namespace = f"{FETCHED}/{self._digest(patterns)}"
        with self._locked(namespace):
            self._fetch_into(namespace, patterns, options)
            found = refs_below(self._repository, namespace)
        return {ref: oid for ref, oid in found.items() if any(matches(ref, pattern) for pattern in patterns)}

    def kept_ref(self, pattern: str) -> str:
        """The local ref under which a fetch of just this pattern keeps it until the next one."""
        return f"{FETCHED}/{self._digest((pattern,))}/{pattern}"

    def tracking_ref(self, ref: str) -> str | None:
        """Where `git fetch` keeps a branch of the remote here; None for other refs, and for a remote without a name."""
        branch = ref.removeprefix("refs/heads/")
        return f"refs/remotes/{self._name}/{branch}" if self._name and branch != ref else None

    def fetch_object(self, oid: str) -> bool:
        """Asks for one commit by its id; False when the remote does not give it that way."""
        target = f"{FETCHED}/{self._digest(())}/commits/{oid}"
        step = self._step(self._fetch_command([f"+{oid}:{target}"], ()), "fetch from")
        return take_once(self._repository, step).code == 0

    def list(self, *patterns: str) -> dict[str, str]:
        """The refs that match now, without fetching anything."""
        return _listed(self._ask("ls-remote", "--", self._address, *patterns), patterns)

    def default_branch(self) -> str | None:
        """The full name of the branch that the remote's HEAD names, or None when it names none."""
        for line in self._ask("ls-remote", "--symref", "--", self._address, "HEAD").decode().splitlines():
            if line.startswith("ref: ") and line.endswith("\tHEAD"):
                return line[len("ref: ") : -len("\tHEAD")]
        return None

    def _ask(self, *command: str) -> bytes:
        result = take(self._repository, self._step(command, "list the refs of")).result
        if not succeeded(result):
            raise unavailable(self.description, result)
        return result.stdout

    def _fetch_into(self, namespace: str, patterns: Sequence[str], options: Sequence[str]) -> None:
        # As a glob, a ref that does not exist is no error, and it is pruned from the namespace.
        globs = dict.fromkeys(each.rstrip("*") + "*" for each in patterns)
        refspecs = [f"+{glob}:{namespace}/{glob}" for glob in globs]
        step = self._step(self._fetch_command(refspecs, ("--prune", *options)), "fetch from")
        try:
            self._take_fetch(step)
        except NylError:
            if not remove_dead_locks(self._repository, namespace):
                raise
            self._take_fetch(step)

    def _fetch_command(self, refspecs: Sequence[str], options: Sequence[str]) -> Sequence[str]:
        quiet = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"]
        return ["fetch", *quiet, *options, "--", self._address, *refspecs]

    def _take_fetch(self, step: Step) -> None:
        result = take(self._repository, step).result
        if not succeeded(result):
            raise unfetched(self._repository, self.description, result)

    def _step(self, command: Sequence[str], doing: str) -> Step:
        return Step(command, f"{doing} {self.description}", self._timeout, self._settings)

    @contextmanager
    def _locked(self, namespace: str) -> Iterator[None]:
        # Another process that fetches the same refs here must not replace them between our fetch and our look at them.
        import fcntl

        folder = self._repository.common_dir / "nyl"
        folder.mkdir(mode=0o700, exist_ok=True)
        handle = os.open(folder / f"fetch-{namespace.rpartition('/')[2]}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    def _digest(self, patterns: Sequence[str]) -> str:
        text = "\n".join([self._url, *patterns])
        return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:16]


def _alias(repository: Repository, name: str) -> tuple[tuple[str, str], ...]:
    """What a remote of another name needs in order to be reached like this one.

    It has none of the settings that say what else to do with it: no tracking branches that a push would move, no
    pruning, no filter that would leave out contents. Passed in the environment, its URL is on no command line.
    """
    prefix = f"remote.{name}."
    found: dict[str, str] = {}
    for each in repository.settings.settings:
        variable = each.name.removeprefix(prefix)
        if not each.name.startswith(prefix) or variable not in _REACHING:
            continue
        # Of several URLs the first counts: state is kept at one place.
        if variable not in found or not variable.endswith("url"):
            found[variable] = each.value
    return tuple((f"remote.{_ALIAS}.{variable}", value) for variable, value in found.items())


def _listed(listing: bytes, patterns: Sequence[str]) -> dict[str, str]:
    found = {}
    for line in listing.decode(errors="surrogateescape").splitlines():
        oid, _, ref = line.partition("\t")
        wanted = not patterns or any(matches(ref, pattern) for pattern in patterns)
        if wanted and not ref.endswith(_PEELED):
            found[ref] = oid
    return found


def _has_verdict(result: GitResult) -> bool:
    """Whether the remote said what became of each ref: a refusal ends with exit 1 and a line for each."""
    if result.code != 1:
        return result.code == 0
    lines = [line for line in result.stdout.splitlines() if line[1:2] == b"\t"]
    return bool(lines) and not any(_UNREPORTED in line for line in lines)


def _verdict(updates: Sequence[RefUpdate], result: GitResult, tries: int) -> PushResult:
    missing = RefStatus.MOVED if result.code == 0 else RefStatus.UNKNOWN
    statuses = {each.ref: missing for each in updates}
    reasons = {}
    for line in result.stdout.decode(errors="replace").splitlines():
        flag, _, rest = line.partition("\t")
        names, _, summary = rest.partition("\t")
        ref = names.rpartition(":")[2]
        if flag in _FLAGS and ref in statuses:
            statuses[ref] = RefStatus.OUTPACED if summary.startswith(_UNSENT) else _FLAGS[flag]
            if flag == "!":
                reasons[ref] = without_credentials(summary.partition("] ")[2].strip("()") or summary)
    return PushResult(statuses, reasons, result.stderr, answered=True, tries=tries)
