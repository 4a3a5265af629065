"""Secrets that a program prints: `sops`, or the command of nyl.toml."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nyl.project.secrets.values import secret_values, unavailable

if TYPE_CHECKING:
    from nyl.project.secrets.provider import RunProgram

_TIMEOUT_SECONDS = 60.0


def read_command(argv: Sequence[str], run: "RunProgram") -> dict[str, str]:
    """The secrets that a command prints as one JSON object. Raises NYL-SECRET-UNAVAILABLE."""
    return secret_values(_output(argv, argv[0], run), f"what {argv[0]} printed")


def read_sops(path: Path, run: "RunProgram") -> dict[str, str]:
    """The secrets of a file that sops decrypts. Raises NYL-SECRET-UNAVAILABLE."""
    if not path.is_file():
        fix = "create the file with `sops`, or correct `file` below [secrets] in nyl.toml"
        raise unavailable(f"there is no file {path}", fix)
    argv = ("sops", "--decrypt", "--output-type", "json", str(path))
    return secret_values(_output(argv, "sops", run), f"what sops made of {path}")


def _output(argv: Sequence[str], program: str, run: "RunProgram") -> bytes:
    try:
        return run(argv, _TIMEOUT_SECONDS)
    except TimeoutError:
        raise unavailable(
            f"{program} did not end within {_TIMEOUT_SECONDS:.0f} s", "run it by hand to see what it waits for"
        ) from None
    except FileNotFoundError:
        raise unavailable(f"{program} is not installed", f"install {program}, or put it on PATH") from None
    except OSError as error:
        raise unavailable(f"{program} failed ({error})", "run it by hand to see what it says") from None
