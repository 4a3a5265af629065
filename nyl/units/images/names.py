"""Names of registries and repositories, and where their API is."""

import ipaddress

from nyl.core.dataclass import dataclass

_DOCKER_HUB = "docker.io"
_DOCKER_HUB_ALIASES = (_DOCKER_HUB, "index.docker.io", "registry-1.docker.io")
_DOCKER_HUB_KEY = "https://index.docker.io/v1/"


@dataclass(frozen=True)
class Repository:
    """A repository by its whole name, such as registry.example.com/web."""

    name: str

    @property
    def host(self) -> str:
        """The registry, with its port."""
        return self.name.partition("/")[0]

    @property
    def path(self) -> str:
        """The name within the registry."""
        path = self.name.partition("/")[2]
        return f"library/{path}" if self.host in _DOCKER_HUB_ALIASES and "/" not in path else path

    @property
    def is_loopback(self) -> bool:
        """Whether the registry is on this machine, where plain HTTP does."""
        return is_loopback(self.host.partition(":")[0])

    @property
    def api(self) -> str:
        """The URL below which the repository's manifests and blobs are."""
        host = "registry-1.docker.io" if self.host in _DOCKER_HUB_ALIASES else self.host
        return f"{'http' if self.is_loopback else 'https'}://{host}/v2/{self.path}"


def is_loopback(name: str) -> bool:
    """Whether a host name, without port, is this machine."""
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def login_keys(host: str) -> tuple[str, ...]:
    """The names under which files of logins hold a registry, the most usual first."""
    if host in _DOCKER_HUB_ALIASES:
        return (_DOCKER_HUB_KEY, *_DOCKER_HUB_ALIASES)
    return (host, f"https://{host}", f"http://{host}", f"https://{host}/v1/", f"https://{host}/v2/")
