from collections.abc import Iterator
from itertools import count

from nyl.engine.events import Event, OutputEnded, Step, UnitEnded, UnitOutput, UnitStarted
from nyl.engine.results import Result
from nyl.github.log_groups import UnitGroups
from tests.support.runner_commands import Processed, process


def tokens() -> Iterator[str]:
    return (f"token-{number}" for number in count())


class Shown:
    """What the runner makes of events; `told` is the last word of each."""

    def __init__(self) -> None:
        known = tokens()
        self.groups = UnitGroups(lambda: next(known))
        self.lines: list[str] = []

    def of(self, *events: Event) -> "Shown":
        for event in events:
            self.lines += self.groups.arrange(event, told(event))
        return self

    def log(self) -> Processed:
        self.lines += self.groups.end()
        log = process(self.lines)
        assert not log.stopped
        assert not log.is_open
        return log

    def grouped(self) -> list[tuple[str, list[str]]]:
        return [(each.title, each.lines) for each in self.log().groups]


def told(event: Event) -> list[str]:
    match event:
        case UnitStarted():
            return [f"{event.unit} started"]
        case UnitEnded():
            return [f"{event.unit} ended"]
        case UnitOutput():
            return [event.line]
        case Step():
            return [event.text]
    return []


def starts(unit: str) -> Event:
    return UnitStarted("dev", unit, "")


def ends(unit: str) -> Event:
    return UnitEnded("dev", unit, Result.EXECUTED, 1.0)


def silent(unit: str) -> Event:
    return OutputEnded("dev", unit)


def prints(unit: str, line: str) -> Event:
    return UnitOutput("dev", unit, line)


def test_a_units_output_is_folded_and_its_start_and_end_are_not() -> None:
    shown = Shown().of(starts("a"), prints("a", "1"), prints("a", "2"), ends("a"))
    assert shown.grouped() == [("dev/a", ["1", "2"])]
    assert shown.log().outside == ["a started", "a ended"]


def test_a_unit_that_prints_nothing_has_no_group() -> None:
    assert Shown().of(starts("a"), ends("a")).grouped() == []


def test_the_live_units_lines_are_there_at_once() -> None:
    shown = Shown().of(starts("a"), prints("a", "1"))
    assert shown.lines[-1] == "1"


def test_another_units_lines_wait_until_it_ends() -> None:
    shown = Shown().of(
        starts("a"), starts("b"), prints("a", "a1"), prints("b", "b1"), prints("a", "a2"), prints("b", "b2")
    )
    assert "b1" not in shown.lines
    shown.of(ends("b"), prints("a", "a3"), ends("a"))
    assert shown.grouped() == [("dev/a", ["a1", "a2"]), ("dev/b", ["b1", "b2"]), ("dev/a (continued)", ["a3"])]


def test_when_the_live_unit_ends_the_next_shows_what_it_kept_and_goes_on_live() -> None:
    shown = Shown().of(prints("a", "a1"), prints("b", "b1"), prints("c", "c1"), ends("a"))
    assert shown.lines[-1] == "b1"
    assert shown.of(prints("b", "b2")).lines[-1] == "b2"
    assert shown.grouped() == [("dev/a", ["a1"]), ("dev/b", ["b1", "b2"]), ("dev/c", ["c1"])]


def test_a_step_that_ends_makes_room_for_the_next_unit_and_leaves_others_alone() -> None:
    shown = Shown().of(prints("a", "a1"), prints("b", "b1"), silent("c"), prints("a", "a2"), silent("a"))
    assert shown.lines[-1] == "b1"
    shown.of(silent("b"), prints("a", "a3"), silent("a"), ends("a"))
    assert shown.grouped() == [("dev/a", ["a1", "a2"]), ("dev/b", ["b1"]), ("dev/a", ["a3"])]
    assert shown.log().outside == ["a ended"]


def test_words_of_nyl_close_a_group_that_the_next_line_opens_again() -> None:
    shown = Shown().of(prints("a", "1"), Step("dev", "waiting"), prints("a", "2"))
    assert shown.grouped() == [("dev/a", ["1"]), ("dev/a (continued)", ["2"])]
    assert shown.log().outside == ["waiting"]


def test_units_take_turns_while_the_live_one_is_silent() -> None:
    shown = Shown().of(prints("a", "a1"), prints("b", "b1"))
    shown.lines += shown.groups.aside(["still running"])
    assert shown.lines[-1] == "b1"
    shown.of(prints("b", "b2"), prints("a", "a2"), ends("b"), ends("a"))
    assert shown.grouped() == [("dev/a", ["a1"]), ("dev/b", ["b1", "b2"]), ("dev/a (continued)", ["a2"])]
    assert shown.log().outside == ["still running", "b ended", "a ended"]


def test_what_is_left_at_the_end_is_shown() -> None:
    assert Shown().of(prints("a", "a1"), prints("b", "b1")).grouped() == [("dev/a", ["a1"]), ("dev/b", ["b1"])]


def test_much_kept_output_comes_back_whole() -> None:
    shown = Shown().of(prints("a", "a"), *(prints("b", "x" * 1000) for _ in range(2000)), ends("a"), ends("b"))
    assert shown.grouped()[1] == ("dev/b", ["x" * 1000] * 2000)


def test_the_runner_obeys_nothing_that_a_unit_prints() -> None:
    hostile = [
        "::error::x",
        "  ::set-output name=a::b",
        "##[error]x",
        "text ##[add-mask]x",
        "::stop-commands::token-0",
        "::token-1::",
        "##[token-1]",
        "::endgroup::",
        "##[endgroup]",
    ]
    log = Shown().of(*(prints("a", line) for line in hostile), ends("a"), prints("b", "::add-mask::b"), ends("b")).log()
    assert [(each.name, each.data) for each in log.commands] == [
        ("group", "dev/a"),
        ("endgroup", ""),
        ("group", "dev/b"),
        ("endgroup", ""),
    ]
    assert log.groups[0].lines == hostile
