"""Who owns the Namespaces of a target, and which of them are written.

Follows Namespaces of the page Rendered Layout, and Namespaces in the Kubernetes specification.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location, NylError, Problems
from nyl.kubernetes.catalog.sync_options import policy_options, with_options
from nyl.kubernetes.manifests import Manifest, ObjectIdentity
from nyl.kubernetes.resources import (
    ApplicationGroup,
    NamespaceOwner,
    NamespaceOwnerKind,
    ReleaseAddress,
)

BOOTSTRAP = frozenset({"default", "kube-system", "kube-public", "kube-node-lease"})
"""Namespaces that every cluster has: External, unless declared otherwise."""


@dataclass(frozen=True)
class NamespaceUser:
    """A Release, the namespaces that it uses, and the Namespaces that its bundle holds."""

    address: ReleaseAddress
    group: ApplicationGroup
    location: Location
    namespaces: tuple[str, ...]
    """The destination first, then the additional ones."""
    authored: Mapping[str, str] = field(default_factory=dict)
    """Name of each Namespace of the bundle, and `file:line` of it."""


@dataclass(frozen=True)
class ManagedNamespace:
    """A Namespace that is written though no bundle holds it."""

    name: str
    group: ApplicationGroup
    """The one whose policy holds."""
    owner: ReleaseAddress | None
    """The Release in whose folder it is; None: it has a folder and an Application of its own."""
    location: Location

    def manifest(self) -> Manifest:
        """The Namespace, with the group's policy as Argo CD reads it."""
        metadata: dict[str, Any] = {"name": self.name}
        policy = self.group.namespace
        annotations = with_options({}, policy_options(Prune=policy.prune, Delete=policy.delete))
        if annotations:
            metadata["annotations"] = annotations
        whose = f"Release {self.owner}" if self.owner else f"ApplicationGroup {self.group.name}"
        value = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
        return Manifest(value, (f"synthesized Namespace of {whose}",), self.location)


def managed_namespaces(
    users: Iterable[NamespaceUser], groups: Mapping[str, ApplicationGroup]
) -> tuple[ManagedNamespace, ...]:
    """The Namespaces that nyl writes for a target, sorted by name. `groups` are those that the target renders.

    Raises all problems together: NYL-NAMESPACE-OWNER where several Applications use a namespace whose owner their
    groups do not agree on, where the owner is no Release that has it, and where a bundle holds what another owns.
    """
    by_name: dict[str, list[NamespaceUser]] = {}
    for user in users:
        for name in dict.fromkeys((*user.namespaces, *user.authored)):
            by_name.setdefault(name, []).append(user)
    problems = Problems()
    found = []
    for name, of_name in sorted(by_name.items()):
        try:
            managed = _Ownership(name, of_name, groups).managed()
        except NylError as error:
            problems.add(error)
            continue
        if managed is not None:
            found.append(managed)
    problems.raise_any()
    return tuple(found)


