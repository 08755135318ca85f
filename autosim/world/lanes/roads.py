"""The network of lanes on which vehicles drive, and the order in which lanes follow.

The network is a structure of arrays; a `Lane` is a light view on it. Connectors through junctions
are lanes like any other, so a vehicle follows lane after lane without a gap.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TypeVar, cast, overload

import numpy as np
import numpy.typing as npt

from autosim import portable
from autosim.arrays import Booleans, Bytes, Floats, Integers, Integers32
from autosim.world.geometry.polylines import Polylines
from autosim.world.lanes.lane_index import LaneFinder, LaneIndex, find_lane, find_lanes
from autosim.world.lanes.lane_rules import Control, LaneRules, SignalState

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class LaneRecord:
    """One lane as handed to `RoadNetwork.from_lanes`.

    `centre_line` (n, 3) [m] in W in driving direction, n >= 2, no two points alike; `road` is the
    number of its street; `is_connector` a curve through a junction; `friction` of its surface
    relative to asphalt; `ways`: as `Lane.ways`.

    Attributes:
        width: of the lane [m].
        speed_limit: in m/s.
        highway: OSM value of the street.
        successors: numbers of the lanes that follow.
    """

    road: int
    centre_line: Floats
    width: float
    speed_limit: float
    highway: str
    is_connector: bool
    successors: tuple[int, ...]
    friction: float = 1.0
    ways: tuple[tuple[int, bool], ...] = ()


@dataclass(slots=True)
class LaneSignals:
    """The signals of a running world.

    `numbers` (n,) of that of each lane, -1 where there is none; `shown` (s,) what each shows now,
    as numbers of `SignalState`, a view of the live state. It is replaced when the layout of the
    state changes.
    """

    numbers: Integers
    shown: Integers


@dataclass(frozen=True, slots=True)
class RoadNetwork:
    """All lanes of a world, with their successors through junctions.

    points: (p, 3) float64 [m], the centre lines of all lanes one after another, in W, in driving
    direction; stations: (p,) float64 [m], arc length of each point in its lane, in plan;
    tangents: (p,) float64 [rad], heading at each point. Lane k owns the rows
    `starts[k]:starts[k + 1]` of these and the entries
    `successor_starts[k]:successor_starts[k + 1]` of `successors`; `starts` and
    `successor_starts` are (n + 1,) int32. `roads` (n,) int32; `widths` [m] and `speed_limits`
    [m/s] (n,) float64; `highways` (n,) uint8, an index into `highway_names`; `connectors` (n,)
    bool; `frictions` (n,) float64 of the surface, relative to asphalt. The OSM ways under lane k,
    in driving direction, are `ways[way_starts[k]:way_starts[k + 1]]` (w,) int64, and
    `way_directions` (w,) bool tells whether it runs along each. `traffic`: the rules; `signals`:
    what lights show, only where a program asks for the roads of a world with traffic.
    """

    points: Floats
    stations: Floats
    tangents: Floats
    starts: Integers32
    successors: Integers32
    successor_starts: Integers32
    roads: Integers32
    widths: Floats
    speed_limits: Floats
    frictions: Floats
    highways: Bytes
    highway_names: tuple[str, ...]
    connectors: Booleans
    ways: Integers
    way_directions: Booleans
    way_starts: Integers32
    traffic: LaneRules
    signals: LaneSignals | None = field(default=None, repr=False, compare=False)
    _finder: LaneFinder = field(default_factory=LaneFinder, init=False, repr=False, compare=False)
    _derived: dict[Hashable, object] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @classmethod
    def from_lanes(cls, lanes: Iterable[LaneRecord]) -> "RoadNetwork":
        """The network of some lanes; a lane's index is its place in the sequence."""
        records = list(lanes)
        names = tuple(sorted({record.highway for record in records}))
        lines = [record.centre_line for record in records]
        following = [record.successors for record in records]
        return cls(
            points=np.vstack(lines) if lines else np.zeros((0, 3)),
            stations=Polylines.of([line[:, :2] for line in lines]).stations(),
            tangents=_tangents(lines),
            starts=_starts(len(line) for line in lines),
            successors=np.array([k for each in following for k in each], dtype=np.int32),
            successor_starts=_starts(len(each) for each in following),
            roads=np.array([record.road for record in records], dtype=np.int32),
            widths=np.array([record.width for record in records], dtype=np.float64),
            speed_limits=np.array([record.speed_limit for record in records], dtype=np.float64),
            frictions=np.array([record.friction for record in records], dtype=np.float64),
            highways=np.array([names.index(r.highway) for r in records], dtype=np.uint8),
            highway_names=names,
            connectors=np.array([record.is_connector for record in records], dtype=np.bool_),
            ways=np.array([way for record in records for way, _ in record.ways], dtype=np.int64),
            way_directions=np.array(
                [along for record in records for _, along in record.ways], dtype=np.bool_
            ),
            way_starts=_starts(len(record.ways) for record in records),
            traffic=LaneRules.none(len(records)),
        )

    @property
    def lanes(self) -> "LaneSequence":
        """All lanes, by index."""
        return LaneSequence(self)

    def derived(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """The result of `make`, cached by key: all callers share it, and must not change it.

        Args:
            key: contains a name, and all inputs in addition to the network.
            make: makes it.
        """
        if key not in self._derived:
            self._derived[key] = make()
        return cast(Made, self._derived[key])

    def lane_of_points(self) -> Integers:
        """The lane (p,) to which each point belongs."""
        return np.repeat(np.arange(len(self.roads)), np.diff(self.starts))

    def is_of_kind(self, highway: str) -> Booleans:
        """Whether each lane (n,) is of a kind of street, a value of the OSM key highway."""
        if highway not in self.highway_names:
            return np.zeros(len(self.highways), dtype=np.bool_)
        found: Booleans = self.highways == self.highway_names.index(highway)
        return found

    def lengths(self) -> Floats:
        """Length [m] (n,) of every lane."""
        return self.stations[self.starts[1:] - 1]

    def nearest_lane(
        self, point: Floats | Sequence[float], heading: float | None = None
    ) -> tuple[int, float, float]:
        """The lane nearest to a point (2,) or (3,) in W, as (index, s, t) with s, t in metres.

        With a height the lane nearest in space counts, so lanes on a bridge and under it are
        distinguished. With a `heading` [rad] only lanes within 90 degrees of it count, if there are
        any.

        Raises:
            ValueError: the network has no lanes.
        """
        # Python's own numbers: taking NumPy's out of an array takes three times as long.
        x, y, *z = map(float, point.tolist() if isinstance(point, np.ndarray) else point)
        if self._finder.is_asked_rarely():
            return self.nearest_of_all_lanes(np.asarray(point, dtype=np.float64), heading)
        return find_lane(
            self.lane_index(),
            x,
            y,
            z[0] if z else math.nan,
            math.nan if heading is None else float(heading),
        )

    def nearest_lanes(
        self, points: Floats, headings: Floats | None = None
    ) -> tuple[Integers, Floats]:
        """As `nearest_lane`, for many points at once.

        Args:
            points: (n, 2) or (n, 3) m in W.
            headings: (n,) rad.

        Returns:
            The lanes (n,), and s and t (n, 2) [m].

        Raises:
            ValueError: the network has no lanes.
        """
        count = len(points)
        places = np.full((count, 3), np.nan)
        places[:, : points.shape[1]] = points
        directions = np.full(count, np.nan) if headings is None else np.array(headings, np.float64)
        lanes, coordinates = np.empty(count, dtype=np.int64), np.empty((count, 2))
        find_lanes(self.lane_index(), places, directions, lanes, coordinates)
        return lanes, coordinates

    def lane_index(self) -> LaneIndex:
        """The index of the lanes for kernels.

        Raises:
            ValueError: the network has no lanes.
        """
        if not len(self.points):
            raise ValueError("a network without lanes has no nearest lane")
        return self._finder.index_of(self.points, self.stations, self.tangents, self.starts)

    def nearest_of_all_lanes(self, p: Floats, heading: float | None) -> tuple[int, float, float]:
        """As `nearest_lane`, without the index."""
        if not len(self.points):
            raise ValueError("a network without lanes has no nearest lane")
        z, p = p[2:], p[:2]
        rows = np.delete(np.arange(len(self.points) - 1), self.starts[1:-1] - 1)
        distances, shares = _project(self.points[rows, :2], self.points[rows + 1, :2], p)
        if len(z):
            low, high = self.points[rows, 2], self.points[rows + 1, 2]
            distances = distances + (low + shares * (high - low) - z[0]) ** 2
        if heading is not None:
            along = portable.cos(self.tangents[rows] - heading) > 0.0
            distances = np.where(along, distances, np.inf) if along.any() else distances
        best = int(np.argmin(distances))
        row = int(rows[best])
        index = int(np.searchsorted(self.starts, row, side="right")) - 1
        return (index, *self._at_row(row, float(shares[best]), p))

    def _at_row(self, row: int, share: float, p: Floats) -> tuple[float, float]:
        """(s, t) of a point that projects at `share` of the segment after `row`."""
        a, b = self.points[row, :2], self.points[row + 1, :2]
        s = self.stations[row] + share * (self.stations[row + 1] - self.stations[row])
        ahead = b - a
        gap = p - (a + share * ahead)
        side = np.sign(ahead[0] * (p - a)[1] - ahead[1] * (p - a)[0])
        return float(s), float(side * portable.length(gap))

    def to_arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        """The network as named arrays without objects, for a file."""
        arrays: dict[str, npt.NDArray[np.generic]] = {
            each.name: getattr(self, each.name)
            for each in fields(self)
            if each.init and each.name not in ("highway_names", "traffic", "signals")
        }
        arrays["highway_names"] = np.frombuffer(
            "\n".join(self.highway_names).encode(), dtype=np.uint8
        )
        return arrays | {f"traffic.{k}": each for k, each in self.traffic.to_arrays().items()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[np.generic]]) -> "RoadNetwork":
        """The network that `to_arrays` took apart.

        Raises:
            KeyError: an array is missing.
        """
        prefix = "traffic."
        rules = {k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)}
        names_of_arrays = (
            each.name
            for each in fields(cls)
            if each.init and each.name not in ("traffic", "signals")
        )
        values = {name: arrays[name] for name in names_of_arrays}
        text = values.pop("highway_names").tobytes().decode()
        names = tuple(text.split("\n")) if text else ()
        traffic = LaneRules.from_arrays(rules)
        return cls(highway_names=names, traffic=traffic, **values)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Lane:
    """One lane: a curve with two maps. A view on its network; `index` is its place there."""

    network: RoadNetwork
    index: int

    @property
    def _rows(self) -> slice:
        starts = self.network.starts
        return slice(int(starts[self.index]), int(starts[self.index + 1]))

    @property
    def road(self) -> int:
        """Number of its street; a connector has that of the street into which it leads."""
        return int(self.network.roads[self.index])

    @property
    def centre_line(self) -> Floats:
        """(n, 3) float64 [m] in W, in driving direction."""
        return self.network.points[self._rows]

    @property
    def stations(self) -> Floats:
        """(n,) float64 [m]: arc length in plan at each point of the centre line."""
        return self.network.stations[self._rows]

    @property
    def width(self) -> float:
        """Width [m]."""
        return float(self.network.widths[self.index])

    @property
    def speed_limit(self) -> float:
        """Speed limit [m/s]."""
        return float(self.network.speed_limits[self.index])

    @property
    def friction(self) -> float:
        """Friction of its surface relative to dry asphalt."""
        return float(self.network.frictions[self.index])

    @property
    def turn(self) -> float:
        """Change of heading from its start to its end [rad], positive to the left, in (-pi, pi]."""
        return math.remainder(self.heading(self.length) - self.heading(0.0), math.tau)

    @property
    def control(self) -> Control:
        """The sign, signal or rule that makes its vehicles wait."""
        return Control(self.network.traffic.controls[self.index])

    @property
    def stop_line(self) -> float | None:
        """Arc length [m] at which they wait; None without control."""
        station = float(self.network.traffic.stop_lines[self.index])
        return None if math.isnan(station) else station

    @property
    def signal_number(self) -> int | None:
        """Number of the signal for which its vehicles wait; None without, or without traffic."""
        signals = self.network.signals
        number = -1 if signals is None else int(signals.numbers[self.index])
        return None if number < 0 else number

    @property
    def signal(self) -> SignalState | None:
        """Current state of that signal; None without one."""
        number, signals = self.signal_number, self.network.signals
        if number is None or signals is None:
            return None
        return SignalState(signals.shown[number])

    @property
    def highway(self) -> str:
        """The OSM `highway` value of its street."""
        return self.network.highway_names[int(self.network.highways[self.index])]

    @property
    def ways(self) -> tuple[tuple[int, bool], ...]:
        """Ids of the OSM ways under it in driving direction, and whether each runs along it.

        Of a connector, and where the map has none, there are none.
        """
        starts = self.network.way_starts
        own = slice(int(starts[self.index]), int(starts[self.index + 1]))
        directions = self.network.way_directions[own].tolist()
        return tuple(zip(self.network.ways[own].tolist(), directions, strict=True))

    @property
    def is_connector(self) -> bool:
        """Whether it is a curve through a junction or a turning place."""
        return bool(self.network.connectors[self.index])

    @property
    def successors(self) -> tuple[int, ...]:
        """Indices of the lanes that may follow."""
        starts = self.network.successor_starts
        return tuple(self.network.successors[starts[self.index] : starts[self.index + 1]].tolist())

    @property
    def length(self) -> float:
        """Arc length of the centre line in plan [m]."""
        return float(self.stations[-1])

    def position(self, s: float, t: float = 0.0) -> Floats:
        """Point (3,) in W at `s` [m] along the lane and `t` [m] to its left.

        Before the start and past the end the lane continues straight.
        """
        stations, line = self.stations, self.centre_line
        k = min(max(int(np.searchsorted(stations, s, side="right")) - 1, 0), len(stations) - 2)
        span = stations[k + 1] - stations[k]
        point: Floats = line[k] + (s - stations[k]) / span * (line[k + 1] - line[k])
        ahead = (line[k + 1, :2] - line[k, :2]) / span
        point[:2] += t * np.array([-ahead[1], ahead[0]])
        return point

    def heading(self, s: float) -> float:
        """Direction of driving [rad], counter-clockwise from east in (-pi, pi], at `s` [m]."""
        angle = np.interp(s, self.stations, np.unwrap(self.network.tangents[self._rows]))
        return float(portable.wrapped(angle))

    def local_coordinates(self, point: Floats | Sequence[float]) -> tuple[float, float]:
        """(s, t) [m] of the nearest point of the lane to `point` (2,) or (3,) in W."""
        p = np.asarray(point, dtype=np.float64)[:2]
        line = self.centre_line[:, :2]
        distances, shares = _project(line[:-1], line[1:], p)
        best = int(np.argmin(distances))
        return self.network._at_row(self._rows.start + best, float(shares[best]), p)


