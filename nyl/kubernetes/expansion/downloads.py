"""Fetches files over HTTPS, charts with helm, and charts of Git repositories."""

import shlex
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.core.unanswered import why_unanswered
from nyl.kubernetes.expansion.archives import packed
from nyl.kubernetes.expansion.git_charts import git_chart
from nyl.kubernetes.expansion.helm import Helm
from nyl.kubernetes.expansion.references import ChartOrigin, ChartReference
from nyl.kubernetes.git_files import GitFiles

if TYPE_CHECKING:
    import requests

MOST_BYTES = 32 * 1024 * 1024
_TIMEOUT = (10.0, 60.0)
_MOST_REDIRECTS = 5
_CHUNK = 1 << 16


class Downloads:
    """Brings files from elsewhere. Nothing is kept here; `title` is what errors call the file that is asked for."""

    def __init__(self, helm: Helm, git: GitFiles, scratch: Path) -> None:
        self._helm = helm
        self._git = git
        self._scratch = scratch

    def chart(self, reference: ChartReference, title: str) -> bytes:
        """The packed chart of a Git repository, or by `helm pull` that of a chart repository or registry.

        Raises NYL-DOWNLOAD-FAILED with helm's own words, NYL-HELM-UNAVAILABLE, and what reading a commit raises.
        """
        if reference.origin is ChartOrigin.GIT:
            return packed(git_chart(self._git, reference, title))
        with tempfile.TemporaryDirectory(dir=self._scratch) as folder:
            arguments = ["pull", *_named(reference), "--version", reference.version, "--destination", folder]
            answer = self._helm.online(arguments)
            if answer.failure:
                raise _failed(
                    title, answer.failure, "check the network, the name, the version and `helm registry login`"
                )
            found = sorted(Path(folder).glob("*.tgz"))
            if len(found) != 1:
                raise _failed(title, "helm brought no packed chart", "check what the repository offers")
            return found[0].read_bytes()

    def file(self, url: str, title: str) -> bytes:
        """The file at an https URL, of at most 32 MiB, from where redirects to other https URLs lead.

        Raises NYL-DOWNLOAD-FAILED.
        """
        import requests
        from requests.adapters import HTTPAdapter
        from urllib3.util import Retry

        retries = Retry(total=2, backoff_factor=0.5, status_forcelist=(502, 503, 504), raise_on_status=False)
        with requests.Session() as session:
            session.mount("https://", HTTPAdapter(max_retries=retries))
            try:
                return self._followed(session, url, title)
            except requests.RequestException as error:
                why = why_unanswered(error)
                raise _failed(title, why, f"check the network and the URL: `curl -I {shlex.quote(url)}`") from None

    def _followed(self, session: "requests.Session", url: str, title: str) -> bytes:
        for _ in range(_MOST_REDIRECTS + 1):
            if not url.startswith("https://"):
                raise _failed(title, f"it is redirected to {url}, which is not https", "give the URL it has now")
            with session.get(url, stream=True, timeout=_TIMEOUT, allow_redirects=False) as response:
                if response.is_redirect:
                    url = urljoin(url, response.headers["location"])
                    continue
                if response.status_code != 200:
                    why = f"the server answered {response.status_code} {response.reason}"
                    raise _failed(title, why, "check the URL")
                return _limited(response, title)
        raise _failed(title, f"it is redirected more than {_MOST_REDIRECTS} times", "give the URL it has now")


def _limited(response: "requests.Response", title: str) -> bytes:
    data = bytearray()
    for chunk in response.iter_content(_CHUNK):
        data += chunk
        if len(data) > MOST_BYTES:
            why = f"it is larger than {MOST_BYTES // 1024**2} MiB"
            raise _failed(title, why, "keep such a file in the repository")
    return bytes(data)


def _named(reference: ChartReference) -> list[str]:
    if reference.origin is ChartOrigin.REPOSITORY:
        return [reference.name, "--repo", reference.base]
    return [f"{reference.base}/{reference.name}".rstrip("/")]


def _failed(title: str, why: str, fix: str) -> NylError:
    return NylError(Code.DOWNLOAD_FAILED, f"{title} cannot be fetched: {why.rstrip('.')}.", fix)
