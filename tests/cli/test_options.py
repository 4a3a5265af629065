from datetime import timedelta
from pathlib import Path

import click
import pytest

from nyl.cli.intent import operation_name, report_kind, wants_json
from nyl.cli.options import SingleOption, duration_value, labels_value
from nyl.cli.selection_options import selection
from nyl.core.exits import Exit
from nyl.engine.requests import Selection
from nyl.engine.results import ReportKind
from tests.support.commands import every_command
from tests.support.environment import clean_environment
from tests.support.warm import run_warm


def test_durations_and_labels_are_read() -> None:
    assert duration_value("1h30m") == timedelta(minutes=90)
    assert labels_value("stage=dev, tier=web") == {"stage": "dev", "tier": "web"}


@pytest.mark.parametrize("text", ["", "stage", "=x", "stage==x", "a=1,a=2"])
def test_labels_that_mean_nothing_are_refused(text: str) -> None:
    with pytest.raises(click.BadParameter):
        labels_value(text)


def test_a_selection_names_each_environment_once() -> None:
    chosen = selection(("b", "a", "b"), ({"x": "1"}, {"y": "2"}), ("g",), required=True)
    assert chosen == Selection(("b", "a"), {"x": "1", "y": "2"}, ("g",))


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("plan -o json", True),
        ("plan -ojson", True),
        ("plan --output json", True),
        ("plan --output=json", True),
        ("plan -o text", False),
        ("plan -- -o json", False),
        ("plan -o", False),
        ("get output json -e dev", False),
    ],
)
def test_json_is_recognised_however_it_is_asked_for(line: str, asked: bool) -> None:
    assert wants_json(line.split()) is asked


def test_a_command_line_tells_its_report_even_where_it_is_wrong() -> None:
    for word in ("plan", "reconcile", "status", "teardown", "validate", "verify"):
        assert report_kind([word, "--nope"]) is ReportKind(f"{word.capitalize()}Report")
    assert report_kind([]) is report_kind(["hold"]) is ReportKind.OPERATION
    assert operation_name(["state", "init", "-e", "dev"]) == "state-init"
    assert operation_name(["history", "dev"]) == "history"
    assert operation_name(["--nope"]) == ""


@pytest.mark.parametrize(
    "line",
    [
        "teardown -e dev --environment prod --all",
        "reconcile -e dev --approve a --approved-by x --approved-by y",
        "plan -e dev -o text -o json",
        "get unit a -e dev --desired --observed",
    ],
)
def test_what_a_command_takes_one_of_is_not_taken_from_the_last_of_several(line: str, tmp_path: Path) -> None:
    told = run_warm(line.split(), cwd=tmp_path, environ=clean_environment(tmp_path), exits=[Exit.ERROR], timeout=60)
    told_twice = told.stderr + told.stdout
    assert ("NYL-USAGE" in told_twice, "and this command takes one" in told_twice) == (True, True)


def test_the_same_value_twice_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    context = every_command()["history"].make_context("history", ["-e", "dev", "--environment", "dev", "--limit", "3"])
    assert (context.params["environment"], context.params["limit"]) == ("dev", 3)


def test_every_option_has_one_value_or_says_that_it_may_be_repeated() -> None:
    for name, command in every_command().items():
        for option in command.params:
            if isinstance(option, click.Option) and not isinstance(option, SingleOption) and not option.is_flag:
                assert option.multiple, f"{name} {option.opts}"
                assert "repeatable" in (option.help or ""), f"{name} {option.opts}"
            if isinstance(option, SingleOption) and not option.is_flag:
                flag = option.opts[0]
                with pytest.raises(click.BadParameter, match="it names a and b, and this command takes one"):
                    command.make_context(name, [flag, "a", flag, "b"])


def test_every_option_says_what_it_does_and_numbers_and_durations_their_default() -> None:
    for name, command in every_command().items():
        assert command.help, name
        for option in command.params:
            if isinstance(option, click.Option):
                told = option.help or ""
                assert told.endswith((".", "]")), f"{name} {option.opts}"
                if option.metavar in ("N", "DURATION"):
                    assert "[default: " in told, f"{name} {option.opts}"
                if option.metavar == "DURATION":
                    assert "such as 90s" in told, f"{name} {option.opts}"


def test_what_is_recorded_and_names_units_is_text() -> None:
    recorded = ("UNIT", "TEXT", "NAME,…", "'NAME <EMAIL>'", "UNIT[=DIGEST]")
    parameters = [(name, each) for name, command in every_command().items() for each in command.params]
    found = [(name, each) for name, each in parameters if each.metavar in recorded]
    assert [f"{name} {each.opts}" for name, each in found if _takes_any_bytes(each)] == []


def _takes_any_bytes(parameter: click.Parameter) -> bool:
    text = "a <b>\udcff"
    try:
        parameter.type_cast_value(click.Context(click.Command("")), (text,) if parameter.multiple else text)
    except click.BadParameter as error:
        return "not valid UTF-8" not in error.message
    return True
