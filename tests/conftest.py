"""What all tests have in common.

Property tests try few enough cases for a busy machine, and the same ones every time.
"""

import signal

from hypothesis import HealthCheck, settings

settings.register_profile(
    "nyl",
    max_examples=40,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("nyl")


def pytest_configure() -> None:
    """Heeds the signals that a shell lets its background jobs ignore: what tests start would ignore them, too."""
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)
