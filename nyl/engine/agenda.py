"""What a run works through: executions, or teardowns. The wave loop knows no more of them than this."""

from collections.abc import Collection, Iterable
from typing import Protocol

from nyl.engine.ledger import Ledger
from nyl.engine.outcomes import Ended, Started
from nyl.state.coordination_documents import Checkpoint


class Agenda(Protocol):
    """Units that can start, how they start, and how their ends are recorded. Used from the run's own thread."""

    @property
    def ledger(self) -> Ledger:
        """What is known of every unit at the moment."""

    def total(self, ended: Collection[str]) -> int:
        """How many units the run is about, for its progress; of these, some have ended."""

    def ready(self, ended: Collection[str]) -> list[str]:
        """The units that may start now, in their order; none of those that ended in this run."""

    def begin(self, name: str) -> Started:
        """A unit as it starts: the document of its start record, and what to do once that is pushed."""

    def checkpoint(self, ended: Ended) -> Checkpoint:
        """How an end is recorded."""

    def renew(self, names: Iterable[str]) -> None:
        """Takes note that some units ended, or that holds reached them."""
