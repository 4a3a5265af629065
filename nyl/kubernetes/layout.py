"""Where the objects of a tree lie below the target's prefix (page "Rendered Layout")."""

from nyl.kubernetes.manifests import ObjectIdentity
from nyl.kubernetes.segments import encode_segment

INDEX_PATH = "_nyl/index.json"
"""The ownership index."""
CATALOG_FOLDER = "_nyl/catalog"
"""The folder that the catalog Application syncs."""
NAMESPACES_FOLDER = "_nyl/namespaces"
"""The folder of Namespaces with an owner of their own."""


def manifest_path(identity: ObjectIdentity) -> str:
    """The path of an object below the folder of its Release: `<kind>[.<group>]/[<namespace>/]<name>.yaml`.

    CustomResourceDefinitions lie in `crd`. The version of the API is no part of it ("File paths").
    """
    name = encode_segment(identity.name, ".yaml")
    if identity.kind == "CustomResourceDefinition" and identity.group == "apiextensions.k8s.io":
        return f"crd/{name}"
    kind = f"{identity.kind}.{identity.group}" if identity.group else identity.kind
    folder = encode_segment(kind.lower())
    return f"{folder}/{encode_segment(identity.namespace)}/{name}" if identity.namespace else f"{folder}/{name}"


def release_folder(output_path: str, release: str) -> str:
    """The folder of a Release below the prefix; `output_path` is its group's, as declared."""
    segments = [each for each in output_path.split("/") if each]
    return "/".join(encode_segment(each) for each in (*segments, release))


def catalog_path(identity: ObjectIdentity) -> str:
    """The path of an object of the catalog below the prefix ("Tree structure")."""
    return f"{CATALOG_FOLDER}/{manifest_path(identity)}"


def dedicated_folder(namespace: str) -> str:
    """The folder below the prefix of a Namespace with the owner `Dedicated`, which an Application of its own syncs."""
    return f"{NAMESPACES_FOLDER}/{encode_segment(namespace)}"
