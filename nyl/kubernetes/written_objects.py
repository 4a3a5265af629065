"""Writing the objects that no bundle holds: the same object is always written alike, so that it is written once."""

from collections.abc import Mapping

from nyl import __version__
from nyl.core.cache import Cache
from nyl.kubernetes.cache_keys import digest_of
from nyl.kubernetes.manifests import Manifest
from nyl.kubernetes.rendered_releases import file_facts
from nyl.kubernetes.tree import FileFacts

_NAMESPACE = f"written-objects/{__version__}/1"


def written_objects(cache: Cache, manifests: Mapping[str, Manifest]) -> dict[str, tuple[FileFacts, bytes]]:
    """Facts and bytes of the files of some objects, by their paths."""
    keys = {path: digest_of([each.value, each.provenance]) for path, each in manifests.items()}
    known = cache.get_many(_NAMESPACE, keys.values())
    missing = {path: each for path, each in manifests.items() if keys[path] not in known}
    if missing:
        from nyl.kubernetes.serialization import manifest_bytes

        fresh = {keys[path]: manifest_bytes(each) for path, each in missing.items()}
        cache.put_many(_NAMESPACE, fresh)
        known.update(fresh)
    return {path: (file_facts(each, known[keys[path]]), known[keys[path]]) for path, each in manifests.items()}
