from collections.abc import Callable
from pathlib import Path

import pytest

from tests.units.building import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture
def bench_with(tmp_path: Path) -> Callable[..., Bench]:
    return lambda *secrets: Bench(tmp_path, *secrets)
