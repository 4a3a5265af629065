"""A registry of images over HTTP: what its tags and digests name, and setting a tag.

Follows the OCI distribution specification. Decisions rest on status codes and on digests of what is read, never on
texts.
"""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from nyl.core.canonical import digest_bytes
from nyl.units.images.credentials import Credentials
from nyl.units.images.manifests import MEDIA_TYPES, Manifest, PlatformImage, platform_name
from nyl.units.images.names import Repository
from nyl.units.images.transport import RegistryDenied, RegistryError, Transport

if TYPE_CHECKING:
    from requests import Response


_MALFORMED = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
"""What reading JSON raises that is not as it should be."""


class TagRefused(RegistryError):
    """The registry does not let a tag be set."""


class Registry:
    """One repository of a registry.

    Every method raises RegistryUnreachable, RegistryDenied where the credentials do not do, and RegistryError for any
    other answer than the expected ones.
    """

    def __init__(self, repository: Repository, credentials: Credentials | None, variables: Mapping[str, str]) -> None:
        self.repository = repository
        self._transport = Transport(repository, credentials, variables)

    def manifest(self, reference: str) -> Manifest | None:
        """What a tag or digest names; None where nothing does."""
        headers = {"Accept": ", ".join(MEDIA_TYPES)}
        response = self._transport.request("GET", self._path("manifests", reference), headers=headers)
        if response.status_code == 404:
            return None
        self._expect(response, 200)
        media_type = response.headers.get("Content-Type", "").partition(";")[0].strip()
        found = Manifest(media_type, self._transport.body(response))
        try:
            found.check()
        except _MALFORMED as error:
            raise self._malformed(error) from None
        if reference.startswith("sha256:") and found.digest != reference:
            raise RegistryError(f"{self.repository.host} gave something else than {reference} when asked for it")
        return found

    def images(self, manifest: Manifest) -> tuple[PlatformImage, ...]:
        """The image of every platform that a manifest or index holds. Raises RegistryError when one is missing."""
        try:
            platforms = manifest.platforms
            if platforms is None:
                facts = json.loads(self._blob(manifest.config))
                return (PlatformImage(platform_name(facts), manifest.digest, manifest.config),)
            return tuple(PlatformImage(name, digest, self._image(digest).config) for name, digest in platforms)
        except _MALFORMED as error:
            raise self._malformed(error) from None

    def set_tag(self, tag: str, manifest: Manifest) -> None:
        """Lets a tag name what is there already. Raises TagRefused when the registry does not let it."""
        response = self._transport.request(
            "PUT",
            self._path("manifests", tag),
            headers={"Content-Type": manifest.media_type},
            data=manifest.body,
        )
        if not response.ok:
            raise TagRefused(self._told(response))

    def check_push(self) -> None:
        """Begins an upload and drops it again, to find out whether the registry takes any."""
        response = self._transport.request("POST", self._path("blobs", "uploads", ""))
        self._expect(response, 202, 201)
        try:
            place = urljoin(response.url, response.headers.get("Location", ""))
            is_here = urlsplit(place)[:2] == urlsplit(response.url)[:2]
        except ValueError:
            return
        if is_here and response.status_code == 202:  # another host is not to get the login
            self._transport.request("DELETE", place)

    def _malformed(self, error: Exception) -> RegistryError:
        return RegistryError(f"{self.repository.host} gave a manifest that is none: {type(error).__name__}: {error}")

    def _image(self, digest: str) -> Manifest:
        found = self.manifest(digest)
        if found is None:
            raise RegistryError(f"{self.repository.host} does not hold the image {digest} of its index")
        return found

    def _blob(self, digest: str) -> bytes:
        response = self._transport.request("GET", self._path("blobs", digest))
        if response.is_redirect:
            response = self._transport.follow(response)
        self._expect(response, 200)
        data = self._transport.body(response)
        if digest_bytes(data) != digest:
            raise RegistryError(f"{self.repository.host} gave something else than {digest} when asked for it")
        return data

    def _path(self, *parts: str) -> str:
        return "/".join([self.repository.api, *parts])

    def _expect(self, response: "Response", *codes: int) -> None:
        if response.status_code in (401, 403):
            raise RegistryDenied(self._told(response))
        if response.status_code not in codes:
            raise RegistryError(self._told(response))

    def _told(self, response: "Response") -> str:
        """What a registry says of a refusal, as a clause."""
        place = urlsplit(response.url).netloc
        try:
            told = json.loads(self._transport.body(response))
            errors = [f"{each['code']}: {each.get('message', '')}" for each in told["errors"]]
        except (RegistryError, *_MALFORMED):
            errors = []
        said = f" ({'; '.join(errors)[:300]})" if errors else ""
        return f"{place} answered {response.status_code}{said}"
