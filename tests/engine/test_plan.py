"""Spec of nyl plan: what it exits with, and that it writes nothing."""

from nyl.core.codes import Code
from nyl.engine.explanation import OUTSIDE
from nyl.engine.requests import Proposal
from tests.engine.projects import initialised, planned, reconciled, verdicts
from tests.support.world import World


def test_a_plan_exits_2_for_what_waits_and_with_detailed_exit_codes_for_what_would_run(world: World) -> None:
    initialised(world.environment().unit("a"))
    before = world.refs()
    assert (planned(world).exit, planned(world, detailed_exitcode=True).exit) == (0, 2)
    assert world.refs() == before
    reconciled(world)
    assert planned(world, detailed_exitcode=True).exit == 0
    world.unit("b", dependsOn=["c"]).unit("c").commit()
    assert (verdicts(planned(world)), planned(world).exit) == (
        {"dev/a": "none", "dev/c": "execute", "dev/b": "blocked"},
        2,
    )


def test_what_is_kept_outside_the_ownership_set_is_shown_and_explained(world: World) -> None:
    reconciled(initialised(world.environment().unit("a").unit("kept", deletionPolicy="Retain")))
    world.remove("units/kept.yaml").commit()
    reconciled(world)
    report = planned(world, explain=("kept",))
    assert (verdicts(report), report.exit) == ({"dev/a": "none", "dev/kept": "none"}, 0)
    assert report.environments[0].units[-1].explanation == OUTSIDE
    assert [each.code for each in planned(world, explain=("kpt",)).all_diagnostics] == [Code.UNIT_UNKNOWN]


def test_units_that_leave_make_a_plan_exit_1_only_when_that_was_asked_for(world: World) -> None:
    initialised(world.environment().unit("a").unit("b"))
    reconciled(world)
    world.remove("units/b.yaml").commit()
    report = planned(world)
    assert [each.unit for each in report.environments[0].leaving] == ["b"]
    assert (report.exit, planned(world, fail_on_leaving=True).exit) == (0, 1)


def test_what_is_about_to_be_pushed_is_planned_as_if_it_were_there_already(world: World) -> None:
    pin = world.environment().environment("pinned").unit("a").commit()
    initialised(world.environment("pinned", source={"revision": "main", "commit": pin}), "dev", "pinned")
    tip = world.unit("b").commit(push=False)
    assert [each.code for each in planned(world).all_diagnostics] == [Code.SOURCE_UNREACHABLE]
    report = planned(world, "dev", "pinned", proposal=Proposal(tip))
    assert [(each.environment, each.source) for each in report.environments] == [("dev", tip), ("pinned", pin)]
    assert verdicts(report) == {"dev/a": "execute", "dev/b": "execute", "pinned/a": "execute"}
