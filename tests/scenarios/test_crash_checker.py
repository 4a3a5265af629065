"""The checker of the crash matrix sees what it is there for: logs that were tampered with fit no state any more."""

from pathlib import Path

import pytest

from tests.support.effects import EffectsWorld, Template, UnitPlan
from tests.support.effects_check import problems
from tests.support.forks import KILLED, Faults, Forks
from tests.support.warm import warm_forks

UNITS = (UnitPlan("database"), UnitPlan("cache", "converge"))
FAULTS_IN_NYL = Path(__file__).resolve().parents[2] / "nyl"


@pytest.fixture(scope="module")
def forks() -> Forks:
    return warm_forks()


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, forks: Forks) -> Template:
    folder = tmp_path_factory.mktemp("checked")
    world = EffectsWorld.build(folder / "world", forks, UNITS)
    world.nyl("reconcile", "-e", "dev")
    return Template.of(world, folder / "kept")


@pytest.fixture
def world(template: Template) -> EffectsWorld:
    """A world that was reconciled once, without trouble."""
    return template.copy()


def effect(unit: str) -> list[str]:
    """The lines of an effect that nobody had."""
    return [f"{phase} execution dev {unit} token 1" for phase in ("begin", "done")]


def rewrite(world: EffectsWorld, lines: list[str]) -> list[str]:
    world.log.write_text("\n".join(lines) + "\n")
    return problems(world.log, world.origin)


def test_a_history_without_trouble_has_no_problems(world: EffectsWorld) -> None:
    assert problems(world.log, world.origin) == []


def test_an_effect_that_no_commit_knows_is_a_problem(world: EffectsWorld) -> None:
    lines = [
        *world.log.read_text().splitlines(),
        "begin execution dev extra token 1",
        "done execution dev extra token 1",
    ]
    assert any("neither recorded nor uncertain" in each for each in rewrite(world, lines))


@pytest.mark.parametrize(("unit", "why"), [("database", "its policy is manual"), ("cache", "was recorded already")])
def test_an_effect_that_came_twice_is_a_problem(world: EffectsWorld, unit: str, why: str) -> None:
    lines = [
        *world.log.read_text().splitlines(),
        f"begin execution dev {unit} token 1",
        f"done execution dev {unit} token 1",
    ]
    assert any(why in each for each in rewrite(world, lines))


def test_an_effect_that_an_operator_wanted_again_is_none(world: EffectsWorld) -> None:
    world.tell("execution", "database")
    lines = [*world.log.read_text().splitlines(), "begin execution dev database token 1"]
    assert not any("ran again" in each for each in rewrite(world, lines))


def test_a_receipt_that_no_effect_stands_behind_is_a_problem(world: EffectsWorld) -> None:
    lines = [each for each in world.log.read_text().splitlines() if " database " not in each]
    assert any("no effect stands behind" in each for each in rewrite(world, lines))


def test_a_break_that_is_nowhere_recorded_is_a_problem(world: EffectsWorld) -> None:
    assert any("is not recorded" in each for each in rewrite(world, [*world.log.read_text().splitlines(), "broke it"]))


def test_a_ref_that_is_left_is_a_problem(world: EffectsWorld) -> None:
    world.git("update-ref", "refs/nyl/dev/runs/left", "refs/heads/nyl/dev/observed", cwd=world.origin)
    assert problems(world.log, world.origin) == ["refs/nyl/dev/runs/left is left"]


def test_a_child_dies_at_the_point_it_was_told(world: EffectsWorld) -> None:
    world.declare(UnitPlan("extra")).commit()
    result = world.call("reconcile", "-e", "dev", faults=Faults(die_at="before push of results #1"))
    assert result.code == KILLED
    assert "refs/nyl/dev/lease" in world.refs()


def test_nothing_of_nyl_installs_a_fault_hook() -> None:
    """A hook comes from the entry point of these tests alone: no variable and no option leads to one."""
    installing = [each for each in FAULTS_IN_NYL.rglob("*.py") if "faults.install" in each.read_text()]
    assert not installing
