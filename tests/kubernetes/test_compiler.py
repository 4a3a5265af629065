"""Compiling targets: which files a tree holds, what they are taken from, and what two Releases may not share."""

import hashlib
from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.kubernetes.session import RenderOptions
from nyl.kubernetes.tree import RenderedTree
from tests.support.kubernetes_project import PROJECT, RELEASE
from tests.support.kubernetes_session import BranchState, Site

FILE = "applications/platform/web.yaml"
CATALOG = "_nyl/catalog/application.argoproj.io/argocd"
OTHER = "applications/platform/other.yaml"


def second(name: str = "other") -> str:
    text = RELEASE.replace("name: web, namespace: web", f"name: {name}, namespace: {name}")
    return text.replace("name: settings", f"name: {name}")


def site(tmp_path: Path, **files: str) -> Site:
    named = {name.replace("__", "/") + ".yaml": text for name, text in files.items()}
    return Site(tmp_path, {**PROJECT, **named})


def all_bytes(tree: RenderedTree) -> dict[str, bytes]:
    return dict(tree.contents.read_many(list(tree.files)))


def test_a_release_its_namespace_and_the_catalog_make_a_tree(tmp_path: Path) -> None:
    texts = Site(tmp_path).texts()
    assert sorted(texts) == [
        f"{CATALOG}/prod-catalog.yaml",
        f"{CATALOG}/web.yaml",
        "platform/web/configmap/web/settings.yaml",
        "platform/web/namespace/web.yaml",
    ]
    assert texts["platform/web/configmap/web/settings.yaml"] == (
        "# Nyl-Provenance: applications/platform/web.yaml\n"
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n  namespace: web\ndata:\n  region: eu\n"
    )
    assert texts["platform/web/namespace/web.yaml"].startswith("# Nyl-Provenance: synthesized Namespace of Release ")
    assert texts[f"{CATALOG}/web.yaml"].startswith("# Nyl-Provenance: synthesized Application of Release platform/web")


def test_the_facts_of_files_are_those_of_their_bytes(tmp_path: Path) -> None:
    tree = Site(tmp_path).compile()
    for path, content in all_bytes(tree).items():
        facts = tree.files[path]
        assert facts.sha256 == hashlib.sha256(content).hexdigest()
        assert facts.sha1_blob == hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
    assert tree.files["platform/web/configmap/web/settings.yaml"].origin == f"{FILE}:5"


def test_a_dedicated_namespace_has_a_folder_and_an_application_of_its_own(tmp_path: Path) -> None:
    owner = "{sharedNamespaces: {web: {owner: {kind: Dedicated, applicationGroup: platform}}}}"
    texts = site(tmp_path, group=str(PROJECT["group.yaml"]).replace("{}", owner)).texts()
    assert "_nyl/namespaces/web/namespace/web.yaml" in texts
    assert "path: prod/_nyl/namespaces/web\n" in texts[f"{CATALOG}/prod-namespace-web.yaml"]
    assert "platform/web/namespace/web.yaml" not in texts


def test_an_external_namespace_is_not_written(tmp_path: Path) -> None:
    owner = "{sharedNamespaces: {web: {owner: {kind: External}}}}"
    texts = site(tmp_path, group=str(PROJECT["group.yaml"]).replace("{}", owner)).texts()
    assert not any("namespace/web.yaml" in path for path in texts)


def test_an_authored_namespace_is_the_only_one(tmp_path: Path) -> None:
    own = "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: web, labels: {a: b}}\n"
    texts = site(tmp_path, applications__platform__web=RELEASE + own).texts()
    assert "a: b" in texts["platform/web/namespace/web.yaml"]


def test_an_application_with_the_override_that_its_group_allows(tmp_path: Path) -> None:
    override = "spec: {argocd: {applicationOverride: {metadata: {labels: {team: x}}}}}\n---"
    allowed = "{releaseCustomization: {allowedPaths: ['metadata.labels.*']}}"
    release = RELEASE.replace("---", override, 1)
    group = str(PROJECT["group.yaml"])
    texts = site(tmp_path / "1", applications__platform__web=release, group=group.replace("{}", allowed)).texts()
    assert "team: x" in texts[f"{CATALOG}/web.yaml"]
    [problem] = site(tmp_path / "2", applications__platform__web=release).problems()
    assert problem.location is not None
    assert problem.location.file == FILE


