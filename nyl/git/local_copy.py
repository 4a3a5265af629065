"""What a repository has of a remote's refs: those that were moved here, on top of what was seen there last."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from nyl.git.ancestry import is_ancestor
from nyl.git.embedded import EmbeddedRemote
from nyl.git.repository import Repository
from nyl.git.updates import PushResult, RefUpdate, always, matches


class LocalCopy(EmbeddedRemote):
    """Keeps refs in the repository itself and never asks the remote that it is a copy of.

    `followed` are refs that belong together. As long as none of them has anything that the remote was not seen to
    have, they show where the remote had them last, whatever is here; nothing is written for that before a push.
    """

    def __init__(
        self, repository: Repository, original: str, followed: Sequence[str], seen: Callable[[], Mapping[str, str]]
    ) -> None:
        super().__init__(repository)
        self._original = original
        self._followed = tuple(followed)
        self._seen = seen
        self._ahead: dict[str, tuple[str, str | None]] = {}
        """What followed refs show that is not where they really are, and where they are."""

    @property
    def description(self) -> str:
        """The repository's folder, and the remote that it holds a copy of."""
        return f"{super().description} (the local copy of {self._original})"

    def push(self, updates: Sequence[RefUpdate], go_on: Callable[[], bool] = always) -> PushResult:
        """Makes all updates in one transaction or none of them, each only if its ref shows what is expected."""
        return super().push([self._really(each) for each in updates], go_on)

    def list(self, *patterns: str) -> dict[str, str]:
        """The refs that match now, followed ones as they show."""
        found = super().list(*patterns)
        followed = {ref: found.get(ref) for ref in self._followed if any(matches(ref, each) for each in patterns)}
        shown = self._shown(followed)
        for ref, commit in followed.items():
            self._ahead.pop(ref, None)
            if ref in shown and shown[ref] != commit:
                self._ahead[ref] = (shown[ref], commit)
        return {**found, **shown}

    def _really(self, update: RefUpdate) -> RefUpdate:
        shown, here = self._ahead.get(update.ref, (None, None))
        return replace(update, expected=here) if shown is not None and update.expected == shown else update

    def _shown(self, here: Mapping[str, str | None]) -> dict[str, str]:
        seen = {ref: commit for ref, commit in self._seen().items() if ref in here}
        own = {ref: commit for ref, commit in here.items() if commit is not None}
        if all(ref in seen and self._has(seen[ref], commit) for ref, commit in own.items()):
            return {**own, **seen}
        return {**seen, **own}

    def _has(self, tip: str, commit: str) -> bool:
        return tip == commit or is_ancestor(self.repository, commit, [tip])
