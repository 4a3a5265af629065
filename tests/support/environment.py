"""The environment a test starts programs with: an empty home, no configuration but what the test gives."""

import os
import sys
from pathlib import Path

QUIET_GIT = Path(__file__).with_name("quiet.gitconfig")
"""The configuration of somebody who has no name and no wish but that Git does nothing beside the point."""

GIT_CONFIGURATION = f"""\
{QUIET_GIT.read_text()}
[user]
\tname = Alice Example
\temail = alice@example.com
[init]
\tdefaultBranch = main
[advice]
\tdetachedHead = false
[protocol "file"]
\tallow = always
"""


def nyl_executable() -> Path:
    """The installed `nyl`: NYL_EXE, or the one beside the running Python."""
    return Path(os.environ.get("NYL_EXE", Path(sys.executable).parent / "nyl"))


def clean_environment(home: Path, configuration: str = GIT_CONFIGURATION) -> dict[str, str]:
    """Variables for a child process. `home` is created with a `.gitconfig` of this text."""
    home.mkdir(parents=True, exist_ok=True)
    config = home / ".gitconfig"
    config.write_text(configuration)
    return {
        "PATH": f"{nyl_executable().parent}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "GIT_CONFIG_GLOBAL": str(config),
        "GIT_CONFIG_NOSYSTEM": "1",
    }
