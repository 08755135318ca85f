"""Writes a race track of cones: the map, the world and the models of the cones.

    python -m autosim_assets.make_cone_track [FOLDER] [SEED]

The files of seed 0 come with AutoSim; another seed makes another track. Track and cones are those
of the Formula Student Germany Competition Handbook: blue cones on the left, yellow ones on the
right, at most 5 m apart, tall orange ones where a lap starts and ends, the track 3 m wide or more,
and no hairpin with less than 9 m of outer diameter.
"""

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from autosim.arrays import Floats
from autosim.tracks.curve import Curve
from autosim.world.geometry.map_projection import MapProjection

ORIGIN = (49.3278, 8.5657)
"""Latitude and longitude [deg] of the middle of the track: in Hockenheim, where many are built."""

WIDTH = 3.5
"""Distance [m] of the cones on the left from those on the right: half a metre above the least."""

ASPHALT_WIDTH = 8.0
"""Width [m] of the asphalt, which extends behind the cones."""

_LENGTH = 350.0
"""Length [m] of a lap, between the 200 and 500 m of the rules."""

_LEAST_RADIUS = 8.0
"""Radius [m] of the centre line in the narrowest bend: a car of 3 m turns there, and the asphalt
beside it still has an inner edge."""

_LEAST_GAP = 14.0
"""Distance [m] of two parts of the track, so that the asphalt of each is its own."""

_CORNERS_OF_TRACK = (8, 14)
"""Numbers of corners that a track is drawn past: with fewer it is a ring, with more it has bends
that are too narrow."""

_NEAREST_CORNER = 0.25
"""Ratio of the distance of the nearest corner from the middle to that of the farthest."""

_TRIES = 400
"""Number of tracks that are drawn, of which some keep to the rules: a second."""

_SPACING = 1.0
"""Distance [m] of two points of the centre line."""

_CONE_GAPS = (2.5, 4.2)
"""Distance [m] of one cone from the next in narrow bends and on straights, where 5 is the most."""

_CONES_PER_RADIUS = 0.2
"""Distance of one cone from the next per radius of the bend."""

_STAGING = 6.0
"""Distance [m] of the car from the starting line before the start, as in the rules."""

_LINE_GAP = 0.6
"""Distance [m] of the tall cones before the starting line from it, and of those behind it."""


@dataclass(frozen=True, slots=True)
class ConeType:
    """A sort of cone: width of its square foot and height [m], mass [kg]."""

    model: str
    """Name of its model, without suffix."""
    foot: float
    height: float
    mass: float


SMALL = ConeType("small", 0.228, 0.325, 0.45)
TALL = ConeType("tall", 0.285, 0.505, 1.05)

_TIP = 0.025
"""Radius [m] of the upper end of a cone."""

_RIM = 0.85
"""Ratio of the diameter of a cone above its foot to the width of the foot."""

_FOOT = 0.02
"""Height [m] of the foot of a cone."""

_CORNERS = 10
"""Number of corners of a cone's round parts: each is looked at in every contact."""

_COLOURS = {
    "blue": (0.05, 0.22, 0.75),
    "yellow": (0.95, 0.80, 0.05),
    "orange": (0.95, 0.38, 0.06),
}
"""Colours (sRGB) as shares of the brightest red, green and blue."""


def make_track(seed: int) -> Curve:
    """The centre line of a track that keeps to the rules, driven counter-clockwise.

    Of the tracks that are drawn it is the one that winds most.

    Raises:
        ValueError: none keeps to the rules.
    """
    random = np.random.default_rng(seed)
    drawn = (_drawn(random) for _ in range(_TRIES))
    allowed = [curve for curve in drawn if _keeps_to_rules(curve)]
    if not allowed:
        raise ValueError(f"none of {_TRIES} tracks of seed {seed} keeps to the rules")
    return _with_start_on_straight(
        max(allowed, key=lambda curve: float((1.0 / radii(curve)).sum()))
    )


def _keeps_to_rules(curve: Curve) -> bool:
    return least_radius(curve) >= _LEAST_RADIUS and _least_gap(curve) >= _LEAST_GAP


