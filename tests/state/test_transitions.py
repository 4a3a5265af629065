"""The message of a transition commit."""

import subprocess

from hypothesis import given
from hypothesis import strategies as st

from nyl.state.transitions import format_transition, parse_transition, with_trailers

KEY = "sha256:6916707da65148797708b9f4754dbf1e9fe43eb229a2a6e5db09b933c3b6611f"
SUMMARY = {
    "units": {
        "database": {"result": "imported", "executionKey": KEY, "run": "01a1"},
        "migrate": {"reason": "run 01a1 was executing it", "result": "uncertain"},
    },
    "recovered": ["migrate"],
    "imported": [],
    "leaseBroken": {"by": "Alice <a@example.com>", "at": "2026-10-25T13:05:12Z", "reason": "gone"},
}
TRAILERS = {
    "Nyl-Operation": "reconcile",
    "Nyl-Run-Id": "01a2",
    "Nyl-Environment": "dev",
    "Nyl-Source-Commit": "8400718a",
    "Nyl-Runner": "unknown@localhost",
    "Nyl-Evaluated-At": "2026-10-25T13:05:12Z",
    "Nyl-Version": "0.1.0",
}


def message(summary: dict[str, object] = SUMMARY) -> str:
    trailers = with_trailers(TRAILERS, "1c13", "1c14")
    return format_transition("nyl: reconcile dev (1 imported, 1 uncertain)", summary, trailers)


def test_a_message_has_the_structure_of_the_runs_page() -> None:
    assert message() == (
        "nyl: reconcile dev (1 imported, 1 uncertain)\n"
        "\n"
        "units:\n"
        f'  database: {{"executionKey":"{KEY}","result":"imported","run":"01a1"}}\n'
        '  migrate: {"reason":"run 01a1 was executing it","result":"uncertain"}\n'
        "recovered: [migrate]\n"
        "imported: []\n"
        'leaseBroken: {"at":"2026-10-25T13:05:12Z","by":"Alice <a@example.com>","reason":"gone"}\n'
        "\n"
        "Nyl-Operation: reconcile\n"
        "Nyl-Run-Id: 01a2\n"
        "Nyl-Environment: dev\n"
        "Nyl-Source-Commit: 8400718a\n"
        "Nyl-Read-Desired: 1c13\n"
        "Nyl-Read-Observed: 1c14\n"
        "Nyl-Runner: unknown@localhost\n"
        "Nyl-Evaluated-At: 2026-10-25T13:05:12Z\n"
        "Nyl-Version: 0.1.0\n"
    )


def test_a_message_reads_back() -> None:
    record = parse_transition(message())
    assert record.summary == SUMMARY
    assert record.run == "01a2"
    assert record.trailers["Nyl-Read-Observed"] == "1c14"


def test_a_message_of_somebody_else_is_only_a_headline() -> None:
    assert parse_transition("Fix the state\n\nunits: none\n").summary == {}


def test_no_units_are_an_empty_mapping() -> None:
    assert parse_transition(message({"units": {}})).units == {}


def test_a_line_end_in_a_runner_adds_no_trailer() -> None:
    text = format_transition("x", {}, {**TRAILERS, "Nyl-Runner": "me\nNyl-Run-Id: forged"})
    assert parse_transition(text).run == "01a2"


def git_trailers(text: str) -> list[str]:
    command = ["git", "interpret-trailers", "--parse"]
    return subprocess.run(command, input=text.encode(), capture_output=True, check=True).stdout.decode().splitlines()


def test_git_reads_the_trailers_beside_hostile_names_and_reasons() -> None:
    units = {"---": {"reason": "a\n\nNyl-Run-Id: forged\n"}, "# x": {"reason": "\u2028\x85\x00'\"#: {[&*!|>%@`"}}
    text = message({"units": units, "imported": list(units)})
    assert git_trailers(text) == [f"{k}: {v}" for k, v in with_trailers(TRAILERS, "1c13", "1c14").items()]


@given(st.dictionaries(st.text(), st.text(), max_size=4), st.lists(st.text(), max_size=4))
def test_any_name_and_reason_reads_back(units: dict[str, str], imported: list[str]) -> None:
    clean = {
        name.encode("utf-8", "replace").decode(): {"reason": reason.encode("utf-8", "replace").decode()}
        for name, reason in units.items()
    }
    names = [each.encode("utf-8", "replace").decode() for each in imported]
    record = parse_transition(message({"units": clean, "imported": names}))
    assert record.summary == {"units": clean, "imported": names}
