"""Reading state back: as of a commit, its history, its raw documents, and whether it fits together."""

from dataclasses import replace

import pytest

from nyl.core.canonical import digest
from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.state.changes import Batch
from nyl.state.check import check
from nyl.state.documents import ObservedUnit
from nyl.state.history import history
from nyl.state.session import Session
from nyl.state.show import raw_documents
from tests.state.worlds import LOCATION, Runner, World, desired, identity, receipt, transition


def observe_only(session: Session) -> None:
    whole = transition(session, "database", host="other")
    session.commit(replace(whole, environment=None, desired={}))
    session.release()


def test_state_reads_as_of_a_commit_of_either_ref(world: World, alice: Runner) -> None:
    alice.reconcile("database", host="first")
    first = world.refs()
    alice.reconcile("database", "cache", host="second")
    observe_only(alice.take())
    for ref in (LOCATION.desired_ref, LOCATION.observed_ref):
        snapshot = alice.store.read_at(first[ref])
        assert snapshot.desired.keys() == snapshot.observed.keys() == {"database"}
        assert (snapshot.desired_commit, snapshot.observed_commit) == (
            first[LOCATION.desired_ref],
            first[LOCATION.observed_ref],
        )


def test_state_of_a_run_that_wrote_one_ref_goes_with_what_it_read(world: World, alice: Runner) -> None:
    alice.reconcile("database", host="first")
    before = world.refs()[LOCATION.desired_ref]
    observe_only(alice.take())
    only = world.refs()[LOCATION.observed_ref]
    alice.reconcile("database", "cache", host="third")
    assert alice.store.read_at(only).desired_commit == before


def test_a_revision_that_is_no_state_is_refused(alice: Runner) -> None:
    with pytest.raises(NylError) as caught:
        alice.store.read_at("0" * 40)
    assert caught.value.diagnostic.code is Code.SOURCE_MISSING


def test_history_lists_each_transition_once_newest_first(alice: Runner) -> None:
    first = alice.reconcile("database").run.run
    entries = history(alice.store.access, alice.store.read())
    assert [each.record.trailers["Nyl-Operation"] for each in entries] == ["reconcile", "state-init"]
    assert entries[0].record.run == first
    assert entries[0].author == "Alice Example <alice@example.com>"


def test_history_of_a_unit_lists_what_touched_it(alice: Runner) -> None:
    alice.reconcile("database")
    alice.reconcile("cache")
    entries = history(alice.store.access, alice.store.read(), "cache")
    assert [list(each.record.units) for each in entries] == [["cache"]]


def artifacts(session: Session, *names: str) -> None:
    values = {name: {"name": name, "count": 2**60, "ratio": 0.1} for name in names}
    unit = ObservedUnit(identity("database"), receipt({name: digest(value) for name, value in values.items()}))
    whole = transition(session, "database")
    session.commit(replace(whole, observed={"database": unit}, artifacts={"database": values}))
    session.release()


def test_artifacts_are_stored_beside_their_receipt_and_go_with_it(world: World, alice: Runner) -> None:
    artifacts(alice.take(), "plan", "a/b.yaml")
    snapshot = alice.store.read()
    named = snapshot.observed["database"].receipt
    assert named is not None
    read = alice.store.artifact(snapshot.observed_commit, "database", "a/b.yaml", named.artifacts["a/b.yaml"])
    assert read["count"] == 2**60
    artifacts(alice.take(), "plan")
    assert "observed/units/database/artifacts/a%2Fb%2Eyaml.yaml" not in raw_documents(
        alice.store.access, alice.store.read()
    )


def test_an_artifact_that_was_edited_is_not_trusted(world: World, alice: Runner) -> None:
    artifacts(alice.take(), "plan")
    world.edit(LOCATION.observed_ref, "observed/units/database/artifacts/plan.yaml", "name: other\n")
    snapshot = alice.store.read()
    with pytest.raises(NylError) as caught:
        alice.store.artifact(snapshot.observed_commit, "database", "plan", digest({"name": "plan"}))
    assert caught.value.diagnostic.code is Code.STATE_CORRUPT


