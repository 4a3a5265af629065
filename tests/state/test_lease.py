"""How an environment stands: a table of leases, run refs and times."""

from dataclasses import replace
from datetime import timedelta

import pytest

from nyl.core.clock import Instant
from nyl.state.coordination_documents import Break, Checkpoint, Lease, LeaseState, Run, RunState
from nyl.state.lease import LeaseStanding, breaks_of, claim, extended, holder_of, put_back
from nyl.state.snapshot import RunRef
from tests.state.worlds import KEY, SOURCE, START, observed

NOW = START
BREAK = Break("01a0", "alice", NOW, "gone")
LATER, EARLIER = NOW + timedelta(minutes=5), NOW + timedelta(minutes=-5)


def lease(state: LeaseState = LeaseState.HELD, deadline: Instant = LATER, run: str = "01a1") -> Lease:
    return Lease("dev", run, "reconcile", "me@here", "ab12", state, EARLIER, deadline)


def run(deadline: Instant = LATER, executing: bool = True, state: RunState = RunState.RUNNING) -> RunRef:
    record = Run("dev", "01a1", "reconcile", "me@here", state, SOURCE, EARLIER, deadline)
    return RunRef("c0ffee", replace(record, executing={"database": KEY} if executing else {}))


FINISHED = run(executing=False, state=RunState.FINISHED)
RESULTS = replace(FINISHED, checkpoints={"database": Checkpoint(observed("database"))})


CONSUMED = replace(lease(LeaseState.LANDED), consumed={"01a0": "c0ffee"})


@pytest.mark.parametrize(
    ("holder", "runs", "expected"),
    [
        (None, {}, LeaseStanding.FREE),
        (lease(), {"01a1": run()}, LeaseStanding.HELD),
        (lease(), {}, LeaseStanding.HELD),
        (None, {"01a1": run()}, LeaseStanding.HELD),
        (None, {"01a1": run(executing=False)}, LeaseStanding.HELD),
        (lease(deadline=EARLIER), {"01a1": run()}, LeaseStanding.HELD),
        (lease(deadline=EARLIER), {"01a1": run(EARLIER)}, LeaseStanding.EXPIRED),
        (lease(deadline=NOW), {"01a1": run(NOW)}, LeaseStanding.EXPIRED),
        (lease(deadline=EARLIER), {"01a1": run(EARLIER, executing=False)}, LeaseStanding.FREE),
        (lease(deadline=EARLIER), {}, LeaseStanding.FREE),
        (lease(LeaseState.BROKEN), {"01a1": run()}, LeaseStanding.BROKEN),
        (lease(LeaseState.BROKEN), {}, LeaseStanding.BROKEN),
        (lease(LeaseState.BROKEN), {"01a1": run(), "01a2": run()}, LeaseStanding.BROKEN),
        (lease(LeaseState.LANDED), {"01a1": run()}, LeaseStanding.FREE),
        (lease(LeaseState.LANDED), {"01a1": run(), "01a2": run(EARLIER)}, LeaseStanding.EXPIRED),
        (lease(LeaseState.FINISHED), {"01a1": RESULTS}, LeaseStanding.UNIMPORTED),
        (None, {"01a1": RESULTS}, LeaseStanding.UNIMPORTED),
        (None, {"01a1": FINISHED}, LeaseStanding.FREE),
        (None, {"01a1": run(EARLIER)}, LeaseStanding.EXPIRED),
        (
            replace(lease(deadline=EARLIER), taken_over=(Break("01a0", "alice", NOW, "gone"),)),
            {},
            LeaseStanding.EXPIRED,
        ),
        (replace(lease(deadline=EARLIER), taken_over=(BREAK,)), {"01a0": run()}, LeaseStanding.EXPIRED),
        (replace(lease(), taken_over=(BREAK,)), {"01a0": run(), "01a1": run()}, LeaseStanding.HELD),
        (CONSUMED, {"01a0": run()}, LeaseStanding.FREE),
        (CONSUMED, {"01a0": replace(run(), commit="moved")}, LeaseStanding.HELD),
        (CONSUMED, {"01a0": replace(RESULTS, commit="moved")}, LeaseStanding.UNIMPORTED),
    ],
)
def test_standing(holder: Lease | None, runs: dict[str, RunRef], expected: LeaseStanding) -> None:
    assert claim(holder, runs, NOW).standing is expected


def test_what_stands_in_the_way_is_named() -> None:
    found = claim(lease(), {"01a1": run()}, NOW)
    assert found.holder is not None
    assert (found.holder.run, found.holder.deadline) == ("01a1", LATER)


def test_only_runs_that_left_nothing_are_stale() -> None:
    assert claim(lease(LeaseState.LANDED), {"01a1": run()}, NOW).stale_runs == ("01a1",)
    assert claim(None, {"01a1": run()}, NOW).stale_runs == ()


def test_a_dead_run_that_was_sent_a_hold_is_no_stale_one() -> None:
    empty = {"01a1": run(EARLIER, executing=False)}
    assert claim(None, empty, NOW).stale_runs == ("01a1",)
    found = claim(None, empty, NOW, frozenset({"01a1"}))
    assert (found.standing, found.stale_runs, found.dead_runs) == (LeaseStanding.EXPIRED, (), ("01a1",))


def test_an_importer_takes_over_from_every_run_beside_a_broken_lease() -> None:
    found = claim(replace(lease(LeaseState.BROKEN), broken=BREAK), {"01a1": run(), "01a2": RESULTS}, NOW)
    assert found.dead_runs == ("01a1", "01a2")
    assert found.holder is not None
    assert found.holder.run == "01a0"


def test_a_lease_that_is_put_back_is_the_one_that_was_taken_over() -> None:
    earlier = replace(BREAK, run="019f")
    taken = replace(lease(run="01a9"), taken_over=(earlier, BREAK))
    back = put_back(taken, holder_of(replace(run().record, run="01a0", runner="other@there")), "new")
    assert (back.state, back.run, back.runner) == (LeaseState.BROKEN, "01a0", "other@there")
    assert breaks_of(back) == breaks_of(taken) == (earlier, BREAK)


def test_a_deadline_is_only_extended() -> None:
    assert extended(LATER, EARLIER) == extended(LATER, None) == extended(EARLIER, LATER) == LATER
