"""Image manifests and indexes, as a registry gives them: bytes whose digest names them."""

import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from nyl.core.canonical import digest_bytes
from nyl.core.dataclass import dataclass

_INDEXES = (
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
)
_MANIFESTS = (
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
)
MEDIA_TYPES = (*_INDEXES, *_MANIFESTS)
"""What is asked for."""


@dataclass(frozen=True)
class Manifest:
    """What a tag or digest names in a registry."""

    media_type: str
    body: bytes

    @cached_property
    def digest(self) -> str:
        """`sha256:` and 64 hex digits of the bytes themselves, whatever the registry says of them."""
        return digest_bytes(self.body)

    @cached_property
    def _content(self) -> Mapping[str, Any]:
        content = json.loads(self.body)
        if not isinstance(content, dict):
            raise ValueError("the manifest is no JSON object")
        return content

    def check(self) -> None:
        """Raises what reading raises when this is neither a manifest nor an index."""
        if self.platforms is None:
            _ = self.config

    @property
    def platforms(self) -> tuple[tuple[str, str], ...] | None:
        """Platform and digest of each image of an index; None for the manifest of one image.

        What an index holds beside images, such as provenance, has no platform and is left out.
        """
        if "manifests" not in self._content:
            return None
        named = ((platform_name(each.get("platform", {})), each["digest"]) for each in self._content["manifests"])
        return tuple((platform, digest) for platform, digest in named if "unknown" not in platform.split("/"))

    @property
    def config(self) -> str:
        """Digest of the configuration of one image, which decides all that is in it."""
        return str(self._content["config"]["digest"])


@dataclass(frozen=True)
class PlatformImage:
    """The image of one platform."""

    platform: str
    digest: str
    config: str


def platform_name(platform: Mapping[str, Any]) -> str:
    """A platform as it is written, such as linux/arm64/v8."""
    parts = (platform.get("os", "unknown"), platform.get("architecture", "unknown"), platform.get("variant"))
    return "/".join(str(each) for each in parts if each)
