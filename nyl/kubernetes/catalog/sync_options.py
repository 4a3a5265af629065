"""Sync options of Argo CD: texts such as `ServerSideApply=true`, one for each key."""

from collections.abc import Iterable, Mapping
from typing import Any

from nyl.kubernetes.resources import ApplicationDeletionPolicy, ResourcePolicy

ANNOTATION = "argocd.argoproj.io/sync-options"
"""The annotation by which a resource has options of its own."""
DEFAULTS = ("ApplyOutOfSyncOnly=true", "ServerSideApply=true")
"""What every generated Application has, unless its options say otherwise by the same key."""
_FINALIZER = "resources-finalizer.argocd.argoproj.io"
_POLICIES = {ResourcePolicy.CONFIRM: "confirm", ResourcePolicy.RETAIN: "false"}
_FINALIZERS = {
    ApplicationDeletionPolicy.FOREGROUND: [_FINALIZER],
    ApplicationDeletionPolicy.BACKGROUND: [f"{_FINALIZER}/background"],
    ApplicationDeletionPolicy.ORPHAN: [],
}


def merged_options(options: Iterable[str], others: Iterable[str]) -> list[str]:
    """Options in their order, where others of the same key take their place."""
    found = {_key(each): each for each in options}
    found |= {_key(each): each for each in others}
    return list(found.values())


def sync_policy(declared: Mapping[str, Any]) -> dict[str, Any]:
    """The sync policy of a generated Application, with the options that each has."""
    return {**declared, "syncOptions": merged_options(DEFAULTS, declared.get("syncOptions") or ())}


def finalizers(policy: ApplicationDeletionPolicy) -> list[str]:
    """The finalizers by which deleting an Application deletes its resources."""
    return list(_FINALIZERS[policy])


def policy_options(**policies: ResourcePolicy) -> list[str]:
    """The options of a resource for some policies, named as options are, such as `Prune=ResourcePolicy.CONFIRM`."""
    return [f"{name}={_POLICIES[policy]}" for name, policy in policies.items() if policy in _POLICIES]


def with_options(annotations: Mapping[str, str], options: Iterable[str]) -> dict[str, str]:
    """Annotations of a resource with some options; those that it has by itself win."""
    own = [each.strip() for each in annotations.get(ANNOTATION, "").split(",") if each.strip()]
    text = ",".join(merged_options(options, own))
    return {**annotations, ANNOTATION: text} if text else dict(annotations)


def _key(option: str) -> str:
    return option.partition("=")[0].strip()
