"""A small reference model of the pages Recovery and Deletion and holds, over the fleet of `tests.support.effects`.

It knows what source wants, what is recorded of each unit, and what really exists, and predicts the result of each
unit of each command. Where a crash leaves more than one outcome possible it gives all of them, and is then told which
one it was.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tests.support.effects import FLEET, UnitPlan

Expected = dict[str, frozenset[str]]
"""Unit -> the results that are possible. '' stands for a unit that the report does not list."""

ABSENT = ""


class Life(StrEnum):
    """What the desired document of a unit says."""

    NONE = "none"
    ACTIVE = "active"
    DELETING = "deleting"
    HELD = "held"


@dataclass(frozen=True)
class Condition:
    """What stands in the way of a unit."""

    uncertain: bool
    work: str


@dataclass
class ModelUnit:
    """One unit: source, state and world."""

    plan: UnitPlan
    declared: bool = True
    shape: str = "one"
    life: Life = Life.NONE
    before_hold: Life = Life.ACTIVE
    created: bool = False
    """Whether there is an incarnation."""
    receipt: tuple[str, str | None] | None = None
    condition: Condition | None = None
    requested: bool = False
    started: bool = False
    pending_deletion: bool = False
    """On a held unit, that the state knows that source does not want it any more."""

    @property
    def converges(self) -> bool:
        """Whether an execution may be repeated."""
        return self.plan.recovery == "converge"

    @property
    def outside(self) -> bool:
        """Whether the state holds an incarnation that is to go."""
        deleted = self.pending_deletion or self.requested or self.before_hold is Life.DELETING
        return self.created and (self.life is Life.DELETING or (self.life is Life.HELD and deleted))

    def vanish(self) -> None:
        """Its files go."""
        self.life, self.created, self.receipt, self.condition = Life.NONE, False, None, None
        self.requested = self.started = self.pending_deletion = False


@dataclass
class Model:
    """The whole environment."""

    units: dict[str, ModelUnit] = field(default_factory=lambda: {each.name: ModelUnit(each) for each in FLEET})
    failing: set[tuple[str, str]] = field(default_factory=set)
    """Work and unit that fail without an effect."""

    @property
    def order(self) -> list[str]:
        """Producers first."""
        return sorted(self.units, key=lambda name: (self.units[name].plan.reads is not None, name))

    # Commands

    def reconcile(self, *, allow_teardown: bool = False) -> Expected:
        """What a reconcile does, and its results."""
        results: Expected = {}
        dropped = self._settle()
        usable: dict[str, bool] = {}
        for name in self.order:
            unit = self.units[name]
            if unit.declared and unit.life is not Life.DELETING:
                results[name] = self._execute(unit, usable)
            elif unit.life is Life.HELD:
                unit.pending_deletion = unit.created
                results[name] = frozenset({"held"})
            usable[name] = self._usable(unit)
        for name in reversed(self.order):
            if self.units[name].life is Life.DELETING:
                results[name] = self._delete(self.units[name], allowed=allow_teardown)
        self._block_consumers_of_deleted(results)
        for name in dropped:
            results[name] = frozenset({ABSENT, "removed", "released"})
        return results

    def teardown(self, name: str) -> Expected:
        """What an explicit teardown of one unit does, and its result."""
        unit = self.units[name]
        unit.requested = True
        if unit.life is Life.HELD:
            return {name: frozenset({"held"})}
        unit.life = Life.DELETING
        return {name: self._delete(unit, allowed=True)}

    def hold(self, name: str) -> None:
        """A hold, by an operator."""
        unit = self.units[name]
        if unit.life is not Life.HELD:
            unit.before_hold = Life.ACTIVE if unit.life is Life.NONE else unit.life
            unit.life = Life.HELD

    def resume(self, name: str) -> None:
        """The end of a hold."""
        unit = self.units[name]
        if unit.life is Life.HELD:
            deleting = unit.before_hold is Life.DELETING or (unit.requested and unit.created)
            unit.life = Life.DELETING if deleting else Life.ACTIVE
            unit.pending_deletion = False

    def retry(self, name: str) -> None:
        """`recover --retry`."""
        self.units[name].condition = None

    # Crashes

    def would_execute(self, name: str) -> bool:
        """Whether a reconcile now would execute a unit."""
        return bool(self._copy().reconcile()[name] & {"executed", "recovered"}) if name in self._listed() else False

    def take_over(self, killed: str, *, imported: bool) -> Expected:
        """The results of the reconcile after one that died while a unit had its effect.

        `imported`: what the dead run left is in the state already.
        """
        possible: Expected = {}
        plain = self._copy().reconcile()
        for name, expected in sorted(plain.items(), key=lambda each: self.order.index(each[0])):
            again = "uncertain" if self.units[name].plan.recovery == "manual" else "recovered"
            producer = possible.get(self.units[name].plan.reads or "", frozenset())
            if not expected & {"executed", "recovered"}:
                possible[name] = expected | (
                    frozenset({"blocked"}) if producer & {"blocked", "uncertain"} else frozenset()
                )
            elif name == killed:
                possible[name] = frozenset({again})
            else:
                possible[name] = frozenset({"current" if imported else "imported", "executed", "blocked", again})
        return possible

    def learn(self, results: Mapping[str, str]) -> None:
        """Takes note of how a takeover turned out."""
        before = self._copy()
        self.reconcile()
        for name, result in results.items():
            unit, was = self.units[name], before.units[name]
            if result == "uncertain":
                unit.receipt, unit.condition = was.receipt, Condition(uncertain=True, work="execution")
                unit.created, unit.life = True, Life.ACTIVE
            elif result == "blocked":
                unit.receipt, unit.condition, unit.created, unit.life = (
                    was.receipt,
                    was.condition,
                    was.created,
                    was.life,
                )

    # Rules

    def _settle(self) -> list[str]:
        """What source makes of what is recorded. Gives units whose file goes because there is nothing behind it."""
        dropped = []
        for name, unit in self.units.items():
            if unit.life is Life.ACTIVE and not unit.declared:
                if unit.created:
                    unit.life = Life.DELETING
                else:
                    unit.vanish()
                    dropped.append(name)
            elif unit.life is Life.DELETING and unit.declared and not (unit.started or unit.requested):
                unit.life = Life.ACTIVE
            elif unit.life is Life.HELD and unit.declared:
                unit.pending_deletion = False
        return dropped

    def _execute(self, unit: ModelUnit, usable: Mapping[str, bool]) -> frozenset[str]:
        if unit.life is Life.HELD:
            return frozenset({"held"})
        producer = unit.plan.reads
        if producer is not None and not usable[producer]:
            return frozenset({"blocked", unit_condition(unit)} if unit.condition else {"blocked"})
        key = self._key(unit)
        condition = unit.condition
        if condition is None and unit.receipt == key:
            return frozenset({"current"})
        if condition is not None and condition.uncertain and unit.plan.recovery == "manual":
            return frozenset({"uncertain"})
        if condition is not None and not condition.uncertain and not unit.converges:
            return frozenset({"failed"})
        unit.life, unit.created = Life.ACTIVE, True
        if ("execution", unit.plan.name) in self.failing:
            unit.condition = Condition(uncertain=False, work="execution")
            return frozenset({"failed"})
        unit.receipt, unit.condition = key, None
        return frozenset({"recovered", "executed"} if condition and condition.uncertain else {"executed"})

    def _delete(self, unit: ModelUnit, *, allowed: bool) -> frozenset[str]:
        condition, explicit = unit.condition, unit.requested
        if any(each.outside and each.plan.reads == unit.plan.name for each in self.units.values()):
            return frozenset({"pending-teardown", "uncertain", "failed", "tearing-down"})
        if unit.plan.teardown is None:
            unit.vanish()
            return frozenset({"released"})
        if condition and condition.work == "teardown" and unit.plan.teardown != "converge":
            return frozenset({unit_condition(unit)})
        if condition and condition.work == "execution" and condition.uncertain and not (unit.converges or explicit):
            return frozenset({"uncertain"})
        if not (allowed or unit.started or unit.requested):
            return frozenset({"pending-teardown"})
        unit.started = True
        if ("teardown", unit.plan.name) in self.failing:
            unit.condition = Condition(uncertain=False, work="teardown")
            return frozenset({"failed"})
        unit.vanish()
        return frozenset({"removed"})

    def _block_consumers_of_deleted(self, results: Expected) -> None:
        """While a producer is replaced its consumers wait, or stay as they are."""
        for name, unit in self.units.items():
            producer = unit.plan.reads
            replaced = producer is not None and self.units[producer].declared and producer in results
            gone = {"removed", "pending-teardown", "failed", "uncertain", "tearing-down"}
            if replaced and unit.declared and results[str(producer)] <= gone and "blocked" in results.get(name, ()):
                results[name] = results[name] | {"current"}

    def _usable(self, unit: ModelUnit) -> bool:
        """Whether consumers can read the unit's receipt."""
        if unit.life is Life.HELD:
            return unit.receipt is not None
        settled = unit.condition is None and unit.receipt == self._key(unit)
        return unit.declared and unit.life is Life.ACTIVE and settled

    def _key(self, unit: ModelUnit) -> tuple[str, str | None]:
        producer = self.units[unit.plan.reads] if unit.plan.reads else None
        endpoint = producer.receipt[0] if producer and producer.receipt else None
        return unit.shape, endpoint

    def _listed(self) -> set[str]:
        return {name for name, unit in self.units.items() if unit.declared}

    def _copy(self) -> "Model":
        from copy import deepcopy

        return deepcopy(self)


def unit_condition(unit: ModelUnit) -> str:
    """The result that a unit's condition gives."""
    assert unit.condition is not None
    return "uncertain" if unit.condition.uncertain else "failed"
