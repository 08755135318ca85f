"""Paints lines along lanes: at edges, between lanes, between directions. Vectorised over lanes."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

from autosim import portable
from autosim.arrays import Booleans, Bytes, Floats, Integers
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.curves import points_at
from autosim.world.geometry.meshes import Surface
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.markings.patches import Patches, is_on
from autosim.world.markings.traits import StreetTraits
from autosim.world.streets.crossings import Crossings


@dataclass(frozen=True, slots=True)
class _Paint:
    """Sizes of lines, about those of German and French streets; major streets have larger ones."""

    edge_inset: float = 0.35
    """Distance [m] of an edge line from the edge of its lane."""

    half_width: float = 0.06
    """Half the width [m] of a line."""

    half_width_major: float = 0.075
    """Half the width [m] of a line of a major street."""

    dash: float = 3.0
    """Length [m] of a dash."""

    gap: float = 4.5
    """Length [m] of the gap between dashes."""

    dash_major: float = 6.0
    """Length [m] of a dash between the lanes of a major street."""

    gap_major: float = 9.0
    """Length [m] of the gap between such dashes."""

    last_major_rank: int = 1
    """Rank of the last class of streets that is major: motorways and trunk roads."""

    solid_lanes: int = 4
    """Number of lanes from which on the line between directions is solid."""


@dataclass(frozen=True, slots=True)
class _Foreign:
    """Search for lanes of other streets, which lines must not cross."""

    reach: float = 1.6
    """Distance [m] from a line within which their points are looked for."""

    spacing: float = 1.0
    """Distance [m] between their points."""

    height_scale: float = 2.0
    """Factor by which differences in height count more than distances in plan."""

    neighbours: int = 8
    """Number of nearest points that are looked at; some belong to the line's own street."""

    beside: float = 0.25
    """Width [m] at both edges of a foreign lane in which a line may lie: the lanes' edges touch."""

    most: float = 1.4
    """Distance [m] from the middle of a foreign lane beyond which a line never disturbs."""


@dataclass(frozen=True, slots=True)
class _Thinning:
    """When a point of a solid line may be left out, so that the mesh stays small."""

    bend: float = 1e-3
    """Distance [m] of the point from the chord in plan: no eye sees it."""

    sag: float = 2e-4
    """Height [m] of the point over the chord: far less than the paint lies above the road."""

    run: int = 8
    """Number of points of which one always stays, so that strips follow the road's triangles."""


_PAINT, _FOREIGN, _THINNING = _Paint(), _Foreign(), _Thinning()

_BESIDE = 0.6
"""Difference [m] from their expected distance within which two lanes lie side by side."""

_CLEAR_SHARE = 0.999
"""Share between a clear sample (1) and a covered one (0) from which on the end of a dash is
clear."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines along lanes as arrays (n,); `laterals` [m] are left of the lane's centre line.

    Attributes:
        dashed: whether a line is dashed.
        surfaces: `Surface` of the paint.
        half_widths: half the width of a line [m].
        major: whether it divides lanes of one direction of a major street.
    """

    lanes: Integers
    laterals: Floats
    dashed: Booleans
    surfaces: Bytes
    half_widths: Floats
    major: Booleans

    def __len__(self) -> int:
        return len(self.lanes)


@dataclass(frozen=True, slots=True)
class _Samples:
    """Points along lines, line after line: `points` (n, 3), `lefts` (n, 2), arrays (n,)."""

    points: Floats
    lefts: Floats
    stations: Floats
    line: Integers


def lane_lines(
    network: RoadNetwork, traits: StreetTraits, *, centre: Surface = Surface.PAINT
) -> Lines:
    """Finds the lines of a network's lanes; a line between two lanes appears once.

    Args:
        network: the lanes; their `roads` number the `traits`.
        traits: tell which streets have markings.
        centre: paint of the lines between directions.
    """
    lanes = np.flatnonzero(~network.connectors & traits.painted[network.roads])
    neighbours = _neighbours(network, lanes)
    widths, roads = network.widths[lanes], network.roads[lanes]
    major = traits.ranks[roads] <= _PAINT.last_major_rank
    parts = []
    for side in (1.0, -1.0):
        other, same_way, is_shared = neighbours[side]
        has_other = other >= 0
        is_edge = ~has_other & traits.edged[roads] & ~is_shared
        is_between = has_other & (lanes < other)
        lateral = side * (widths / 2.0 - np.where(is_edge, _PAINT.edge_inset, 0.0))
        many = np.bincount(roads, minlength=len(traits.ranks))[roads] >= _PAINT.solid_lanes
        paint = np.where(has_other & ~same_way, centre, Surface.PAINT).astype(np.uint8)
        dashed = has_other & (same_way | ~many)
        chosen = is_edge | is_between
        half = np.where(major, _PAINT.half_width_major, _PAINT.half_width)
        parts.append(
            [each[chosen] for each in (lanes, lateral, dashed, paint, half, major & same_way)]
        )
    joined = [np.concatenate(each) for each in zip(*parts, strict=True)]
    return Lines(*joined)


