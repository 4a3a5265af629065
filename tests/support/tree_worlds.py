"""A project whose manifests are published to the branch deploy of its own remote."""

from collections.abc import Mapping
from pathlib import Path

from tests.support.deploy_branches import put
from tests.support.kubernetes_project import CLUSTER, GROUP, RELEASE
from tests.support.world import World

WEB = "applications/platform/web.yaml"
SETTINGS = "platform/web/configmap/web/settings.yaml"
"""The one object of the Release, below the prefix."""

_TRIES = 10
_TARGET = """\
apiVersion: k8s.gitops.nyl/v1
kind: DeploymentTarget
metadata: {name: prod}
spec:
  publication: {revision: deploy}
"""


class TreeWorld(World):
    """A world with the target `prod`: one group, one Release `web` with a ConfigMap whose text is `data`."""

    def __init__(self, tmp: Path, *, remote: bool = True, folder: str = "", laid: bool = False) -> None:
        """`laid` says that the files are there already, as in a copy of such a world."""
        super().__init__(tmp, remote=remote, folder=folder)
        self.out = tmp / "out"
        if not laid:
            self._write()

    def _write(self) -> None:
        self.write("cluster.yaml", CLUSTER).write("group.yaml", GROUP).bind("").data("one")

    def bind(self, inputs: str) -> "TreeWorld":
        """Writes the target, with `spec.releaseInputs` in flow style where there are any."""
        self.write("target.yaml", _TARGET + (f"  releaseInputs: {inputs}\n" if inputs else ""))
        return self

    def data(self, text: str) -> "TreeWorld":
        """Writes the Release."""
        self.write(WEB, RELEASE.replace('"{{ values.region }}"', text))
        return self

    def with_image(self) -> "TreeWorld":
        """Writes the Release with an input `image` that its ConfigMap has."""
        release = RELEASE.replace("---\n", "spec: {inputs: {image: {type: string, default: none}}}\n---\n", 1)
        self.write(WEB, release.replace('"{{ values.region }}"', "{{ inputs.image }}"))
        return self

    # The branch

    def published(self, path: str = SETTINGS) -> str:
        """A published file of the target."""
        return self.git("show", f"refs/heads/deploy:prod/{path}", cwd=self.origin)

    def head(self) -> str:
        """The commit of the branch; '' where there is none."""
        return self.refs().get("refs/heads/deploy", "")

    def by_hand(self, files: Mapping[str, str | None]) -> str:
        """Somebody else's commit on the branch, made again where a publication was quicker; its id.

        `files` are from the root of the branch, None for one that goes.
        """
        place = self.tmp / "hand"
        if not place.exists():
            self.git("clone", "-q", "--no-checkout", str(self.origin), place, cwd=self.tmp)
        for _ in range(_TRIES):
            self._check_out(place)
            for path, text in files.items():
                put(place / path, text)
            self.git("add", "-A", cwd=place)
            self.git("commit", "-q", "-m", "By hand", cwd=place)
            commit = self.git("rev-parse", "HEAD", cwd=place)
            pushed = self.git("push", "--porcelain", "origin", "HEAD:refs/heads/deploy", cwd=place, check=False)
            if "Done" in pushed:
                return commit
        raise AssertionError("publications were quicker every time")

    def _check_out(self, place: Path) -> None:
        if self.head():
            self.git("fetch", "-q", "origin", cwd=place)
            self.git("checkout", "-q", "-f", "-B", "deploy", "origin/deploy", cwd=place)
        else:
            self.git("checkout", "-q", "--orphan", "deploy", cwd=place)
