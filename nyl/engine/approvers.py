"""Who approved what an invocation approves: an audit record, not a control.

Follows the section Approvals of the Runs page. The identity flags come first; then in CI the project's lookup, the
lookup of the CI system, and at last the run without a name; on a workstation the Git user.
"""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Protocol

from nyl.core.dataclass import dataclass
from nyl.git.config import Identity
from nyl.state.documents import Data


class ApproverIdentity(StrEnum):
    """How it is known who approved."""

    ASSERTED = "asserted"
    """The command line says so."""
    LOCAL = "local"
    """It is the Git user of a workstation."""
    VERIFIED = "verified"
    """A lookup said so."""
    UNVERIFIED = "unverified"
    """Nothing tells who let the CI run start."""


@dataclass(frozen=True)
class ApprovalQuestion:
    """What is approved in one environment."""

    environment: str
    units: tuple[str, ...]
    """The units that `--approve` names; none of those that only --approve-all means."""
    digests: Mapping[str, str | None]
    """Those units with the digest of the change that was reviewed; None where none was named."""


@dataclass(frozen=True)
class Approver:
    """Who approved, and from where that is known."""

    by: tuple[str, ...]
    source: str
    identity: ApproverIdentity
    url: str | None = None
    """Where the lookup of the project found it."""
    command: tuple[str, ...] = ()
    """That lookup's program and arguments."""

    def record(self, digest: str | None) -> Data:
        """What receipts and transitions keep of an approval; it was reviewed when it names the digest of a change."""
        looked_up = {"url": self.url, "command": list(self.command)}
        return {
            "by": list(self.by),
            "source": self.source,
            "identity": self.identity.value,
            "digest": digest,
            "reviewed": digest is not None,
            **{name: value for name, value in looked_up.items() if value},
        }


class ApproverLookup(Protocol):
    """Finds out who approved."""

    def __call__(self, question: ApprovalQuestion) -> Approver | None:
        """The approvers; None where it cannot tell. Raises NYL-APPROVAL-INVALID to stop the invocation."""


@dataclass(frozen=True)
class Approvers:
    """Where it is known from who approves in an invocation."""

    user: Identity
    """The Git user, or who --author names."""
    ci_run: str | None
    """The CI run; None on a workstation."""
    asserted_by: tuple[str, ...] = ()
    asserted_source: str | None = None
    lookups: tuple[ApproverLookup, ...] = field(default=())
    """What is asked in CI, in this order."""

    @property
    def asks(self) -> bool:
        """Whether a lookup is asked, which may take a while."""
        return bool(self.lookups) and self.ci_run is not None and not self._asserted

    @property
    def _asserted(self) -> bool:
        return bool(self.asserted_by or self.asserted_source)

    def __call__(self, question: ApprovalQuestion) -> Approver:
        """Who approves in one environment. Raises what a lookup raises."""
        if self._asserted:
            source = self.asserted_source or self.ci_run or "local"
            return Approver(self.asserted_by, source, ApproverIdentity.ASSERTED)
        if self.ci_run is None:
            return Approver((str(self.user),), "local", ApproverIdentity.LOCAL)
        for lookup in self.lookups:
            found = lookup(question)
            if found is not None:
                return found
        return Approver((), self.ci_run, ApproverIdentity.UNVERIFIED)
