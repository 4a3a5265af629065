"""`nyl get targets`: what a project renders, and where to."""

from tests.support.kubernetes_project import CLUSTER, GROUP, PROJECT, TARGET
from tests.support.world import World


def project(world: World) -> World:
    for name, text in PROJECT.items():
        world.write(name, text)
    return world


def test_targets_are_listed_with_their_clusters_places_and_groups(world: World) -> None:
    project(world).write("off.yaml", GROUP.replace("platform", "off").replace("{}", "{enabled: false}"))
    world.write("dev.yaml", TARGET.replace("name: prod,", "name: dev,").replace("{name: deploy}", "{name: deploy}"))
    world.write("c.yaml", CLUSTER.replace("{name: prod}", "{name: dev}"))
    listed = world.nyl("get", "targets", "-o", "json").json["details"]["targets"]
    assert [each["target"] for each in listed] == ["dev", "prod"]
    assert listed[1] == {
        "target": "prod",
        "cluster": "prod",
        "repository": "https://git.example.com/team/deploy.git",
        "revision": "deploy",
        "prefix": "prod",
        "groups": ["platform"],
        "file": "target.yaml:1",
    }


def test_the_table_names_groups(world: World) -> None:
    heading, row = project(world).nyl("get", "targets").stdout.splitlines()
    assert heading.split() == ["TARGET", "CLUSTER", "REPOSITORY", "REVISION", "PREFIX", "GROUPS", "FILE"]
    assert row.split()[-2:] == ["platform", "target.yaml:1"]


def test_the_own_repository_is_named_by_its_url(world: World) -> None:
    project(world).write("target.yaml", TARGET.replace("repositoryRef: {name: deploy}, ", ""))
    (listed,) = world.nyl("get", "targets", "-o", "json").json["details"]["targets"]
    assert listed["repository"] == str(world.origin)


def test_a_project_without_targets_says_so(world: World) -> None:
    assert world.nyl("get", "targets").stdout == "no targets\n"


def test_problems_of_all_targets_are_told_together(world: World) -> None:
    project(world).write("dev.yaml", TARGET.replace("name: prod,", "name: dev,"))
    world.write("group.yaml", GROUP.replace("{}", "{outputPath: ..}"))
    ended = world.nyl("get", "targets", "-o", "json", exits=1)
    assert [each["code"] for each in ended.json["diagnostics"]] == ["NYL-CLUSTER-UNKNOWN", "NYL-PATH-REFUSED"]


def test_validate_names_both_targets_that_overlap(world: World) -> None:
    project(world).write("c.yaml", CLUSTER.replace("{name: prod}", "{name: eu}"))
    world.write("z.yaml", TARGET.replace("name: prod,", "name: eu,").replace("revision:", "pathPrefix: '', revision:"))
    ended = world.nyl("validate", exits=1)
    assert "error NYL-TARGET-OVERLAP (z.yaml:1)" in ended.stderr
    assert "DeploymentTarget prod (target.yaml:1)" in " ".join(ended.stderr.split())


def test_the_schemas_of_kubernetes_resources_are_printed(world: World) -> None:
    for kind in (
        "Cluster",
        "DeploymentTarget",
        "ArgoCDInstance",
        "AppProjectDefinition",
        "ApplicationGroup",
        "Release",
    ):
        assert world.nyl("schema", kind).json["title"] == kind
