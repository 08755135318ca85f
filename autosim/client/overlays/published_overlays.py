"""Publications of user programs, as points and lines in W."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats
from autosim.client.panda.panda_frames import rotation_matrix, unit_quaternions
from autosim.config.descriptions import Publication, WorldDescription
from autosim.model.state import State
from autosim.model.tree import WORD, SimulationTree, TreeNode


@dataclass(frozen=True, slots=True)
class PublishedDrawing:
    """A publication that is drawn: `points` (n, 3) [m] in W, joined by a line or not.

    `values` are its other columns (n,) by name, and `units` what these are measured in.
    """

    name: str
    points: Floats
    is_line: bool
    """Whether the points are joined, in their order."""
    values: Mapping[str, Floats]
    units: Mapping[str, str]

    @property
    def segments(self) -> tuple[Floats, Floats]:
        """Starts (n, 3) and ends (n, 3) [m] in W of the pieces of its line."""
        return self.points[:-1], self.points[1:]


class PublishedOverlays:
    """The publications of a world that are drawn."""

    def __init__(self, world: WorldDescription, tree: SimulationTree) -> None:
        self._places = tuple(_drawn(world, tree))

    @property
    def columns(self) -> list[str]:
        """The names of the columns by which points can be coloured, each once."""
        names = (name for each in self._places for name in each.values)
        return list(dict.fromkeys(names))

    def drawings(self, state: State) -> list[PublishedDrawing]:
        """The publications that have rows in `state`."""
        drawings = [each.drawing(state) for each in self._places]
        return [each for each in drawings if len(each.points)]


@dataclass(frozen=True, slots=True)
class _Place:
    """A publication, the columns of its x, y and z (-1: none), and the robot's first part."""

    publication: Publication
    node: TreeNode
    part: TreeNode
    columns: tuple[int, int, int]

    @property
    def values(self) -> dict[str, int]:
        """The number of each further column of points, by its name."""
        names = [column.name for column in self.publication.columns]
        is_points = self.publication.drawn == "points"
        return {name: k for k, name in enumerate(names) if is_points and name not in "xyz"}

    def drawing(self, state: State) -> PublishedDrawing:
        rows = np.asarray(state.value(self.node, self.node.fields[0]))
        first = self.part.field_offset("position") // WORD
        position = state.floats[first : first + 3]
        is_of_part = self.publication.frame == "part"
        level = 0.0 if is_of_part else position[2]
        points = np.column_stack(
            [rows[:, each] if each >= 0 else np.full(len(rows), level) for each in self.columns]
        )
        if is_of_part:
            first = self.part.field_offset("orientation") // WORD
            turn = rotation_matrix(unit_quaternions(state.floats[None, first : first + 4])[0])
            points = position + points @ turn.T
        is_line = self.publication.drawn == "line"
        units = {name: self.publication.columns[k].unit for name, k in self.values.items()}
        values = {name: rows[:, k] for name, k in self.values.items()}
        return PublishedDrawing(self.node.name, points, is_line, values, units)


def _drawn(world: WorldDescription, tree: SimulationTree) -> Iterator[_Place]:
    for placed in world.robots:
        for publication in placed.robot.publications:
            node = tree.find(f"{placed.name}.{publication.name}")
            part = tree.find(f"{placed.name}.{placed.robot.parts[0].name}")
            if publication.drawn != "no" and node is not None and part is not None:
                names = [column.name for column in publication.columns]
                x, y, z = (names.index(each) if each in names else -1 for each in "xyz")
                yield _Place(publication, node, part, (x, y, z))
