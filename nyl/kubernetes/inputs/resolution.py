"""The effective inputs of a target: every one resolved and checked before any Release is rendered.

Follows the sections Binding inputs on a target and Direct commands of the page Release Inputs.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, NylError
from nyl.kubernetes.inputs.binding_check import check_bindings, refused_unit
from nyl.kubernetes.inputs.bindings import Binding, BindingContext
from nyl.kubernetes.inputs.ownership import read_state, suspended_state
from nyl.kubernetes.inputs.provenance import input_digest, input_key
from nyl.kubernetes.inputs.reading import Bound, InputSource, SourceReader
from nyl.kubernetes.inputs.sources import InputSources
from nyl.kubernetes.inputs.value_check import missing, unfit
from nyl.kubernetes.inputs.written_bindings import WrittenBindings
from nyl.kubernetes.resources import InputDeclaration, ReleaseAddress, ReleaseDocument
from nyl.kubernetes.tree import StateFile


@dataclass(frozen=True)
class EffectiveInput:
    """The value of an input, and where it comes from: `detail` is the file and the pointer into it.

    That of a default says which file a binding looks for in vain. The value of a unit is None where it is not known.
    """

    value: Any
    source: InputSource
    detail: str = ""


@dataclass(frozen=True)
class ResolvedInputs:
    """The effective inputs of some Releases of a target."""

    effective: Mapping[ReleaseAddress, Mapping[str, EffectiveInput]]
    """Every Release that declares inputs -> every input that it declares."""
    provenance: Mapping[str, str]
    """What the `inputs` of the ownership index say of them: path or `@` key -> hex digest."""
    state_files: tuple[StateFile, ...] = ()
    """Carried state files, which are written with the tree."""
    warnings: tuple[Diagnostic, ...] = ()
    read_state: frozenset[str] = frozenset()
    suspended_state: frozenset[str] = frozenset()
    """See `nyl.kubernetes.tree.RenderedTree` for both."""

    def values(self, address: ReleaseAddress) -> dict[str, Any] | None:
        """What templates of a Release see as `inputs`; None for a Release that declares none."""
        found = self.effective.get(address)
        return None if found is None else {name: each.value for name, each in found.items()}


def resolve_inputs(
    context: BindingContext,
    releases: Mapping[ReleaseAddress, ReleaseDocument],
    disabled_groups: Collection[str],
    sources: InputSources,
) -> ResolvedInputs:
    """Every input of every Release that a target renders. `disabled_groups` are selected and have `enabled: false`.

    Raises all problems together: NYL-INPUT-BINDING for keys and bindings that mean nothing, NYL-INPUT-MISSING,
    NYL-INPUT-INVALID, NYL-INPUT-UNRESOLVED, NYL-STATE-PATH, and what the sources raise.
    """
    resolution = _Resolution(context, sources)
    bindings = list(resolution.written.bindings(releases, disabled_groups))
    for problem in check_bindings(context, bindings):
        resolution.problems.add(problem)
    bound = resolution.read(bindings)
    effective = {
        address: resolution.effective(address, release, bound.get(address, {}), {})
        for address, release in releases.items()
        if release.inputs
    }
    suspended = suspended_state(context.target, disabled_groups)
    return replace(resolution.result(effective), read_state=read_state(context.target), suspended_state=suspended)


def resolve_release(
    context: BindingContext,
    address: ReleaseAddress,
    release: ReleaseDocument,
    overrides: Mapping[str, Any],
    sources: InputSources,
) -> ResolvedInputs:
    """The inputs of one Release, as a direct command for a target resolves them.

    What is overridden need not resolve. `overrides` were checked. Raises as `resolve_inputs` does.
    """
    resolution = _Resolution(context, sources)
    written = context.target.release_inputs.get(str(address), {})
    left = {name: raw for name, raw in written.items() if name not in overrides}
    bindings = list(resolution.written.release_bindings(address, release, left))
    for problem in check_bindings(context, bindings):
        resolution.problems.add(problem)
    bound = resolution.read(bindings).get(address, {})
    return resolution.result({address: resolution.effective(address, release, bound, overrides)})


@dataclass
class _Resolution:
    """The inputs of one target, while its problems are collected."""

    context: BindingContext
    sources: InputSources

    def __post_init__(self) -> None:
        self.written = WrittenBindings(self.context)
        self.problems = self.written.problems
        self.reader = SourceReader(self.context, self.sources)

    def read(self, bindings: Iterable[Binding]) -> dict[ReleaseAddress, dict[str, Bound]]:
        """What the bindings give; one whose source cannot be read is a problem."""
        found: dict[ReleaseAddress, dict[str, Bound]] = {}
        for each in bindings:
            refused = refused_unit(self.context, each)
            if refused is not None:
                self.written.fail(each.address, each.input, [refused])
                continue
            try:
                found.setdefault(each.address, {})[each.input] = self.reader.read(each)
            except NylError as error:
                self.written.fail(each.address, each.input, self.context.told(each.place, error))
        return found

    def effective(
        self,
        address: ReleaseAddress,
        release: ReleaseDocument,
        bound: Mapping[str, Bound],
        overrides: Mapping[str, Any],
    ) -> dict[str, EffectiveInput]:
        """The inputs of a Release that have a value; those without one, and values that do not fit, are problems."""
        found: dict[str, EffectiveInput] = {}
        for name, declaration in release.inputs.items():
            if (address, name) in self.written.failed:
                continue
            given = bound.get(name)
            if name in overrides:
                found[name] = EffectiveInput(overrides[name], InputSource.OVERRIDE)
            elif given is not None and given.is_bound:
                if given.is_known:
                    self._check(release, declaration, given)
                found[name] = EffectiveInput(given.value, given.source, given.detail)
            elif declaration.has_default:
                unbound = f"{given.detail} is not there yet" if given is not None else ""
                found[name] = EffectiveInput(declaration.default, InputSource.DEFAULT, unbound)
            else:
                self.problems.add(missing(self.context, address, release, declaration, given))
        return found

    def result(self, effective: Mapping[ReleaseAddress, Mapping[str, EffectiveInput]]) -> ResolvedInputs:
        """Everything that was resolved. Raises the problems."""
        self.problems.raise_any()
        provenance = dict(self.reader.provenance)
        for address, inputs in effective.items():
            for name, each in inputs.items():
                provenance[input_key(address, name)] = input_digest(each.value)
        return ResolvedInputs(effective, provenance, self.reader.state_files, self.reader.warnings)

    def _check(self, release: ReleaseDocument, declaration: InputDeclaration, bound: Bound) -> None:
        problem = unfit(self.context, release, declaration, bound)
        if problem is not None:
            self.problems.add(problem)
