"""Damaged leases and refs of runs: the error that names the ref, and the command that does away with it.

Such refs lock an environment, and no operation of nyl can repair what it cannot read.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.updates import RefStore
from nyl.state.by_hand import move_command
from nyl.state.refs import RunRefKind, StateRefs

DeleteCommand = Callable[[str, str], str]
"""The command that deletes a ref which is at a commit."""


def delete_command(remote: RefStore) -> DeleteCommand:
    """How refs of a remote, or of the repository itself, are deleted by hand."""

    return lambda ref, commit: move_command(remote, ref, None, commit)


@contextmanager
def naming(refs: StateRefs, ref: str, commit: str, delete: DeleteCommand) -> Iterator[None]:
    """Makes NYL-STATE-CORRUPT of what is read from a coordination ref meanwhile tell of the ref and of the way out."""
    try:
        yield
    except NylError as error:
        known = error.diagnostic
        if known.code is not Code.STATE_CORRUPT:
            raise
        raise NylError(
            Code.STATE_CORRUPT,
            f"{ref} is damaged: {known.message}",
            f"make sure that nothing works on {refs.environment} any more, then give the ref up with "
            f"`{delete(ref, commit)}`; {_LOSSES[_kind(refs, ref)]}",
            environment=refs.environment,
            location=known.location,
        ) from error


def _kind(refs: StateRefs, ref: str) -> RunRefKind | None:
    parsed = refs.parse_run(ref)
    return parsed[0] if parsed else None


_LOSSES = {
    None: "what runs recorded is on their run refs, and the next run imports it",
    RunRefKind.RUNS: "nothing that its run recorded there is imported then, so check what its units did",
    RunRefKind.SIGNALS: "the holds that it carries are lost then, so hold those units again",
    RunRefKind.EVIDENCE: "`nyl recover --accept` can adopt nothing of it then",
}
"""What is lost with a ref; None stands for the lease."""
