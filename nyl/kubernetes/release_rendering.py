"""Rendering Releases one by one, and their charts several at once. Follows Pipeline in the Kubernetes specification."""

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
from nyl.kubernetes.release_objects import expand_bundle, render_files
from nyl.kubernetes.release_work import FreshRelease, ReleaseJob
from nyl.kubernetes.remote_releases import of_repository
from nyl.kubernetes.session import RenderSession

_AT_ONCE = 100
_WAITING = 4
"""Releases that wait for their charts, for each chart that is rendered at once."""
_Pending = tuple[ReleaseJob, Bundle, "Future[Expansion]"]


def render_releases(
    session: RenderSession, jobs: Iterable[ReleaseJob], scopes: Mapping[KindName, Scope]
) -> Iterator[tuple[ReleaseJob, FreshRelease]]:
    """Each Release with its files, in any order. `scopes` is what is known of kinds by then; it may grow meanwhile.

    Raises at the end what is wrong with any of them together.
    """
    problems = Problems()
    window = session.options.concurrency * _WAITING
    pending: deque[_Pending] = deque()
    with open_expander(session) as expander, ThreadPoolExecutor(session.options.concurrency) as pool:
        for job, content in _with_contents(jobs):
            _check_cancelled(session.cancellation)
            try:
                bundle = read_bundle(job.source, job.templates, content)
            except NylError as error:
                problems.add(of_repository(error, job.source.origin))
                continue
            if any(is_expandable(each, job.project.aliases) for each in bundle.manifests):
                pending.append((job, bundle, pool.submit(expand_bundle, job, bundle, expander)))
            else:
                yield from _finished(job, bundle, Expansion(bundle.manifests), scopes, problems)
            while len(pending) > window:
                yield from _finished(*pending.popleft(), scopes, problems)
        while pending:
            yield from _finished(*pending.popleft(), scopes, problems)
    problems.raise_any()


def open_expander(session: RenderSession) -> Expander:
    """What expands the objects of a session's Releases; close it when done."""
    return Expander(
        session.artifacts,
        session.git_files,
        session.environ,
        session.cache,
        session.cancellation,
        session.options.concurrency,
    )


def _finished(
    job: ReleaseJob,
    bundle: Bundle,
    expansion: "Future[Expansion] | Expansion",
    scopes: Mapping[KindName, Scope],
    problems: Problems,
) -> Iterator[tuple[ReleaseJob, FreshRelease]]:
    try:
        expanded = expansion if isinstance(expansion, Expansion) else expansion.result()
        fresh = render_files(job, bundle, expanded, scopes)
    except NylError as error:
        problems.add(of_repository(error, job.source.origin))
        return
    yield job, fresh


def _check_cancelled(cancellation: CancellationToken) -> None:
    if cancellation.cancelled:
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
