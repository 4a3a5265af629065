"""What Releases rendered to before, taken over while everything that they were rendered from is as it was."""

from collections.abc import Mapping

from nyl import __version__
from nyl.core.cache import Cache
from nyl.kubernetes.cache_keys import digest_of
from nyl.kubernetes.expansion.artifacts import Artifacts
from nyl.kubernetes.includes import IncludeGlobs
from nyl.kubernetes.release_records import FORMAT, ReleaseRecord
from nyl.kubernetes.release_work import FreshRelease, ReleaseJob
from nyl.kubernetes.resources import ReleaseAddress
from nyl.project.cached_json import load_all
from nyl.project.trees import WholeTree

_RECORDS = f"releases/{__version__}/{FORMAT}"
_BODIES = f"release-files/{__version__}/{FORMAT}"
_AT_ONCE = 200


class ReleaseCache:
    """Keeps the records of Releases by what they depend on from the start, and apart from them their bytes."""

    def __init__(self, cache: Cache, helm: str, artifacts: Artifacts) -> None:
        """`helm` tells one installed helm from another; `artifacts` knows what comes from elsewhere now."""
        self._cache = cache
        self._helm = helm
        self._artifacts = artifacts
        self._listings: dict[tuple[int, str], str] = {}
        self._records: dict[str, bytes] = {}
        self._bodies: dict[str, bytes] = {}

    def load(self, jobs: Mapping[ReleaseAddress, ReleaseJob]) -> dict[ReleaseAddress, ReleaseRecord]:
        """The records that hold for some jobs."""
        rows = load_all(self._cache.get_many(_RECORDS, (job.key for job in jobs.values())))
        found = {}
        for address, job in jobs.items():
            record = ReleaseRecord.of(rows.get(job.key))
            if record is not None and self._holds(record, job):
                found[address] = record
        return found

    def bodies(self, key: str) -> bytes | None:
        """The bytes of all files of a Release one after the other, or None."""
        return self._cache.get_many(_BODIES, [key]).get(key)

    def keep(self, job: ReleaseJob, fresh: FreshRelease) -> None:
        """Keeps a Release that was rendered; what is kept is written a few Releases at a time."""
        release, tree = fresh.release, job.source.tree
        identities = {path: entry.oid for path in release.sources if (entry := tree.entry(path)) is not None}
        listings = {folder: self._listing(tree, folder) for folder in sorted(release.folders)}
        record = ReleaseRecord(release, identities, listings, self._helm if fresh.uses_helm else "")
        self._records[job.key] = record.encode()
        self._bodies[job.key] = fresh.bodies
        if len(self._records) >= _AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Writes what is kept and not written yet."""
        self._cache.put_many(_BODIES, self._bodies)
        self._cache.put_many(_RECORDS, self._records)
        self._records, self._bodies = {}, {}

    def _holds(self, record: ReleaseRecord, job: ReleaseJob) -> bool:
        tree = job.source.tree
        if record.helm not in ("", self._helm):
            return False
        if any(self._artifacts.digest(key) != digest for key, digest in record.release.artifacts.items()):
            return False
        for path, identity in record.identities.items():
            entry = tree.entry(path)
            if entry is None or entry.oid != identity:
                return False
        if any(self._listing(tree, folder) != digest for folder, digest in record.listings.items()):
            return False
        includes = record.release.includes
        if not includes:
            return True
        globs = IncludeGlobs(tree, job.source.entry_file, job.source.left_out)
        return all(globs.files(glob) == paths for glob, paths in includes.items())

    def _listing(self, tree: WholeTree, folder: str) -> str:
        key = (id(tree), folder)
        if key not in self._listings:
            self._listings[key] = digest_of([[path, each.mode, each.oid] for path, each in tree.under(folder)])
        return self._listings[key]