def _drawn(random: np.random.Generator) -> Curve:
    """A smooth curve past corners at changing distances, as long as a lap, with even steps."""
    count = int(random.integers(*_CORNERS_OF_TRACK))
    angles = (np.arange(count) + random.uniform(-0.3, 0.3, count)) * (math.tau / count)
    away = random.uniform(_NEAREST_CORNER, 1.0, count)
    corners = (away * np.array([1.3 * np.cos(angles), np.sin(angles)])).T
    rough = _spline(corners, steps=1000 // count)
    rough *= _LENGTH / Curve.through(rough, is_closed=True).length
    return Curve.through(rough - rough.mean(axis=0), is_closed=True).resampled(_SPACING)


def _spline(corners: Floats, steps: int) -> Floats:
    """Points (n, 2) of the closed uniform cubic B-spline, `steps` from corner to corner."""
    t = (np.arange(steps) / steps)[:, None]
    weights = (
        (1.0 - t) ** 3 / 6.0,
        (3.0 * t**3 - 6.0 * t**2 + 4.0) / 6.0,
        (-3.0 * t**3 + 3.0 * t**2 + 3.0 * t + 1.0) / 6.0,
        t**3 / 6.0,
    )
    pieces = [
        sum(weight * corners[(k + m) % len(corners)] for m, weight in enumerate(weights))
        for k in range(len(corners))
    ]
    return np.vstack(pieces)


def radii(curve: Curve) -> Floats:
    """Radii (n,) [m] of a closed curve's bends at its points."""
    into, out = np.roll(curve.directions, 1, axis=0), curve.directions
    turns = np.abs(np.arctan2(into[:, 0] * out[:, 1] - into[:, 1] * out[:, 0], (into * out).sum(1)))
    lengths = 0.5 * (curve.lengths + np.roll(curve.lengths, 1))
    return np.asarray(lengths / np.maximum(turns, 1e-6))


def least_radius(curve: Curve) -> float:
    """Radius [m] of the narrowest bend."""
    return float(radii(curve).min())


def _least_gap(curve: Curve) -> float:
    """Distance [m] of two points between which a good part of the track lies."""
    points, count = curve.points, len(curve.points)
    apart = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
    steps = np.abs(np.arange(count)[:, None] - np.arange(count)[None])
    along = np.minimum(steps, count - steps) * _SPACING
    return float(apart[along > 0.5 * math.pi * _LEAST_GAP].min())


def _with_start_on_straight(curve: Curve) -> Curve:
    """The curve with its start in the middle of its longest part without a narrow bend."""
    window = 30
    bends = 1.0 / radii(curve)
    straightness = sum(np.roll(bends, shift) for shift in range(-window, window))
    return Curve.through(
        np.roll(curve.points, -int(np.argmin(straightness)), axis=0), is_closed=True
    )


def cones_along(curve: Curve) -> Iterator[tuple[str, ConeType, float, float]]:
    """Name, sort and place (x, y) [m] of each cone."""
    station, number = _CONE_GAPS[0], 1
    bends = radii(curve)
    while station < curve.length - _CONE_GAPS[0]:
        for colour, side in (("blue", 1.0), ("yellow", -1.0)):
            yield (f"{colour}_{number}", SMALL, *_beside(curve, station, 0.5 * side * WIDTH))
        bend = float(np.interp(station, curve.distances[:-1], bends))
        station += min(max(_CONES_PER_RADIUS * bend, _CONE_GAPS[0]), _CONE_GAPS[1])
        number += 1
    for number, (along, side) in enumerate(((-1, 1), (-1, -1), (1, 1), (1, -1)), start=1):
        place = _beside(curve, along * _LINE_GAP % curve.length, 0.5 * side * WIDTH)
        yield (f"orange_{number}", TALL, *place)


def _beside(curve: Curve, station: float, offset: float) -> tuple[float, float]:
    """The point [m] at a distance along the curve, and so far to its left."""
    points = np.vstack([curve.points, curve.points[:1]])
    tangents = np.vstack([curve.tangents, curve.tangents[:1]])
    x, y = (np.interp(station, curve.distances, points[:, k]) for k in (0, 1))
    tx, ty = (np.interp(station, curve.distances, tangents[:, k]) for k in (0, 1))
    size = math.hypot(tx, ty)
    return float(x - offset * ty / size), float(y + offset * tx / size)


def osm_of(curve: Curve) -> str:
    """The map: the track as a one-way raceway, closed."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<osm version="0.6" generator="AutoSim make_cone_track"'
        ' copyright="AutoSim" license="Apache-2.0">',
        "  <!-- A made-up race track. Licence: that of AutoSim, Apache-2.0. -->",
    ]
    places = MapProjection(ORIGIN).to_geographic(curve.points)
    for number, (latitude, longitude) in enumerate(places.tolist(), start=1):
        lines.append(
            f'  <node id="{number}" version="1" lat="{latitude:.8f}" lon="{longitude:.8f}"/>'
        )
    lines.append('  <way id="1" version="1">')
    numbers = [*range(1, len(places) + 1), 1]
    lines += [f'    <nd ref="{number}"/>' for number in numbers]
    tags = {
        "highway": "raceway",
        "name": "Cone Track",
        "oneway": "yes",
        "lanes": "1",
        "lane_markings": "no",
        "width": f"{ASPHALT_WIDTH:g}",
        "surface": "asphalt",
    }
    lines += [f'    <tag k="{key}" v="{value}"/>' for key, value in tags.items()]
    return "\n".join([*lines, "  </way>", "</osm>", ""])


_LISTS = {
    "plan": (40, "line", (), "Where the car plans to drive."),
    "rollouts": (1000, "points", (), "The best of the plans that it has tried."),
    "cones": (100, "points", (), "Where it has seen cones."),
    "table": (
        *(680, "points", (("distance", "m"), ("offset", "m"), ("heading", "rad"))),
        "What its table of the track says of places around it.",
    ),
}
"""Lists that a racer publishes: number of rows, display by clients, the columns after x, y and z,
and the meaning."""


def world_of(curve: Curve, *, name: str, robot: str, program: str) -> str:
    """The world: the map, a car before the starting line, and the cones."""
    x, y = _beside(curve, curve.length - _STAGING, 0.0)
    ahead = _beside(curve, curve.length - _STAGING + _SPACING, 0.0)
    heading = math.atan2(ahead[0] - x, ahead[1] - y)
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        "<!--",
        f'  The world "{name}": a lap between cones, as in Formula Student: blue on the left,',
        "  yellow on the right, orange where the lap starts. Cones fall, and the demo counts them.",
        "",
        "    python -m autosim_assets.make_cone_track",
        "",
        "  wrote this file; it makes other tracks of other seeds.",
        "-->",
        f'<World name="{name}">',
        "  <Terrain>",
        f'    <Map name="{name}">',
        f'      <Folder path="worlds/{name}"/>',
        '      <DrivingSide value="right"/>',
        "    </Map>",
        "  </Terrain>",
        "  <Objects>",
        '    <Robot name="racer">',
        f'      <File path="{robot}"/>',
        f'      <Position x="{x:.3f}" z="{y:.3f}"/>',
        f'      <RotY value="{heading:.4f}"/>',
        f'      <UserProgram file="{program}"/>',
    ]
    for list_name, (capacity, drawn, columns, meaning) in _LISTS.items():
        lines += [
            f"      <!-- {meaning} -->",
            f'      <Publication name="{list_name}" capacity="{capacity}" '
            f'drawn="{drawn}" frame="part">',
            *(
                f'        <Column name="{column}" unit="{unit}"/>'
                for column, unit in (("x", "m"), ("y", "m"), ("z", "m"), *columns)
            ),
            "      </Publication>",
        ]
    lines.append("    </Robot>")
    for cone_name, cone, cone_x, cone_y in cones_along(curve):
        red, green, blue = _COLOURS[cone_name.split("_", 1)[0]]
        lines += [
            f'    <Mesh name="{cone_name}">',
            f'      <Position x="{cone_x:.3f}" z="{cone_y:.3f}"/>',
            f'      <File path="models/cones/{cone.model}.obj"/>',
            f'      <Mass value="{cone.mass:g}"/>',
            f'      <Colour red="{red:g}" green="{green:g}" blue="{blue:g}"/>',
            "    </Mesh>",
        ]
    return "\n".join([*lines, "  </Objects>", "</World>", ""])


def obj_of(cone: ConeType) -> str:
    """The body of a cone as a Wavefront OBJ file, its middle at the origin: x left, y up."""
    half, bottom, top = 0.5 * cone.foot, -0.5 * cone.height, 0.5 * cone.height
    corners = [(half, half), (-half, half), (-half, -half), (half, -half)]
    angles = [math.tau * k / _CORNERS for k in range(_CORNERS)]
    circle = [(math.cos(angle), math.sin(angle)) for angle in angles]
    rings = [[(x, bottom, z) for x, z in corners], [(x, bottom + _FOOT, z) for x, z in corners]]
    for radius, height in ((_RIM * half, bottom + _FOOT), (_TIP, top)):
        rings.append([(radius * x, height, radius * z) for x, z in circle])
    lines = [f"# A cone {cone.height:g} m high: x left, y up, z forward [m]"]
    starts: list[int] = []
    for ring in rings:
        starts.append(1 + sum(map(len, rings[: len(starts)])))
        lines += [f"v {x:.4f} {y:.4f} {z:.4f}" for x, y, z in ring]
    lines.append("f " + " ".join(str(starts[0] + k) for k in range(4)))
    lines.append("f " + " ".join(str(starts[1] + k) for k in reversed(range(4))))
    lines.append("f " + " ".join(str(starts[3] + k) for k in reversed(range(_CORNERS))))
    for lower, upper, count in ((starts[0], starts[1], 4), (starts[2], starts[3], _CORNERS)):
        for k in range(count):
            after = (k + 1) % count
            lines.append(f"f {lower + after} {lower + k} {upper + k} {upper + after}")
    return "\n".join([*lines, ""])


def write_cone_track(folder: Path, seed: int) -> None:
    """Writes all files below `folder`, with the same bytes each time."""
    curve = make_track(seed)
    texts = {
        "worlds/cone_track/cone_track.osm": osm_of(curve),
        "worlds/cone_track.xml": world_of(
            curve,
            name="cone_track",
            robot="robots/formula.xml",
            program="userprograms/mppi_racer.py",
        ),
        "models/cones/small.obj": obj_of(SMALL),
        "models/cones/tall.obj": obj_of(TALL),
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_cone_track(
        Path(sys.argv[1] if len(sys.argv) > 1 else "."),
        int(sys.argv[2]) if len(sys.argv) > 2 else 0,
    )
