"""Opens a CommonRoad XML file (2018b, 2020a), which may be hostile, and finds its place in W."""

import io
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from lxml import etree

from autosim.arrays import Floats
from autosim.config.diagnostics import ConfigError, Diagnostics, printable
from autosim.config.reading.packed_xml import packed_xml
from autosim.config.reading.xml_reader import UnreadableError
from autosim.world.opendrive.xodr_elements import FileFaults, XodrElement, local_name

_MOST_BYTES = 128 << 20
"""Largest number of bytes of a file: ten times the largest public one."""

_FAR = 10_000.0
"""Distance [m] of lanelets from the origin from which on they are moved to it: surveyors'
coordinates have a million metres, which single precision does not hold."""

_VERSIONS = ("2018b", "2020a")


def open_commonroad(path: Path, found: Diagnostics) -> XodrElement:
    """The root of a CommonRoad file.

    Raises:
        ConfigError: it cannot be read, or is another kind of file.
    """
    faults = FileFaults(path, found)
    try:
        root = _parsed(packed_xml(path, _MOST_BYTES))
    except UnreadableError as error:
        faults.error(error.line, str(error))
        raise ConfigError(found.all) from error
    element = XodrElement(root, faults, "")
    version = element.text("commonRoadVersion")
    if version not in _VERSIONS:
        shown = printable(version, 20) or "of an unknown version"
        element.error(f"CommonRoad {shown} is not read; expected {' or '.join(_VERSIONS)}")
    found.raise_if_errors()
    return element


def _parsed(data: bytes) -> etree._Element:
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.parse(io.BytesIO(data), parser).getroot()
    except etree.XMLSyntaxError as error:
        reason = re.sub(r", line \d+, column \d+.*$", "", error.msg or "")
        message = f"not well-formed XML: {printable(reason, 200)}"
        raise UnreadableError(message, error.position[0]) from error
    if local_name(root) != "commonRoad":
        name = printable(local_name(root), 40)
        raise UnreadableError(f"expected the root element <commonRoad>, not <{name}>", 1)
    return root


def points_of(element: XodrElement) -> Floats:
    """The points (n, 3) [m] of an element, in the coordinates of the file."""
    rows = []
    for point in element.children("point"):
        values = [0.0, 0.0, 0.0]
        for k, name in enumerate("xyz"):
            child = point.child(name)
            if child is not None:
                values[k] = number_of(child)
            elif name != "z":
                point.error(f"<point> has no <{name}>")
        rows.append(values)
    return np.array(rows).reshape(-1, 3)


def number_of(element: XodrElement, default: float = 0.0) -> float:
    """The text of an element as a number; an error is noted if it is not one."""
    text = (element.node.text or "").strip()
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not abs(value) < 1e8:
        element.error(f"<{element.tag}> is not a number of at most 1e+08: '{printable(text, 40)}'")
        return default
    return value


def shift_of(root: XodrElement) -> Floats:
    """The shift (2,) [m] of the file's x and y to W, whose origin is near the lanelets."""
    points = [_numbers(point) for bound in _bounds(root) for point in bound.children("point")]
    every = np.array([point for point in points if point is not None])
    if not len(every) or float(np.abs(every).max()) <= _FAR:
        return np.zeros(2)
    return np.asarray(-np.round((every.min(axis=0) + every.max(axis=0)) / 2.0))


def _numbers(point: XodrElement) -> tuple[float, float] | None:
    """X and y [m] of a point; None without them: the reader of bounds reports the fault."""
    texts = [each.node.text or "" for each in point.children("x", "y")]
    try:
        x, y = (float(text) for text in texts)
    except ValueError:
        return None
    return (x, y) if np.isfinite([x, y]).all() else None


def _bounds(root: XodrElement) -> Iterator[XodrElement]:
    for lanelet in root.children("lanelet"):
        yield from lanelet.children("leftBound", "rightBound")
