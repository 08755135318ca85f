"""Small Lanelet2 files, written by code."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from autosim.world.geometry.map_projection import MapProjection

ORIGIN = (49.0, 8.4)
WIDTH = 3.5
"""Width [m] of lanelets."""

INNER, OUTER = 14.0, 70.0
"""Distances [m] of the ends of the arms of `crossroads` from its middle."""


class Lanelet2File:
    """A Lanelet2 file that grows; coordinates are in metres about `ORIGIN`."""

    def __init__(self, *, is_local: bool = False, shift: tuple[float, float] = (0.0, 0.0)) -> None:
        self.is_local, self.shift = is_local, shift
        self.parts: list[str] = []
        self.last = 0
        self.nodes: dict[tuple[float, float, float], int] = {}

    def node(self, x: float, y: float, z: float = 0.0) -> int:
        """The node at a place; the same place has one node."""
        key = (round(x, 6), round(y, 6), round(z, 6))
        if key not in self.nodes:
            self.nodes[key] = self._next()
            tags = {"ele": str(z)} if z else {}
            place = ""
            if self.is_local:
                tags |= {"local_x": repr(x + self.shift[0]), "local_y": repr(y + self.shift[1])}
            else:
                at = MapProjection(ORIGIN).to_geographic(np.array([[x, y]]))[0].tolist()
                place = f'lat="{at[0]:.12f}" lon="{at[1]:.12f}"'
            self.parts.append(f'<node id="{self.nodes[key]}" {place}>{_tags(tags)}</node>')
        return self.nodes[key]

    def way(self, points: Sequence[tuple[float, ...]], **tags: str) -> int:
        """A line through points (x, y) or (x, y, z) [m]."""
        refs = "".join(f'<nd ref="{self.node(*point)}"/>' for point in points)
        id_ = self._next()
        self.parts.append(f'<way id="{id_}">{refs}{_tags(tags)}</way>')
        return id_

    def relation(self, members: list[tuple[str, int, str]], **tags: str) -> int:
        """A relation of members (type, id, role)."""
        rows = "".join(f'<member type="{a}" ref="{b}" role="{c}"/>' for a, b, c in members)
        id_ = self._next()
        self.parts.append(f'<relation id="{id_}">{rows}{_tags(tags)}</relation>')
        return id_

    def lanelet(self, left: int, right: int, rules: Sequence[int] = (), **tags: str) -> int:
        """A lanelet between two ways."""
        members = [("way", left, "left"), ("way", right, "right")]
        members += [("relation", rule, "regulatory_element") for rule in rules]
        given = {"type": "lanelet", "subtype": "road", "location": "urban", "one_way": "yes"}
        return self.relation(members, **(given | tags))

    def text(self) -> str:
        """The whole file."""
        return '<?xml version="1.0"?>\n<osm version="0.6">\n' + "\n".join(self.parts) + "\n</osm>\n"

    def written(self, folder: Path) -> Path:
        """The file in a folder."""
        path = folder / "lanelets.osm"
        path.write_text(self.text(), encoding="utf-8")
        return path

    def _next(self) -> int:
        self.last += 1
        return self.last


def _tags(tags: dict[str, str]) -> str:
    return "".join(
        f'<tag k="{key.replace("__", ":")}" v="{value}"/>' for key, value in tags.items()
    )


def crossroads(
    file: Lanelet2File, *, rule: str = "", sign: str = "", **tags: str
) -> dict[str, list[int]]:
    """Four arms of two lanelets with all ways between them.

    Args:
        file: receives the elements.
        rule: subtype of a regulatory element on the first arm's incoming lanelet.
        sign: type of the sign to which it refers.
        tags: tags of all lanelets.
    """
    ahead = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)]

    def at(arm: int, far: float, aside: float) -> tuple[float, float]:
        x, y = ahead[arm]
        return (far * x - aside * y, far * y + aside * x)

    found: dict[str, list[int]] = {"in": [], "out": [], "through": []}
    for arm in range(4):
        rules = []
        if rule and not arm:
            line = file.way([at(0, INNER + 1.0, 0.0), at(0, INNER + 1.0, WIDTH)], type="stop_line")
            members = [("way", line, "ref_line")]
            if sign:
                board = file.way([(30.0, 9.0), (30.0, 9.5)], type="traffic_sign", subtype=sign)
                members.append(("way", board, "refers"))
            rules = [file.relation(members, type="regulatory_element", subtype=rule)]
        axis = file.way(
            [at(arm, INNER, 0.0), at(arm, OUTER, 0.0)], type="line_thin", subtype="dashed"
        )
        right = file.way([at(arm, OUTER, WIDTH), at(arm, INNER, WIDTH)], type="road_border")
        found["in"].append(file.lanelet(axis, right, rules, **tags))
        right = file.way([at(arm, INNER, -WIDTH), at(arm, OUTER, -WIDTH)], type="road_border")
        found["out"].append(file.lanelet(axis, right, (), **tags))
    for first in range(4):
        for second in range(4):
            if first != second:
                lines = [
                    file.way(
                        _bend(at(first, INNER, side * WIDTH), at(second, INNER, -side * WIDTH))
                    )
                    for side in (0.0, 1.0)
                ]
                found["through"].append(file.lanelet(lines[0], lines[1], (), **tags))
    return found


def _bend(first: tuple[float, float], last: tuple[float, float]) -> list[tuple[float, ...]]:
    """A curve through the middle of the crossing, more or less."""
    share = np.linspace(0.0, 1.0, 9)[:, None]
    a, c = np.array(first), np.array(last)
    # The corner of both axes: straight ways have it between them.
    b = np.where(np.abs(a) > np.abs(c), c, a) if abs(a @ c) < 150.0 else (a + c) / 2.0
    points = (1 - share) ** 2 * a + 2 * share * (1 - share) * b + share**2 * c
    return [tuple(point) for point in points.tolist()]
