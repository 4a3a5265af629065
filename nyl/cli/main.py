"""The entry point of `nyl`: every way a command can end becomes output and an exit code."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nyl.cli.output import Target

_OBJECTS_BETWEEN_COLLECTIONS = 200_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command line (None: the process's own) and gives the exit code. Raises nothing.

    The process is to end then, with what was told: signals are ignored once it is known how the command ended.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _run(words)
    finally:
        _let_go()


def _run(words: list[str]) -> int:
    # Whatever is not imported by now can be interrupted, and then there is still somebody to tell of it.
    try:
        from nyl.cli.signals import interrupting_signals

        with interrupting_signals():
            return _command(words)
    except SystemExit:  # click ends so when the reader of its own output went away
        return 0
    except (Exception, KeyboardInterrupt) as error:
        return _fail(error, words)


def _command(words: list[str]) -> int:
    from nyl.cli.root import root
    from nyl.cli.signals import ignore_signals

    _prepare()
    result = root.main(args=words, prog_name="nyl", standalone_mode=False)
    ignore_signals()
    _flush()
    return int(result or 0)


def _prepare() -> None:
    import gc

    from nyl.cli.streams import prepare_streams

    # Documents by the thousand are kept until the end: looking through them for cycles again and again costs more than
    # all the work on them.
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    prepare_streams()


def _flush() -> None:
    from nyl.cli.streams import write_out

    write_out("")


def _let_go() -> None:
    import gc

    from nyl.cli.streams import write_err

    # The interpreter looks for cycles once more when it ends, in memory that the system takes back a moment later.
    gc.freeze()

    # Progress that nobody could read is still in the stream: left there, it would decide how the process ends.
    write_err("")


def _fail(error: BaseException, words: list[str]) -> int:
    from nyl.cli.signals import ignore_signals

    ignore_signals()
    from nyl.cli.failures import diagnose
    from nyl.cli.intent import operation_name, report_kind, wants_json
    from nyl.cli.output import Form, emit
    from nyl.engine.results import Report

    report = Report(report_kind(words), diagnostics=diagnose(error), operation=operation_name(words))
    return int(emit(report, Form.JSON if wants_json(words) else Form.TEXT, _targets(words)))


def _targets(words: list[str]) -> "list[Target]":
    """The report files of a command line that is wrong elsewhere."""
    from contextlib import suppress

    import click

    from nyl.cli.intent import named_reports
    from nyl.cli.options import target_value

    found = []
    for text in named_reports(words):
        with suppress(click.BadParameter):
            found.append(target_value(text))
    return found


if __name__ == "__main__":
    sys.exit(main())
