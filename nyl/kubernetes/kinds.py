"""Whether objects of a kind have a namespace, as far as it is known without asking a cluster.

Follows Namespaces in the Kubernetes specification: a built-in table, and the CustomResourceDefinitions of the tree.
"""

from collections.abc import Mapping
from enum import StrEnum

from nyl.kubernetes.manifests import Manifest

KindName = tuple[str, str]
"""API group ('' is the core one) and kind."""


class Scope(StrEnum):
    """Where objects of a kind are, as CustomResourceDefinitions say it."""

    NAMESPACED = "Namespaced"
    CLUSTER = "Cluster"


_NAMESPACED: Mapping[str, str] = {
    "": "Binding ConfigMap Endpoints Event LimitRange PersistentVolumeClaim Pod PodTemplate ReplicationController "
    "ResourceQuota Secret Service ServiceAccount",
    "apps": "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet",
    "authorization.k8s.io": "LocalSubjectAccessReview",
    "autoscaling": "HorizontalPodAutoscaler",
    "batch": "CronJob Job",
    "certificates.k8s.io": "PodCertificateRequest",
    "cilium.io": "CiliumNetworkPolicy",
    "coordination.k8s.io": "Lease LeaseCandidate",
    "discovery.k8s.io": "EndpointSlice",
    "events.k8s.io": "Event",
    "extensions": "DaemonSet Deployment Ingress NetworkPolicy ReplicaSet",
    "networking.k8s.io": "Ingress NetworkPolicy",
    "policy": "PodDisruptionBudget",
    "rbac.authorization.k8s.io": "Role RoleBinding",
    "resource.k8s.io": "ResourceClaim ResourceClaimTemplate",
    "snapshot.storage.k8s.io": "VolumeSnapshot",
    "storage.k8s.io": "CSIStorageCapacity",
    "argoproj.io": "AnalysisRun AnalysisTemplate AppProject Application ApplicationSet CronWorkflow Rollout Workflow "
    "WorkflowTemplate",
    "acme.cert-manager.io": "Challenge Order",
    "cert-manager.io": "Certificate CertificateRequest Issuer",
    "monitoring.coreos.com": "Alertmanager AlertmanagerConfig PodMonitor Probe Prometheus PrometheusAgent "
    "PrometheusRule ScrapeConfig ServiceMonitor ThanosRuler",
    "external-secrets.io": "ExternalSecret PushSecret SecretStore",
    "bitnami.com": "SealedSecret",
    "gateway.networking.k8s.io": "BackendTLSPolicy GRPCRoute Gateway HTTPRoute ReferenceGrant TCPRoute "
    "TLSRoute UDPRoute",
    "networking.istio.io": "DestinationRule EnvoyFilter Gateway ProxyConfig ServiceEntry Sidecar VirtualService "
    "WorkloadEntry WorkloadGroup",
    "security.istio.io": "AuthorizationPolicy PeerAuthentication RequestAuthentication",
    "traefik.io": "IngressRoute IngressRouteTCP IngressRouteUDP Middleware MiddlewareTCP ServersTransport "
    "TLSOption TLSStore TraefikService",
    "kustomize.toolkit.fluxcd.io": "Kustomization",
    "helm.toolkit.fluxcd.io": "HelmRelease",
    "source.toolkit.fluxcd.io": "Bucket GitRepository HelmChart HelmRepository OCIRepository",
    "keda.sh": "ScaledJob ScaledObject TriggerAuthentication",
    "kyverno.io": "Policy",
    "autoscaling.k8s.io": "VerticalPodAutoscaler",
}

_CLUSTER: Mapping[str, str] = {
    "": "ComponentStatus Namespace Node PersistentVolume",
    "admissionregistration.k8s.io": "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding "
    "MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding "
    "ValidatingWebhookConfiguration",
    "apiextensions.k8s.io": "CustomResourceDefinition",
    "apiregistration.k8s.io": "APIService",
    "authentication.k8s.io": "SelfSubjectReview TokenReview",
    "authorization.k8s.io": "SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview",
    "certificates.k8s.io": "CertificateSigningRequest ClusterTrustBundle",
    "cilium.io": "CiliumClusterwideNetworkPolicy",
    "flowcontrol.apiserver.k8s.io": "FlowSchema PriorityLevelConfiguration",
    "networking.k8s.io": "IPAddress IngressClass ServiceCIDR",
    "node.k8s.io": "RuntimeClass",
    "policy": "PodSecurityPolicy",
    "rbac.authorization.k8s.io": "ClusterRole ClusterRoleBinding",
    "resource.k8s.io": "DeviceClass ResourceSlice",
    "scheduling.k8s.io": "PriorityClass",
    "snapshot.storage.k8s.io": "VolumeSnapshotClass VolumeSnapshotContent",
    "storagemigration.k8s.io": "StorageVersionMigration",
    "storage.k8s.io": "CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass",
    "argoproj.io": "ClusterAnalysisTemplate ClusterWorkflowTemplate",
    "cert-manager.io": "ClusterIssuer",
    "external-secrets.io": "ClusterExternalSecret ClusterSecretStore",
    "gateway.networking.k8s.io": "GatewayClass",
    "keda.sh": "ClusterTriggerAuthentication",
    "kyverno.io": "ClusterPolicy",
}


def _table() -> dict[KindName, Scope]:
    found = {(group, kind): Scope.NAMESPACED for group, kinds in _NAMESPACED.items() for kind in kinds.split()}
    return found | {(group, kind): Scope.CLUSTER for group, kinds in _CLUSTER.items() for kind in kinds.split()}


KNOWN: Mapping[KindName, Scope] = _table()
"""The scopes of the kinds of Kubernetes itself, and of controllers that are widely used."""


def kind_of(value: Mapping[str, object]) -> KindName:
    """The kind of an object."""
    group, slash, _ = str(value["apiVersion"]).rpartition("/")
    return (group if slash else "", str(value["kind"]))


def declared_scope(manifest: Manifest) -> tuple[KindName, Scope] | None:
    """The kind that a CustomResourceDefinition makes, and its scope; None for what is none, or a broken one."""
    value = manifest.value
    if value.get("kind") != "CustomResourceDefinition" or kind_of(value)[0] != "apiextensions.k8s.io":
        return None
    spec = value.get("spec")
    names = spec.get("names") if isinstance(spec, Mapping) else None
    if not isinstance(spec, Mapping) or not isinstance(names, Mapping):
        return None
    try:
        return (str(spec["group"]), str(names["kind"])), Scope(spec["scope"])
    except (KeyError, ValueError):
        return None
