import io
import time
from collections.abc import Callable

import pytest

from nyl.core.clock import SystemClock
from nyl.engine.events import Event, Step, UnitEnded, UnitOutput, UnitStarted, WaveStarted
from nyl.engine.results import Result
from nyl.github.log_groups import UnitGroups
from nyl.report.live_progress import LiveProgress
from nyl.report.plain_progress import PlainProgress
from nyl.report.progress import ProgressMode, SilentProgress, progress_view
from nyl.report.progress_lines import elapsed
from tests.support.runner_commands import process

STARTED = UnitStarted("dev", "database", "no receipt")
ENDED = UnitEnded("dev", "database", Result.FAILED, 1.23, "exit code 3")
OUTPUT = UnitOutput("dev", "database", "creating\x1b[31m")


def shown(*events: Event, unit_output: bool = True) -> str:
    stream = io.StringIO()
    with PlainProgress(stream, SystemClock(), unit_output=unit_output) as progress:
        for event in events:
            progress(event)
    return stream.getvalue()


def test_every_unit_has_a_line_at_its_start_and_end() -> None:
    assert shown(STARTED, ENDED) == ("dev/database: started: no receipt\ndev/database: failed in 1.2s: exit code 3\n")


def test_unit_output_is_indented_and_labelled_without_its_colours() -> None:
    assert shown(OUTPUT) == "    dev/database | creating\n"


def test_quiet_unit_output_keeps_starts_and_ends() -> None:
    assert shown(STARTED, OUTPUT, ENDED, unit_output=False).count("\n") == 2


def test_a_carriage_return_in_output_starts_a_labelled_line() -> None:
    assert shown(UnitOutput("dev", "a", "10%\r20%")) == "    dev/a | 10%\n    dev/a | 20%\n"


def test_waves_and_steps_are_told() -> None:
    assert shown(WaveStarted("dev", 2, 1, 5), Step(None, "fetching"), Step("dev", "waiting")) == (
        "dev: 2 units start, 1 of 5 done\nfetching\ndev: waiting\n"
    )


def until_said(text: str, stream: io.StringIO) -> None:
    deadline = time.monotonic() + 5
    while text not in stream.getvalue():
        assert time.monotonic() < deadline, stream.getvalue()
        time.sleep(0.005)


def wait_for(
    text: str, stream: io.StringIO, act: Callable[[PlainProgress], None], first: float, silence: float
) -> None:
    with PlainProgress(stream, SystemClock(), first_word=first, silence=silence) as progress:
        act(progress)
        until_said(text, stream)


def test_something_is_said_when_the_first_word_is_late() -> None:
    wait_for("reading the project (", io.StringIO(), lambda _progress: None, first=0.02, silence=60)


def test_silence_is_broken_by_what_runs() -> None:
    wait_for("still running: dev/database (", io.StringIO(), lambda view: view(STARTED), first=60, silence=0.02)


def test_quick_work_says_nothing_by_itself() -> None:
    assert shown() == ""


def test_a_stream_that_went_away_does_not_stop_the_work() -> None:
    stream = io.StringIO()
    with PlainProgress(stream, SystemClock()) as progress:
        stream.close()
        progress(STARTED)
        progress(ENDED)


def test_the_live_view_keeps_lines_and_shows_markup_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")  # a dumb terminal, as some CI systems have, gets no cursor codes
    stream = io.StringIO()
    with LiveProgress(stream, SystemClock()) as progress:
        for event in (WaveStarted("dev", 1, 0, 2), STARTED, UnitOutput("dev", "a", "[bold]x[/bold]\x1b[2J"), ENDED):
            progress(event)
    text = stream.getvalue()
    assert "dev/database: started: no receipt" in text
    assert "[bold]x[/bold]\\x1b[2J" in text
    assert "\x1b[2J" not in text
    assert text.rstrip().endswith("\x1b[?25h") or "\x1b[?25h" in text


def test_off_shows_nothing() -> None:
    assert isinstance(progress_view(ProgressMode.OFF, {}, SystemClock(), unit_output=True), SilentProgress)


def test_auto_is_plain_where_stderr_is_no_terminal() -> None:
    view = progress_view(ProgressMode.AUTO, {"TERM": "xterm"}, SystemClock(), unit_output=True)
    assert isinstance(view, PlainProgress)


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.04, "0.0s"), (59.9, "59.9s"), (185, "3m05s"), (3720, "1h02m"), (59.99, "1m00s")]
)
def test_elapsed_time_is_said_as_people_do(seconds: float, text: str) -> None:
    assert elapsed(seconds) == text


def test_quick_work_keeps_its_steps_to_itself() -> None:
    stream = io.StringIO()
    with PlainProgress(stream, SystemClock(), steps_at_once=False) as progress:
        progress(Step(None, "planning"))
    assert stream.getvalue() == ""


def test_a_step_that_takes_its_time_is_told() -> None:
    stream = io.StringIO()
    with PlainProgress(stream, SystemClock(), steps_at_once=False, first_word=0.02) as progress:
        progress(Step(None, "fetching"))
        until_said("fetching (", stream)
        progress(Step(None, "resolving"))
    assert stream.getvalue().startswith("fetching (")
    # On a busy machine the next step takes its time as well.
    assert "\nresolving" in stream.getvalue()


@pytest.mark.parametrize(
    ("mode", "environ", "folds"),
    [
        (ProgressMode.AUTO, {"GITHUB_ACTIONS": "true"}, True),
        (ProgressMode.PATIENT, {"GITHUB_ACTIONS": "true"}, True),
        (ProgressMode.PLAIN, {"GITHUB_ACTIONS": "true"}, False),
        (ProgressMode.AUTO, {"CI": "true"}, False),
    ],
)
def test_github_actions_gets_groups_unless_the_user_asked_for_lines(
    mode: ProgressMode, environ: dict[str, str], folds: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    with progress_view(mode, environ, SystemClock(), unit_output=True, groups=UnitGroups) as progress:
        for event in (STARTED, OUTPUT, ENDED):
            progress(event)
    said = capsys.readouterr().err
    assert ("::group::dev/database\n" in said) is folds
    assert "    dev/database | creating" in said


def test_groups_are_ended_when_the_work_ends_with_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        with progress_view(
            ProgressMode.AUTO, {"GITHUB_ACTIONS": "true"}, SystemClock(), unit_output=True, groups=UnitGroups
        ) as progress:
            progress(OUTPUT)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    log = process(capsys.readouterr().err.splitlines())
    assert not log.stopped
    assert not log.is_open
