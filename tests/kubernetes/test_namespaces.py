"""Who owns a Namespace, and what is written of it."""

from collections.abc import Mapping

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError
from nyl.kubernetes.namespaces import ManagedNamespace, NamespaceUser, managed_namespaces
from nyl.kubernetes.resources import (
    ApplicationGroup,
    NamespaceOwner,
    NamespaceOwnerKind,
    NamespacePolicy,
    ReleaseAddress,
    ResourcePolicy,
)
from tests.support import catalog

EXTERNAL = NamespaceOwner(NamespaceOwnerKind.EXTERNAL)
RELEASE = NamespaceOwner(NamespaceOwnerKind.RELEASE, "a", "web")
DEDICATED = NamespaceOwner(NamespaceOwnerKind.DEDICATED, "a")
OF_ITS_GROUP = NamespaceOwner(NamespaceOwnerKind.DEDICATED)


def group(
    name: str = "a", shared: Mapping[str, NamespaceOwner] | None = None, policy: NamespacePolicy | None = None
) -> ApplicationGroup:
    place = Location(f"{name}.yaml", 3)
    return catalog.group(name, shared_namespaces=shared or {}, namespace=policy or NamespacePolicy(), location=place)


def user(of: ApplicationGroup, name: str, *namespaces: str, authored: str = "") -> NamespaceUser:
    place = Location(f"{of.name}/{name}.yaml", 1)
    held = {authored: f"{of.name}/{name}.yaml:9"} if authored else {}
    return NamespaceUser(ReleaseAddress(of.name, name), of, place, namespaces, held)


def managed(*users: NamespaceUser) -> tuple[ManagedNamespace, ...]:
    return managed_namespaces(users, {each.group.name: each.group for each in users})


def owners(*users: NamespaceUser) -> dict[str, str]:
    return {each.name: str(each.owner or "dedicated") for each in managed(*users)}


def refusal(*users: NamespaceUser) -> str:
    with pytest.raises(NylError) as caught:
        managed(*users)
    found = caught.value.diagnostics
    assert {each.code for each in found} == {Code.NAMESPACE_OWNER}
    return "\n".join(each.message for each in found)


def test_the_destination_and_additional_namespaces_are_written_with_their_release() -> None:
    assert owners(user(group(), "web", "web", "extra")) == {"extra": "a/web", "web": "a/web"}


def test_nothing_is_written_where_the_group_creates_none() -> None:
    assert owners(user(group(policy=NamespacePolicy(create=False)), "web", "web")) == {}


def test_an_authored_namespace_wins() -> None:
    assert owners(user(group(), "web", "web", authored="web")) == {}


@pytest.mark.parametrize("name", ["default", "kube-system", "kube-public", "kube-node-lease"])
def test_namespaces_of_every_cluster_are_external_unless_declared_otherwise(name: str) -> None:
    assert owners(user(group(), "web", name), user(group(), "api", name)) == {}
    assert owners(user(group(shared={name: RELEASE}), "web", name)) == {name: "a/web"}


def test_two_releases_in_one_namespace_need_an_owner() -> None:
    message = refusal(user(group(), "web", "web"), user(group("b"), "api", "web"))
    for part in ("a/web (a/web.yaml:1)", "b/api", "b/api.yaml:1", "namespace web"):
        assert part in message


def test_a_group_that_creates_none_leaves_the_namespace_to_the_other() -> None:
    other = group("b", policy=NamespacePolicy(create=False))
    assert owners(user(other, "api", "web"), user(group(), "web", "web")) == {"web": "a/web"}


@pytest.mark.parametrize(
    ("owner", "found"),
    [
        (RELEASE, {"web": "a/web"}),
        (EXTERNAL, {}),
        (DEDICATED, {"web": "dedicated"}),
        (OF_ITS_GROUP, {"web": "dedicated"}),
    ],
)
def test_the_declared_owner_decides(owner: NamespaceOwner, found: dict[str, str]) -> None:
    shared = {"web": owner}
    assert owners(user(group(shared=shared), "web", "web"), user(group("b", shared), "api", "web")) == found


@pytest.mark.parametrize("other", [None, {"web": EXTERNAL}])
def test_groups_must_agree_on_the_owner(other: Mapping[str, NamespaceOwner] | None) -> None:
    message = refusal(user(group(shared={"web": RELEASE}), "web", "web"), user(group("b", other), "api", "web"))
    assert "ApplicationGroup b declares" in message
    assert "b.yaml:3" in message
    assert "ApplicationGroup a (a.yaml:3)" in message


def test_the_owner_must_be_a_release_that_uses_the_namespace() -> None:
    owner = NamespaceOwner(NamespaceOwnerKind.RELEASE, "a", "other")
    message = refusal(user(group(shared={"web": owner}), "web", "web"))
    assert "a/other" in message
    assert "a.yaml:3" in message


def test_a_dedicated_namespace_needs_a_group_of_the_target() -> None:
    owner = NamespaceOwner(NamespaceOwnerKind.DEDICATED, "elsewhere")
    assert "elsewhere" in refusal(user(group(shared={"web": owner}), "web", "web"))


@pytest.mark.parametrize("owner", [EXTERNAL, DEDICATED, NamespaceOwner(NamespaceOwnerKind.RELEASE, "a", "api")])
def test_a_bundle_does_not_hold_what_another_owns(owner: NamespaceOwner) -> None:
    of = group(shared={"web": owner})
    message = refusal(user(of, "web", "web", authored="web"), user(of, "api", "web"))
    assert "a/web.yaml:9" in message
    assert "a.yaml:3" in message


def test_the_owning_release_may_hold_the_namespace_itself() -> None:
    of = group(shared={"web": RELEASE})
    assert owners(user(of, "web", "web", authored="web"), user(of, "api", "web")) == {}


@pytest.mark.parametrize(
    ("prune", "delete", "options"),
    [
        (ResourcePolicy.CONFIRM, ResourcePolicy.CONFIRM, "Prune=confirm,Delete=confirm"),
        (ResourcePolicy.RETAIN, ResourcePolicy.AUTOMATIC, "Prune=false"),
        (ResourcePolicy.AUTOMATIC, ResourcePolicy.RETAIN, "Delete=false"),
        (ResourcePolicy.AUTOMATIC, ResourcePolicy.AUTOMATIC, None),
    ],
)
def test_policies_are_options_of_argo_cd(prune: ResourcePolicy, delete: ResourcePolicy, options: str | None) -> None:
    [found] = managed(user(group(policy=NamespacePolicy(True, prune, delete)), "web", "web"))
    annotations = found.manifest().value["metadata"].get("annotations", {})
    assert annotations.get("argocd.argoproj.io/sync-options") == options


def test_policies_default_to_confirm_and_the_namespace_says_what_made_it() -> None:
    [found] = managed(user(group(), "web", "web"))
    manifest = found.manifest()
    assert manifest.provenance == ("synthesized Namespace of Release a/web",)
    assert manifest.value["metadata"]["annotations"] == {
        "argocd.argoproj.io/sync-options": "Prune=confirm,Delete=confirm"
    }
