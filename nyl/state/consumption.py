"""Refs of dead runs that go because a transition holds what they held, each from the commit that was read."""

from collections.abc import Mapping
from dataclasses import field

from nyl.core.dataclass import dataclass
from nyl.git.updates import RefUpdate
from nyl.state.changes import Consumption
from nyl.state.coordination import Sighting
from nyl.state.leftovers import gone
from nyl.state.positions import Grant
from nyl.state.refs import RunRefKind


@dataclass(frozen=True)
class Consumed:
    """What goes, and the commits that it must still be at: a ref that moved since then stays for the next importer."""

    runs: Mapping[str, str] = field(default_factory=dict)
    retired: frozenset[str] = frozenset()
    """Those of `runs` whose commits stay on an evidence ref."""
    signals: Mapping[str, str] = field(default_factory=dict)
    evidence: Mapping[str, str] = field(default_factory=dict)
    """Evidence refs that nothing needs."""

    @classmethod
    def of(cls, grant: Grant, consumption: Consumption) -> "Consumed":
        """What a holder consumes: the refs of the named runs, and the signals refs of runs that left only holds."""
        signals = grant.sighting.of_runs(RunRefKind.SIGNALS)
        evidence = grant.sighting.of_runs(RunRefKind.EVIDENCE)
        runs = {run: grant.runs[run].commit for run in sorted(consumption.runs) if run in grant.runs}
        only_holds = grant.holds.keys() - grant.runs.keys()
        return cls(
            runs=runs,
            retired=consumption.retired & runs.keys(),
            signals={run: signals[run] for run in sorted({*runs, *only_holds}) if run in signals},
            evidence={run: evidence[run] for run in sorted(consumption.evidence) if run in evidence},
        )

    def __or__(self, other: "Consumed") -> "Consumed":
        return Consumed(
            {**self.runs, **other.runs},
            self.retired | other.retired,
            {**self.signals, **other.signals},
            {**self.evidence, **other.evidence},
        )

    def updates(self, sighting: Sighting) -> list[RefUpdate]:
        """What to push, given where the refs were seen last."""
        refs = sighting.refs
        signals = {refs.signals(run): commit for run, commit in self.signals.items()}
        evidence = {refs.evidence(run): commit for run, commit in self.evidence.items() if run not in self.retired}
        there = {run: commit for run, commit in self.runs.items() if sighting.at(refs.run(run)) == commit}
        return [
            *(each for run, commit in there.items() for each in gone(sighting, run, commit, run in self.retired)),
            *(
                RefUpdate(ref, None, commit)
                for ref, commit in {**signals, **evidence}.items()
                if sighting.at(ref) == commit
            ),
        ]
