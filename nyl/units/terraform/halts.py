"""Why the work on a unit ends early."""

from nyl.units.outcomes import Failed, FailureCategory, Uncertain


class Halt(Exception):
    """Ends the work on a unit. The text is a clause such as `terraform plan ended with exit code 1`.

    `interrupted` says that a tool was not let finish, or was lost, so that its exit code tells nothing.
    """

    def __init__(
        self,
        why: str,
        category: FailureCategory = FailureCategory.EXECUTION,
        *,
        retryable: bool = True,
        interrupted: bool = False,
    ) -> None:
        super().__init__(why)
        self._failed = Failed(category, retryable, why)
        self._interrupted = interrupted

    @property
    def without_effect(self) -> Failed:
        """What it means for work that has no effect."""
        return self._failed

    @property
    def with_effect(self) -> Failed | Uncertain:
        """What it means for an execution or a teardown."""
        return Uncertain(self._failed.message) if self._interrupted else self._failed
