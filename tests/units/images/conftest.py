from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.image_registry import ImageRegistry, image_registry
from tests.support.registry_front import RegistryFront, registry_front
from tests.units.images.bench import ImageBench


@pytest.fixture
def registry() -> ImageRegistry:
    return image_registry()


@pytest.fixture
def front(registry: ImageRegistry) -> Iterator[RegistryFront]:
    with registry_front(registry) as running:
        yield running


@pytest.fixture
def image(tmp_path: Path, registry: ImageRegistry) -> ImageBench:
    return ImageBench(tmp_path, registry.address)


@pytest.fixture
def image_at(tmp_path: Path) -> Callable[[str], ImageBench]:
    """A bench that pushes to some host."""
    return lambda host: ImageBench(tmp_path, host)