@dataclass(frozen=True)
class _Ownership:
    """The question who owns one Namespace."""

    name: str
    users: list[NamespaceUser]
    groups: Mapping[str, ApplicationGroup]

    def managed(self) -> ManagedNamespace | None:
        declared = self._declared()
        author = next((each for each in self.users if self.name in each.authored), None)
        if author is not None:
            self._check_author(author, declared)
            return None
        if declared is not None:
            return self._as_declared(*declared)
        makers = [each for each in self.users if each.group.namespace.create]
        if self.name in BOOTSTRAP or not makers:
            return None
        if len(makers) > 1:
            raise self._undecided(makers[0], makers[1])
        return ManagedNamespace(self.name, makers[0].group, makers[0].address, makers[0].location)

    def _declared(self) -> tuple[NamespaceOwner, ApplicationGroup] | None:
        """The owner that the users' groups agree on, and a group that says so."""
        declaring = [each for each in self.users if self.name in each.group.shared_namespaces]
        if not declaring:
            return None
        first = declaring[0]
        owner = first.group.shared_namespaces[self.name]
        for user in self.users:
            own = user.group.shared_namespaces.get(self.name)
            if own != owner and (own is not None or (user.group.namespace.create and self.name in user.namespaces)):
                raise self._disagreement(first, user)
        return owner, first.group

    def _check_author(self, author: NamespaceUser, declared: tuple[NamespaceOwner, ApplicationGroup] | None) -> None:
        if declared is None:
            return
        owner, group = declared
        if _is_owner(owner, author.address):
            return
        raise self._error(
            Location.parse(author.authored[self.name]),
            f"Release {author.address} holds the Namespace {self.name}, whose owner is {_shown(owner)} by "
            f"sharedNamespaces of ApplicationGroup {group.name} ({group.location})",
            "remove the Namespace from the bundle, or declare the Release as its owner",
        )

    def _as_declared(self, owner: NamespaceOwner, group: ApplicationGroup) -> ManagedNamespace | None:
        if owner.kind is NamespaceOwnerKind.EXTERNAL:
            return None
        if owner.kind is NamespaceOwnerKind.DEDICATED:
            policy = group if owner.group is None else self.groups.get(owner.group)
            if policy is None:
                what = f"ApplicationGroup {owner.group}, which this target does not render"
                raise self._unknown(group, what, sorted(self.groups))
            return ManagedNamespace(self.name, policy, None, policy.location)
        address = _owner_address(owner)
        release = next((each for each in self.users if each.address == address), None)
        if release is None:
            what = f"Release {address}, which does not use the namespace on this target"
            raise self._unknown(group, what, [str(each.address) for each in self.users])
        if not release.group.namespace.create:
            return None
        return ManagedNamespace(self.name, release.group, address, release.location)

    def _undecided(self, first: NamespaceUser, second: NamespaceUser) -> NylError:
        names = dict.fromkeys(f"ApplicationGroup {each.group.name}" for each in (first, second))
        fix = (
            f"add to the spec of {' and '.join(names)}: sharedNamespaces: {{{self.name}: {{owner: {{kind: Release, "
            f"applicationGroup: {first.address.group}, release: {first.address.release}}}}}}}"
        )
        return self._error(
            second.location,
            f"Releases {first.address} ({first.location}) and {second.address} both use the namespace {self.name}, and "
            "nothing says who owns it",
            fix,
        )

    def _disagreement(self, first: NamespaceUser, second: NamespaceUser) -> NylError:
        owner = first.group.shared_namespaces[self.name]
        own = second.group.shared_namespaces.get(self.name)
        return self._error(
            second.group.location,
            f"ApplicationGroup {second.group.name} declares {_shown(own) if own else 'no owner'} for the namespace "
            f"{self.name} of Release {second.address}, but ApplicationGroup {first.group.name} "
            f"({first.group.location}) declares {_shown(owner)}",
            "let both groups declare one owner in sharedNamespaces",
        )

    def _unknown(self, group: ApplicationGroup, what: str, known: list[str]) -> NylError:
        sentence = f"ApplicationGroup {group.name} declares {what}, as owner of the namespace {self.name}"
        return self._error(group.location, sentence, f"name one of: {', '.join(known)}")

    def _error(self, place: Location, sentence: str, fix: str) -> NylError:
        return NylError(Code.NAMESPACE_OWNER, f"{place}: {sentence}.", fix, location=place)


def may_own(group: ApplicationGroup, namespace: str, release: ReleaseAddress) -> bool:
    """Whether a Release of a group owns a namespace, as far as the group alone tells."""
    owner = group.shared_namespaces.get(namespace)
    return owner is None or _is_owner(owner, release)


def _is_owner(owner: NamespaceOwner, release: ReleaseAddress) -> bool:
    return owner.kind is NamespaceOwnerKind.RELEASE and _owner_address(owner) == release


def _owner_address(owner: NamespaceOwner) -> ReleaseAddress:
    return ReleaseAddress(owner.group or "", owner.release or "")


def _shown(owner: NamespaceOwner) -> str:
    if owner.kind is NamespaceOwnerKind.RELEASE:
        return f"Release {_owner_address(owner)}"
    if owner.kind is NamespaceOwnerKind.DEDICATED:
        return "an Application of its own" + (f" in ApplicationGroup {owner.group}" if owner.group else "")
    return "External"


def authored_namespaces(identities: Iterable[tuple[ObjectIdentity | None, str]]) -> Iterator[tuple[str, str]]:
    """Name and place of each Namespace among some identities of objects and their places."""
    for identity, origin in identities:
        if identity is not None and (identity.group, identity.kind) == ("", "Namespace"):
            yield identity.name, origin
