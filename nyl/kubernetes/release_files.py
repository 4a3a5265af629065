"""Turning the expanded objects of a Release into files."""

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, NylError, Problems, Severity
from nyl.kubernetes.kinds import KindName, Scope, declared_scope, kind_of
from nyl.kubernetes.layout import manifest_path
from nyl.kubernetes.manifests import Manifest, ObjectIdentity
from nyl.kubernetes.rendered_releases import file_facts, taken
from nyl.kubernetes.scope import Placement, origin_of
from nyl.kubernetes.serialization import manifest_bytes
from nyl.kubernetes.tree import FileFacts


class ReleaseFiles:
    """Turns the expanded objects of one Release into files, one at a time."""

    def __init__(self, placement: Placement) -> None:
        self.files: dict[str, FileFacts] = {}
        self.bodies: list[bytes] = []
        self.scopes: dict[KindName, Scope] = {}
        self.warnings: list[Diagnostic] = []
        self._placement = placement
        self._first: dict[ObjectIdentity, str] = {}

    def add(self, manifest: Manifest) -> None:
        """Adds an object. Raises NYL-OBJECT-NAME, NYL-NAMESPACE-SCOPE, NYL-OBJECT-TAKEN, NYL-MANIFEST-INVALID."""
        placed = self._placement.placed(manifest)
        try:
            content = manifest_bytes(placed)
        except (ValueError, TypeError) as error:
            raise _unwritable(placed, str(error)) from None
        facts = file_facts(placed, content)
        assert facts.identity is not None
        first = self._first.setdefault(facts.identity, facts.origin)
        if first is not facts.origin:
            raise taken(facts.identity, first, facts.origin, origin_of(placed))
        path = manifest_path(placed.identity)
        if path in self.files:
            raise _path_taken(path, self.files[path], placed)
        self.files[path] = facts
        self.bodies.append(content)
        scope = declared_scope(placed)
        if scope is not None:
            self.scopes[scope[0]] = scope[1]
        if _is_plain_secret(placed):
            self.warnings.append(_secret(placed))

    def add_all(self, manifests: tuple[Manifest, ...]) -> None:
        """Adds some objects. Raises all problems together."""
        problems = Problems()
        for manifest in manifests:
            try:
                self.add(manifest)
            except NylError as error:
                problems.add(error)
        problems.raise_any()


def _path_taken(path: str, first: FileFacts, second: Manifest) -> NylError:
    place = second.location
    message = (
        f"{place}: {second.identity}{origin_of(second)} and {first.identity} ({first.origin}) share the path {path}."
    )
    return NylError(Code.PATH_COLLISION, message, "rename one of the two", location=place)


def _is_plain_secret(manifest: Manifest) -> bool:
    value = manifest.value
    return kind_of(value) == ("", "Secret") and bool(value.get("data") or value.get("stringData"))


def _secret(manifest: Manifest) -> Diagnostic:
    place = manifest.location
    return Diagnostic(
        Code.TREE_SECRET,
        f"{place}: Secret {manifest.value['metadata']['name']}{origin_of(manifest)} is rendered with its data, which "
        "everybody who can read the published branch can read.",
        "use an encrypted or external secret, such as a SealedSecret or an ExternalSecret",
        Severity.WARNING,
        location=place,
    )


def _unwritable(manifest: Manifest, why: str) -> NylError:
    place = manifest.location
    message = f"{place}: {manifest.value['kind']}{origin_of(manifest)} cannot be written as YAML: {why}."
    return NylError(Code.MANIFEST_INVALID, message, "correct the value", location=place)
