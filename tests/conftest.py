"""What all tests have in common."""

import signal


def pytest_configure() -> None:
    """Heeds the signals that a shell lets its background jobs ignore: what tests start would ignore them, too."""
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)