@dataclass(frozen=True, slots=True)
class LaneSequence(Sequence[Lane]):
    """The lanes of a network, each a view that is made on demand."""

    network: RoadNetwork

    def __len__(self) -> int:
        return len(self.network.roads)

    @overload
    def __getitem__(self, index: int) -> Lane: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Lane]: ...
    def __getitem__(self, index: int | slice) -> Lane | Sequence[Lane]:
        if isinstance(index, slice):
            return [Lane(self.network, k) for k in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"lane {index} of {len(self)}")
        return Lane(self.network, index % len(self))

    def __iter__(self) -> Iterator[Lane]:
        return (Lane(self.network, k) for k in range(len(self)))


def _starts(lengths: Iterable[int]) -> Integers32:
    return np.concatenate([[0], np.cumsum(list(lengths), dtype=np.int64)]).astype(np.int32)


def _tangents(lines: Sequence[Floats]) -> Floats:
    """Heading at each point of all lines: the mean of the unit vectors of its two segments."""
    if not lines:
        return np.zeros(0)
    points = np.vstack(lines)[:, :2]
    last = np.cumsum([len(line) for line in lines]) - 1
    steps = points[1:] - points[:-1]
    # Between two lines there is no segment; the point at an end has only one.
    steps[last[:-1]] = 1.0
    steps /= portable.hypot(steps[:, :1], steps[:, 1:])
    steps[last[:-1]] = 0.0
    mean = np.zeros(points.shape)
    mean[:-1] += steps
    mean[1:] += steps
    return np.asarray(portable.arctan2(mean[:, 1], mean[:, 0]))


def _project(starts: Floats, ends: Floats, p: Floats) -> tuple[Floats, Floats]:
    """Squared distances (n,) [m²] from `p` to segments, and the shares (0..1) of the feet."""
    ahead = ends - starts
    along = np.einsum("ij,ij->i", p - starts, ahead)
    shares = np.clip(along / np.einsum("ij,ij->i", ahead, ahead), 0.0, 1.0)
    gaps = p - (starts + shares[:, None] * ahead)
    return np.einsum("ij,ij->i", gaps, gaps), shares
