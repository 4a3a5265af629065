"""What bindings of a target may not name, whatever the files that they name hold."""

import posixpath
from collections.abc import Iterator, Sequence

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.core.pointers import join
from nyl.kubernetes.inputs.bindings import Binding, BindingContext, FromGit, FromPublication, FromUnit
from nyl.kubernetes.inputs.state_paths import SyncedFolders
from nyl.project.repositories import spellings


def check_bindings(context: BindingContext, bindings: Sequence[Binding]) -> Iterator[NylError]:
    """NYL-STATE-PATH for state files that cannot lie where they are bound, or that two carry files are carried to.

    NYL-INPUT-BINDING for locks of files of the target's own publication.
    """
    synced = SyncedFolders(context.synced_folders)
    carried: dict[str, tuple[Binding, FromPublication]] = {}
    for binding in bindings:
        source = binding.source
        if isinstance(source, FromGit) and _is_own_publication(context, source):
            yield _own_publication(context, binding)
        if not isinstance(source, FromPublication):
            continue
        problem = synced.problem(source.path)
        if problem is not None:
            place = join(binding.place, "fromPublication", "path")
            fix = "choose a path beside them, such as `state/images.json`"
            yield context.error(Code.STATE_PATH, place, f"{source.path} {problem}.", fix)
        first, known = carried.setdefault(source.path, (binding, source))
        if _carried(known) != _carried(source):
            yield _two_carry_files(context, (first, known), (binding, source))


def refused_unit(context: BindingContext, binding: Binding) -> NylError | None:
    """NYL-INPUT-BINDING for a `fromUnit` where nothing resolves it, or resolved something else."""
    if not isinstance(binding.source, FromUnit):
        return None
    if context.units is None:
        sentence = "uses fromUnit, which is reserved for orchestration: rendering a tree cannot resolve it."
        fix = f"publish {context.target.name} with a KubernetesPublication unit, or bind value, fromFile or fromGit"
    elif context.units.values is None or context.units.is_known(str(binding.address), binding.input):
        return None
    else:
        sentence, fix = "uses fromUnit, and its reference was not resolved.", "run the command again"
    return context.error(Code.INPUT_BINDING, binding.place, sentence, fix)


def _carried(source: FromPublication) -> str | None:
    return None if source.carry is None else posixpath.normpath(source.carry)


def _is_own_publication(context: BindingContext, source: FromGit) -> bool:
    publication, lock = context.target.publication, source.lock
    if lock.revision.removeprefix("refs/heads/") != publication.revision:
        return False
    if publication.prefix and not lock.path.startswith(f"{publication.prefix}/"):
        return False
    own = spellings(publication.repository, context.own_url)
    return not own.isdisjoint(spellings(lock.repository, context.own_url))


def _own_publication(context: BindingContext, binding: Binding) -> NylError:
    sentence = "locks a file of the target's own publication, which each publication makes stale again."
    fix = "use fromPublication, which reads the target's own state"
    return context.error(Code.INPUT_BINDING, join(binding.place, "fromGit"), sentence, fix)


def _two_carry_files(
    context: BindingContext, one: tuple[Binding, FromPublication], other: tuple[Binding, FromPublication]
) -> NylError:
    first, second = (each[1].carry or "no file" for each in (one, other))
    place = context.place(one[0].place)
    sentence = f"carries {second} to {other[1].path}, to which the binding of {one[0]} at {place} carries {first}."
    fix = "let all bindings of one path name the same carryFileFromWorktree, or none"
    return context.error(Code.STATE_PATH, join(other[0].place, "fromPublication"), sentence, fix)
