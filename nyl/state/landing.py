"""Bringing a transition onto the state refs: its commits, where they are based, and whether they arrived."""

from collections.abc import Mapping

from nyl.core.diagnostics import NylError
from nyl.git.commits import CommitSpec
from nyl.git.snapshots import snapshot_of
from nyl.git.updates import RefUpdate
from nyl.state.access import StateAccess
from nyl.state.changes import Landed, Transition
from nyl.state.coordination import Sighting
from nyl.state.refusals import diverged
from nyl.state.snapshot import StateSnapshot
from nyl.state.transitions import LOCAL, format_transition, with_trailers
from nyl.state.writing import Committer, FileChanges, desired_files, observed_files, record_files


class StateMoved(Exception):
    """Somebody else changed files that this environment's state consists of: what was decided must be decided again."""

    def __init__(self, paths: tuple[str, ...]) -> None:
        super().__init__(f"the state moved: {', '.join(paths)}")
        self.paths = paths


class Landing:
    """One transition on its way. Commits are written again on new bases when others moved a shared ref."""

    def __init__(
        self,
        access: StateAccess,
        committer: Committer,
        transition: Transition,
        snapshot: StateSnapshot,
        archive: tuple[str, ...],
    ) -> None:
        refs = access.refs
        self._access = access
        self._transition = transition
        self._committer = committer
        self._archive = tuple(dict.fromkeys((*archive, *_inherited_snapshots(transition, snapshot))))
        trailers = with_trailers(transition.trailers, snapshot.desired_commit, snapshot.observed_commit)
        if access.is_local:
            trailers[LOCAL] = "true"
        self._message = format_transition(transition.headline, transition.summary, trailers)
        self._files: dict[str, FileChanges] = {ref: {} for ref in refs.state}
        self._files[refs.desired].update(desired_files(access.paths, transition))
        self._files[refs.observed].update(observed_files(access.paths, transition, snapshot))
        self._bases = {refs.desired: snapshot.desired_commit, refs.observed: snapshot.observed_commit}
        for ref, base in self._bases.items():
            self._files[ref].update(record_files(access.paths, transition))
            if transition.ends:
                self._files[ref].update(dict.fromkeys(filter(access.paths.owns, access.documents.tree(base))))
        self._written: dict[str, str] = {}
        self._changed = [ref for ref, files in self._files.items() if files]
        if refs.observed not in self._changed and (self._archive or (transition.announces and not self._changed)):
            self._changed.append(refs.observed)  # what is told or kept is so by a commit without changes
        if not self._changed:
            raise ValueError("a transition that changes nothing is not written")

    def write(self, *others: CommitSpec) -> list[str]:
        """Writes the state commits on their present bases, and other commits, whose ids it gives."""
        specs = [self._committer.spec(self._message, self._files[ref], self._parents(ref)) for ref in self._changed]
        commits = self._access.writer.write([*specs, *others])
        self._written = dict(zip(self._changed, commits, strict=False))
        return commits[len(specs) :]

    def updates(self) -> list[RefUpdate]:
        """What to push: every state ref, from where it was read, those that do not change included."""
        return [RefUpdate(ref, self._written.get(ref, base), base) for ref, base in self._bases.items()]

    def reached(self, sighting: Sighting) -> bool:
        """Whether the commits written last are in the history of the state refs."""
        return all(self._contains(sighting.at(ref), commit) for ref, commit in self._written.items())

    def follow(self, sighting: Sighting) -> bool:
        """Moves the bases to where others brought the refs; False when nothing moved.

        Raises StateMoved when they changed files of this environment, NYL-STATE-DIVERGED when they lost commits.
        """
        tips = {}
        for ref, base in self._bases.items():
            tip = sighting.at(ref)
            if tip == base:
                continue
            if tip is None or not self._access.seen.contains(tip, base):
                raise diverged(self._access.refs, self._access.remote, ref, base, tip)
            touched = tuple(each for each in self._access.changed_paths(base, tip) if self._access.paths.owns(each))
            if touched:
                raise StateMoved(touched)
            tips[ref] = tip
        self._bases.update(tips)
        return bool(tips)

    @property
    def tips(self) -> Mapping[str, str]:
        """The state refs that were written, and the commits written last."""
        return self._written

    def remember(self) -> None:
        """Keeps what was written for the next reading."""
        tips = [self._written.get(ref, base) for ref, base in self._bases.items()]
        try:
            self._access.documents.learn(tips[0], tips[-1], self._transition)
        except NylError:
            return  # only a memory: what landed is not less so

    @property
    def landed(self) -> Landed:
        """The commits written last, as a result."""
        refs = self._access.refs
        return Landed(self._written.get(refs.desired), self._written.get(refs.observed))

    def _parents(self, ref: str) -> tuple[str, ...]:
        archive = self._archive if ref == self._access.refs.observed else ()
        return (self._bases[ref], *archive)

    def _contains(self, tip: str | None, commit: str) -> bool:
        return tip is not None and tip not in self._bases.values() and self._access.seen.contains(tip, commit)


def _inherited_snapshots(transition: Transition, snapshot: StateSnapshot) -> list[str]:
    """Worktree snapshots that documents name from now on: those of dead runs were kept by refs that go."""
    written = {document.source_revision for document in transition.desired.values() if document is not None}
    recorded = {document.source_revision for document in snapshot.desired.values()}
    return [commit for revision in sorted(written - recorded) if (commit := snapshot_of(revision)) is not None]
