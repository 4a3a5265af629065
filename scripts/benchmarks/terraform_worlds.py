"""Workloads of Terraform units, of Commands that read the same files, and of terraform called by hand."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from scripts.benchmarks.measure import Program
from scripts.benchmarks.workloads import ENVIRONMENT, NylWorld
from tests.support.environment import clean_environment
from tests.support.tools import TERRAFORM_ENVIRONMENT

_CONFIGURATION = """\
terraform {{
  backend "local" {{}}
}}

variable "replicas" {{
  type = number
}}

resource "terraform_data" "made" {{
  input = {{ replicas = var.replicas, image = "registry.example/{name}" }}
}}

output "id" {{
  value = terraform_data.made.id
}}
"""

_TERRAFORM = """\
apiVersion: units.gitops.nyl/v1
kind: Terraform
metadata: {{name: {name}, labels: {{team: t{team}}}}}
spec:
  source: {{path: infra/{name}}}
  backend: {{path: {states}/{name}.tfstate}}
  variables:
    replicas: {{{{ values.replicas }}}}
  outputs: {{id: {{type: string}}}}
"""

_COMMAND = """\
apiVersion: units.gitops.nyl/v1
kind: Command
metadata: {{name: {name}, labels: {{team: t{team}}}}}
spec:
  files: ['infra/{name}/**']
  values:
    replicas: {{{{ values.replicas }}}}
  command: [/bin/sh, -c, 'echo "{{\\"id\\": \\"{name}\\"}}" > "$NYL_OUTPUTS"']
  outputs: {{id: {{type: string}}}}
"""

_BY_HAND = """\
cd {} && export TF_DATA_DIR=data && {
  terraform init -input=false -lockfile=readonly -backend-config=path=../../states/{}.tfstate &&
  terraform plan -input=false -out=plan -var replicas=3 && terraform apply -input=false plan && terraform output -json
}"""

_RECORDER = """\
#!/bin/sh
echo "$@" >> '{log}'
exit 1
"""


@dataclass(frozen=True)
class TerraformWorld(NylWorld):
    """Units with a configuration of their own each; their states are in `folder/states`."""

    @classmethod
    def terraform(cls, folder: Path, executable: Path, units: int) -> "TerraformWorld":
        """Lays Terraform units."""
        return cls._laid(folder, executable, units, _TERRAFORM)

    @classmethod
    def commands(cls, folder: Path, executable: Path, units: int) -> "TerraformWorld":
        """Lays Commands whose inputs are the same files."""
        return cls._laid(folder, executable, units, _COMMAND)

    @classmethod
    def _laid(cls, folder: Path, executable: Path, units: int, text: str) -> "TerraformWorld":
        shutil.rmtree(folder, ignore_errors=True)
        world = cls.at(folder, executable)
        (world.work / "units").mkdir(parents=True)
        (world.work / "nyl.toml").touch()
        (world.work / ".gitignore").write_text(".nyl/\n")
        (world.work / "bench.yaml").write_text(ENVIRONMENT)
        _write_configurations(world.work / "infra", units)
        for number in range(units):
            name = _name(number)
            unit = text.format(name=name, team=number % 7, states=folder / "states")
            (world.work / "units" / f"{name}.yaml").write_text(unit)
        world.publish()
        return world

    def starts(self) -> int:
        """How often a run without changes starts terraform, or what stands there in its name."""
        folder = self.folder / "recorder"
        folder.mkdir()
        recorder = folder / "terraform"
        recorder.write_text(_RECORDER.format(log=folder / "calls"))
        recorder.chmod(0o755)
        path = f"{self.executable.parent}:{folder}:/usr/bin:/bin"
        unchanged = self.reconcile()
        Program(unchanged.argv, unchanged.cwd, {**unchanged.environ, "PATH": path}).once()
        log = folder / "calls"
        return len(log.read_text().splitlines()) if log.exists() else 0


@dataclass(frozen=True)
class ByHand:
    """The same configurations, and terraform called on each of them, four at a time."""

    folder: Path

    @classmethod
    def lay(cls, folder: Path, units: int) -> "ByHand":
        """Writes them; nothing ran yet."""
        shutil.rmtree(folder, ignore_errors=True)
        _write_configurations(folder / "infra", units)
        return cls(folder)

    def program(self) -> Program:
        """init, plan, apply and output of each."""
        script = f"ls | xargs -P 4 -I'{{}}' sh -c '{_BY_HAND}'"
        environ = clean_environment(self.folder / "home") | TERRAFORM_ENVIRONMENT | {"TF_IN_AUTOMATION": "1"}
        return Program(("sh", "-c", script), self.folder / "infra", environ)


def _write_configurations(folder: Path, units: int) -> None:
    for number in range(units):
        name = _name(number)
        (folder / name).mkdir(parents=True)
        (folder / name / "main.tf").write_text(_CONFIGURATION.format(name=name))


def _name(number: int) -> str:
    return f"u{number:04}"
