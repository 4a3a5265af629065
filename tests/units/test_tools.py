"""How tools are watched: groups, deadlines, cancellation, streams that misbehave."""

import os
import resource
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from nyl.units.context import UnitContext
from nyl.units.outcomes import Failed, Succeeded, Uncertain
from tests.units.building import Bench, eventually, is_running


def pid_in(path: Path) -> int:
    assert eventually(lambda: path.exists() and path.read_text().endswith("\n"))
    return int(path.read_text())


def cancel_when(bench: Bench, path: Path, *numbers: int) -> threading.Thread:
    """Cancels once a file is there, as often as signals are given."""

    def wait() -> None:
        eventually(path.exists)
        for number in numbers:
            bench.cancellation.cancel(number)
            time.sleep(0.1)

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def open_descriptors() -> set[str]:
    return {each.name for each in Path("/proc/self/fd").iterdir()}


def test_a_hanging_tool_is_told_to_end_at_its_deadline_and_leaves_the_unit_uncertain(bench: Bench) -> None:
    started = time.monotonic()

    outcome = bench.sh("trap 'echo ending; exit 0' TERM; while :; do sleep 0.05; done", seconds=1)

    assert outcome == Uncertain("/bin/sh passed its timeout of 1s")
    assert bench.lines[-1] == "ending"
    assert time.monotonic() - started < 5


def test_a_tool_that_ignores_sigterm_is_killed_after_the_grace(bench: Bench) -> None:
    started = time.monotonic()

    outcome = bench.sh("trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done", seconds=1)

    assert isinstance(outcome, Uncertain)
    assert 1.3 < time.monotonic() - started < 6
    assert not is_running(pid_in(bench.checkout / "pid"))


def test_children_of_a_tool_that_was_told_to_end_get_the_grace_too(bench: Bench) -> None:
    bench.context.grace = 10
    child = "trap 'sleep 0.3; echo clean > done; exit 0' TERM; while :; do sleep 0.05; done"

    bench.sh(f'sh -c "{child}" & wait', seconds=0.5)

    assert (bench.checkout / "done").exists()


def test_children_that_a_tool_leaves_behind_are_killed(bench: Bench) -> None:
    outcome = bench.sh("sleep 60 > /dev/null 2>&1 & echo $! > pid")

    assert outcome == Succeeded()
    child = pid_in(bench.checkout / "pid")
    assert eventually(lambda: not is_running(child))


@pytest.mark.parametrize("start", ["sleep 60", "setsid sleep 60"])
def test_children_that_hold_the_streams_do_not_hang_the_unit(bench: Bench, start: str) -> None:
    started = time.monotonic()

    assert bench.sh(f"{start} & echo $! > pid") == Succeeded()

    assert time.monotonic() - started < 5
    os.system(f"kill -9 {pid_in(bench.checkout / 'pid')} 2> /dev/null")


def test_the_last_lines_of_a_copying_child_are_not_lost(bench: Bench) -> None:
    bench.program("run.sh", "#!/bin/bash\nexec > >(sleep 0.1; cat) 2>&1\necho last\n")

    assert bench.command(["./run.sh"]) == Succeeded()
    assert bench.lines == ["last"]


def test_a_tool_that_closes_its_streams_is_still_waited_for(bench: Bench) -> None:
    outcome = bench.sh("exec > /dev/null 2>&1 >&- 2>&-; sleep 0.3; exit 4")

    assert isinstance(outcome, Failed)
    assert "exit code 4" in outcome.message


def test_both_streams_are_shown_in_their_order(bench: Bench) -> None:
    bench.sh("echo one; echo two >&2; echo three")

    assert bench.lines == ["one", "two", "three"]


def test_captured_stdout_is_private_and_exact(bench: Bench) -> None:
    result = bench.context.run(["/bin/sh", "-c", r"printf 'a\000\377'; echo shown >&2"], capture_stdout=True)

    assert result.stdout == b"a\0\xff"
    assert bench.lines == ["shown"]


def test_output_is_shown_while_the_tool_runs(bench: Bench) -> None:
    """The tool only ends once its first line has been seen."""
    seen = bench.checkout / "seen"
    bench.context.sink = lambda line: seen.touch()

    assert bench.sh("echo first; while [ ! -e seen ]; do sleep 0.02; done", seconds=10) == Succeeded()


@pytest.mark.parametrize(
    ("script", "shown"),
    [
        (r"printf 'caf\351\n'", ["caf\ufffd"]),
        (r"printf 'a\000b\n'", ["a\ufffdb"]),
        (r"printf 'one\r\ntwo\r10%%\r20%%'", ["one", "two", "10%", "20%"]),
        (r"printf 'no end'", ["no end"]),
        (r"printf '\033[1mbold\033[0m\n'", ["\x1b[1mbold\x1b[0m"]),
        (r"printf 'a\033[2K\033[1Gb\033]0;title\007c\033(Bd\033[?25l\n'", ["abcd"]),
        (r"printf 'a\n\nb\n'", ["a", "", "b"]),
        ("true", []),
    ],
)
def test_any_bytes_come_out_as_lines_of_text(bench: Bench, script: str, shown: list[str]) -> None:
    bench.sh(script)

    assert bench.lines == shown


