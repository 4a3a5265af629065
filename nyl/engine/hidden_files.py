"""Units that files may still declare which nobody can read: Git LFS pointers. They did not leave their environment."""

from collections.abc import Iterable, Iterator

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError
from nyl.engine.preparation import PreparedEnvironment
from nyl.git.lfs import is_pointer
from nyl.git.objects import ObjectReader
from nyl.state.documents import DesiredUnit
from nyl.state.lifecycles import LifecycleState


def hidden_units(
    prepared: PreparedEnvironment, recorded: Iterable[DesiredUnit], objects: ObjectReader
) -> Iterator[NylError]:
    """NYL-SOURCE-INPUT for the active units that no document declares, but that a pointer may stand for.

    What was a pointer already at a unit's source commit declares it no more than it did then.
    """
    pointers = prepared.rendered.project.pointers()
    if not pointers:
        return
    declared = {*prepared.units, *(each.name for each in prepared.rendered.project.units)}
    for document in recorded:
        unit = document.unit.name
        if document.lifecycle is not LifecycleState.ACTIVE or unit in declared:
            continue
        files = [file for file in pointers if not _was_pointer(objects, document.source_commit, file)]
        if files:
            yield NylError(
                Code.SOURCE_INPUT,
                f"No file that can be read declares unit {unit} of {prepared.name}, but {', '.join(files)} may: what "
                "is a Git LFS pointer now was none when the unit was recorded. The unit is not taken for removed.",
                "keep files with resources in Git itself (`git lfs untrack`, then `git add --renormalize .`); to let "
                "the unit go all the same, declare it with `enabled: false` in a file of Git itself",
                environment=prepared.name,
                unit=unit,
                location=Location(files[0]),
            )


def _was_pointer(objects: ObjectReader, commit: str, file: str) -> bool:
    """Whether a commit is known to have had a file as a pointer."""
    blob = objects.resolve(f"{commit}:{file}", "") if commit else None
    return blob is not None and is_pointer(objects.read(blob))