def _neighbours(
    network: RoadNetwork, lanes: Integers
) -> dict[float, tuple[Integers, Booleans, Booleans]]:
    """For each side, the lane of the same street beside each lane (-1: none), and its direction.

    The third array marks lanes that share their place with a lane of the other direction.
    """
    first, second = _pairs_of_one_road(network.roads[lanes])
    middles, headings = _middles(network, lanes)
    gap = middles[second] - middles[first]
    ahead = np.column_stack([portable.cos(headings[first]), portable.sin(headings[first])])
    lateral = ahead[:, 0] * gap[:, 1] - ahead[:, 1] * gap[:, 0]
    apart = (network.widths[lanes][first] + network.widths[lanes][second]) / 2.0
    same_way = portable.cos(headings[first] - headings[second]) > 0.0
    is_shared = np.zeros(len(lanes), dtype=np.bool_)
    is_shared[first[np.abs(lateral) < _BESIDE]] = True
    found = {}
    for side in (1.0, -1.0):
        hits = np.abs(lateral - side * apart) < _BESIDE
        other = np.full(len(lanes), -1, dtype=np.int64)
        same = np.zeros(len(lanes), dtype=np.bool_)
        other[first[hits]] = lanes[second[hits]]
        same[first[hits]] = same_way[hits]
        found[side] = (other, same, is_shared)
    return found


def _pairs_of_one_road(roads: npt.NDArray[np.integer]) -> tuple[Integers, Integers]:
    """All ordered pairs of different places in `roads` that hold the same number."""
    order = np.argsort(roads, kind="stable")
    _, starts, counts = np.unique(roads[order], return_index=True, return_counts=True)
    count_of = np.repeat(counts, counts)
    first = np.repeat(np.arange(len(roads)), count_of)
    step = np.arange(len(first)) - np.repeat(np.cumsum(count_of) - count_of, count_of)
    second = np.repeat(np.repeat(starts, counts), count_of) + step
    differ = first != second
    return order[first[differ]], order[second[differ]]


def _middles(network: RoadNetwork, lanes: Integers) -> tuple[Floats, Floats]:
    """Point (n, 2) halfway along each lane, and its heading there (n,)."""
    half = network.lengths()[lanes] / 2.0
    place = _global_stations(network)
    at = place[network.starts[lanes]] + half
    x, y = (np.interp(at, place, network.points[:, k]) for k in range(2))
    rows = np.clip(np.searchsorted(place, at) - 1, 0, len(place) - 2)
    steps = network.points[rows + 1, :2] - network.points[rows, :2]
    return np.column_stack([x, y]), portable.arctan2(steps[:, 1], steps[:, 0])


def _global_stations(network: RoadNetwork) -> Floats:
    """Stations of all points, lane after lane with gaps: one interpolation serves all lanes."""
    lane = network.lane_of_points()
    lengths = network.lengths() + 1.0
    return network.stations + (np.cumsum(lengths) - lengths)[lane]


def line_patches(
    lines: Lines, network: RoadNetwork, road: GroundIndex, *, crossings: Crossings
) -> Patches:
    """The paint of lines where it lies on the carriageway and on no other lane or crossing."""
    if not len(lines):
        return Patches.joined([])
    samples = _sampled(lines, network)
    across = lines.half_widths[samples.line][:, None] * samples.lefts
    clear = _is_clear(samples, lines, network) & ~crossings.cover(samples.points)
    for side in (1.0, -1.0):
        edge = samples.points.copy()
        edge[:, :2] += side * across
        clear &= is_on(road, edge)
    solid, dashes = _solid(samples, lines, clear), _dashes(samples, lines, clear)
    return Patches.joined([solid, dashes])


def _sampled(lines: Lines, network: RoadNetwork) -> _Samples:
    counts = np.diff(network.starts)[lines.lanes]
    line = np.repeat(np.arange(len(lines)), counts)
    step = np.arange(len(line)) - np.repeat(np.cumsum(counts) - counts, counts)
    rows = network.starts[lines.lanes][line] + step
    angles = network.tangents[rows]
    lefts = np.column_stack([-portable.sin(angles), portable.cos(angles)])
    points = network.points[rows].copy()
    points[:, :2] += lines.laterals[line][:, None] * lefts
    return _Samples(points, lefts, network.stations[rows], line.astype(np.int64))