def test_raw_documents_are_what_is_stored(alice: Runner) -> None:
    alice.reconcile("database")
    documents = raw_documents(alice.store.access, alice.store.read())
    assert list(documents) == [
        "desired/environment.yaml",
        "desired/units/database.yaml",
        "observed/units/database.yaml",
        "state.yaml",
    ]
    assert documents["desired/units/database.yaml"]["kind"] == "DesiredUnit"


def problems(runner: Runner) -> list[str]:
    return [each.diagnostic.message for each in check(runner.store.access).problems]


def test_state_that_runs_wrote_is_in_order(alice: Runner) -> None:
    alice.reconcile("a", "database")
    alice.reconcile("a", "database", host="new")
    result = check(alice.store.access)
    assert not result.problems
    assert (result.documents, result.commits) == (7, 5)


def test_shared_state_is_in_order(world: World) -> None:
    shared = replace(LOCATION, desired_ref="refs/heads/state", observed_ref="refs/heads/state")
    first = world.runner("a", location=replace(shared, path="dev")).init()
    second = world.runner("b", location=replace(shared, path="prod"), environment="prod").init()
    one = first.take()
    second.reconcile("a")
    one.commit(transition(one, "a"))
    one.release()
    assert not check(first.store.access).problems
    assert not check(second.store.access).problems


@pytest.mark.parametrize(
    ("ref", "path", "content", "told"),
    [
        (LOCATION.desired_ref, "desired/units/a.yaml", None, "no desired document"),
        (LOCATION.desired_ref, "desired/notes.txt", "hello", "no document of state has such a name"),
        (LOCATION.observed_ref, "observed/units/a/artifacts/x.yaml", "x: 1", "no receipt names this artifact"),
        (LOCATION.observed_ref, "observed/units/a.yaml", "kind: [", "cannot be read as YAML"),
        (LOCATION.observed_ref, "observed/units/a.yaml", "apiVersion: gitops.nyl/v9", "version gitops.nyl/v9"),
    ],
)
def test_what_does_not_fit_is_told(
    world: World, alice: Runner, ref: str, path: str, content: str | None, told: str
) -> None:
    alice.reconcile("a", "database")
    commit = world.edit(ref, path, content)
    found = problems(alice)
    assert any(told in each for each in found)
    assert any(f"Commit {commit} of {ref} changes documents of state" in each for each in found)


def test_a_start_record_and_an_artifact_of_a_checkpoint_read_alike(alice: Runner) -> None:
    session = alice.take()
    session.checkpoint(Batch(starting={"database": desired("database")}))
    assert alice.store.read().runs[session.run.run].desired["database"] == desired("database")


def broken_once(runner: Runner, *breaks: dict[str, object]) -> None:
    session = runner.take()
    told = {"leaseBroken": {**breaks[-1], "earlier": list(breaks[:-1])}}
    session.commit(replace(transition(session), environment=None, announces=True, summary=told))
    session.release()


def test_a_break_that_is_recorded_twice_is_told(alice: Runner) -> None:
    first, second = ({"at": f"2026-10-25T13:0{n}:00Z", "by": "bob", "reason": "gone"} for n in (1, 2))
    broken_once(alice, first)
    assert not problems(alice)
    broken_once(alice, first, second)
    assert any("tells of a break" in each for each in problems(alice))


@pytest.mark.parametrize(
    ("ref", "path"),
    [
        ("refs/nyl/dev/lease", "lease.yaml"),
        ("refs/nyl/dev/runs/01a1", "run.yaml"),
        ("refs/nyl/dev/evidence/01a1", "run.yaml"),
        ("refs/nyl/dev/signals/01a1", "holds/a.yaml"),
    ],
)
def test_refs_of_runs_that_cannot_be_read_are_told(world: World, alice: Runner, ref: str, path: str) -> None:
    alice.reconcile("a")
    world.edit(ref, path, "kind: [")
    assert any(path in each for each in problems(alice))
