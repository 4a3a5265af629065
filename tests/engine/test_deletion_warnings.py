"""Page Deletion and holds, Codes: what is said of a deletion that waits or left something, and the way out."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic
from nyl.engine.conclusion import Conclusion
from nyl.engine.outcomes import AnyOutcome
from nyl.engine.teardowns import Permissions
from nyl.state.changes import Landed
from nyl.units.outcomes import Removed, Waiting
from tests.engine.builders import PERMITS_NOTHING, Estate, desired, observed, output, receipt, unit

ALLOWED = Permissions(allow_teardown=True)
STEP = ["./a.sh", "remove"]


def left(estate: Estate) -> Estate:
    """Units that ran and that source no longer declares."""
    estate.run()
    return estate.declare()


def told(ended: Conclusion, code: Code) -> Diagnostic:
    """The one diagnostic of a code."""
    (found,) = (each for each in ended.section(Landed(None, None), ()).diagnostics if each.code is code)
    return found


def used_by_a_tombstone() -> Conclusion:
    base = unit("base", teardown=STEP, outputs={"x": "string"})
    return left(Estate(base, unit("top", values={"x": output("x", "base")}, deletionPolicy="Retain"))).run(
        permissions=ALLOWED
    )


def behind_one_that_waits() -> Conclusion:
    estate = left(Estate(unit("base", teardown=STEP), unit("site", "base", teardown=STEP, dependsOn=["base"])))
    return estate.run({"site": Waiting("the workloads are there")}, permissions=ALLOWED)


def incomplete() -> Conclusion:
    return left(Estate(unit("a", teardown=STEP))).run({"a": Removed("a bucket")}, permissions=ALLOWED)


def released() -> Conclusion:
    return left(Estate(unit("a"))).run()


def of_another_kind(
    step: list[str] | None = STEP, permissions: Permissions = PERMITS_NOTHING, outcome: AnyOutcome | None = None
) -> Conclusion:
    spec = {"command": ["./a.sh"], **({"teardown": step} if step else {})}
    document = desired("a", spec=spec, resolved_spec=spec)
    former = replace(document, unit=replace(document.unit, kind="Probe"))
    known = replace(observed("a", receipt()), unit=former.unit)
    return Estate(unit("a")).record(former, known).run({"a": outcome} if outcome else None, permissions=permissions)


def held_with_a_change() -> Conclusion:
    estate = Estate(unit("a"))
    estate.run()
    return estate.hold("a").declare(unit("a", command=["./other.sh"])).run()


CASES: Mapping[Code, tuple[Callable[[], Conclusion], tuple[str, ...]]] = {
    Code.TEARDOWN_HAS_DEPENDENTS: (
        used_by_a_tombstone,
        ("pass --allow-dependents", "forget it first with `nyl state forget -e dev --unit top`"),
    ),
    Code.TEARDOWN_WAITING: (
        behind_one_that_waits,
        (
            "run `nyl reconcile -e dev --allow-teardown` once the wait is over",
            "`nyl teardown -e dev --unit site --confirm-removed`",
        ),
    ),
    Code.TEARDOWN_INCOMPLETE: (incomplete, ("check what remains",)),
    Code.UNIT_RELEASED: (released, ("remove the resources by hand when nothing needs them",)),
    Code.UNIT_KIND_CHANGE: (
        of_another_kind,
        ("pass --allow-teardown", "restore the old kind", "`nyl state forget -e dev --unit a`"),
    ),
    Code.UNIT_HELD: (held_with_a_change, ("lift the hold with `nyl resume -e dev --unit a`",)),
}


@pytest.mark.parametrize("code", CASES)
def test_each_code_names_the_ways_out_of_the_page(code: Code) -> None:
    happens, ways = CASES[code]
    fix = told(happens(), code).fix
    assert [way for way in ways if way not in fix] == []


def test_a_release_says_that_the_files_are_gone() -> None:
    assert told(released(), Code.UNIT_RELEASED).message == (
        "unit a of dev was released: its files are gone and its resources stay"
    )


@pytest.mark.parametrize(("step", "permissions"), [(None, PERMITS_NOTHING), (STEP, ALLOWED)])
def test_a_change_of_kind_is_warned_of_by_the_run_that_ends_the_old_incarnation(
    step: list[str] | None, permissions: Permissions
) -> None:
    assert told(of_another_kind(step, permissions), Code.UNIT_KIND_CHANGE).message == (
        "unit a of dev changed its kind; the Probe that it was is gone from the state, and the next run creates the "
        "Command"
    )


def test_a_change_of_kind_whose_teardown_began_names_no_way_back() -> None:
    fix = told(of_another_kind(permissions=ALLOWED, outcome=Waiting("published")), Code.UNIT_KIND_CHANGE).fix
    assert fix == "see its teardown through: `nyl status -e dev` says what it waits for"
