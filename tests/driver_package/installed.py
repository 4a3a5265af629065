"""Makes driver packages importable without installing them, for one process or for those a test starts."""

from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).parent


def installed_at(folder: Path) -> Path:
    """Lays the distribution out in an empty folder that, on PYTHONPATH or sys.path, acts as if it were installed."""
    (folder / "nyl_test_drivers").symlink_to(HERE / "nyl_test_drivers")
    return laid_out_at(folder, "nyl-test-drivers", {"test.nyl.example/v1": "nyl_test_drivers:drivers"})


def laid_out_at(folder: Path, name: str, points: Mapping[str, str]) -> Path:
    """The metadata of an installed distribution, version 1.0, with drivers in some API groups."""
    metadata = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = "".join(f"{group} = {target}\n" for group, target in points.items())
    (metadata / "entry_points.txt").write_text(f"[nyl.drivers]\n{lines}")
    return folder
