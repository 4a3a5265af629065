"""The one builder and parser of the names of an environment's refs."""

from enum import StrEnum

from nyl.core.dataclass import dataclass
from nyl.project.resources import StateLocation


class RunRefKind(StrEnum):
    """The folders of refs that are named after runs."""

    RUNS = "runs"
    SIGNALS = "signals"
    EVIDENCE = "evidence"


@dataclass(frozen=True)
class StateRefs:
    """Names of the refs of one environment's state at one location."""

    environment: str
    location: StateLocation

    @property
    def desired(self) -> str:
        """The state ref with desired documents."""
        return self.location.desired_ref

    @property
    def observed(self) -> str:
        """The state ref with observed documents; may be the desired ref."""
        return self.location.observed_ref

    @property
    def state(self) -> tuple[str, ...]:
        """The state refs, each once."""
        return tuple(dict.fromkeys((self.desired, self.observed)))

    @property
    def shared(self) -> bool:
        """Whether desired and observed documents live on one ref."""
        return self.desired == self.observed

    @property
    def lease(self) -> str:
        """The ref that holds the lease."""
        return f"{self._coordination}lease"

    def run(self, run: str) -> str:
        """The ref that a run keeps its record and checkpoints on."""
        return self._of_run(RunRefKind.RUNS, run)

    def signals(self, run: str) -> str:
        """The ref that carries holds to a live run."""
        return self._of_run(RunRefKind.SIGNALS, run)

    def evidence(self, run: str) -> str:
        """The ref that keeps what a dead run checkpointed, as long as an uncertain unit may need it."""
        return self._of_run(RunRefKind.EVIDENCE, run)

    @property
    def patterns(self) -> tuple[str, ...]:
        """What one fetch asks for: state refs, lease, and the globs of the refs of runs."""
        return (*self.state, self.lease, *(f"{self._coordination}{each.value}/*" for each in RunRefKind))

    @property
    def patterns_shown(self) -> str:
        """The coordination refs as one pattern, for messages."""
        return f"{self._coordination}*"

    def parse_run(self, ref: str) -> tuple[RunRefKind, str] | None:
        """Which run a ref belongs to, and how; None for any other ref."""
        folder, _, run = ref.removeprefix(self._coordination).partition("/")
        known = ref.startswith(self._coordination) and folder in set(RunRefKind) and run and "/" not in run
        return (RunRefKind(folder), run) if known else None

    def is_coordination(self, ref: str) -> bool:
        """Whether a ref is the lease or one of a run, rather than a state ref."""
        return ref.startswith(self._coordination)

    def colliding(self, ref: str) -> str | None:
        """The state ref or lease that Git cannot keep along with another ref: one of the two is below the other."""
        own = (*self.state, self.lease)
        return next((each for each in own if ref.startswith(f"{each}/") or each.startswith(f"{ref}/")), None)

    @property
    def coordination_folder(self) -> str:
        """What the lease and the refs of runs lie below."""
        return self._coordination.removesuffix("/")

    def is_own(self, ref: str) -> bool:
        """Whether a ref is one of the environment's."""
        return ref in self.state or ref == self.lease or self.parse_run(ref) is not None

    @property
    def _coordination(self) -> str:
        return f"{self.location.coordination_prefix}/{self.environment}/"

    def _of_run(self, kind: RunRefKind, run: str) -> str:
        return f"{self._coordination}{kind.value}/{run}"
