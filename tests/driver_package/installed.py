"""Makes the test drivers importable without installing them, for one process or for those a test starts."""

from pathlib import Path

HERE = Path(__file__).parent


def installed_at(folder: Path) -> Path:
    """Lays the distribution out in an empty folder that, on PYTHONPATH or sys.path, acts as if it were installed."""
    (folder / "nyl_test_drivers").symlink_to(HERE / "nyl_test_drivers")
    metadata = folder / "nyl_test_drivers-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: nyl-test-drivers\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[nyl.drivers]\ntest.nyl.example/v1 = nyl_test_drivers:drivers\n")
    return folder
