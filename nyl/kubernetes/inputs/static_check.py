"""What is wrong with the bindings of a target whatever their sources hold: `nyl validate` reads none of these.

Follows the section Binding inputs on a target of the page Release Inputs.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from nyl.core.diagnostics import NylError, Problems
from nyl.kubernetes.inputs.binding_check import check_bindings
from nyl.kubernetes.inputs.bindings import Binding, BindingContext, InlineValue
from nyl.kubernetes.inputs.reading import Bound, InputSource
from nyl.kubernetes.inputs.value_check import missing, unfit
from nyl.kubernetes.inputs.written_bindings import WrittenBindings
from nyl.kubernetes.resources import ReleaseAddress, ReleaseDocument


def check_statically(
    context: BindingContext,
    releases: Mapping[ReleaseAddress, ReleaseDocument],
    left_out: Collection[str],
    problems: Problems,
) -> None:
    """Adds keys and bindings that mean nothing, required inputs that nothing binds, and inline values that do not fit.

    `left_out` are groups whose keys are not looked at: disabled ones, and those whose Releases are not known.
    """
    bindings = list(WrittenBindings(context, problems).bindings(releases, left_out))
    for each in (
        *check_bindings(context, bindings),
        *_unfit(context, bindings, releases),
        *_missing(context, releases),
    ):
        problems.add(each)


def _unfit(
    context: BindingContext, bindings: Sequence[Binding], releases: Mapping[ReleaseAddress, ReleaseDocument]
) -> Iterator[NylError]:
    for binding in bindings:
        if isinstance(binding.source, InlineValue):
            bound = Bound(InputSource.VALUE, binding.place, binding.source.value)
            release = releases[binding.address]
            problem = unfit(context, release, release.inputs[binding.input], bound)
            if problem is not None:
                yield problem


def _missing(context: BindingContext, releases: Mapping[ReleaseAddress, ReleaseDocument]) -> Iterator[NylError]:
    for address, release in releases.items():
        bound = context.target.release_inputs.get(str(address), {})
        for name, declaration in release.inputs.items():
            if name not in bound and not declaration.has_default:
                yield missing(context, address, release, declaration, None)
