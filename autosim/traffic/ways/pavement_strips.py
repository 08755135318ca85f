"""Strips beside streets on which people walk, found from the surfaces of the compiled world."""

from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers
from autosim.rays.ray_scene import RayScene
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.meshes import Surface
from autosim.world.lanes.roads import RoadNetwork

_SPACING = 4.0
"""Distance [m] between the points of a strip: along a bend it stays on its pavement."""

_PROBES = np.arange(0.15, 7.0, 0.3)
"""Distances [m] beyond the edge of a lane at which the ground is looked at: past a parking lane,
a verge and a kerb."""

_LEAST_WIDTH = 0.7
"""Width [m] of a pavement on which one can walk: shoulders and some air."""

MARGIN = 0.2
"""Distance [m] that people keep from the edges of a pavement."""

WIDEST = 2.2
"""Half the width [m] of the widest strip: on broader pavements people keep to its middle."""

_VERGE = 0.9
"""Distance [m] of those who walk on a verge from the lane: clear of the mirrors of cars."""

_VERGE_HALF = 0.4
"""Half the width [m] of the strip on a verge, or on the edge of a lane: one behind the other."""

_INSIDE = 0.35
"""Distance [m] inside the edge of the lane of those who find no ground beside it."""

_BUILT_UP = frozenset(
    ("residential", "living_street", "unclassified", "tertiary", "secondary", "primary", "service")
)
"""The classes of streets along which people walk where the world has no pavement."""

_FAST = 17.0
"""Speed limit [m/s] above which pedestrians do not use the verge: outside of towns."""

_FREE = 0.45
"""Distance [m] beyond half the width of a strip in which no wall is: people who make way leave the
strip by as much as is left beside their shoulders."""

CHEST = 0.8
"""Height [m] at which walls and fences are looked for: above kerbs, below most of all fences."""


@dataclass(frozen=True, slots=True)
class Strip:
    """A strip beside a lane.

    `lane` and its side, 1 left or -1 right; `points` (n, 3) [m] of its middle in W, in the lane's
    direction, at `stations` (n,) [m] of the lane; `half_width` [m]; whether it `has_pavement`;
    whether it reaches to the lane's start and end.
    """

    lane: int
    side: int
    points: Floats
    stations: Floats
    half_width: float
    has_pavement: bool
    at_start: bool
    """Reaches the lane's start."""
    at_end: bool
    """Reaches the lane's end."""


@dataclass(frozen=True, slots=True)
class _Samples:
    """Points on the edges of lanes: `rows` (n,) of the edge, places, headings, stations."""

    rows: Integers
    points: Floats
    outwards: Floats
    stations: Floats
    halves: Floats


def find_strips(world: CompiledWorld, index: GroundIndex) -> list[Strip]:
    """The strips beside all lanes that have a street's edge at their side.

    Args:
        world: the place.
        index: of its floors.
    """
    network = world.roads
    edges = _edges(network)
    if not len(edges):
        return []
    samples = _sample(network, edges)
    first, width, pavements = _probe(index, samples)
    walls = pedestrian_barriers(world)
    strips = []
    starts = np.searchsorted(samples.rows, np.arange(len(edges) + 1))
    for row, (lane, side) in enumerate(edges.tolist()):
        part = slice(int(starts[row]), int(starts[row + 1]))
        laid = _lay(network, lane, (first[part], width[part], pavements[part]))
        if laid is None:
            continue
        offsets, half, has_pavement = laid
        points = samples.points[part] + offsets[:, None] * samples.outwards[part]
        points = _on_ground(index, points)
        runs = _clear_runs(walls, points, half)
        for run in runs:
            strips.append(
                Strip(
                    *(lane, side, points[run], samples.stations[part][run], half, has_pavement),
                    at_start=run.start == 0,
                    at_end=run.stop == len(points),
                )
            )
    return strips


def pedestrian_barriers(world: CompiledWorld) -> RayScene:
    """Barriers to pedestrians, without posts and trees, which they walk round."""
    fences = world.obstacles.select(world.obstacles.surfaces != Surface.STEM)
    return RayScene((world.structures, world.buildings, world.house_boxes, fences))


def _edges(network: RoadNetwork) -> Integers:
    """Rows (lane, side) of the lanes beside which there is no other lane."""
    if not len(network.roads):
        return np.zeros((0, 2), np.int64)
    lengths = network.lengths()
    lanes = np.flatnonzero(~network.connectors & (lengths > 2.0))
    found = []
    for side in (-1, 1):
        rows = [network.lanes[int(lane)] for lane in lanes]
        middles = np.array([r.position(r.length / 2.0, side * (r.width / 2.0 + 0.7)) for r in rows])
        if not len(middles):
            continue
        nearest, places = network.nearest_lanes(middles)
        inside = np.abs(places[:, 1]) < network.widths[nearest] / 2.0
        is_own = (nearest == lanes) | ~inside
        found += [(lane, side) for lane in lanes[is_own].tolist()]
    return np.array(sorted(found), dtype=np.int64).reshape(-1, 2)


