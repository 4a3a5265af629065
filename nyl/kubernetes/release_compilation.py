"""Rendering the Releases of a target: those that nothing changed for are taken from the cache.

The files of a Release depend on other Releases in one way alone: their CustomResourceDefinitions tell which kinds have
a namespace. A Release that was rendered before that was known is rendered again.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice

from nyl.core.cancellation import CancellationToken
from nyl.core.codes import Code
from nyl.core.diagnostics import NylError, Problems
from nyl.kubernetes.bundles import Bundle, read_bundle
from nyl.kubernetes.expansion.context import Expansion
from nyl.kubernetes.expansion.documents import is_expandable
from nyl.kubernetes.expansion.expander import Expander
from nyl.kubernetes.kinds import KindName, Scope
from nyl.kubernetes.release_cache import ReleaseCache
from nyl.kubernetes.release_rendering import ReleaseJob, expand_bundle, render_files
from nyl.kubernetes.rendered_releases import RenderedRelease
from nyl.kubernetes.resources import ReleaseAddress

_AT_ONCE = 100
_WAITING = 4
"""Releases that wait for their charts, for each chart that is rendered at once."""
_Pending = tuple[ReleaseJob, Bundle, "Future[Expansion]"]


class ReleaseCompilation:
    """Renders the Releases of one target."""

    def __init__(
        self, expander: Expander, cache: ReleaseCache | None, cancellation: CancellationToken, concurrency: int
    ) -> None:
        """`cache` is None where nothing that was rendered before counts."""
        self.scopes: dict[KindName, Scope] = {}
        """What the CustomResourceDefinitions of all Releases say, as far as they are known."""
        self.releases: dict[ReleaseAddress, RenderedRelease] = {}
        self.fresh: dict[ReleaseAddress, bytes] = {}
        """The bytes of the files of those that were rendered now."""
        self._expander = expander
        self._cache = cache
        self._cancellation = cancellation
        self._concurrency = concurrency

    def run(self, jobs: Mapping[ReleaseAddress, ReleaseJob]) -> None:
        """Renders all Releases. Raises what is wrong with any of them together."""
        self._take_known(jobs)
        self._render(job for address, job in jobs.items() if address not in self.releases)
        again = [jobs[address] for address, each in self.releases.items() if self._is_outdated(each)]
        self._render(again)
        if self._cache is not None:
            self._cache.flush()
        self.releases = {address: self.releases[address] for address in jobs}

    def _take_known(self, jobs: Mapping[ReleaseAddress, ReleaseJob]) -> None:
        if self._cache is None:
            return
        for address, record in self._cache.load(jobs).items():
            self.releases[address] = record.release
            self.scopes.update(record.release.scopes)

    def _is_outdated(self, release: RenderedRelease) -> bool:
        return any(self.scopes.get(kind) != scope for kind, scope in release.open_kinds.items())

    def _render(self, jobs: Iterable[ReleaseJob]) -> None:
        problems = Problems()
        window = self._concurrency * _WAITING
        pending: deque[_Pending] = deque()
        with ThreadPoolExecutor(self._concurrency, thread_name_prefix="releases") as pool:
            for job, content in _with_contents(jobs):
                self._check_cancelled()
                try:
                    bundle = read_bundle(job.source, job.templates, content)
                    if any(is_expandable(each, job.project.aliases) for each in bundle.manifests):
                        pending.append((job, bundle, pool.submit(expand_bundle, job, bundle, self._expander)))
                    else:
                        self._finish(job, bundle, Expansion(bundle.manifests))
                except NylError as error:
                    problems.add(error)
                while len(pending) > window:
                    self._await(pending.popleft(), problems)
            for each in pending:
                self._await(each, problems)
        problems.raise_any()

    def _await(self, pending: _Pending, problems: Problems) -> None:
        job, bundle, expansion = pending
        try:
            self._finish(job, bundle, expansion.result())
        except NylError as error:
            problems.add(error)

    def _finish(self, job: ReleaseJob, bundle: Bundle, expansion: Expansion) -> None:
        fresh = render_files(job, bundle, expansion, self.scopes)
        self.releases[job.address] = fresh.release
        self.fresh[job.address] = fresh.bodies
        self.scopes.update(fresh.release.scopes)
        if self._cache is not None:
            self._cache.keep(job, fresh)

    def _check_cancelled(self) -> None:
        if self._cancellation.cancelled:
            raise NylError(Code.RUN_CANCELLED, "Rendering was cancelled; nothing was written.", "run the command again")


def _with_contents(jobs: Iterable[ReleaseJob]) -> Iterator[tuple[ReleaseJob, bytes]]:
    """Each job with the content of its entry file; files are read some at a time."""
    remaining = iter(jobs)
    while some := list(islice(remaining, _AT_ONCE)):
        by_tree: dict[int, list[ReleaseJob]] = {}
        for job in some:
            by_tree.setdefault(id(job.source.tree), []).append(job)
        for of_tree in by_tree.values():
            contents = of_tree[0].source.tree.read_many([job.source.entry_file for job in of_tree])
            yield from ((job, contents[job.source.entry_file]) for job in of_tree)
