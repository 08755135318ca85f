"""Records of named fields: arrays that kernels and Python read alike, also in snapshots."""

from typing import Annotated

import numpy as np

from autosim.arrays import Integers
from autosim.jit import compiled
from autosim.model.snapshot import Memory, Snapshot
from autosim.traffic.typed_rows import RowRecord, Rows, make_rows, memory_of


class Animal(RowRecord):
    """A record with a field of each type."""

    speed: float
    legs: int
    is_tame: bool


class Flock(Animal):
    """A record with more fields, one of them an array."""

    places: Annotated[Integers, 3]


@compiled
def feed(rows: Rows[Flock]) -> float:
    """Writes fields of all rows; returns the sum of their speeds."""
    total = 0.0
    for i in range(len(rows)):
        row = rows[i]
        row.is_tame = row.legs == 4
        row.places[i] = row.legs
        row.speed += 0.5
        total += row.speed
    return total


def flock() -> Rows[Flock]:
    rows = make_rows(Flock, 2)
    rows["legs"] = 2, 4
    rows[1].speed = 3.0
    return rows


def snapshot_of(memory: Memory) -> Snapshot:
    return Snapshot(0, 0, (), (memory,))


def test_python_and_kernels_read_and_write_the_same_fields():
    rows = flock()
    assert feed(rows) == 4.0
    assert rows["is_tame"].tolist() == [False, True]
    assert rows[1].places.tolist() == [0, 4, 0]
    assert rows[1].speed == 3.5


def test_fields_have_their_types_and_leave_no_gaps():
    rows = make_rows(Flock, 0)
    kinds = {name: kind[0] for name, kind in rows.dtype.fields.items()}
    assert {*kinds} == {"speed", "legs", "is_tame", "places", "padding"}
    assert sum(kind.itemsize for kind in kinds.values()) == rows.dtype.itemsize
    assert [kinds[each] for each in ("speed", "legs", "is_tame")] == [float, np.int64, bool]
    assert kinds["places"].shape == (3,)


def test_snapshots_restore_records_by_name():
    kept, rows = snapshot_of(memory_of("flock", ("f.a", "f.b"), flock())), make_rows(Flock, 2)
    kept.restore_memories((memory_of("flock", ("f.b", "f.c"), rows),), robots={"f"})
    assert rows["legs"].tolist() == [4, 0]


def test_records_of_other_fields_and_plain_rows_are_left_alone():
    rows = make_rows(Flock, 2)
    for other in (make_rows(Animal, 2), np.ones((2, 6))):
        kept = snapshot_of(memory_of("flock", ("f.a", "f.b"), other))
        kept.restore_memories((memory_of("flock", ("f.a", "f.b"), rows),), robots={"f"})
        assert rows.tobytes() == make_rows(Flock, 2).tobytes()
