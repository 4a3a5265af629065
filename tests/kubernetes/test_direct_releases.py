"""One Release for a direct command: its bindings, its overrides, its Namespaces, with and without a target."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from nyl.core.diagnostics import Diagnostic, NylError
from nyl.git.objects import ObjectReader
from nyl.kubernetes.direct_releases import DirectRelease, InputChoice, render_release
from nyl.kubernetes.direct_sources import checkout_source, project_source
from nyl.project.trees import CommitTree
from tests.project.repositories import commit_all, new_repository
from tests.support.kubernetes_project import CLUSTER, GROUP, PROJECT
from tests.support.kubernetes_session import BranchState, Site

WEB = "applications/platform/web.yaml"
RELEASE = """\
apiVersion: k8s.nyl/v1
kind: Release
metadata: {name: web, namespace: web}
spec:
  inputs:
    image: {type: string, default: from-default}
    replicas: {type: integer, default: 1}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {image: "{{ inputs.image }}", replicas: "{{ inputs.replicas }}"}
"""
TARGET = """\
apiVersion: k8s.gitops.nyl/v1
kind: DeploymentTarget
metadata: {name: prod}
spec:
  publication: {repository: {repoURL: https://git.example.com/deploy.git}, revision: deploy}
  releaseInputs:
    platform/web: {image: {value: from-binding}}
"""
BARE = "apiVersion: k8s.nyl/v1\nkind: Release\nmetadata: {name: web, namespace: web}\n---\n"
FILES = {"cluster.yaml": CLUSTER, "target.yaml": TARGET, "group.yaml": GROUP, WEB: RELEASE}


class Direct:
    """A project whose Releases are rendered one by one."""

    def __init__(self, root: Path, files: Mapping[str, str] = FILES) -> None:
        self.site = Site(root, files)

    def render(
        self, target: str | None = "prod", file: str = WEB, state: BranchState | None = None, **choice: Any
    ) -> DirectRelease:
        session = self.site.session()
        try:
            source = project_source(session, file)
            chosen = session.declarations.targets[target] if target else None
            return render_release(session, source, chosen, InputChoice(**choice), lambda: state or BranchState())
        finally:
            session.close()

    def refused(self, target: str | None = "prod", file: str = WEB, **choice: Any) -> Diagnostic:
        with pytest.raises(NylError) as caught:
            self.render(target, file, **choice)
        return caught.value.diagnostics[0]


@pytest.fixture
def direct(tmp_path: Path) -> Direct:
    return Direct(tmp_path)


def texts(release: DirectRelease) -> str:
    return "---\n".join(each.content.decode() for each in release.objects)


def names(release: DirectRelease) -> list[str]:
    return [str(each.identity) for each in release.objects]


def test_a_release_for_a_target_is_what_the_target_publishes(direct: Direct) -> None:
    tree = direct.site.texts()
    assert texts(direct.render()) == "---\n".join(
        tree[f"platform/web/{path}"] for path in ("namespace/web.yaml", "configmap/web/settings.yaml")
    )


def test_the_catalog_is_no_part_of_a_release(direct: Direct) -> None:
    assert names(direct.render()) == ["Namespace web", "ConfigMap web/settings"]


def test_namespaces_and_definitions_come_before_what_needs_them(direct: Direct) -> None:
    definition = (
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: as.example.com}\n"
        "spec: {group: example.com, scope: Namespaced, names: {kind: A, plural: as}}\n---\n"
    )
    objects = f"apiVersion: example.com/v1\nkind: A\nmetadata: {{name: first}}\n---\n{definition}"
    direct.site.write({WEB: BARE + objects})
    direct.site.write({"target.yaml": TARGET.split("  releaseInputs")[0]})
    assert names(direct.render()) == [
        "Namespace web",
        "CustomResourceDefinition.apiextensions.k8s.io as.example.com",
        "A.example.com web/first",
    ]


@pytest.mark.parametrize(
    ("choice", "image"),
    [
        ({}, "from-binding"),
        ({"overrides": {"image": "from-override"}}, "from-override"),
        ({"overrides": {"replicas": 3}}, "from-binding"),
        ({"defaults_only": True}, "from-default"),
        ({"defaults_only": True, "overrides": {"image": "from-override"}}, "from-override"),
        ({"group": "platform"}, "from-binding"),
    ],
)
def test_an_override_wins_over_the_binding_and_that_over_the_default(
    direct: Direct, choice: Mapping[str, Any], image: str
) -> None:
    assert f"image: {image}\n" in texts(direct.render(**choice))


def test_without_a_target_only_defaults_and_overrides_apply(direct: Direct) -> None:
    assert "image: from-default\n" in texts(direct.render(None))
    assert "image: mine\n" in texts(direct.render(None, overrides={"image": "mine"}))


@pytest.mark.parametrize("target", ["prod", None])
@pytest.mark.parametrize(
    ("overrides", "code", "told"),
    [
        ({"imag": "x"}, "NYL-INPUT-BINDING", "imag"),
        ({"replicas": "3"}, "NYL-INPUT-INVALID", "replicas"),
        ({"replicas": 1.5}, "NYL-INPUT-INVALID", "replicas"),
        ({"image": None}, "NYL-INPUT-INVALID", "image"),
    ],
)
def test_overrides_must_be_declared_and_fit(
    direct: Direct, target: str | None, overrides: Mapping[str, Any], code: str, told: str
) -> None:
    found = direct.refused(target, overrides=overrides)
    assert (found.code.value, told in found.message) == (code, True)


def test_an_input_without_any_value_is_named(direct: Direct) -> None:
    described = RELEASE.replace("{type: string, default: from-default}", "{type: string, description: What runs}")
    direct.site.write({WEB: described})
    found = direct.refused(None)
    assert found.code.value == "NYL-INPUT-MISSING"
    assert "What runs" in found.message
    assert direct.refused("prod", defaults_only=True).code.value == "NYL-INPUT-MISSING"


def test_what_is_overridden_need_not_resolve(direct: Direct) -> None:
    direct.site.write({"target.yaml": TARGET.replace("{value: from-binding}", "{fromFile: {path: missing.yaml}}")})
    assert direct.refused().code.value == "NYL-SOURCE-INPUT"
    assert "image: mine\n" in texts(direct.render(overrides={"image": "mine"}))


def test_bindings_read_publication_state(direct: Direct) -> None:
    direct.site.write(
        {"target.yaml": TARGET.replace("{value: from-binding}", "{fromPublication: {path: images.yaml}}")}
    )
    state = BranchState({"images.yaml": b"from-state\n"}, "c" * 40)
    assert "image: from-state\n" in texts(direct.render(state=state))
    assert "image: from-state\n" in texts(direct.render(state=state, overrides={"replicas": 3}))
    assert "image: from-default\n" in texts(direct.render())


# Groups


OTHER = GROUP.replace("platform", "other").replace("spec: {}", "spec: {source: {path: applications/platform}}")
NEITHER = GROUP.replace("platform", "other")


def test_the_group_is_the_one_whose_source_contains_the_file(direct: Direct) -> None:
    direct.site.write({"other.yaml": NEITHER})
    assert direct.render().group == "platform"


@pytest.mark.parametrize("overrides", [{}, {"replicas": 2}])
def test_with_several_groups_the_command_fails_and_names_them(direct: Direct, overrides: Mapping[str, Any]) -> None:
    direct.site.write({"other.yaml": OTHER})
    found = direct.refused(overrides=overrides)
    assert found.code.value == "NYL-INPUT-BINDING"
    assert "other, platform" in found.message
    assert "--application-group" in (found.fix or "")
    assert "--defaults-only" in (found.fix or "")


def test_with_several_groups_one_is_chosen_or_none(direct: Direct) -> None:
    direct.site.write({"other.yaml": OTHER})
    assert "image: from-binding\n" in texts(direct.render(group="platform"))
    assert "image: from-default\n" in texts(direct.render(group="other"))
    alone = direct.render(defaults_only=True)
    assert "image: from-default\n" in texts(alone)
    assert alone.group is None


def test_a_file_of_no_group_never_falls_back_to_defaults_silently(direct: Direct) -> None:
    direct.site.write({"elsewhere/web.yaml": RELEASE})
    found = direct.refused(file="elsewhere/web.yaml")
    assert found.code.value == "NYL-INPUT-BINDING"
    assert "platform" in found.message
    assert "image: from-binding\n" in texts(direct.render(file="elsewhere/web.yaml", group="platform"))
    assert "image: from-default\n" in texts(direct.render(file="elsewhere/web.yaml", defaults_only=True))


def test_a_group_that_the_target_does_not_select_is_refused(direct: Direct) -> None:
    assert direct.refused(group="platfrom").code.value == "NYL-INPUT-BINDING"


def test_a_release_of_a_remote_group_is_rendered_from_a_checkout(direct: Direct, tmp_path: Path) -> None:
    remote = "{repository: {repoURL: https://git.example.com/web.git}, revision: main, commit: " + "a" * 40 + "}"
    direct.site.write({"group.yaml": GROUP.replace("{}", f"{{destinationNamespace: shop, source: {remote}}}")})
    direct.site.remove(WEB)
    repository = new_repository(tmp_path / "checkout")
    (tmp_path / "checkout/web.yaml").write_text(RELEASE)
    source = checkout_source(CommitTree(ObjectReader(repository), commit_all(repository), ""), "web.yaml")
    session = direct.site.session()
    target = session.declarations.targets["prod"]
    with pytest.raises(NylError) as caught:
        render_release(session, source, target, InputChoice(), BranchState)
    assert "platform" in caught.value.diagnostics[0].message
    found = render_release(session, source, target, InputChoice(group="platform"), BranchState)
    assert "image: from-binding\n" in texts(found)
    assert names(found) == ["Namespace shop", "ConfigMap shop/settings"]
    assert "image: from-default\n" in texts(
        render_release(session, source, target, InputChoice(defaults_only=True), BranchState)
    )
    session.close()


def test_a_disabled_group_still_has_its_bindings(direct: Direct) -> None:
    direct.site.write({"group.yaml": GROUP.replace("{}", "{enabled: false}")})
    assert "image: from-binding\n" in texts(direct.render())


# Settled alone, or taken from the target


def test_a_release_that_is_published_is_taken_from_the_whole_target(direct: Direct) -> None:
    direct.site.write({"applications/platform/broken.yaml": RELEASE.replace("name: web,", "name: x,") + "---\na: 1\n"})
    assert direct.refused().location is not None


@pytest.mark.parametrize("choice", [{"overrides": {"replicas": 2}}, {"defaults_only": True}])
def test_a_release_with_other_inputs_is_settled_alone(direct: Direct, choice: Mapping[str, Any]) -> None:
    direct.site.write({"applications/platform/broken.yaml": RELEASE.replace("name: web,", "name: x,") + "---\na: 1\n"})
    assert names(direct.render(**choice)) == ["Namespace web", "ConfigMap web/settings"]


@pytest.mark.parametrize("choice", [{}, {"overrides": {"replicas": 2}}, {"defaults_only": True}])
@pytest.mark.parametrize(
    ("owner", "owned"),
    [
        ("{kind: Release, applicationGroup: platform, release: web}", True),
        ("{kind: Release, applicationGroup: platform, release: api}", False),
        ("{kind: Dedicated, applicationGroup: platform}", False),
        ("{kind: External}", False),
    ],
)
def test_a_release_has_the_namespaces_that_it_owns(
    direct: Direct, choice: Mapping[str, Any], owner: str, owned: bool
) -> None:
    direct.site.write(
        {
            "group.yaml": GROUP.replace("{}", f"{{sharedNamespaces: {{web: {{owner: {owner}}}}}}}"),
            "applications/platform/api.yaml": BARE.replace("name: web,", "name: api,"),
        }
    )
    assert ("Namespace web" in names(direct.render(**choice))) is owned


def test_an_overridden_release_has_the_same_bytes_for_what_does_not_change(direct: Direct) -> None:
    published = {each.identity: each.content for each in direct.render().objects}
    overridden = {each.identity: each.content for each in direct.render(overrides={"image": "from-binding"}).objects}
    assert overridden == published


def test_objects_outside_of_a_releases_namespaces_are_refused_with_a_target_alone(direct: Direct) -> None:
    direct.site.write({WEB: RELEASE.replace("{name: settings}", "{name: settings, namespace: kube-system}")})
    assert direct.refused(overrides={"replicas": 2}).code.value == "NYL-NAMESPACE-SCOPE"
    assert direct.refused(defaults_only=True).code.value == "NYL-NAMESPACE-SCOPE"
    assert names(direct.render(None)) == ["ConfigMap kube-system/settings"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("{{ values | length }}", "data:\n  text: '0'\n"),
        ("{{ cluster is defined }}-{{ target is defined }}", "text: False-False\n"),
    ],
)
def test_without_a_target_values_is_empty_and_there_is_no_cluster(direct: Direct, text: str, shown: str) -> None:
    config = f'apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: settings}}\ndata: {{text: "{text}"}}\n'
    direct.site.write({WEB: BARE + config})
    assert shown in texts(direct.render(None))


@pytest.mark.parametrize("expression", ["values.region", "cluster.metadata.name", "target.metadata.name"])
def test_without_a_target_what_it_would_give_is_missed(direct: Direct, expression: str) -> None:
    config = (
        f'apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: settings}}\ndata: {{text: "{{{{ {expression} }}}}"}}\n'
    )
    direct.site.write({WEB: BARE + config})
    assert direct.refused(None).code.value == "NYL-TEMPLATE-INVALID"


def test_warnings_of_other_releases_are_not_told(tmp_path: Path) -> None:
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: key}\nstringData: {a: b}\n"
    direct = Direct(tmp_path, {**PROJECT, "applications/platform/api.yaml": BARE.replace("web", "api") + secret})
    assert direct.render().warnings == ()
    assert [each.code.value for each in direct.render(file="applications/platform/api.yaml").warnings] == [
        "NYL-TREE-SECRET"
    ]


@pytest.mark.parametrize("file", ["missing.yaml", "group.yaml", "out/prod/web.yaml"])
def test_a_file_that_is_no_source_with_a_release_is_refused(direct: Direct, file: str) -> None:
    direct.site.write({"out/prod/_nyl/index.json": "{}", "out/prod/web.yaml": RELEASE})
    found = direct.refused(file=file)
    assert (found.code.value, file in found.message) == ("NYL-RELEASE-MISSING", True)
