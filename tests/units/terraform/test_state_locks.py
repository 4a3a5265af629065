"""A state that somebody else has locked: told apart from other failures, with who holds it, and never unlocked."""

import fcntl
import json
from collections.abc import Iterator

import pytest

from nyl.units.driver import ReceiptFacts
from nyl.units.outcomes import Failed, FailureCategory, Removed, Verified
from tests.support.state_server import StateServer, state_server
from tests.units.terraform.modules import SHOWN, SIZED, Module

HTTP = 'terraform {\n  backend "http" {}\n}\n'
HOLDER = {"ID": "8a3f-77", "Operation": "OperationTypeApply", "Who": "bob@ci-7", "Created": "2026-01-02T03:04:05Z"}


@pytest.fixture
def server() -> Iterator[StateServer]:
    with state_server() as found:
        yield found


@pytest.fixture
def remote(either: Module, server: StateServer) -> Module:
    """A unit whose state is on the server."""
    either.write(HTTP + SIZED + SHOWN)
    either.spec["backend"] = server.backend("db")
    either.spec["variables"] = {"size": 3}
    return either


def locked(outcome: object) -> str:
    assert isinstance(outcome, Failed), outcome
    assert (outcome.category, outcome.retryable) == (FailureCategory.LOCKED, True)
    return outcome.message


def test_a_held_lock_is_a_failure_of_its_own_with_the_locks_id(remote: Module, server: StateServer) -> None:
    server.hold("db", **HOLDER)
    told = locked(remote.apply())
    assert "is locked (the backend does not tell by whom), lock 8a3f-77; nyl never unlocks" in told
    assert f"{remote.driver.program} force-unlock 8a3f-77" in told
    assert server.locks["/db"]["Who"] == "bob@ci-7"
    assert "UNLOCK /db" not in server.requests
    assert server.states == {}


def test_verifying_and_tearing_down_wait_for_the_lock_too(remote: Module, server: StateServer) -> None:
    remote.applied()
    server.hold("db", **HOLDER)
    locked(remote.verify(remote.driver, remote.unit))
    locked(remote.destroy())
    server.locks.clear()
    assert remote.verify(remote.driver, remote.unit) == Verified(False)
    assert remote.destroy() == Removed()


def test_a_plan_takes_no_lock_and_writes_nothing(remote: Module, server: StateServer) -> None:
    remote.applied()
    server.hold("db", **HOLDER)
    server.requests.clear()
    assert "will be updated" in remote.planned(size=4).text
    remote.plan_teardown(remote.driver, remote.unit, ReceiptFacts())
    assert set(server.requests) == {"GET /db"}


def test_a_lock_is_told_with_holder_and_time_where_the_backend_knows_them(module: Module) -> None:
    module.applied(size=3)
    info = module.state.with_name(f".{module.state.name}.lock.info")
    with module.state.open("r+") as state:
        fcntl.lockf(state, fcntl.LOCK_EX)
        info.write_text(json.dumps(HOLDER))
        told = locked(module.apply(size=4))
    for fact in ("lock 8a3f-77", "by bob@ci-7", "OperationTypeApply", "since 2026-01-02 03:04:05"):
        assert fact in told
    assert info.exists()


def test_a_lock_that_is_taken_between_plan_and_apply_is_told(remote: Module, server: StateServer) -> None:
    server.next_holder = HOLDER
    assert "lock 8a3f-77" in locked(remote.apply())
    assert server.states == {}


def test_another_failure_is_not_taken_for_a_lock(remote: Module, server: StateServer) -> None:
    text = 'resource "terraform_data" "bad" {\n  lifecycle {\n    precondition {\n      condition = var.size == 0\n'
    remote.write(
        HTTP + SIZED + SHOWN + text + '      error_message = "Lock Info:\\n  ID: 1\\n  Who: me"\n    }\n  }\n}\n'
    )
    told = remote.apply()
    assert isinstance(told, Failed)
    assert (told.category, told.retryable) == (FailureCategory.EXECUTION, True)
    assert told.message.endswith("plan ended with exit code 1: Resource precondition failed")
