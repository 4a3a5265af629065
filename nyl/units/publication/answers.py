"""What completing units came to before: an answer holds while everything that rendering reads is as it was.

That is the files that declare something of Kubernetes, whatever else rendering asked of the source tree, the values of
references, and what bindings read of the publication and of carry files.
"""

import hashlib
import json
import posixpath
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from nyl import __version__
from nyl.core.canonical import digest
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.kubernetes.target_documents import target_document, written_bindings
from nyl.project.config import FILE_NAME
from nyl.project.tree_reads import TreeReads
from nyl.units.completion import Completion
from nyl.units.publication.releases import RELEASES
from nyl.units.source_project import SourceProject

if TYPE_CHECKING:  # most publications are read by none of their own bindings
    from nyl.kubernetes.publication.branch import PublishedFolder

_NAMESPACE = f"publications/{__version__}/2"


@dataclass(frozen=True)
class Answers:
    """The answers for a unit of one spec. Raises NylError for a target that is not there any more."""

    spec: Mapping[str, Any]
    source: SourceProject

    @cached_property
    def published(self) -> "PublishedFolder":
        """The publication that an answer is about, as it is now."""
        from nyl.kubernetes.declared_targets import declared_target

        target = declared_target(self.source.project, self.spec["target"])
        return self.source.open_publication(target.publication)

    def recall(self) -> Completion | None:
        """The answer that was kept; None where there is none."""
        data = self.source.cache.get_many(_NAMESPACE, [self._key]).get(self._key)
        try:
            return None if data is None else self._recalled(json.loads(data))
        except (ValueError, KeyError, TypeError):
            return None  # a damaged row is one that is not there

    def keep(
        self, releases: Mapping[str, Any], fingerprint: str, readiness: tuple[str, ...], reads: TreeReads
    ) -> Completion:
        """Keeps an answer that was worked out of what was read of the source tree."""
        answer = {RELEASES: releases, "fingerprint": fingerprint, "readiness": readiness, "reads": reads.plain}
        self.source.cache.put_many(_NAMESPACE, {self._key: json.dumps(answer).encode()})
        return self._completion(answer)

    def _recalled(self, answer: Mapping[str, Any]) -> Completion | None:
        return self._completion(answer) if TreeReads.of(answer["reads"]).hold_in(self.source.tree) else None

    def _completion(self, answer: Mapping[str, Any]) -> Completion:
        spec = {**self.spec, RELEASES: dict(answer[RELEASES])}
        return Completion(spec, str(answer["fingerprint"]), tuple(answer["readiness"]))

    @cached_property
    def _key(self) -> str:
        source, spec = self.source, self.spec
        document, _ = target_document(source.project, spec["target"])
        bound = [fields for _, _, fields in written_bindings(document, "fromPublication")]
        carried = sorted({each["carryFileFromWorktree"] for each in bound if "carryFileFromWorktree" in each})
        state = sorted({each["path"] for each in bound})
        return digest(
            [
                [self._declared, source.project.folder, source.own_url],
                [spec["target"], spec.get(RELEASES, {}), spec.get("teardownWait")],
                {path: _digest_of(lambda each: source.session.carry_files.read(each), path) for path in carried},
                {path: _digest_of(lambda each: self.published.read(each), path) for path in state},
            ]
        )

    @property
    def _declared(self) -> list[Any]:
        """What the declarations of the project are made of: a file that declares something more is one more here."""
        project, tree = self.source.project, self.source.tree
        files = {*project.kubernetes.files, posixpath.join(project.folder, FILE_NAME)}
        entries = ((path, tree.entry(path)) for path in sorted(files))
        repositories = ((name, each.repository) for name, each in sorted(project.repositories.items()))
        return [
            {path: entry.oid if entry else None for path, entry in entries},
            [[name, each.url, each.publish_url] for name, each in repositories],
        ]


def _digest_of(read: Callable[[str], bytes | None], path: str) -> str | None:
    try:
        content = read(path)
    except NylError as error:
        return f"refused: {error.diagnostic.message}"  # rendering tells, if it reads the file at all
    return None if content is None else hashlib.sha256(content).hexdigest()