def _sample(network: RoadNetwork, edges: Integers) -> _Samples:
    rows, points, outwards, stations, halves = [], [], [], [], []
    for row, (number, side) in enumerate(edges.tolist()):
        lane = network.lanes[number]
        count = max(2, round(lane.length / _SPACING) + 1)
        at = np.linspace(0.0, lane.length, count)
        line, own = lane.centre_line, lane.stations
        places = np.column_stack([np.interp(at, own, line[:, axis]) for axis in range(3)])
        heading = np.interp(at, own, np.unwrap(network.tangents[lane._rows]))
        s, c = portable.sin_cos(heading)
        rows += [row] * count
        points.append(places)
        outwards.append(side * np.column_stack([-s, c, 0.0 * c]))
        stations.append(at)
        halves.append(np.full(count, lane.width / 2.0))
    return _Samples(
        np.array(rows),
        np.concatenate(points),
        np.concatenate(outwards),
        np.concatenate(stations),
        np.concatenate(halves),
    )


def _probe(index: GroundIndex, samples: _Samples) -> tuple[Floats, Floats, Booleans]:
    """The distance (n,) [m] from the lane of where pavement begins, how wide it is, if it is."""
    reaches = samples.halves[:, None] + _PROBES
    places = samples.points[:, None] + reaches[..., None] * samples.outwards[:, None]
    surfaces = index.surfaces_at(places.reshape(-1, 3)).reshape(reaches.shape)
    is_paved = surfaces == Surface.PAVEMENT
    begins = np.argmax(is_paved, axis=1)
    after = np.arange(len(_PROBES)) >= begins[:, None]
    is_end = after & ~is_paved
    ends = np.where(is_end.any(axis=1), np.argmax(is_end, axis=1), len(_PROBES))
    step = float(_PROBES[1] - _PROBES[0])
    widths = (ends - begins) * step
    has_any = is_paved.any(axis=1) & (widths >= _LEAST_WIDTH)
    first = np.take_along_axis(reaches, begins[:, None], axis=1)[:, 0] - step / 2.0
    is_ground = np.isin(surfaces[:, :5], (Surface.GROUND, Surface.PARK)).any(axis=1)
    # Without pavement: the verge, or where there is none the edge of the lane itself.
    first = np.where(has_any, first, samples.halves + np.where(is_ground, _VERGE, -_INSIDE))
    return first, np.where(has_any, widths, 0.0), has_any


def _lay(
    network: RoadNetwork, lane: int, probed: tuple[Floats, Floats, Booleans]
) -> tuple[Floats, float, bool] | None:
    """Distances (n,) [m] of a strip from the middle of its lane, half its width, if it is paved."""
    first, widths, paved = probed
    if paved.mean() >= 0.5:
        usual_first = float(np.median(first[paved]))
        usual_width = float(np.quantile(widths[paved], 0.25))
        half = min(usual_width / 2.0 - MARGIN, WIDEST)
        half = max(half, 0.15)
        offsets = np.where(paved, first + np.minimum(widths, usual_width + 0.6) / 2.0, 0.0)
        middle = usual_first + usual_width / 2.0
        offsets = np.where(paved, offsets, middle)
        # A street that widens takes its pavement along; a driveway must not bend it.
        return np.clip(offsets, middle - 1.5, middle + 1.5), half, True
    highway = network.highway_names[int(network.highways[lane])]
    if highway not in _BUILT_UP or network.speed_limits[lane] > _FAST:
        return None
    offsets = np.where(paved, float(np.median(first[~paved])), first)
    return np.asarray(offsets), _VERGE_HALF, False


def _on_ground(index: GroundIndex, points: Floats) -> Floats:
    """The points at the height of the ground there, where there is one near that of the lane."""
    heights = index.heights_at(points)
    is_near = np.abs(heights - points[:, 2]) < 1.5
    placed = points.copy()
    placed[:, 2] = np.where(is_near, heights, points[:, 2])
    return placed


def _clear_runs(walls: RayScene, points: Floats, half: float) -> list[slice]:
    """The parts of a strip, of two points or more, between walls that stand across or in it."""
    halves = np.full(len(points) - 1, half)
    is_clear = clear_segments(walls, points[:-1], points[1:], halves)
    runs, start = [], None
    for k, clear in enumerate([*is_clear.tolist(), False]):
        if clear and start is None:
            start = k
        if not clear and start is not None:
            runs.append(slice(start, k + 1))
            start = None
    return runs


def clear_segments(walls: RayScene, first: Floats, second: Floats, halves: Floats) -> Booleans:
    """Whether no wall stands on ways (n,) of half widths (n,) [m] between points (n, 3)."""
    ahead = second[:, :2] - first[:, :2]
    length = np.maximum(portable.hypot(ahead[:, 0], ahead[:, 1]), 1e-9)[:, None]
    left = np.column_stack([-ahead[:, 1], ahead[:, 0]]) / length
    is_clear = np.ones(len(first), dtype=np.bool_)
    up = np.array([0.0, 0.0, CHEST])
    reach = (halves + _FREE)[:, None]
    for share in (-1.0, 0.0, 1.0):
        aside = np.column_stack([share * reach * left, np.zeros(len(left))])
        shares, _, _ = walls.cast(first + aside + up, second + aside + up)
        is_clear &= shares >= 1.0
    # Across, too: a thin wall along the way lies between the three lines.
    across = np.column_stack([reach * left, np.zeros(len(left))])
    for place in (first, second):
        shares, _, _ = walls.cast(place - across + up, place + across + up)
        is_clear &= shares >= 1.0
    return is_clear
