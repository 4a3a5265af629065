"""What helm is started with."""

from pathlib import Path

from nyl.core.cancellation import CancellationToken
from nyl.kubernetes.expansion.helm import Helm


def variables(tmp_path: Path, extra: dict[str, str]) -> dict[str, str]:
    """The variables that helm sees while it renders, where the user has some more."""
    program = tmp_path / "bin" / "helm"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nenv\n")
    program.chmod(0o755)
    environ = {"PATH": f"{program.parent}:/usr/bin:/bin", **extra}
    answer = Helm(environ, tmp_path / "scratch", CancellationToken()).offline(["template"])
    assert answer.failure == ""
    return dict(line.split("=", 1) for line in answer.stdout.decode().splitlines())


def test_rendering_sees_nothing_of_the_user_and_no_network(tmp_path: Path) -> None:
    user = {"HELM_NAMESPACE": "mine", "KUBECONFIG": "/mine", "HTTPS_PROXY": "http://proxy", "TZ": "Europe/Berlin"}

    found = variables(tmp_path, user)

    assert "HELM_NAMESPACE" not in found
    assert found["KUBECONFIG"] == "/dev/null"
    assert found["HTTPS_PROXY"].startswith("http://127.0.0.1:")
    assert found["TZ"] == "UTC"


def test_rendering_spends_little_on_garbage(tmp_path: Path) -> None:
    assert int(variables(tmp_path, {})["GOGC"]) > 100
