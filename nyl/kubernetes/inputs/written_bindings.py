"""The bindings that a target writes down, as far as they can be read without the sources that they name.

Follows the section Binding inputs on a target of the page Release Inputs.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError, Problems
from nyl.core.pointers import join
from nyl.core.suggestions import did_you_mean
from nyl.kubernetes.inputs.bindings import ROOT, Binding, BindingContext, read_binding
from nyl.kubernetes.resources import ReleaseAddress, ReleaseDocument


@dataclass
class WrittenBindings:
    """Reads the bindings of one target, and collects what is wrong with them."""

    context: BindingContext
    problems: Problems = field(default_factory=Problems)
    failed: set[tuple[ReleaseAddress, str]] = field(default_factory=set)
    """The inputs whose bindings are among the problems."""

    def bindings(
        self, releases: Mapping[ReleaseAddress, ReleaseDocument], disabled_groups: Collection[str]
    ) -> Iterator[Binding]:
        """The bindings that can be read, of all keys that do not belong to a disabled group."""
        for key, written in self.context.target.release_inputs.items():
            group, _, name = key.partition("/")
            if group in disabled_groups:
                continue
            address = ReleaseAddress(group, name)
            release = releases.get(address)
            if release is None:
                self.problems.add(self._unknown_release(key, releases))
            elif not release.inputs:
                sentence = f"binds inputs of {key}, which declares none at {release.location}."
                fix = "remove the key, or declare the inputs in spec.inputs of the Release"
                self.problems.add(self.context.error(Code.INPUT_BINDING, join(ROOT, key), sentence, fix))
            else:
                yield from self.release_bindings(address, release, written)

    def release_bindings(
        self, address: ReleaseAddress, release: ReleaseDocument, written: Mapping[str, Any]
    ) -> Iterator[Binding]:
        """The bindings of one Release that can be read."""
        for name, raw in written.items():
            if name not in release.inputs:
                sentence = f"binds an input that {address} does not declare at {release.location}."
                fix = did_you_mean(name, release.inputs, f"declared are {', '.join(release.inputs) or 'none'}")
                self.problems.add(self.context.error(Code.INPUT_BINDING, join(ROOT, str(address), name), sentence, fix))
                continue
            try:
                yield read_binding(self.context, address, name, raw)
            except NylError as error:
                self.fail(address, name, [error])

    def fail(self, address: ReleaseAddress, name: str, errors: Iterable[NylError]) -> None:
        """Keeps what is wrong with a binding."""
        self.failed.add((address, name))
        for each in errors:
            self.problems.add(each)

    def _unknown_release(self, key: str, releases: Mapping[ReleaseAddress, ReleaseDocument]) -> NylError:
        known = [str(address) for address, release in releases.items() if release.inputs]
        sentence = "names no Release that the target renders; keys are <applicationGroup>/<release>."
        fix = did_you_mean(key, known, f"Releases with inputs are: {', '.join(sorted(known)) or 'none'}")
        return self.context.error(Code.INPUT_BINDING, join(ROOT, key), sentence, fix)
