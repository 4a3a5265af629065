"""What is wrong with the values of inputs: none where one is required, and one that does not fit its declaration.

Follows the section Binding inputs on a target of the page Release Inputs.
"""

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.core.pointers import join
from nyl.kubernetes.inputs.bindings import ROOT, BindingContext
from nyl.kubernetes.inputs.reading import Bound
from nyl.kubernetes.inputs.typing import mismatch
from nyl.kubernetes.resources import InputDeclaration, ReleaseAddress, ReleaseDocument


def unfit(
    context: BindingContext, release: ReleaseDocument, declaration: InputDeclaration, bound: Bound
) -> NylError | None:
    """NYL-INPUT-INVALID for a value that does not fit; None for one that does."""
    reason = mismatch(declaration, bound.value)
    if reason is None:
        return None
    where = f" (from {bound.detail})" if bound.detail else ""
    fix = f"correct the value, or the type and enum that Release {release.name} declares at {release.location}"
    return context.error(Code.INPUT_INVALID, bound.place, f"{reason}{where}.", fix)


def missing(
    context: BindingContext,
    address: ReleaseAddress,
    release: ReleaseDocument,
    declaration: InputDeclaration,
    unbound: Bound | None,
) -> NylError:
    """NYL-INPUT-MISSING for a required input; `unbound` is a binding that gives nothing yet."""
    told = f" ({declaration.description})" if declaration.description else ""
    target = context.target.name
    if unbound is None:
        why = f"and DeploymentTarget {target} binds none"
        fix = f"add `{declaration.name}: {{value: …}}`, or another source, below `{address}:` in spec.releaseInputs"
        place = join(ROOT, str(address))
    else:
        why = f"and {unbound.detail} is not there yet"
        first = f"let the build write {unbound.carry}" if unbound.carry else "publish the file"
        fix = f"{first} first, or give the input a default"
        place = unbound.place
    sentence = (
        f"The input {declaration.name}{told} of {address}, declared at {release.location}, has no default, {why}."
    )
    return context.sentence(Code.INPUT_MISSING, place, sentence, fix)
