"""The content of an OpenDRIVE file as typed records, in the units of SI, without any geometry made.

Records of which messages may be needed later keep the line of the file at which they begin.
Source: ASAM OpenDRIVE 1.8.1, and 1.4 for elements that later versions no longer have.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.world.opendrive.cubics import Cubics


class PlanShape(IntEnum):
    """Shapes of a piece of a reference line in plan."""

    LINE = 0
    ARC = 1
    SPIRAL = 2
    POLY3 = 3
    PARAM_POLY3 = 4


@dataclass(frozen=True, slots=True)
class PlanPieces:
    """The pieces of a reference line.

    starts, lengths: (n,) [m]; poses: (n, 3) x, y [m] and heading [rad]; shapes: (n,) `PlanShape`.
    parameters: (n, 8). Of lines, arcs and spirals: the curvature [1/m] at the start and at the
    end. Of polynomials: the coefficients of u and then of v, of the powers 0 to 3. normalized: (n,)
    whether the parameter of `PARAM_POLY3` runs from 0 to 1 instead of along the length.
    """

    starts: Floats
    lengths: Floats
    poses: Floats
    shapes: Integers
    parameters: Floats
    normalized: Integers


@dataclass(frozen=True, slots=True)
class XodrLink:
    """The successor or predecessor of a road: a road at its start or end, or a junction.

    `at_start` is None where the file states no contact point, as of a link to the middle of a road.

    Attributes:
        element: id of the road or junction.
        is_junction: whether `element` is a junction.
        line: line in the file, from 1 on.
        station: place [m] on a road between its ends, of a virtual junction; None: an end.
    """

    element: str
    is_junction: bool
    at_start: bool | None
    line: int
    station: float | None = None


@dataclass(frozen=True, slots=True)
class XodrMark:
    """A road mark along the outer border of a lane.

    `offset` [m] from the start of the lane section; `width` [m]; `lines` are explicit ones: length,
    space, offset to the left, first station and width, all [m].

    Attributes:
        kind: `type` of the file, such as `broken`.
        colour: `color` of the file, such as `standard`.
        weight: `standard` or `bold`.
    """

    offset: float
    kind: str
    colour: str
    weight: str
    width: float
    lines: tuple[tuple[float, float, float, float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class XodrLane:
    """A lane of a lane section.

    `widths` and `borders` are functions of the distance from the start of the section; one of them
    is empty. `heights` (n, 3) are offset, inner and outer height [m]. `speeds` are (offset [m],
    limit [m/s]). `denied` are the road users that an access rule keeps out.

    Attributes:
        id: positive to the left of the reference line, negative to the right, 0 the centre.
        type: such as `driving` or `sidewalk`.
        marks: marks along the outer border, by offset.
        predecessors: ids of lanes of the section or road before.
        successors: ids of lanes of the section or road after.
        direction: `standard`, `reversed` or `both`, against the rule of its side.
    """

    id: int
    type: str
    widths: Cubics = field(default_factory=lambda: Cubics.of([]))
    borders: Cubics = field(default_factory=lambda: Cubics.of([]))
    heights: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    marks: tuple[XodrMark, ...] = ()
    speeds: tuple[tuple[float, float], ...] = ()
    predecessors: tuple[int, ...] = ()
    successors: tuple[int, ...] = ()
    direction: str = "standard"
    denied: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class XodrSection:
    """A lane section: `start` and `end` [m] on its road, and its lanes by id, the centre too."""

    start: float
    end: float
    lanes: Mapping[int, XodrLane]


@dataclass(frozen=True, slots=True)
class XodrSignal:
    """A signal or a sign, or a reference to one that stands elsewhere.

    `orientation`: "+" for traffic along the road, "-" against it, "none" for both. `lanes` are
    ranges of lane ids for which it is valid, () for all. A reference has `refers_to`.

    Attributes:
        id: unique id in the file.
        s: station of the signal [m].
        t: offset to the left of the reference line [m].
        type: type of the country's catalogue.
        is_dynamic: whether it changes, as lights do.
        height_offset: of its lower end above the road [m].
        value: such as a speed limit, in the file's unit; None: none.
        line: line in the file, from 1 on.
    """

    id: str
    s: float
    t: float
    orientation: str
    type: str
    is_dynamic: bool
    height_offset: float
    value: float | None
    lanes: tuple[tuple[int, int], ...]
    line: int
    refers_to: str = ""


@dataclass(frozen=True, slots=True)
class XodrOutline:
    """The outline of an object: corners (n, 4), see `is_local`; the last column is the height [m].

    Local corners are u, v, z [m] in the frame of the object; others are s, t, dz [m] on the road.
    One that is not `is_outer` is a hole of another.
    """

    corners: Floats
    is_local: bool
    is_outer: bool = True


@dataclass(frozen=True, slots=True)
class XodrRepeat:
    """Copies of an object along the road, all [m]; a `distance` of 0 makes one body of them.

    Attributes:
        s: station of the first copy [m].
        length: extent of all copies along the road [m].
        t: lateral offsets at start and end [m].
        height: heights at start and end [m].
        offset: heights above the road at start and end [m].
        width: widths at start and end [m].
    """

    s: float
    length: float
    distance: float
    t: tuple[float, float]
    height: tuple[float, float]
    offset: tuple[float, float]
    width: tuple[float, float]


@dataclass(frozen=True, slots=True)
class XodrObject:
    """An object at (s, t) of a road: sizes [m], `heading` [rad] relative to the road.

    Attributes:
        id: unique id in the file.
        type: such as `pole` or `building`.
        subtype: such as `streetLamp`, in lower case; "" for none.
        name: further description.
        height_offset: of its underside above the road [m].
        length: along its heading [m].
        width: across [m].
        radius: of a cylinder [m], 0 of others.
        height: in metres.
        outlines: exact outlines, () where the sizes are all.
        repeats: copies along the road.
        line: line in the file, from 1 on.
    """

    id: str
    type: str
    subtype: str
    name: str
    s: float
    t: float
    height_offset: float
    heading: float
    length: float
    width: float
    radius: float
    height: float
    outlines: tuple[XodrOutline, ...]
    repeats: tuple[XodrRepeat, ...]
    line: int


@dataclass(frozen=True, slots=True)
class XodrRoad:
    """A road. `junction` is "" outside junctions. `speeds` are (station [m], limit [m/s]).

    `bridges` and `tunnels` are (station, length) [m]. `crossfalls` are those of version 1.4 to the
    left and to the right; `shapes` (n, 6) are s, t, a, b, c, d of lateral shapes.

    Attributes:
        id: unique id in the file.
        is_left_hand: whether traffic keeps to the left.
        predecessor: link at its start, None: none.
        successor: link at its end, None: none.
        kinds: (station [m], type), such as `town`.
        plan: reference line in plan.
        elevation: height [m] over the station.
        superelevation: roll angle [rad] over the station.
        lane_offset: offset of the centre lane [m] over the station.
        sections: lane sections, by their station.
        objects: objects of the road.
        signals: signals and references to signals.
        line: line in the file, from 1 on.
    """

    id: str
    length: float
    junction: str
    is_left_hand: bool
    predecessor: XodrLink | None
    successor: XodrLink | None
    kinds: tuple[tuple[float, str], ...]
    speeds: tuple[tuple[float, float], ...]
    plan: PlanPieces
    elevation: Cubics
    superelevation: Cubics
    crossfalls: tuple[Cubics, Cubics]
    shapes: Floats
    lane_offset: Cubics
    sections: tuple[XodrSection, ...]
    objects: tuple[XodrObject, ...]
    signals: tuple[XodrSignal, ...]
    bridges: tuple[tuple[float, float], ...]
    tunnels: tuple[tuple[float, float], ...]
    line: int


@dataclass(frozen=True, slots=True)
class XodrConnection:
    """A way into a junction: lanes `links` (from, to) of an incoming and of a connecting road.

    In a direct junction `road` is the road that follows. `at_start`: which end of it is met.
    """

    incoming: str
    road: str
    at_start: bool
    links: tuple[tuple[int, int], ...]
    line: int
    """Line in the file, from 1 on."""


@dataclass(frozen=True, slots=True)
class XodrJunction:
    """A junction. `kind`: default, virtual, direct or crossing. `priorities` are (high, low) roads.

    `controllers` are ids in the order of their sequence.

    Attributes:
        id: unique id in the file.
        connections: ways into the junction.
        line: line in the file, from 1 on.
    """

    id: str
    kind: str
    connections: tuple[XodrConnection, ...]
    priorities: tuple[tuple[str, str], ...]
    controllers: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class XodrFile:
    """All of an OpenDRIVE file.

    `controllers` are the ids of the signals of each controller. `offset` is that of the header:
    x, y, z [m] and heading [rad]; `projection` the text of its geoReference.

    Attributes:
        data: values of user data by their code.
        roads: roads by id.
        junctions: junctions by id.
    """

    projection: str
    offset: tuple[float, float, float, float]
    data: Mapping[str, str]
    roads: Mapping[str, XodrRoad]
    junctions: Mapping[str, XodrJunction]
    controllers: Mapping[str, tuple[str, ...]]
