"""`nyl update source-locks` on locks of ApplicationGroups and DeploymentTargets."""

from tests.support.world import World

CLUSTER = (
    "apiVersion: k8s.gitops.nyl/v1\nkind: Cluster\nmetadata: {name: shared}\nspec: {destination: {name: shared}}\n"
)


def test_one_command_moves_and_checks_every_lock(world: World) -> None:
    library = world.tmp / "library"
    library.mkdir()
    world.git("init", "-q", "-b", "main", cwd=library)
    world.git("commit", "-q", "--allow-empty", "-m", "one", cwd=library)
    old = world.git("rev-parse", "HEAD", cwd=library).strip()
    lock = f"repository: {{repoURL: 'file://{library}'}}\n{{0}}revision: main\n{{0}}commit: {old}  # pin"
    group = (
        "apiVersion: k8s.gitops.nyl/v1\nkind: ApplicationGroup\nmetadata: {name: apps}\n"
        f"spec:\n  source:\n    path: apps\n    {lock.replace('{0}', '    ')}\n"
    )
    target = (
        "apiVersion: k8s.gitops.nyl/v1\nkind: DeploymentTarget\nmetadata: {name: staging}\n"
        "spec:\n  clusterRef: {name: shared}\n  publication: {revision: deploy}\n"
        "  releaseInputs:\n    apps/web:\n      tier:\n        fromGit:\n          path: s.json\n"
        f"          {lock.replace('{0}', '          ')}\n"
    )
    other = target.replace("staging", "production").replace(
        target[target.index("  releaseInputs") :], "  applicationGroupSelector: {matchLabels: {a: b}}\n"
    )
    files = {"shared.yaml": CLUSTER, "apps.yaml": group, "staging.yaml": target, "production.yaml": other}
    for name, text in files.items():
        world.write(name, text)
    world.commit()
    world.git("commit", "-q", "--allow-empty", "-m", "two", cwd=library)
    new = world.git("rev-parse", "HEAD", cwd=library).strip()

    stale = world.nyl("update", "source-locks", "--check", "-o", "json", exits=2)
    assert stale.stdout.count("NYL-SOURCE-LOCKS-STALE") == 2
    world.nyl("update", "source-locks", "--check", "--target", "production")
    world.nyl("update", "source-locks", "--check", "--target", "gone", exits=1)
    world.nyl("update", "source-locks", "--check", "nobody", exits=1)
    assert (world.project / "staging.yaml").read_text() == target
    world.nyl("update", "source-locks", "apps")
    assert (world.project / "apps.yaml").read_text() == group.replace(old, new)
    assert (world.project / "staging.yaml").read_text() == target
    world.nyl("update", "source-locks", "--target", "staging")
    assert (world.project / "staging.yaml").read_text() == target.replace(old, new)
    world.nyl("update", "source-locks", "--check")