@pytest.mark.parametrize("flood", ["yes | head -c 50000000", "head -c 50000000 /dev/zero"])
def test_a_flood_is_cut_with_a_note_and_little_memory(bench: Bench, flood: str) -> None:
    shown = 0
    last = ""

    def count(line: str) -> None:
        nonlocal shown, last
        shown += len(line)
        last = line

    bench.context.sink = count
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    assert bench.sh(flood) == Succeeded()

    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000
    assert shown < 40_000_000
    assert "further bytes of output are not shown" in last


def test_a_sink_that_fails_does_not_decide_how_the_unit_ends(bench: Bench) -> None:
    def broken(_line: str) -> None:
        raise BrokenPipeError

    bench.context.sink = broken

    assert bench.sh("echo one; echo two") == Succeeded()


@pytest.mark.parametrize(("sent", "got"), [("INT", "INT"), ("TERM", "TERM"), ("HUP", "TERM")])
def test_cancelling_passes_the_signal_to_the_group(bench: Bench, sent: str, got: str) -> None:
    ready = bench.checkout / "ready"
    number = getattr(signal, f"SIG{sent}")
    thread = cancel_when(bench, ready, number)

    outcome = bench.sh(
        'for s in INT TERM HUP; do trap "echo $s; exit 7" $s; done; touch ready; while :; do sleep 0.02; done'
    )

    thread.join()
    assert outcome == Uncertain("the run was cancelled while /bin/sh ran")
    assert bench.lines[-1] == got


def test_a_tool_that_finishes_after_the_signal_has_finished(bench: Bench) -> None:
    thread = cancel_when(bench, bench.checkout / "ready", signal.SIGTERM)

    outcome = bench.sh(
        """trap 'echo "{\\"host\\": \\"a\\"}" > "$NYL_OUTPUTS"; exit 0' TERM; touch ready; """
        "while :; do sleep 0.02; done",
        {"host": "string"},
    )

    thread.join()
    assert outcome == Succeeded({"host": "a"})


@pytest.mark.parametrize("end", ["exit 0", "echo '{' > $NYL_OUTPUTS; exit 0"])
def test_exit_0_without_valid_outputs_after_the_signal_is_uncertain(bench: Bench, end: str) -> None:
    thread = cancel_when(bench, bench.checkout / "ready", signal.SIGTERM)

    outcome = bench.sh(f'trap "{end}" TERM; touch ready; while :; do sleep 0.02; done', {"host": "string"})

    thread.join()
    assert isinstance(outcome, Uncertain)


def test_a_tool_that_ignores_the_signal_is_killed_after_the_grace(bench: Bench) -> None:
    thread = cancel_when(bench, bench.checkout / "ready", signal.SIGTERM)

    outcome = bench.sh("trap '' TERM; echo $$ > pid; touch ready; while :; do sleep 0.02; done")

    thread.join()
    assert outcome == Uncertain("the run was cancelled while /bin/sh ran")
    assert not is_running(pid_in(bench.checkout / "pid"))


def test_a_tool_of_a_run_has_30_seconds_to_end() -> None:
    assert UnitContext.grace == 30


def test_a_second_signal_kills_at_once(bench: Bench) -> None:
    bench.context.grace = 60
    thread = cancel_when(bench, bench.checkout / "ready", signal.SIGINT, signal.SIGINT)
    started = time.monotonic()

    outcome = bench.sh("trap '' INT TERM; touch ready; while :; do sleep 0.02; done")

    thread.join()
    assert isinstance(outcome, Uncertain)
    assert time.monotonic() - started < 10


def test_nothing_starts_after_a_cancel(bench: Bench) -> None:
    bench.cancellation.cancel()

    outcome = bench.sh("touch ran")

    assert isinstance(outcome, Failed)
    assert outcome.retryable
    assert not (bench.checkout / "ran").exists()


def test_one_cancel_ends_every_running_tool(tmp_path: Path, bench_with: Callable[..., Bench]) -> None:
    bench = bench_with()
    ready = bench.checkout / "ready"
    thread = cancel_when(bench, ready, signal.SIGTERM)
    results = [
        threading.Thread(target=bench.context.run, args=(["/bin/sh", "-c", "touch ready; sleep 60"],)) for _ in range(4)
    ]

    for each in results:
        each.start()
    for each in (*results, thread):
        each.join(10)

    assert not any(each.is_alive() for each in results)


def test_no_descriptors_and_processes_are_left(bench: Bench) -> None:
    before = open_descriptors()

    for script in ("true", "exit 1", "kill -9 $$", "sleep 9 &"):
        bench.sh(script)
    bench.command(["./missing"])

    assert open_descriptors() == before


def test_a_tool_inherits_no_descriptor(bench: Bench) -> None:
    with Path("/dev/null").open() as file:
        os.set_inheritable(file.fileno(), True)
        bench.sh("ls /proc/self/fd | wc -l")

    assert int(bench.lines[0]) <= 4


def test_tools_are_watched_where_the_system_has_no_process_descriptors(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "pidfd_open")

    assert isinstance(bench.sh("echo one; exit 3"), Failed)
    assert isinstance(bench.sh("sleep 60", seconds=0.3), Uncertain)
    assert bench.lines[0] == "one"


def test_a_lost_exit_status_leaves_the_unit_uncertain(bench: Bench) -> None:
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        outcome = bench.sh("exit 3")
    finally:
        signal.signal(signal.SIGCHLD, before)

    assert outcome == Uncertain("the exit status of /bin/sh was lost")
