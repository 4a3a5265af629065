"""Runs page, Multi-environment runs and Waves: what runs of real repositories do with each other and with the state."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from nyl.core.ids import new_id
from nyl.engine.commit_identity import commit_identity
from nyl.engine.foreign import ForeignProducers
from nyl.engine.production import Production
from nyl.engine.states import States
from nyl.project.units import UnitAddress
from nyl.state.taking import RunRequest
from tests.engine.builders import codes
from tests.engine.projects import details_of, initialised, reconciled, verdicts, workspace
from tests.support import declarations
from tests.support.copies import copied
from tests.support.declarations import from_unit
from tests.support.world import World

BOTH = ("services", "infra")


@pytest.fixture
def landscape(tmp_path: Path) -> World:
    """`services` needs an output of `infra`, both have run, and every unit has other inputs since."""
    return copied(tmp_path, _landscape)


def _landscape(world: World) -> World:
    for name in BOTH:
        world.environment(name, unitSelector={"matchLabels": {"in": name}})
    world.unit("network", labels={"in": "infra"}, writes={"id": "net-1"})
    world.unit("api", labels={"in": "services"}, values={"id": from_unit("network", "id", "infra")})
    world.unit("web", labels={"in": "services"})
    reconciled(initialised(world, *BOTH), *BOTH)
    world.unit("api", labels={"in": "services"}, script=":", values={"id": from_unit("network", "id", "infra")})
    world.unit("web", labels={"in": "services"}, script=":").commit()
    return world.forget()


@contextmanager
def busy(world: World, environment: str) -> Iterator[None]:
    """Another run holds an environment's lease meanwhile."""
    where = workspace(world, world.clone(f"other-{environment}"))
    identity = commit_identity(where, None)
    request = RunRequest(new_id(), "reconcile", "bob@host", identity, "0" * 40, timedelta(hours=1))
    session = States(where).store(where.worktree.environments[environment]).take(request, None)
    yield
    session.release()


def test_consumers_wait_for_a_selected_producer_whose_lease_is_busy_and_other_units_run(landscape: World) -> None:
    with busy(landscape, "infra"):
        report = reconciled(landscape, *BOTH)
        assert codes(report.environments[0].diagnostics) == ["NYL-LEASE-HELD"]
        assert verdicts(report) == {"services/api": "blocked", "services/web": "executed"}
        assert "environment infra failed" in details_of(report)["services/api"]
        assert (report.exit, landscape.ran()) == (2, ["web"])
        alone = reconciled(landscape, "services")  # a producer that is not selected is read without its lease
        assert verdicts(alone) == {"services/api": "executed", "services/web": "current"}


def test_consumers_wait_for_a_selected_producer_that_waits(landscape: World) -> None:
    landscape.unit("gate", labels={"in": "infra"}, script="exit 1")
    landscape.unit("network", labels={"in": "infra"}, writes={"id": "net-1"}, dependsOn=["gate"]).commit()
    report = reconciled(landscape, *BOTH)
    assert verdicts(report) == {
        "infra/gate": "failed",
        "infra/network": "blocked",
        "services/api": "blocked",
        "services/web": "executed",
    }
    assert "infra/network is blocked" in details_of(report)["services/api"]


def test_a_run_reads_each_producers_state_once(landscape: World) -> None:
    def foreign() -> ForeignProducers:
        where = workspace(landscape)
        return ForeignProducers(States(where), where.worktree.environments, {})

    def commit_read(producers: ForeignProducers) -> str | None:
        found = producers(UnitAddress("network", "infra"))
        assert isinstance(found, Production)
        return found.provenance.observed_commit

    run = foreign()
    before = commit_read(run)
    landscape.unit("network", labels={"in": "infra"}, writes={"id": "net-2"}).commit()
    reconciled(landscape, "infra")
    assert before == commit_read(run) != commit_read(foreign()) == landscape.state(environment="infra")


def test_a_units_name_is_its_identity_wherever_its_file_lies(world: World) -> None:
    initialised(world.environment().unit("a"))
    reconciled(world)
    uid = world.stored("desired/units/a.yaml", "desired")["unit"]["uid"]
    text = (world.project / "units/a.yaml").read_text()
    world.remove("units/a.yaml").write("elsewhere/all.yaml", "# moved\n" + text).commit()
    assert verdicts(reconciled(world)) == {"dev/a": "current"}
    assert world.stored("desired/units/a.yaml", "desired")["unit"]["uid"] == uid
    world.write("elsewhere/all.yaml", text.replace("name: a", "name: b")).commit()
    renamed = reconciled(world)
    assert verdicts(renamed) == {"dev/b": "executed", "dev/a": "released"}
    assert [each.unit for each in renamed.environments[0].leaving] == ["a"]


def edit_state(world: World, ref: str, path: str) -> str:
    """A script that deletes a document of a state ref at the remote, once, as a person would by hand."""
    index = f"GIT_INDEX_FILE='{world.tmp}/edit.index'; export GIT_INDEX_FILE"
    who = "-c user.name=Person -c user.email=person@example.com"
    return f"""
        test ! -e '{world.tmp}/edited' || exit 0; touch '{world.tmp}/edited'; cd '{world.origin}'; {index}
        git read-tree {ref}; printf '0 {"0" * 40}\t{path}\n' | git update-index --index-info; tree=$(git write-tree)
        git update-ref {ref} $(git {who} commit-tree $tree -p {ref} -m 'Edit by hand')
    """


def test_state_that_a_person_edits_during_a_run_is_resolved_again_and_nothing_runs_twice(world: World) -> None:
    initialised(world.environment().unit("a"))
    reconciled(world)
    edit = edit_state(world, "refs/heads/nyl/dev/observed", "observed/units/a.yaml")
    world.unit("b", script=edit, writes={"x": "1"}).commit()
    report = reconciled(world.forget())
    assert (report.exit, world.ran()) == (0, ["b", "a"])
    assert verdicts(report) == {"dev/b": "executed", "dev/a": "executed"}
    assert world.stored("observed/units/a.yaml")["receipt"]
    assert world.stored("observed/units/b.yaml")["receipt"]["outputs"] == {"x": "1"}


def test_a_change_of_desired_documents_alone_writes_one_state_ref_alone(world: World) -> None:
    initialised(world.environment().unit("a"))
    reconciled(world)
    before = world.state_refs()
    world.unit("a", timeout="9m").commit()
    report = reconciled(world.forget())
    changed = {ref for ref, commit in world.state_refs().items() if before[ref] != commit}
    assert (changed, world.ran()) == ({"refs/heads/nyl/dev/desired"}, [])
    assert report.environments[0].written == {"desired"}
    assert world.message("desired").startswith("nyl: reconcile dev\n")


def test_state_of_a_declared_repository_is_read_and_written_where_it_publishes(world: World) -> None:
    elsewhere = world.tmp / "state.git"
    world.git("init", "-q", "--bare", elsewhere, cwd=world.tmp)
    urls = {"repoURL": "file:///nowhere.git", "publishURL": f"file://{elsewhere}"}
    world.write("state.yaml", declarations.resource("gitops.nyl/v1", "GitRepository", "platform", urls))
    initialised(world.environment(state={"repositoryRef": {"name": "platform"}}).unit("a"))
    assert verdicts(reconciled(world)) == {"dev/a": "executed"}
    assert "refs/heads/nyl/dev/observed" in world.git("for-each-ref", cwd=elsewhere)
    assert world.state_refs() == {}
