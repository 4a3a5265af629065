"""Checkout slots: where the units of a run work, one at a time in each, on exactly what a fresh checkout holds."""

import os
import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from nyl.core.dataclass import dataclass
from nyl.engine.content import MAIN, Content
from nyl.engine.inputs import UnitContents, UnitInputs
from nyl.project.config import FILE_NAME

if TYPE_CHECKING:
    from nyl.git.checkouts import CheckoutSlot


@dataclass(frozen=True)
class CheckoutRequest:
    """What one checkout must hold. `paths` None is the whole commit, else just these files and folders.

    Without any paths it is an empty folder, and the commit does not matter.
    """

    content: Content
    paths: tuple[str, ...] | None


@dataclass(frozen=True)
class SlotLayout:
    """The checkouts of one unit, and which of them S and every source field are found in."""

    requests: tuple[CheckoutRequest, ...]
    places: Mapping[str, int]
    """MAIN or a source field's pointer -> index in `requests`."""


@dataclass(frozen=True)
class Workplace:
    """Where a unit's files come from, and the checkouts that hold them."""

    contents: Mapping[str, Content]
    layout: SlotLayout


def workplace(unit: UnitContents, inputs: UnitInputs) -> Workplace:
    """The workplace of a unit."""
    return Workplace(unit.contents, slot_layout(unit, inputs))


def slot_layout(unit: UnitContents, inputs: UnitInputs) -> SlotLayout:
    """One checkout for each commit that a unit reads: whole for S, unless the driver declares all the unit reads.

    A private checkout holds the declared files, and of the project's own repository the configuration folder too. It
    is empty for a unit that declares to read nothing at all.
    """
    declared = unit.inputs
    requests: dict[tuple[Path, str], CheckoutRequest] = {}
    places: dict[str, int] = {}
    for source, content in unit.contents.items():
        key = (content.repository.common_dir, content.commit)
        whole = source == MAIN and not declared.private
        configuration = _configuration(content) if source == MAIN and declared.needs_checkout else ()
        paths = None if whole else (*inputs.paths[source], *configuration)
        known = requests.get(key)
        if known is not None:
            paths = None if known.paths is None or paths is None else (*known.paths, *paths)
        requests[key] = CheckoutRequest(content if known is None else known.content, paths)
        places[source] = list(requests).index(key)
    return SlotLayout(tuple(requests.values()), places)


def _configuration(content: Content) -> tuple[str, ...]:
    return (content.folder or FILE_NAME,)


@dataclass
class Slot:
    """A place for one unit at a time. It keeps its checkouts for the run."""

    folder: Path
    environ: Mapping[str, str]
    checkouts: "dict[tuple[int, Path], CheckoutSlot]" = field(default_factory=dict)

    def prepare(self, place: Workplace) -> dict[str, Path]:
        """Resets the checkouts of a unit. Gives the folders that it works from, by MAIN and source field pointer."""
        roots = [self._checkout(index, request) for index, request in enumerate(place.layout.requests)]
        return {source: roots[index] / place.contents[source].folder for source, index in place.layout.places.items()}

    def _checkout(self, index: int, request: CheckoutRequest) -> Path:
        if request.paths == ():
            return self._empty(request.content.folder)
        repository = request.content.repository
        key = (index, repository.common_dir)
        if key not in self.checkouts:
            from nyl.git.checkouts import CheckoutSlot

            self.checkouts[key] = CheckoutSlot(self.folder / str(len(self.checkouts)), repository, self.environ)
        return self.checkouts[key].reset(request.content.commit, request.paths)

    def _empty(self, below: str) -> Path:
        """A folder that holds nothing but the project's own folder, which is empty, without asking Git for that."""
        from nyl.git.scans import remove

        place = self.folder / "empty"
        if os.path.lexists(place):
            remove(place)
        (place / below).mkdir(parents=True)
        return place


@contextmanager
def slot_pool(count: int, environ: Mapping[str, str]) -> Iterator["SlotPool"]:
    """Slots in a temporary folder, which is made when the first is used, for as long as the block runs."""
    with ExitStack() as stack:

        def folder() -> Path:
            from nyl.core.scratch import scratch_folder

            return stack.enter_context(scratch_folder("slots"))

        pool = SlotPool(folder, count, environ)
        stack.callback(pool.close)
        yield pool


class SlotPool:
    """The slots of a run. As many units work at the same time as there are slots."""

    def __init__(self, folder: Callable[[], Path], count: int, environ: Mapping[str, str]) -> None:
        self._make_folder = folder
        self._folder: Path | None = None
        self._lock = threading.Lock()
        self._environ = environ
        self._slots: dict[int, Slot] = {}
        self._free: queue.LifoQueue[int] = queue.LifoQueue()
        for index in reversed(range(count)):
            self._free.put(index)

    def close(self) -> None:
        """Removes the checkouts of all slots."""
        for slot in self._slots.values():
            for checkout in slot.checkouts.values():
                checkout.close()

    @contextmanager
    def slot(self) -> Iterator[Slot]:
        """A free slot, for as long as the block runs; one that was used before rather than a new one."""
        index = self._free.get()
        try:
            yield self._slot(index)
        finally:
            self._free.put(index)

    def _slot(self, index: int) -> Slot:
        with self._lock:
            if self._folder is None:
                self._folder = self._make_folder()
            return self._slots.setdefault(index, Slot(self._folder / f"slot-{index}", self._environ))
