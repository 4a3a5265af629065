"""The kinds of `test.nyl.example/v1`: Probe, CommittedOnly, Waiter, Preview and Broken."""

from nyl.units.driver import Driver
from nyl_test_drivers.broken import Broken
from nyl_test_drivers.committed import CommittedOnly
from nyl_test_drivers.preview import Preview
from nyl_test_drivers.probe import Probe
from nyl_test_drivers.waiter import Waiter


def drivers() -> tuple[Driver, ...]:
    """What the entry point gives."""
    return (Probe(), CommittedOnly(), Waiter(), Preview(), Broken())
