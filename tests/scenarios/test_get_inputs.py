"""`nyl get inputs`: inputs of every source, in one project with real repositories."""

import json

from tests.support.world import World

RESOURCES = """\
apiVersion: k8s.gitops.nyl/v1
kind: Cluster
metadata: {name: staging}
spec: {destination: {name: staging}}
---
apiVersion: k8s.gitops.nyl/v1
kind: ApplicationGroup
metadata: {name: platform}
spec: {}
---
apiVersion: k8s.gitops.nyl/v1
kind: DeploymentTarget
metadata: {name: staging}
spec:
  publication: {revision: deploy}
  releaseInputs:
    platform/web:
      image: {value: 'registry.example.com/web@sha256:4f0c'}
      database: {fromFile: {path: env/db.yaml, pointer: /database}}
      tier: {fromGit: {repository: {repoURL: 'LIBRARY'}, revision: main, commit: COMMIT, path: s.json, pointer: /tier}}
      tag: {fromPublication: {path: state/images.json, pointer: /web}}
      build: {fromPublication: {path: state/build.json, carryFileFromWorktree: build/build.json}}
      host: {fromUnit: {environment: infra, unit: database, output: host}}
"""
RELEASE = """\
apiVersion: k8s.nyl/v1
kind: Release
metadata: {name: web, namespace: web}
spec:
  inputs:
    image: {type: string}
    database: {type: object}
    tier: {type: string, enum: [small, large]}
    tag: {type: string, default: none}
    build: {type: object, default: {}}
    host: {type: string}
    replicas: {type: integer, default: 2}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: web}
"""


def test_every_effective_input_is_listed_with_its_source(world: World) -> None:
    library = world.tmp / "library"
    library.mkdir()
    world.git("init", "-q", "-b", "main", cwd=library)
    (library / "s.json").write_text('{"tier": "large"}')
    world.git("add", ".", cwd=library)
    world.git("commit", "-q", "-m", "one", cwd=library)
    commit = world.git("rev-parse", "HEAD", cwd=library).strip()
    world.write("k8s.yaml", RESOURCES.replace("LIBRARY", f"file://{library}").replace("COMMIT", commit))
    world.write("applications/platform/web.yaml", RELEASE).write("env/db.yaml", "database: {host: db}\n")
    world.write(".gitignore", ".nyl/\nbuild/\n").commit()

    unknown = world.nyl("get", "inputs", "--target", "staging", "--offline", exits=1)
    assert "the binding platform/web/tier of DeploymentTarget staging" in unknown.stdout + unknown.stderr
    world.write("build/build.json", '{"id": 12345678901234567890}')
    found = json.loads(world.nyl("get", "inputs", "-o", "json").stdout)["details"]["inputs"]
    assert [(each["input"], each["source"], each["value"]) for each in found] == [
        ("image", "value", "registry.example.com/web@sha256:4f0c"),
        ("database", "fromFile", {"host": "db"}),
        ("tier", "fromGit", "large"),
        ("tag", "default", "none"),
        ("build", "carried", {"id": 12345678901234567890}),
        ("host", "fromUnit", None),
        ("replicas", "default", 2),
    ]
    assert {each["release"] for each in found} == {"platform/web"}
    assert found[5]["detail"] == "output host of unit infra/database"

    world.git("checkout", "-q", "--orphan", "deploy")
    world.git("rm", "-rfq", ".")
    world.write("staging/state/images.json", '{"web": "v2"}').commit("State", branch="deploy")
    world.git("checkout", "-q", "main")
    text = world.nyl("get", "inputs", "--target", "staging").stdout
    [row] = [line.split() for line in text.splitlines() if " tag " in line]
    assert row[-1] == '"v2"'
    assert "state/images.json#/web of the publication" in text
    offline = world.nyl("get", "inputs", "--target", "staging", "--offline").stdout
    assert offline == text

    world.write("k8s.yaml", (world.project / "k8s.yaml").read_text().replace("image: {value", "imag: {value"))
    wrong = world.nyl("get", "inputs", exits=1)
    assert "k8s.yaml:18" in wrong.stdout + wrong.stderr