def test_two_documents_of_a_release_are_not_one_object(tmp_path: Path) -> None:
    again = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: web}\n"
    [problem] = site(tmp_path, applications__platform__web=RELEASE + again).problems()
    assert problem.code is Code.OBJECT_TAKEN
    assert f"{FILE}:10: ConfigMap web/settings stands at {FILE}:5 already" in problem.message


def test_two_releases_do_not_own_one_object(tmp_path: Path) -> None:
    role = "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: x}\n"
    files = {"applications__platform__web": RELEASE + role, "applications__platform__other": second() + role}
    [problem] = site(tmp_path, **files).problems()
    assert problem.code is Code.OBJECT_TAKEN
    assert f"{FILE}:10" in problem.message
    assert f"{OTHER}:10" in problem.message


def test_an_api_version_is_no_part_of_an_object(tmp_path: Path) -> None:
    apps = "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\n"
    [problem] = site(tmp_path, applications__platform__web=RELEASE + apps + apps.replace("v1", "v2", 1)).problems()
    assert problem.code is Code.OBJECT_TAKEN


def test_paths_that_differ_in_case_collide(tmp_path: Path) -> None:
    more = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: Settings}\n"
    [problem] = site(tmp_path, applications__platform__web=RELEASE + more).problems()
    assert problem.code is Code.PATH_COLLISION
    assert f"{FILE}:5" in problem.message
    assert f"{FILE}:10" in problem.message


def test_objects_outside_the_namespaces_of_a_release_are_refused(tmp_path: Path) -> None:
    more = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: other}\n"
    [problem] = site(tmp_path / "1", applications__platform__web=RELEASE + more).problems()
    assert problem.code is Code.NAMESPACE_SCOPE
    assert f"{FILE}:10" in problem.message
    allowed = RELEASE.replace("---", "spec: {additionalNamespaces: [other]}\n---", 1) + more
    texts = site(tmp_path / "2", applications__platform__web=allowed).texts()
    assert {"platform/web/configmap/other/x.yaml", "platform/web/namespace/other.yaml"} <= set(texts)


CRD = """\
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec: {group: example.com, names: {kind: Thing}, scope: SCOPE}
"""
THING = "---\napiVersion: example.com/v1\nkind: Thing\nmetadata: {name: it}\n"


def test_definitions_of_other_releases_place_custom_objects(tmp_path: Path) -> None:
    here = site(tmp_path, applications__platform__web=RELEASE + THING)
    assert "platform/web/thing.example.com/it.yaml" in here.texts()
    assert [each.code for each in here.compile().warnings] == [Code.KIND_SCOPE_UNKNOWN]
    here.write({OTHER: second() + CRD.replace("SCOPE", "Namespaced")})
    tree = here.compile()
    assert "platform/web/thing.example.com/web/it.yaml" in tree.files
    assert "platform/other/crd/things.example.com.yaml" in tree.files
    assert tree.warnings == ()
    here.write({OTHER: second() + CRD.replace("SCOPE", "Cluster")})
    assert "platform/web/thing.example.com/it.yaml" in here.texts()


def test_a_kind_of_unknown_scope_is_warned_of_once(tmp_path: Path) -> None:
    files = {
        "applications__platform__web": RELEASE + THING,
        "applications__platform__other": second() + THING.replace("it", "x"),
    }
    warnings = site(tmp_path, **files).compile().warnings
    assert [each.code for each in warnings] == [Code.KIND_SCOPE_UNKNOWN]


def test_a_mistyped_kind_of_kubernetes_is_warned_of_with_the_one_that_was_meant(tmp_path: Path) -> None:
    mistyped = "---\napiVersion: apps/v1\nkind: Deploymnt\nmetadata: {name: it}\n"
    (warning,) = site(tmp_path, applications__platform__web=RELEASE + mistyped).compile().warnings
    assert (warning.fix or "").startswith("did you mean Deployment?")


@pytest.mark.parametrize("field", ["data: {a: eA==}", "stringData: {a: x}"])
def test_secrets_in_plain_text_are_warned_of(tmp_path: Path, field: str) -> None:
    secret = f"---\napiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\n{field}\n"
    here = site(tmp_path, applications__platform__web=RELEASE + secret)
    for _ in range(2):
        [warning] = here.compile().warnings
        assert warning.code is Code.TREE_SECRET
        assert f"{FILE}:10: Secret s" in warning.message


