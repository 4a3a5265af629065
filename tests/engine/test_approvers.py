"""Runs page, Approvals: from where it is known who approves, and what the project's lookup may answer."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from nyl.core.cancellation import CancellationToken
from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.approvers import ApprovalQuestion, Approver, ApproverIdentity, Approvers
from nyl.engine.project_lookup import ProjectLookup, approver_of
from nyl.git.config import Identity
from nyl.units.programs import ProjectPrograms

USER = Identity("Dev", "dev@example.com")
RUN = "https://ci.example/run/1"
QUESTION = ApprovalQuestion("dev", ("db",), {"db": None})
ANSWER = {"by": ["alice"], "source": "production gate", "url": RUN}
ALICE = Approver(("alice",), "production gate", ApproverIdentity.VERIFIED, RUN)
OWN = ("./ci/approvers.sh", "-v")


def says(answer: Approver | None) -> Any:
    return lambda _: answer


def refuses(_: ApprovalQuestion) -> Approver:
    raise AssertionError("it is asked")


@pytest.mark.parametrize(
    ("approvers", "found"),
    [
        (Approvers(USER, None), Approver((str(USER),), "local", ApproverIdentity.LOCAL)),
        (Approvers(USER, None, lookups=(refuses,)), Approver((str(USER),), "local", ApproverIdentity.LOCAL)),
        (Approvers(USER, RUN), Approver((), RUN, ApproverIdentity.UNVERIFIED)),
        (Approvers(USER, RUN, lookups=(says(None),)), Approver((), RUN, ApproverIdentity.UNVERIFIED)),
        (Approvers(USER, RUN, lookups=(says(ALICE), refuses)), ALICE),
        (Approvers(USER, RUN, lookups=(says(None), says(ALICE))), ALICE),
        (
            Approvers(USER, RUN, ("bob", "eve"), "https://t/1", (refuses,)),
            Approver(("bob", "eve"), "https://t/1", ApproverIdentity.ASSERTED),
        ),
        (Approvers(USER, RUN, ("bob",), None, (refuses,)), Approver(("bob",), RUN, ApproverIdentity.ASSERTED)),
        (Approvers(USER, None, ("bob",)), Approver(("bob",), "local", ApproverIdentity.ASSERTED)),
        (Approvers(USER, RUN, (), "https://t/1"), Approver((), "https://t/1", ApproverIdentity.ASSERTED)),
    ],
)
def test_the_first_source_that_knows_decides(approvers: Approvers, found: Approver) -> None:
    assert approvers(QUESTION) == found


def test_a_record_tells_whether_a_change_was_reviewed() -> None:
    plain = {"by": ["alice"], "source": "production gate", "identity": "verified", "url": RUN}
    assert ALICE.record(None) == {**plain, "digest": None, "reviewed": False}
    assert ALICE.record("sha256:1") == {**plain, "digest": "sha256:1", "reviewed": True}


class Program:
    """Notes how it is run, and prints something or fails."""

    def __init__(self, printed: bytes | Exception) -> None:
        self.printed = printed
        self.calls: list[tuple[Mapping[str, str], Sequence[str], float]] = []

    def __call__(self, variables: Mapping[str, str]) -> Any:
        def run(argv: Sequence[str], seconds: float) -> bytes:
            self.calls.append((variables, argv, seconds))
            if isinstance(self.printed, Exception):
                raise self.printed
            return self.printed

        return run


def test_the_lookup_gets_what_is_approved_and_its_command_is_recorded() -> None:
    program, digests = Program(json.dumps(ANSWER).encode()), {"db": "sha256:1", "web": None}
    found = ProjectLookup(OWN, program)(ApprovalQuestion("dev", ("db", "web"), digests))
    ((variables, argv, seconds),) = program.calls
    assert (argv, seconds, variables["NYL_ENVIRONMENT"]) == (OWN, 30.0, "dev")
    assert json.loads(variables["NYL_APPROVAL_UNITS"]) == ["db", "web"]
    assert json.loads(variables["NYL_APPROVAL_DIGESTS"]) == digests
    assert found.record(None) == {**ALICE.record(None), "command": list(OWN)}


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (TimeoutError("x"), "it took longer than 30 s"),
        (FileNotFoundError("./a could not be started"), "could not be started"),
        (ChildProcessError("./a ended with exit code 1"), "exit code 1"),
    ],
)
def test_a_lookup_that_fails_stops_the_invocation(failure: Exception, told: str) -> None:
    with pytest.raises(NylError) as raised:
        ProjectLookup(OWN, Program(failure))(QUESTION)
    found = raised.value.diagnostic
    assert (found.code, found.environment) == (Code.APPROVAL_INVALID, "dev")
    assert told in found.message


@pytest.mark.parametrize("script", ["sleep 60", "trap '' TERM; while :; do sleep 0.05; done"])
def test_a_lookup_that_hangs_is_ended(tmp_path: Path, script: str) -> None:
    def programs(more: Mapping[str, str]) -> ProjectPrograms:
        return ProjectPrograms(tmp_path, {"PATH": os.defpath, **more}, CancellationToken(), grace=0.2)

    with pytest.raises(NylError, match=r"it took longer than 0\.2 s"):
        ProjectLookup(("/bin/sh", "-c", script), programs, seconds=0.2)(QUESTION)


@pytest.mark.parametrize(
    ("printed", "told"),
    [
        (b"", "is not JSON"),
        (b"alice", "is not JSON"),
        (b"\xff", "is not JSON"),
        (json.dumps(ANSWER).encode() * 2, "is not JSON"),
        (b"[" * 60_000, "is not JSON"),
        (b"[]", "is not one JSON object"),
        (b" " * 65_537, "more than 64 KiB"),
        ({"by": None}, "by is not a list"),
        ({"by": "alice"}, "by is not a list"),
        ({"by": []}, "by is not a list"),
        ({"by": ["alice", 1]}, "by is not a list"),
        ({"by": ["alice\nbob"]}, "by is not a list"),
        ({"source": " "}, "source is not a text"),
        ({"source": 1}, "source is not a text"),
        ({"url": "ci.example/run/1"}, "url is not a URL"),
        ({"url": "https://user:word@ci.example/1"}, "url is not a URL"),
        ({"url": "https://[1"}, "url is not a URL"),
        ({"when": "now"}, "'when', which is not known"),
    ],
)
def test_an_answer_that_is_not_as_it_should_be_is_refused(printed: bytes | dict[str, Any], told: str) -> None:
    answer = printed if isinstance(printed, bytes) else json.dumps({**ANSWER, **printed}).encode()
    with pytest.raises(ValueError, match=told):
        approver_of(answer)


@pytest.mark.parametrize("field", ["by", "source", "url"])
def test_an_answer_needs_every_field(field: str) -> None:
    with pytest.raises(ValueError, match=f"lacks {field}"):
        approver_of(json.dumps({name: each for name, each in ANSWER.items() if name != field}).encode())
