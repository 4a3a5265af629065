"""What no two Releases of a target may share, and what a tree warns of."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, Location, NylError, Problems, Severity
from nyl.core.suggestions import nearest
from nyl.kubernetes.inputs.provenance import check_path
from nyl.kubernetes.kinds import KNOWN
from nyl.kubernetes.manifests import ObjectIdentity
from nyl.kubernetes.rendered_releases import RenderedRelease, taken
from nyl.kubernetes.resources import ReleaseAddress
from nyl.kubernetes.target_plan import TargetPlan
from nyl.kubernetes.tree import FileFacts


def check_objects(files: Iterable[tuple[str, FileFacts]], problems: Problems) -> None:
    """Adds NYL-OBJECT-TAKEN for each object that two files hold; both places are named."""
    first: dict[ObjectIdentity, FileFacts] = {}
    for _, facts in files:
        if facts.identity is None:
            continue
        known = first.setdefault(facts.identity, facts)
        if known is not facts:
            problems.add(taken(facts.identity, known.origin, facts.origin))


def check_includes(plan: TargetPlan, releases: Mapping[ReleaseAddress, RenderedRelease], problems: Problems) -> None:
    """Adds NYL-INCLUDE-INVALID for each file that two Releases include."""
    owners: dict[tuple[str, str], ReleaseAddress] = {}
    for address, release in releases.items():
        planned = plan.releases[address]
        source = planned.group.source.repository
        for path in sorted({path for paths in release.includes.values() for path in paths}):
            owner = owners.setdefault((source.url if source else "", path), address)
            if owner != address:
                place = planned.document.location
                message = f"{place}: Release {address} includes {path}, which Release {owner} "
                message += f"({plan.releases[owner].document.location}) includes as well."
                fix = "narrow spec.include of one of the two"
                problems.add(NylError(Code.INCLUDE_INVALID, message, fix, location=place))


def check_folders(plan: TargetPlan, problems: Problems) -> None:
    """Adds NYL-PATH-COLLISION for Releases whose folders are one, or lie in each other: two Applications would sync
    what is in the inner one. Case does not tell folders apart."""
    folders = {address: f"{folder.lower()}/" for address, folder in plan.folders.items()}
    outer: list[ReleaseAddress] = []
    for address in sorted(folders, key=lambda each: (folders[each], each)):
        while outer and not folders[address].startswith(folders[outer[-1]]):
            outer.pop()
        if outer:
            problems.add(_overlap(plan, outer[-1], address))
        outer.append(address)


def _overlap(plan: TargetPlan, first: ReleaseAddress, second: ReleaseAddress) -> NylError:
    places = [plan.releases[each].document.location for each in (first, second)]
    return NylError(
        Code.PATH_COLLISION,
        f"{places[1]}: Release {second} would be written to {plan.folders[second]}, which lies in "
        f"{plan.folders[first]} of Release {first} ({places[0]}), and {first} would sync it too.",
        "give one of the two groups another spec.outputPath, or rename the Release",
        location=places[1],
    )


def check_sources(sources: Iterable[str], problems: Problems) -> None:
    """Adds NYL-PATH-REFUSED for source files whose paths would be taken for what is no file in the index."""
    for path in sources:
        try:
            check_path(path)
        except NylError as problem:
            problems.add(problem)


def unknown_kinds(releases: Collection[RenderedRelease]) -> Iterator[Diagnostic]:
    """NYL-KIND-SCOPE-UNKNOWN for each kind of which nothing tells whether its objects have a namespace, once."""
    unknown = {kind for each in releases for kind, scope in each.open_kinds.items() if scope is None}
    for release in releases if unknown else ():
        for facts in release.files.values():
            identity = facts.identity
            if identity is None or (identity.group, identity.kind) not in unknown:
                continue
            unknown.discard((identity.group, identity.kind))
            yield Diagnostic(
                Code.KIND_SCOPE_UNKNOWN,
                f"{facts.origin}: nothing tells whether objects of the kind {identity.kind} ({identity.group or 'v1'}) "
                "have a namespace, so they stay as they are written.",
                _about_unknown(identity.group, identity.kind),
                Severity.WARNING,
                location=Location.parse(facts.origin),
            )


def _about_unknown(group: str, kind: str) -> str:
    fix = "let the target render the CustomResourceDefinition of the kind, or write metadata.namespace out"
    close = nearest(kind, [known for of_group, known in KNOWN if of_group == group])
    return f"did you mean {close}? Otherwise {fix}" if close else fix
