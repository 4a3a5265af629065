"""Whether an approval counts: an execution, or the teardown of a recorded incarnation, against what was approved. Pure.

Follows the section Approvals of the Runs page. An approval is of one execution key, and where it names a digest, of one
change.
"""

from nyl.core.dataclass import dataclass
from nyl.project.units import ApprovalBinding, ApprovalPolicy


@dataclass(frozen=True)
class Authorization:
    """What an approval authorizes. `uid` is the incarnation whose teardown it is; None for an execution."""

    key: str
    """The execution key that the unit had at first."""
    digest: str | None = None
    """The digest of the change that was reviewed; None where none was named."""
    uid: str | None = None


@dataclass(frozen=True)
class Subject:
    """An execution or a teardown, as far as approvals are concerned."""

    key: str
    uid: str | None = None
    policy: ApprovalPolicy | None = None
    """`approval` of the unit's spec; None where none is declared."""
    replanned: str | None = None
    """The digest of what it would change, where its driver found in this run that this is not what was approved."""
    repaired: bool = False
    """Whether its own tool worked on it, so that only an approval of the resulting change counts."""


def what_lacks(subject: Subject, approval: Authorization | None, need: str) -> str:
    """Why it waits for an approval; empty where it has the one that it needs, or needs none.

    `need` is why it needs one apart from what was approved, empty where it does not. An approval that names a digest is
    held against the change even then.
    """
    if subject.replanned is not None:
        return not_what_was_approved(subject.replanned)
    if approval is None:
        return need
    held = need or ("an approval of one change is held against it" if approval.digest is not None else "")
    if not held:
        return ""
    if (approval.key, approval.uid) != (subject.key, subject.uid):
        return f"{held}; what was approved is another execution key, which it had when the run began"
    if approval.digest is None and subject.repaired:
        return need
    if approval.digest is None and subject.policy is not None and subject.policy.require_digest:
        return "its approval must name the digest of a reviewed change (requireDigest: true)"
    return ""


def counts(subject: Subject, approval: Authorization | None) -> bool:
    """Whether an approval that was given is of just this."""
    return approval is not None and not what_lacks(subject, approval, "it needs an approval")


def manual(policy: ApprovalPolicy | None) -> str:
    """Why a unit with this policy needs an approval; empty without one."""
    return "it needs an approval (approval: manual)" if policy is not None else ""


def not_what_was_approved(digest: str) -> str:
    """That what an execution or teardown would change has another digest than what was approved."""
    return f"what it would change is not what was approved; its digest is {digest} now"


def approve_option(unit: str, policy: ApprovalPolicy | None = None, digest: str | None = None) -> str:
    """The option that approves a unit, with a digest where it is known, or where the policy is about changes."""
    if digest is None and policy is not None and policy.bind is ApprovalBinding.PLAN:
        digest = "<digest>"
    return f"--approve {unit}" + (f"={digest}" if digest else "")