def _is_clear(samples: _Samples, lines: Lines, network: RoadNetwork) -> Booleans:
    """Mask of samples on no lane of another street and on no way through a junction."""
    lane = network.lane_of_points()
    place = _global_stations(network)
    dense = np.arange(0.0, place[-1], _FOREIGN.spacing)
    of = lane[np.searchsorted(place, dense, side="right") - 1]
    dense, of = _within_lanes(dense, of, place, network)
    points = points_at(network.points, place, dense)
    scale = np.array([1.0, 1.0, _FOREIGN.height_scale])
    tree = cKDTree(points * scale)
    distances, rows = tree.query(
        samples.points * scale, k=_FOREIGN.neighbours, distance_upper_bound=_FOREIGN.reach
    )
    is_there = rows < len(points)
    others = of[np.where(is_there, rows, 0)]
    own = network.roads[lines.lanes][samples.line][:, None]
    is_foreign = network.connectors[others] | (network.roads[others] != own)
    reach = np.minimum(network.widths[others] / 2.0 - _FOREIGN.beside, _FOREIGN.most)
    return np.asarray(~(is_there & is_foreign & (distances < reach)).any(axis=1))


def _within_lanes(
    dense: Floats, of: Integers, place: Floats, network: RoadNetwork
) -> tuple[Floats, Integers]:
    """The places outside the gaps between lanes."""
    inside = dense <= place[network.starts[1:] - 1][of]
    return dense[inside], of[inside]


def _solid(samples: _Samples, lines: Lines, clear: Booleans) -> Patches:
    keep = ~lines.dashed[samples.line]
    chosen = np.flatnonzero(keep)
    chosen = chosen[~_is_dispensable(samples, clear)[chosen]]
    a, b = chosen[:-1], chosen[1:]
    joined = (samples.line[a] == samples.line[b]) & clear[a] & clear[b]
    a, b = a[joined], b[joined]
    return _strips(samples.points, samples.lefts, a=a, b=b, lines=lines, line=samples.line[a])


def _is_dispensable(samples: _Samples, clear: Booleans) -> Booleans:
    """Points between two neighbours on a straight and even line, which may be left out."""
    p, line = samples.points, samples.line
    inner = np.zeros(len(p), dtype=np.bool_)
    if len(p) < 3:
        return inner
    before, after = p[1:-1] - p[:-2], p[2:] - p[1:-1]
    chord = np.maximum(np.linalg.norm(p[2:, :2] - p[:-2, :2], axis=1), 1e-9)
    bend = np.abs(before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]) / chord
    share = np.linalg.norm(before[:, :2], axis=1) / chord
    sag = np.abs(before[:, 2] - share * (before[:, 2] + after[:, 2]))
    one_line = (line[:-2] == line[1:-1]) & (line[2:] == line[1:-1])
    all_clear = clear[:-2] & clear[1:-1] & clear[2:]
    inner[1:-1] = one_line & all_clear & (bend < _THINNING.bend) & (sag < _THINNING.sag)
    return inner & (np.arange(len(p)) % _THINNING.run > 0)


def _dashes(samples: _Samples, lines: Lines, clear: Booleans) -> Patches:
    last = np.searchsorted(samples.line, np.arange(len(lines)), side="right") - 1
    lengths = samples.stations[last]
    dash = np.where(lines.major, _PAINT.dash_major, _PAINT.dash)
    period = dash + np.where(lines.major, _PAINT.gap_major, _PAINT.gap)
    counts = np.where(lines.dashed, ((lengths + period - dash) // period).astype(np.int64), 0)
    of = np.repeat(np.arange(len(lines)), counts)
    step = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    margin = (lengths - counts * period + period - dash) / 2.0
    start = margin[of] + step * period[of]
    offsets = np.cumsum(lengths + 1.0) - (lengths + 1.0)
    place = samples.stations + offsets[samples.line]
    ends = [start + offsets[of], start + dash[of] + offsets[of]]
    values = np.column_stack([samples.points, samples.lefts, clear.astype(np.float64)])
    at = [np.column_stack([np.interp(end, place, v) for v in values.T]) for end in ends]
    sound = (at[0][:, 5] > _CLEAR_SHARE) & (at[1][:, 5] > _CLEAR_SHARE)
    both = np.vstack([at[0][sound], at[1][sound]])
    count = int(sound.sum())
    return _strips(
        both[:, :3], both[:, 3:5], a=np.arange(count), b=np.arange(count) + count,
        lines=lines, line=of[sound],
    )  # fmt: skip


def _strips(
    points: Floats, lefts: Floats, *, a: Integers, b: Integers, lines: Lines, line: Integers
) -> Patches:
    """Strips from points `a` to points `b`, as wide as their lines."""
    across = np.zeros((len(points), 3))
    across[:, :2] = lefts
    half = lines.half_widths[line][:, None]
    corners = [
        points[a] - half * across[a],
        points[b] - half * across[b],
        points[b] + half * across[b],
        points[a] + half * across[a],
    ]
    return Patches(np.stack(corners, axis=1), lines.surfaces[line])
