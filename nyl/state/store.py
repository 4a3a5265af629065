"""One environment's state at one place: read it, initialise it, take its lease."""

from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING

from nyl.core.cache import Cache
from nyl.core.clock import Clock
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.git.commits import CommitWriter
from nyl.git.config import Identity
from nyl.git.objects import ObjectReader
from nyl.git.process import WaitNotice
from nyl.git.repository import Repository
from nyl.git.updates import RefStore
from nyl.project.resources import StateLocation
from nyl.state.access import StateAccess
from nyl.state.coordination import CoordinationReader
from nyl.state.coordination_documents import Lease
from nyl.state.damage import delete_command
from nyl.state.documents import Data, StateRecord
from nyl.state.lifecycles import Hold
from nyl.state.paths import StatePaths
from nyl.state.reading import DocumentReader
from nyl.state.refs import StateRefs
from nyl.state.run_places import is_foreign
from nyl.state.seen import SeenRefs
from nyl.state.snapshot import RunRef, StateSnapshot

if TYPE_CHECKING:  # imported when a method needs them: most commands only read
    from nyl.state.coordination import Sighting
    from nyl.state.initializing import Founder
    from nyl.state.session import Session
    from nyl.state.taking import RunRequest


@dataclass(frozen=True)
class StateParts:
    """What a store works with. `repository` is the local one, where fetched objects go and commits are written."""

    repository: Repository
    remote: RefStore
    reader: ObjectReader
    writer: CommitWriter
    cache: Cache
    clock: Clock
    on_wait: WaitNotice
    is_local: bool = False
    """Whether `remote` is the local copy of one."""


class StateStore:
    """The state of one environment. Reading needs neither a lease nor an identity, and writes nothing to the remote.

    Every method that reads raises NYL-STATE-MISSING, NYL-STATE-DIVERGED, NYL-STATE-CORRUPT, NYL-STATE-VERSION or
    NYL-REMOTE-UNAVAILABLE rather than showing less than there is.
    """

    def __init__(self, parts: StateParts, environment: str, location: StateLocation) -> None:
        refs, paths = StateRefs(environment, location), StatePaths(location.path)
        documents = DocumentReader(parts.reader, parts.cache, environment, paths)
        self._access = StateAccess(
            repository=parts.repository,
            remote=parts.remote,
            writer=parts.writer,
            documents=documents,
            coordination=CoordinationReader(parts.reader, documents, refs, delete_command(parts.remote)),
            seen=SeenRefs(parts.repository, parts.remote, parts.reader, refs),
            refs=refs,
            paths=paths,
            clock=parts.clock,
            on_wait=parts.on_wait,
            is_local=parts.is_local,
        )

    @property
    def refs(self) -> StateRefs:
        """The names of the environment's refs."""
        return self._access.refs

    @property
    def access(self) -> StateAccess:
        """What checks and histories of this package read through."""
        return self._access

    def read(self) -> StateSnapshot:
        """The state as it is now, without a lease: one fetch.

        Git lists one ref after the other, so a fetch can see one state ref before and the other after a transition:
        what does not fit together is looked at once more if it moved.
        """
        seen = self._access.look()
        try:
            return self._access.snapshot(seen)
        except NylError:
            again = self._access.look()
            if again.commits == seen.commits:
                raise
            return self._access.snapshot(again)

    def read_at(self, revision: str) -> StateSnapshot:
        """The state as of a commit of one of the state refs, without lease and runs. Raises NYL-SOURCE-MISSING."""
        from nyl.state.revisions import read_at

        return read_at(self._access, self._access.look(), revision)

    def artifact(self, observed_commit: str, unit: str, name: str, digest: str) -> Data:
        """An artifact of a receipt, as an observed commit holds it. Raises NYL-STATE-CORRUPT for another digest."""
        return self._access.documents.artifact(observed_commit, unit, name, digest)

    def release_broken(self, request: "RunRequest", wait: timedelta | None = None) -> tuple[str, ...]:
        """Deletes a broken lease where there is no state to import its run to. Gives the runs whose refs stay."""
        from nyl.state.breaking import release_broken

        return release_broken(self._access, request, wait)

    def check_own(self, snapshot: StateSnapshot, ref: RunRef) -> None:
        """Raises NYL-RUN-FOREIGN for a run that is known to have worked on another state than that of a snapshot.

        Environments of one name whose states are apart may still share the refs that coordinate their runs.
        """
        if is_foreign(ref.record, self.refs.location, snapshot.record):
            from nyl.state.refusals import foreign_run

            raise foreign_run(self.refs, ref)

    def changed_since(self, snapshot: StateSnapshot, observed_commit: str) -> frozenset[str]:
        """The units whose observed document is another in a snapshot than in an earlier commit of the observed ref."""
        return self._access.documents.changed_since(observed_commit, snapshot.observed_commit)

    def initialize(self, founder: "Founder") -> StateRecord:
        """Creates the state: one commit from which both refs start, or one more on refs that environments share.

        Raises NYL-STATE-EXISTS when it is there already, NYL-PUSH-REFUSED when the remote does not let it be written.
        """
        from nyl.state.initializing import initialize

        self._access.check_movable()
        return initialize(self._access, founder)

    def initialize_anew(self, founder: "Founder") -> StateRecord:
        """Creates the state on top of the history of one that was deleted or moved away. Raises NYL-STATE-EXISTS."""
        from nyl.state.initializing import initialize_anew

        self._access.check_movable()
        return initialize_anew(self._access, founder)

    def break_lease(self, identity: Identity, reason: str) -> Lease | None:
        """Breaks the lease of whoever holds the environment; the broken lease, None when nobody holds it.

        Raises NYL-LEASE-UNBREAKABLE when it was broken already.
        """
        from nyl.state.breaking import break_lease

        return break_lease(self._access, identity, reason)

    def send_holds(self, run: str, holds: Mapping[str, Hold], identity: Identity, sighting: "Sighting") -> bool:
        """Sends holds, by unit, to a live run, which writes them; False when it is over, so that the caller must.

        `sighting` is what was seen last. Raises NYL-PUSH-REFUSED and NYL-STATE-CONTENDED.
        """
        from nyl.state.sending import send_holds

        return send_holds(self._access, run, holds, identity, sighting)

    def take(self, request: "RunRequest", wait: timedelta | None = None) -> "Session":
        """The lease, and the state as it was read while the lease was held. `wait` is how long to wait for another.

        The snapshot's `runs` are then the dead runs that left something, its `lease` the own one with the breaks that
        are to be recorded. Raises NYL-LEASE-HELD, NYL-LEASE-BROKEN, NYL-RUN-UNIMPORTED, NYL-PUSH-REFUSED and what
        reading raises. Nothing of ours stays behind then.
        """
        from nyl.state.session import open_session

        self._access.check_movable()
        return open_session(self._access, request, wait)
