"""The bytes of an object in a tree: comments of where it comes from, then YAML that every reader reads alike."""

from collections.abc import Mapping
from typing import Any

from nyl.core.yaml_writer import write
from nyl.kubernetes.manifests import Manifest

_FIRST = ("apiVersion", "kind", "metadata")


def manifest_bytes(manifest: Manifest) -> bytes:
    """The file of an object: `# Source:`, `# Nyl-Provenance:`, apiVersion, kind, metadata and the rest as authored.

    The same object always gives the same bytes (page "Provenance comments", spec "YAML"). Raises ValueError or
    TypeError for what YAML cannot hold.
    """
    source = [f"# Source: {_line(manifest.helm_source)}\n"] if manifest.helm_source else []
    provenance = [f"# Nyl-Provenance: {_line(each)}\n" for each in manifest.provenance]
    return "".join((*source, *provenance, write(_ordered(manifest.value)))).encode()


def _ordered(value: Mapping[str, Any]) -> dict[str, Any]:
    return {**{key: value[key] for key in _FIRST if key in value}, **value}


def _line(text: str) -> str:
    """A comment is one line, whatever a path has in it."""
    return text if text.isprintable() else "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)
