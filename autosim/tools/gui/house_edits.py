"""Holds the houses of a map while a user changes them, with undo and redo."""

from collections.abc import Iterable, Mapping, Sequence
from math import radians
from types import MappingProxyType

import numpy as np
import shapely
from PyQt6.QtCore import QObject, pyqtSignal
from PyQt6.QtGui import QUndoCommand, QUndoStack

from autosim.config.descriptions import House
from autosim.tools.osm_manipulator.house_placement import PlacedHouse
from autosim.tools.osm_manipulator.manipulator import Furnished
from autosim.tools.osm_manipulator.manual_placement import PlacementIndex

Houses = Mapping[int, PlacedHouse]
TURN = radians(15.0)
"""Angle [rad] by which a key turns a house: a sixth of a right angle."""


class HouseEdits(QObject):
    """The houses by permanent numbers. Signal `changed`, also after undo and redo."""

    changed = pyqtSignal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.stack = QUndoStack(self)
        self.houses: Houses = MappingProxyType({})
        self.surroundings: PlacementIndex | None = None
        self._next = 0

    @property
    def is_edited(self) -> bool:
        """Whether something was changed by hand."""
        return not self.stack.isClean()

    def begin(self, furnished: Furnished) -> None:
        """Takes over the houses of a map; earlier changes can no longer be undone."""
        self.stack.clear()
        found = (*furnished.standing, *furnished.houses)
        self._next = len(found)
        self.surroundings = PlacementIndex.of(furnished.survey)
        self.take(dict(enumerate(found)))

    def take(self, houses: Houses) -> None:
        """Shows other houses; for the commands alone."""
        self.houses = MappingProxyType(dict(houses))
        self.changed.emit()

    def add(self, kind: House, centre: tuple[float, float]) -> int:
        """Sets a house of that kind that faces the nearest street; returns its number."""
        yaw = self.surroundings.facing(centre) if self.surroundings is not None else 0.0
        number, self._next = self._next, self._next + 1
        self._replace(f"Set {kind.name}", {number: PlacedHouse(kind, centre, yaw)})
        return number

    def remove(self, numbers: Iterable[int]) -> None:
        """Takes houses away."""
        chosen = set(numbers) & set(self.houses)
        if chosen:
            self._replace(f"Remove {_counted(len(chosen))}", {}, without=chosen)

    def move(self, centres: Mapping[int, tuple[float, float]]) -> None:
        """Puts houses elsewhere, by their numbers."""
        moved = {
            n: self.houses[n].moved(centre, self.houses[n].yaw) for n, centre in centres.items()
        }
        self._replace(f"Move {_counted(len(moved))}", moved)

    def turn(self, numbers: Sequence[int], angle: float) -> None:
        """Turns houses by an angle [rad], counter-clockwise."""
        turned = {
            n: self.houses[n].moved(self.houses[n].centre, self.houses[n].yaw + angle)
            for n in numbers
        }
        if turned:
            self._replace(f"Turn {_counted(len(turned))}", turned)

    def face_street(self, numbers: Sequence[int]) -> None:
        """Turns houses to the street nearest to each."""
        surroundings = self.surroundings
        if surroundings is None or not numbers:
            return
        turned = {
            n: self.houses[n].moved(
                self.houses[n].centre, surroundings.facing(self.houses[n].centre)
            )
            for n in numbers
        }
        self._replace(f"Turn {_counted(len(turned))} to the street", turned)

    def fault(self, number: int) -> str:
        """Names the fault of a house's place, such as "on a street"; "" for a good place."""
        if self.surroundings is None or number not in self.houses:
            return ""
        boxes = [shapely.Polygon(h.corners) for n, h in self.houses.items() if n != number]
        return self.surroundings.fault(self.houses[number], np.array(boxes, dtype=object))

    def _replace(self, text: str, new: Houses, *, without: Iterable[int] = ()) -> None:
        gone = set(without)
        after = {n: house for n, house in {**self.houses, **new}.items() if n not in gone}
        self.stack.push(_Change(self, text, after))


class _Change(QUndoCommand):
    """A change from the present houses to others."""

    def __init__(self, edits: HouseEdits, text: str, after: Houses) -> None:
        super().__init__(text)
        self._edits, self._before, self._after = edits, edits.houses, after

    def redo(self) -> None:
        """Makes the change, also the first time."""
        self._edits.take(self._after)

    def undo(self) -> None:
        """Undoes the change."""
        self._edits.take(self._before)


def _counted(count: int) -> str:
    return "a house" if count == 1 else f"{count} houses"
