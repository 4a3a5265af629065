"""Replacing files so that nobody ever finds half of one."""

import os
from pathlib import Path


def write_atomically(path: Path, content: bytes) -> None:
    """Replaces a file in one step, keeping its mode; a crash leaves the old or the new content. Raises OSError."""
    mode = path.stat().st_mode & 0o777 if path.exists() else None
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        draft.write_bytes(content)
        if mode is not None:
            draft.chmod(mode)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
