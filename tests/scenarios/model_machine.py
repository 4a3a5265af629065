"""Random sequences of what people do to an environment, held against the reference model after every step."""

from collections.abc import Callable
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.scenarios.model import ABSENT, Expected, Life, Model
from tests.support.effects import BROKEN_AFTER, FLEET, EffectsWorld
from tests.support.effects_check import problems
from tests.support.forks import KILLED
from tests.support.processes import Invocation

NAMES = st.sampled_from([unit.name for unit in FLEET])
PLANS = {unit.name: unit for unit in FLEET}
_REASON = ("--reason", "asked for")


class EnvironmentMachine(RuleBasedStateMachine):
    """One environment. `fresh` gives the world that every sequence starts from; whoever runs the machine sets it."""

    fresh: Callable[[], EffectsWorld]

    def __init__(self) -> None:
        super().__init__()
        self.world = type(self).fresh()
        self.model = Model()
        self.breaks = 0

    # Source

    @rule(name=NAMES, shape=st.sampled_from(["one", "two", "three"]))
    def edit(self, name: str, shape: str) -> None:
        """Somebody changes what a unit is."""
        self.model.units[name].shape = shape
        if self.model.units[name].declared:
            self._declare(name)

    @rule(name=NAMES)
    def remove(self, name: str) -> None:
        """Somebody takes a unit out of source, after the units that read it."""
        readers = [unit.name for unit in FLEET if unit.reads == name]
        leaving = [each for each in (name, *readers) if self.model.units[each].declared]
        self.world.remove(*leaving).commit()
        for each in leaving:
            self.model.units[each].declared = False

    @rule(name=NAMES)
    def restore(self, name: str) -> None:
        """Somebody puts a unit back into source, with what it reads."""
        for each in (PLANS[name].reads, name):
            if each is not None and not self.model.units[each].declared:
                self.model.units[each].declared = True
                self._declare(each)

    @rule(name=NAMES, work=st.sampled_from(["execution", "teardown"]), fails=st.booleans())
    def break_or_mend(self, name: str, work: str, fails: bool) -> None:
        """A unit starts to fail, or stops."""
        self.world.fail(work, name, fails=fails)
        (self.model.failing.add if fails else self.model.failing.discard)((work, name))

    # Commands

    @rule(allow=st.booleans())
    def reconcile(self, allow: bool) -> None:
        """A run; it may tear down."""
        expected = self.model.reconcile(allow_teardown=allow)
        self._expect(self._call("reconcile", "-e", "dev", *(["--allow-teardown"] if allow else [])), expected)

    @rule(name=NAMES)
    def hold(self, name: str) -> None:
        """Somebody holds a unit."""
        self.model.hold(name)
        assert self._call("hold", "-e", "dev", "--unit", name).code == 0

    @rule(name=NAMES)
    def resume(self, name: str) -> None:
        """Somebody lifts a hold."""
        if self.model.units[name].life is Life.HELD:
            self.model.resume(name)
            assert self._call("resume", "-e", "dev", "--unit", name).code == 0

    @rule(name=NAMES)
    def tear_down(self, name: str) -> None:
        """Somebody tears one unit down."""
        unit = self.model.units[name]
        if unit.created and unit.plan.teardown:
            self.world.tell("teardown", name)
            expected = self.model.teardown(name)
            result = self._call("teardown", "-e", "dev", "--unit", name, *_REASON)
            self._expect(result, expected, only=name)

    @rule(name=NAMES)
    def retry(self, name: str) -> None:
        """An operator decides that a unit may be worked on again."""
        condition = self.model.units[name].condition
        if condition is not None:
            self.world.tell(condition.work, name)
            self.model.retry(name)
            result = self._call("recover", "-e", "dev", "--unit", name, "--retry", *_REASON)
            assert result.code == 0, result

    @precondition(lambda self: not self.model.failing)
    @rule(name=NAMES, when=st.sampled_from(["before", "after"]), breaks=st.booleans(), imports=st.booleans())
    def crash(self, name: str, when: str, breaks: bool, imports: bool) -> None:
        """A run dies while a unit has its effect; its lease expires or is broken; somebody takes over."""
        if not self.model.would_execute(name):
            return
        self.world.die(when, "execution", name)
        died = self.world.call("reconcile", "-e", "dev").code == KILLED
        self.world.spare()
        if not died:  # an uncertain unit whose effect was found without executing it again
            self.model.reconcile()
            return
        self._bury(breaks)
        if imports:
            assert self._call("recover", "-e", "dev", *_REASON).code == 0
        possible = self.model.take_over(name, imported=imports)
        result = self._call("reconcile", "-e", "dev")
        self._expect(result, possible)
        self.model.learn(result.verdicts())

    @invariant()
    def leaves_nothing_behind(self) -> None:
        """No ref but those of the state is left between two commands."""
        left = [each for each in self.world.refs() if each.startswith("refs/nyl/") and "/evidence/" not in each]
        assert not left, left

    def teardown(self) -> None:
        """What the whole sequence left must fit together."""
        wrong = checked(self.world)
        assert not wrong, wrong

    def _call(self, *words: str) -> Invocation:
        result = self.world.call(*words, "-o", "json")
        assert "NYL-INTERNAL" not in result.stdout, result
        return result

    def _expect(self, result: Invocation, expected: Expected, only: str | None = None) -> None:
        told = result.verdicts()
        for name in [only] if only else [*dict.fromkeys((*expected, *told))]:
            possible = expected.get(name, frozenset({ABSENT}))
            actual = told.get(name, ABSENT)
            assert actual in possible, f"{name} is {actual or 'not listed'}, not {sorted(possible)}: {result.stdout}"

    def _bury(self, breaks: bool) -> None:
        if not breaks:
            self.world.later += BROKEN_AFTER
            return
        self.breaks += 1
        reason = f"break {self.breaks}"
        assert self._call("lease", "break", "-e", "dev", "--reason", reason).code == 0
        self.world.note("broke", reason)

    def _declare(self, name: str) -> None:
        unit = replace(PLANS[name], shape=self.model.units[name].shape)
        self.world.declare(unit).commit()
        for each in FLEET:
            self.world.tell("execution", each.name)


def checked(world: EffectsWorld) -> list[str]:
    """What is wrong with the world that a sequence left."""
    result = world.call("state", "check", "-e", "dev")
    return problems(world.log, world.origin) + ([result.stdout + result.stderr] if result.code else [])
