"""Many Terraform units of one wave that need a plugin: one installs it, and all the others share what it left.

The plugin is a stand-in that does nothing. Modules need it in their own tests only: so Terraform installs it with every
init and checks it against the lock file, but never starts it.
"""

import os
import platform
import stat
import subprocess
from pathlib import Path
from zipfile import ZipFile, ZipInfo

from tests.support import tools
from tests.support.declarations import resource
from tests.support.world import World

UNITS = [f"rack{number:02}" for number in range(20)]
_MODULE = """\
terraform {
  backend "local" {}
}
resource "terraform_data" "box" {
  input = "full"
}
output "box" {
  value = terraform_data.box.output
}
"""
_TEST = 'run "rack" {\n  module {\n    source = "./tests/rack"\n  }\n}\n'
_NEEDS = 'terraform {\n  required_providers {\n    rack = {\n      source = "example/rack"\n    }\n  }\n}\n'
_FILES = {"main.tf": _MODULE, "tests/rack.tftest.hcl": _TEST, "tests/rack/main.tf": _NEEDS}
_PROCESSORS = {"x86_64": "amd64", "aarch64": "arm64"}


def mirror(folder: Path) -> Path:
    """Settings of Terraform that let it have plugins from a folder, in which the stand-in lies packed."""
    place = folder / "mirror/registry.terraform.io/example/rack"
    place.mkdir(parents=True)
    machine = f"{platform.system()}_{_PROCESSORS.get(platform.machine(), platform.machine())}".lower()
    with ZipFile(place / f"terraform-provider-rack_1.0.0_{machine}.zip", "w") as archive:
        program = ZipInfo("terraform-provider-rack_v1.0.0")
        program.external_attr = (stat.S_IFREG | 0o755) << 16
        archive.writestr(program, "#!/bin/sh\nexit 1\n")
        archive.writestr("padding", os.urandom(8 * 1024 * 1024))  # so that it takes a while to unpack and to check
    settings = folder / "settings.tfrc"
    settings.write_text(f'provider_installation {{\n  filesystem_mirror {{\n    path = "{folder}/mirror"\n  }}\n}}\n')
    return settings


def lock_file(world: World) -> bytes:
    """The lock file of the module, as an init writes it."""
    folder = world.tmp / "locked"
    for name, text in _FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    init = [tools.terraform(), "init", f"-backend-config=path={folder}/state"]
    subprocess.run(init, cwd=folder, env=world.environ, check=True, capture_output=True)
    return (folder / ".terraform.lock.hcl").read_bytes()


def test_twenty_units_at_once_share_one_installed_plugin(world: World) -> None:
    world.environ |= {**tools.TERRAFORM_ENVIRONMENT, "TF_CLI_CONFIG_FILE": str(mirror(world.tmp))}
    locked = lock_file(world)
    for name in UNITS:
        for path, text in _FILES.items():
            world.write(f"infra/{name}/{path}", text)
        world.write(f"infra/{name}/.terraform.lock.hcl", locked)
        spec = {
            "source": {"path": f"infra/{name}"},
            "backend": {"path": str(world.tmp / f"states/{name}.tfstate")},
            "outputs": {"box": {"type": "string"}},
            "env": {"passthrough": sorted(tools.TERRAFORM_ENVIRONMENT)},
        }
        world.write(f"units/{name}.yaml", resource("units.gitops.nyl/v1", "Terraform", name, spec))
    ended = world.environment().initialise().reconcile("--concurrency", "8")
    assert ended.verdicts() == dict.fromkeys(UNITS, "executed")
    assert ended.stderr.count("Installing example/rack v1.0.0...") == 1
    assert ended.stderr.count("Using example/rack v1.0.0 from the shared cache directory") == len(UNITS) - 1
