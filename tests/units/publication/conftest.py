from pathlib import Path

import pytest

from tests.support.copies import copied
from tests.support.publishing import Publisher, laid
from tests.support.tree_worlds import TreeWorld


@pytest.fixture
def publisher(tmp_path: Path) -> Publisher:
    """Unit `kubernetes`, whose target nobody published yet."""
    copied(tmp_path / "world", laid)
    return Publisher(TreeWorld(tmp_path / "world", laid=True))
