"""The state of a running scenario as bytes of a fixed number, so that snapshots hold it.

What never changes, the map and the records of the file, is named and not written.
"""

import io
import pickle
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

import numpy as np

from autosim.arrays import Floats
from autosim.errors import UserError
from autosim.openscenario.engine.scenario_engine import ScenarioEngine

_ROOM = 4
"""Room in a memory, as a multiple of the bytes of the scenario's first state."""

_LEAST = 64 * 1024
"""Bytes of a memory at least: those of a few dozen vehicles that traffic actions add."""

_WORD = 8
"""Bytes of a word of a memory, a float64."""


class EngineMemory:
    """Writes the state of an engine into words, and makes an engine of them.

    `words` (1, n) float64 hold the bytes; they may be copied, and have no meaning as numbers.

    Args:
        engine: as it begins.
    """

    def __init__(self, engine: ScenarioEngine) -> None:
        known = [engine.world.roads, *_records(engine.scenario)]
        self._known = [each for each in known if each is not None]
        self._numbers = {id(each): number for number, each in enumerate(self._known)}
        size = max(_ROOM * len(self._bytes(engine)), _LEAST)
        self.words: Floats = np.zeros((1, 1 + -(-size // _WORD)))
        self.save(engine)

    def save(self, engine: ScenarioEngine) -> None:
        """Writes the state of an engine.

        Raises:
            UserError: it has grown beyond the room for it.
        """
        data = self._bytes(engine)
        room = self.words[0, 1:].view(np.uint8)
        if len(data) > len(room):
            raise UserError(
                f"the state of the scenario takes {len(data)} bytes, more than there is room for: "
                "use fewer vehicles in its traffic actions"
            )
        room[: len(data)] = np.frombuffer(data, np.uint8)
        self.words[0, :1].view(np.int64)[0] = len(data)

    def load(self) -> ScenarioEngine:
        """The engine with the state that was written."""
        size = int(self.words[0, :1].view(np.int64)[0])
        data = self.words[0, 1:].view(np.uint8)[:size].tobytes()
        return _Reader(io.BytesIO(data), self._known).read()

    def _bytes(self, engine: ScenarioEngine) -> bytes:
        buffer = io.BytesIO()
        _Writer(buffer, self._numbers).dump(engine)
        return buffer.getvalue()


class _Writer(pickle.Pickler):
    def __init__(self, file: io.BytesIO, numbers: dict[int, int]) -> None:
        super().__init__(file, protocol=5)
        self._numbers = numbers

    def persistent_id(self, obj: object) -> int | None:
        """The number of an object that never changes."""
        return self._numbers.get(id(obj))


class _Reader(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, known: list[object]) -> None:
        super().__init__(file)
        self._known = known

    def persistent_load(self, pid: int) -> object:
        """The object of a number."""
        return self._known[pid]

    def read(self) -> ScenarioEngine:
        """The engine in the file."""
        found = self.load()
        assert isinstance(found, ScenarioEngine)
        return found


def _records(record: object) -> Iterator[object]:
    """All records in a record, and itself."""
    if isinstance(record, tuple):
        for each in record:
            yield from _records(each)
    elif is_dataclass(record) and not isinstance(record, type):
        yield record
        for each in fields(record):
            yield from _records(getattr(record, each.name))
