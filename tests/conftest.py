"""What all tests have in common.

Property tests try few enough cases for a busy machine, and the same ones every time; with `--hypothesis-profile soak`
many, and others each time.
"""

import signal

from hypothesis import HealthCheck, settings

_ANYWHERE = settings(deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("nyl", _ANYWHERE, max_examples=40, derandomize=True)
settings.register_profile("soak", _ANYWHERE, max_examples=1_000, derandomize=False)
settings.load_profile("nyl")


def pytest_configure() -> None:
    """Heeds the signals that a shell lets its background jobs ignore: what tests start would ignore them, too."""
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)
