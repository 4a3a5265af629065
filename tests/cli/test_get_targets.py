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
