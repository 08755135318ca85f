"""The heights of all streets along their axes, found together by least squares.

Each street is sampled about every 8 m; streets that meet at a node share the unknown there. The
sum of squares has a term for the terrain, one for smoothness, and penalties so steep that they
order what cannot all be had: first no street is steeper than its class allows, then streets that
cross at different levels keep their clearance, then bridges clear what they lead over and tunnels
lie under the ground, then streets keep to the terrain.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.linalg import splu

from autosim.world.clearances import CLEARANCE, COVER, Crossings, Obstacles, find_contacts
from autosim.world.curves import Floats, arc_lengths, heading_between, turn_between
from autosim.world.streets import Street

Integers = npt.NDArray[np.int64]

GRADE_LIMITS = (0.07, 0.08, 0.10, 0.12, 0.14, 0.16, 0.16, 0.18, 0.20, 0.25)
"""The steepest that a street may be, by the rank of its class."""

SPACING = 8.0
_ON_GROUND, _ELSEWHERE = 1.0, 1e-3
_SMOOTHNESS = 12.0
_CONTACT = 4.0
_GRADE, _CLEAR, _OBSTACLE, _COVERED = 300.0, 30.0, 3.0, 1.5
_ROUNDS = 25
_TOLERANCE = 1e-3
_STRAIGHT_ON = np.radians(40.0)


@dataclass(frozen=True, slots=True)
class Profile:
    """A street's heights `z` (n,) [m] at the arc lengths `s` (n,) [m]; cubic in between."""

    s: Floats
    z: Floats

    def at(self, s: npt.ArrayLike) -> Floats:
        """Heights [m] at arc lengths [m]."""
        return self._evaluate(s)[0]

    def grade_at(self, s: npt.ArrayLike) -> Floats:
        """Rise over run at arc lengths [m]."""
        return self._evaluate(s)[1]

    def _evaluate(self, s: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Heights and grades by Hermite's cubics with the mean grade at each sample."""
        at = np.clip(np.asarray(s, dtype=np.float64), self.s[0], self.s[-1])
        k = np.clip(np.searchsorted(self.s, at, side="right") - 1, 0, len(self.s) - 2)
        span = self.s[k + 1] - self.s[k]
        grades = np.gradient(self.z, self.s)
        first, last = grades[k] * span, grades[k + 1] * span
        rise = self.z[k + 1] - self.z[k]
        t = (at - self.s[k]) / span
        bend, twist = first + last - 2.0 * rise, 3.0 * rise - 2.0 * first - last
        height = self.z[k] + t * (first + t * (twist + t * bend))
        return height, (first + t * (2.0 * twist + 3.0 * t * bend)) / span


@dataclass(frozen=True, slots=True)
class _Chain:
    """A street's unknowns: their numbers (n,), arc lengths (n,) and places (n, 2)."""

    unknowns: Integers
    s: Floats
    points: Floats


@dataclass(slots=True)
class _Rows:
    """Weighted rows of a sparse system: weight * (coefficients @ z - value)."""

    rows: list[Integers] = field(default_factory=list)
    columns: list[Integers] = field(default_factory=list)
    values: list[Floats] = field(default_factory=list)
    right: list[Floats] = field(default_factory=list)
    weights: list[Floats] = field(default_factory=list)
    count: int = 0

    def add(
        self, columns: Integers, coefficients: Floats, right: Floats, weights: Floats | float
    ) -> None:
        """Adds rows: columns and coefficients (n, k), right sides (n,), weights (n,) or one."""
        n, k = columns.shape
        self.rows.append(np.repeat(np.arange(self.count, self.count + n), k))
        self.columns.append(columns.ravel())
        self.values.append(coefficients.ravel())
        self.right.append(right)
        self.weights.append(np.broadcast_to(np.asarray(weights, dtype=np.float64), (n,)))
        self.count += n

    def matrix(self, unknowns: int) -> tuple[sparse.csr_array, Floats, Floats]:
        """Coefficients (count, unknowns), right sides (count,), weights (count,)."""
        empty = [np.zeros(0)]
        place = (
            np.concatenate([np.zeros(0, np.int64), *self.rows]),
            np.concatenate([np.zeros(0, np.int64), *self.columns]),
        )
        shape = (self.count, unknowns)
        matrix = sparse.csr_array((np.concatenate(empty + self.values), place), shape=shape)
        return matrix, np.concatenate(empty + self.right), np.concatenate(empty + self.weights)


def solve_profiles(
    streets: Sequence[Street],
    *,
    terrain: Callable[[Floats], Floats],
    crossings: Crossings,
    obstacles: Obstacles,
) -> list[Profile]:
    """The profile of each street.

    Args:
        streets: of all levels.
        terrain: heights (n,) [m] of points (n, 2) in W.
        crossings: where streets must be `CLEARANCE` apart.
        obstacles: what bridges must clear.
    """
    chains, count = _chains(streets)
    ground = _terrain_at(chains, count, terrain)
    wanted = _Rows()
    _add_terrain(wanted, streets, chains, ground)
    _add_smoothness(wanted, streets, chains)
    _add_contacts(wanted, streets, chains)
    limits = _Rows()
    _add_grades(limits, streets, chains)
    _add_clearances(limits, chains, crossings)
    _add_obstacles(limits, chains, obstacles, ground)
    _add_cover(limits, streets, chains, ground)
    z = _solve(wanted, limits, count, ground)
    return [Profile(chain.s, z[chain.unknowns]) for chain in chains]


def _chains(streets: Sequence[Street]) -> tuple[list[_Chain], int]:
    nodes: dict[int, int] = {}
    for street in streets:
        for node in (street.start, street.end):
            nodes.setdefault(node, len(nodes))
    count = len(nodes)
    chains = []
    for street in streets:
        s = arc_lengths(street.points)
        pieces = max(1, int(np.ceil(s[-1] / SPACING)))
        stations = np.linspace(0.0, s[-1], pieces + 1)
        points = np.column_stack([np.interp(stations, s, street.points[:, k]) for k in (0, 1)])
        inner = np.arange(count, count + pieces - 1)
        unknowns = np.concatenate([[nodes[street.start]], inner, [nodes[street.end]]])
        chains.append(_Chain(unknowns.astype(np.int64), stations, points))
        count += pieces - 1
    return chains, count


def _terrain_at(
    chains: Sequence[_Chain], count: int, terrain: Callable[[Floats], Floats]
) -> Floats:
    places = np.zeros((count, 2))
    for chain in chains:
        places[chain.unknowns] = chain.points
    return terrain(places)


def _add_terrain(
    rows: _Rows, streets: Sequence[Street], chains: Sequence[_Chain], ground: Floats
) -> None:
    weights = np.full(len(ground), _ELSEWHERE)
    for street, chain in zip(streets, chains, strict=True):
        if street.level == 0:
            weights[chain.unknowns] = _ON_GROUND
    everything = np.arange(len(ground))[:, None]
    rows.add(everything, np.ones((len(ground), 1)), ground, weights)


def _add_smoothness(rows: _Rows, streets: Sequence[Street], chains: Sequence[_Chain]) -> None:
    """Changes of grade along each street, and from each street into its continuation."""
    triples = [np.column_stack([c.unknowns[:-2], c.unknowns[1:-1], c.unknowns[2:]]) for c in chains]
    spans = [np.column_stack([np.diff(c.s)[:-1], np.diff(c.s)[1:]]) for c in chains]
    for first, second in _continuations(streets):
        a, b = _end_of(chains, first), _end_of(chains, second)
        triples.append(np.array([[a[0], a[1], b[0]]]))
        spans.append(np.array([[a[2], b[2]]]))
    columns, gaps = np.vstack(triples), SPACING / np.maximum(np.vstack(spans), 1.0)
    coefficients = np.column_stack([gaps[:, 0], -gaps[:, 0] - gaps[:, 1], gaps[:, 1]])
    rows.add(columns, coefficients, np.zeros(len(columns)), _SMOOTHNESS)


def _end_of(chains: Sequence[_Chain], end: tuple[int, bool]) -> tuple[int, int, float]:
    """The unknown next to a street's end, the one at it, and the distance [m] of the two."""
    chain, at_start = chains[end[0]], end[1]
    inner, outer = (1, 0) if at_start else (-2, -1)
    span = abs(float(chain.s[inner] - chain.s[outer]))
    return int(chain.unknowns[inner]), int(chain.unknowns[outer]), span


def _continuations(
    streets: Sequence[Street],
) -> list[tuple[tuple[int, bool], tuple[int, bool]]]:
    """Pairs of street ends (street, whether its start is meant) that continue each other."""
    ends: dict[int, list[tuple[int, bool]]] = {}
    headings: dict[tuple[int, bool], float] = {}
    for k, street in enumerate(streets):
        for at_start, node in ((True, street.start), (False, street.end)):
            ends.setdefault(node, []).append((k, at_start))
            points = street.points if at_start else street.points[::-1]
            headings[(k, at_start)] = heading_between(points[0], points[1])
    pairs = set()
    for members in ends.values():
        for end in members:
            others = [other for other in members if other != end]
            if not others:
                continue
            turns = [abs(turn_between(headings[end] + np.pi, headings[other])) for other in others]
            best = int(np.argmin(turns))
            if turns[best] < _STRAIGHT_ON:
                pairs.add((min(end, others[best]), max(end, others[best])))
    return sorted(pairs)


def _add_contacts(rows: _Rows, streets: Sequence[Street], chains: Sequence[_Chain]) -> None:
    """Streets so close that their carriageways overlap have one height there."""
    places = np.vstack([chain.points for chain in chains])
    unknowns = np.concatenate([chain.unknowns for chain in chains])
    owners = np.repeat(np.arange(len(chains)), [len(chain.s) for chain in chains])
    at, others, s = find_contacts(streets, places, owners)
    if not len(at):
        return
    pairs = [_place(chains[other], float(t)) for other, t in zip(others, s, strict=True)]
    columns = np.column_stack([unknowns[at], np.array([pair[0] for pair in pairs])])
    shares = -np.array([pair[1] for pair in pairs])
    coefficients = np.column_stack([np.ones(len(at)), shares])
    rows.add(columns, coefficients, np.zeros(len(at)), _CONTACT)


def _add_grades(rows: _Rows, streets: Sequence[Street], chains: Sequence[_Chain]) -> None:
    """No step of a profile rises or falls by more than its class's limit: `z_b - z_a <= g h`."""
    ends = np.vstack([np.column_stack([c.unknowns[:-1], c.unknowns[1:]]) for c in chains])
    limits = np.concatenate(
        [grade_limit(s) * np.diff(c.s) for s, c in zip(streets, chains, strict=True)]
    )
    signs = np.broadcast_to([-1.0, 1.0], ends.shape)
    weights = _GRADE * SPACING / np.maximum(np.concatenate([np.diff(c.s) for c in chains]), 1.0)
    rows.add(ends, signs, limits, weights)
    rows.add(ends, -signs, limits, weights)


def grade_limit(street: Street) -> float:
    """The steepest that a street may be (rise over run)."""
    return GRADE_LIMITS[min(street.profile.rank, len(GRADE_LIMITS) - 1)]


def _place(chain: _Chain, s: float) -> tuple[Integers, Floats]:
    """The two unknowns beside an arc length, and their shares."""
    k = int(np.clip(np.searchsorted(chain.s, s, side="right") - 1, 0, len(chain.s) - 2))
    share = float(np.clip((s - chain.s[k]) / max(chain.s[k + 1] - chain.s[k], 1e-9), 0.0, 1.0))
    return chain.unknowns[k : k + 2], np.array([1.0 - share, share])


def _add_clearances(rows: _Rows, chains: Sequence[_Chain], crossings: Crossings) -> None:
    """The lower street less the upper one is at most minus the clearance."""
    for upper, s, lower, t in zip(
        crossings.upper, crossings.upper_s, crossings.lower, crossings.lower_s, strict=True
    ):
        above, shares_above = _place(chains[upper], float(s))
        below, shares_below = _place(chains[lower], float(t))
        columns = np.concatenate([below, above])[None, :]
        coefficients = np.concatenate([shares_below, -shares_above])[None, :]
        rows.add(columns, coefficients, np.array([-CLEARANCE]), _CLEAR)


def _add_obstacles(
    rows: _Rows, chains: Sequence[_Chain], obstacles: Obstacles, ground: Floats
) -> None:
    for street, s, height in zip(obstacles.street, obstacles.s, obstacles.height, strict=True):
        columns, shares = _place(chains[street], float(s))
        least = float(shares @ ground[columns]) + float(height)
        rows.add(columns[None, :], -shares[None, :], np.array([-least]), _OBSTACLE)


def _add_cover(
    rows: _Rows, streets: Sequence[Street], chains: Sequence[_Chain], ground: Floats
) -> None:
    """Inside tunnels, away from their ends, the carriageway lies under the ground."""
    inside = [
        chain.unknowns[1:-1]
        for street, chain in zip(streets, chains, strict=True)
        if street.level < 0
    ]
    if inside:
        columns = np.concatenate(inside)[:, None]
        rows.add(columns, np.ones(columns.shape), ground[columns[:, 0]] - COVER, _COVERED)


def _solve(wanted: _Rows, limits: _Rows, count: int, start: Floats) -> Floats:
    """Minimises the squares of `wanted` and of what goes beyond `limits`.

    A Newton method on the piecewise quadratic sum: each round takes those limits for equations
    that the last heights broke.
    """
    matrix, right, weights = wanted.matrix(count)
    base = matrix.T @ sparse.diags_array(weights**2) @ matrix
    pull = matrix.T @ (weights**2 * right)
    bounds, most, stiffness = limits.matrix(count)
    z = np.asarray(splu(base.tocsc(), permc_spec="MMD_AT_PLUS_A").solve(pull))
    active = bounds @ z > most
    for _ in range(_ROUNDS):
        chosen = np.flatnonzero(active)
        part = bounds[chosen]
        force = stiffness[chosen] ** 2
        whole = base + part.T @ sparse.diags_array(force) @ part
        load = pull + part.T @ (force * most[chosen])
        last, z = z, np.asarray(splu(whole.tocsc(), permc_spec="MMD_AT_PLUS_A").solve(load))
        excess = bounds @ z - most
        # A limit that holds within a millimetre stays off, or the rounds would never agree.
        broken = excess > np.where(active, 0.0, _TOLERANCE)
        if np.array_equal(broken, active) or np.abs(z - last).max() < _TOLERANCE:
            break
        active = broken
    return z
