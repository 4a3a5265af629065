"""Keys of what is cached."""

import hashlib
import json
from typing import Any


def digest_of(value: Any) -> str:
    """A digest of plain data. The order of keys counts, as templates and files show it."""
    return hashlib.sha256(json.dumps(value, separators=(",", ":")).encode()).hexdigest()