def test_secrets_without_data_or_sealed_ones_are_none(tmp_path: Path) -> None:
    more = "---\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\ntype: Opaque\n"
    more += "---\napiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: t}\n"
    more += "spec: {encryptedData: {a: x}}\n"
    assert site(tmp_path, applications__platform__web=RELEASE + more).compile().warnings == ()


def test_the_index_names_every_source_file_with_its_digest(tmp_path: Path) -> None:
    include = RELEASE.replace("---", "spec: {include: [more/x.yaml]}\n---", 1)
    here = site(tmp_path, applications__platform__web=include)
    here.write({"applications/platform/more/x.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"})
    here.write({"other.yaml": str(PROJECT["repository.yaml"]).replace("deploy", "other")})
    files = {"nyl.toml", "cluster.yaml", "target.yaml", "repository.yaml", "group.yaml", FILE}
    files.add("applications/platform/more/x.yaml")
    digests = {name: hashlib.sha256((here.root / name).read_bytes()).hexdigest() for name in files}
    for _ in range(2):
        assert here.compile().inputs == dict(sorted(digests.items()))


def test_inputs_reach_their_release_and_the_index(tmp_path: Path) -> None:
    target = str(PROJECT["target.yaml"]) + "  releaseInputs: {platform/web: {size: {value: 3}}}\n"
    release = RELEASE.replace("---", "spec: {inputs: {size: {type: integer}}}\n---", 1).replace(
        "values.region", "inputs.size"
    )
    here = site(tmp_path, target=target, applications__platform__web=release)
    tree = here.compile()
    assert b"region: '3'" in all_bytes(tree)["platform/web/configmap/web/settings.yaml"]
    assert tree.inputs["@input/platform/web/size"] == hashlib.sha256(b"3").hexdigest()


def test_publication_state_is_read_for_bindings_alone(tmp_path: Path) -> None:
    binding = "  releaseInputs: {platform/web: {size: {fromPublication: {path: state/x.json, pointer: /size}}}}\n"
    release = RELEASE.replace("---", "spec: {inputs: {size: {type: integer, default: 1}}}\n---", 1)
    target = str(PROJECT["target.yaml"]) + binding
    here = site(tmp_path, target=target, applications__platform__web=release.replace("values.region", "inputs.size"))
    path = "platform/web/configmap/web/settings.yaml"
    assert b"'1'" in all_bytes(here.compile())[path]
    tree = here.compile(state=BranchState({"state/x.json": b'{"size": 7}'}, commit="c" * 40))
    assert b"'7'" in all_bytes(tree)[path]
    assert tree.inputs["@publication/state/x.json"] == hashlib.sha256(b'{"size": 7}').hexdigest()
    assert tree.read_state == {"state/x.json"}


def test_a_source_path_that_the_index_reserves_fails_the_render(tmp_path: Path) -> None:
    group = str(PROJECT["group.yaml"]).replace("{}", "{source: {path: '@apps'}}")
    here = site(tmp_path, group=group)
    here.remove(FILE).write({"@apps/web.yaml": RELEASE})
    [problem] = here.problems()
    assert problem.code is Code.PATH_REFUSED
    assert "@apps/web.yaml" in problem.message


def test_a_project_in_a_folder_renders_like_one_at_the_root(tmp_path: Path) -> None:
    tree = Site(tmp_path, PROJECT, "deploy").compile()
    assert f"deploy/{FILE}" in tree.inputs
    text = all_bytes(tree)["platform/web/configmap/web/settings.yaml"]
    assert text.startswith(f"# Nyl-Provenance: deploy/{FILE}\n".encode())


def test_a_commit_and_a_clean_working_tree_give_the_same_bytes(tmp_path: Path) -> None:
    here = site(tmp_path)
    commit = here.commit()
    at_commit, in_place = here.compile(commit=commit), here.compile(options=RenderOptions(no_cache=True, concurrency=8))
    assert all_bytes(at_commit) == all_bytes(in_place)
    assert at_commit.inputs == in_place.inputs
    assert at_commit.commit == commit
