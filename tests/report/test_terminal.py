import os
import pty
import select
import subprocess
import sys
from pathlib import Path

from tests.support.environment import clean_environment

SCRIPT = """
import os, time
from nyl.core.clock import SystemClock
from nyl.engine.events import UnitEnded, UnitStarted, WaveStarted
from nyl.engine.results import Result
from nyl.report.progress import ProgressMode, progress_view
with progress_view(ProgressMode.AUTO, os.environ, SystemClock(), unit_output=True) as show:
    show(WaveStarted('dev', 1, 0, 3))
    show(UnitStarted('dev', 'database', 'no receipt'))
    time.sleep(0.4)
    show(UnitEnded('dev', 'database', Result.EXECUTED, 0.4))
"""


def on_a_terminal(home: Path, **variables: str) -> str:
    """What the script prints when its stderr is a terminal of 80 columns."""
    ours, theirs = pty.openpty()
    environ = clean_environment(home) | {"COLUMNS": "80", "LINES": "24"} | variables
    child = subprocess.Popen([sys.executable, "-c", SCRIPT], stderr=theirs, stdin=theirs, env=environ)
    os.close(theirs)
    text = b""
    poller = select.poll()  # a process of many tests has more open files than `select` takes
    poller.register(ours, select.POLLIN)
    try:
        while poller.poll(10_000):
            text += os.read(ours, 4096)
    except OSError:
        pass  # the other side of a terminal closes with an error
    finally:
        os.close(ours)
        child.wait(10)
    return text.decode()


def test_a_terminal_gets_a_live_view_that_it_is_left_clean_of(tmp_path: Path) -> None:
    text = on_a_terminal(tmp_path, TERM="xterm-256color")
    assert "0 of 3 done, 1 running, 2 waiting" in text
    assert "dev/database: executed in 0.4s" in text
    assert text.count("\x1b[?25l") == text.count("\x1b[?25h") == 1


def test_ci_and_dumb_terminals_get_lines(tmp_path: Path) -> None:
    for variables in ({"TERM": "dumb"}, {"TERM": "xterm", "CI": "true"}):
        text = on_a_terminal(tmp_path, **variables)
        assert "dev/database: started: no receipt\r\n" in text
        assert "\x1b" not in text
