"""Builds contexts and units, and executes Commands in them."""

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from nyl.core.cancellation import CancellationToken
from nyl.core.masking import Masker
from nyl.project.units import OutputDeclaration
from nyl.units.command import CommandDriver
from nyl.units.context import UnitContext
from nyl.units.driver import Driver, ReceiptFacts, ResolvedUnit, TeardownOrder
from nyl.units.execution import execute, inspect, plan, plan_teardown, tear_down, verify
from nyl.units.outcomes import InspectOutcome, Outcome, PlanOutcome, TeardownOutcome, VerifyOutcome

NO_RECEIPT = ReceiptFacts()
FRESH = TeardownOrder()
VARIABLES = {"PATH": os.defpath, "HOME": "/nowhere", "LANG": "C.UTF-8"}


def unit(
    spec: Mapping[str, Any], outputs: Mapping[str, str | OutputDeclaration] | None = None, seconds: float = 60
) -> ResolvedUnit:
    """A resolved unit dev/seed; outputs may be given by their type alone."""
    declared = {
        name: each if isinstance(each, OutputDeclaration) else OutputDeclaration(each)
        for name, each in (outputs or {}).items()
    }
    return ResolvedUnit("dev", "seed", "Command", spec, declared, timedelta(seconds=seconds))


class Bench:
    """A checkout folder and a context whose public lines are kept."""

    def __init__(self, folder: Path, *secrets: str) -> None:
        self.checkout = folder / "checkout"
        self.temporary = folder / "private"
        for each in (self.checkout, self.temporary):
            each.mkdir()
        self.lines: list[str] = []
        self.cancellation = CancellationToken()
        self.context = UnitContext(
            checkout=self.checkout,
            temporary=self.temporary,
            variables=VARIABLES,
            masker=Masker(secrets),
            sink=self.lines.append,
            cancellation=self.cancellation,
            grace=0.4,
        )

    @property
    def text(self) -> str:
        """Everything that was shown."""
        return "\n".join(self.lines)

    def program(self, name: str, text: str, mode: int = 0o755) -> Path:
        """Writes a program into the checkout."""
        path = self.checkout / name
        path.write_text(text)
        path.chmod(mode)
        return path

    def sh(
        self,
        script: str,
        outputs: Mapping[str, str | OutputDeclaration] | None = None,
        seconds: float = 60,
        **spec: Any,
    ) -> Outcome:
        """Executes a Command that is a line of shell."""
        return self.command(["/bin/sh", "-c", script], outputs, seconds, **spec)

    def command(
        self,
        argv: list[str],
        outputs: Mapping[str, str | OutputDeclaration] | None = None,
        seconds: float = 60,
        **spec: Any,
    ) -> Outcome:
        """Executes a Command."""
        return self.execute(CommandDriver(), unit({"command": argv, **spec}, outputs, seconds))

    def execute(self, driver: Driver, what: ResolvedUnit) -> Outcome:
        """Executes any unit, with a deadline of its own."""
        self.context.deadline = None
        return execute(driver, what, self.context)

    def plan(self, driver: Driver, what: ResolvedUnit, receipt: ReceiptFacts = NO_RECEIPT) -> PlanOutcome:
        """Plans any unit, with a deadline of its own."""
        self.context.deadline = None
        return plan(driver, what, self.context, receipt)

    def plan_teardown(self, driver: Driver, what: ResolvedUnit, receipt: ReceiptFacts = NO_RECEIPT) -> PlanOutcome:
        """Plans the teardown of any unit, with a deadline of its own."""
        self.context.deadline = None
        return plan_teardown(driver, what, self.context, receipt)

    def tear_down(
        self,
        driver: Driver,
        what: ResolvedUnit,
        receipt: ReceiptFacts = NO_RECEIPT,
        order: TeardownOrder = FRESH,
    ) -> TeardownOutcome:
        """Tears any unit down, with a deadline of its own."""
        self.context.deadline = None
        return tear_down(driver, what, self.context, receipt, order)

    def verify(self, driver: Driver, what: ResolvedUnit, receipt: ReceiptFacts = NO_RECEIPT) -> VerifyOutcome:
        """Verifies any unit, with a deadline of its own."""
        self.context.deadline = None
        return verify(driver, what, self.context, receipt)

    def inspect(self, driver: Driver, what: ResolvedUnit, receipt: ReceiptFacts = NO_RECEIPT) -> InspectOutcome:
        """Inspects any unit, with a deadline of its own."""
        self.context.deadline = None
        return inspect(driver, what, self.context, receipt)


def eventually(condition: Callable[[], bool], seconds: float = 10) -> bool:
    """Whether a condition comes true in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def is_running(pid: int) -> bool:
    """Whether a process runs; one that only waits to be reaped does not."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    return False
