"""Elements of SUMO's plain XML, and points as the texts of its shapes."""

import numpy as np
from lxml import etree

from autosim import portable
from autosim.arrays import Floats

_SAME_POINT = 0.01
"""Distance [m] below which two points of a shape are one."""


def without_doubles(points: Floats) -> Floats:
    """The points (n, 3) [m] of a line, without those where the one before them is."""
    steps = np.diff(points[:, :2], axis=0)
    is_new = np.append(True, portable.hypot(steps[:, 0], steps[:, 1]) > _SAME_POINT)
    line: Floats = points[is_new]
    return line


def shape_text(points: Floats) -> str:
    """Points (n, 2) or (n, 3) [m] as the text of a shape."""
    return " ".join(",".join(number(each) for each in point) for point in points.tolist())


def points_of(element: etree._Element) -> Floats:
    """The points (n, 2) [m] of the shape of an element."""
    points = element.get("shape", "").split()
    found = [[float(each) for each in point.split(",")[:2]] for point in points]
    return np.array(found).reshape(-1, 2)


def add(parent: etree._Element, tag: str, /, **attributes: object) -> etree._Element:
    """Adds an element."""
    return etree.SubElement(parent, tag, {key: str(value) for key, value in attributes.items()})


def number(value: float) -> str:
    """A number with three decimals."""
    return f"{value:.3f}"
