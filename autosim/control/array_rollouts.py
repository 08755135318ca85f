"""Thousands of plans rolled out at once, on arrays of NumPy, PyTorch or CuPy.

The models and the costs are those of the compiled kernels; what stands here is the order of
`rollouts`, an array for each row of a block's memory. On a graphics card each line is a few calls
for all plans together.
"""

from autosim.arrays import Floats
from autosim.control.array_libraries import Array, ArrayLibrary
from autosim.control.car_models import State, step_of
from autosim.control.costs import COSINE, DISTANCE, INSIDE, OFFSET, SINE, shortest, step_cost
from autosim.control.rollouts import Problem


def roll_out_arrays(library: ArrayLibrary, problem: Problem, noise: Floats) -> tuple[Array, Array]:
    """Costs (K,) of the plans, and what is left of `noise` (T, 2, K) after the limits."""
    model, sampling = problem.model, problem.sampling
    drawn, plan = library.array(noise), library.array(problem.plan)
    track = TrackArrays(library, problem)
    zero = 0.0 * drawn[0, 0]
    last = [zero + float(each) for each in problem.before]
    state: State = tuple(zero + float(each) for each in problem.state)
    total, kept = zero, []
    for t in range(len(problem.plan)):
        added = []
        for k in range(2):
            change = sampling.change[k]
            value = library.limited(plan[t, k] + drawn[t, k], last[k] - change, last[k] + change)
            last[k] = library.limited(value, zero + sampling.least[k], zero + sampling.most[k])
            added.append(last[k] - plan[t, k])
            per_noise = sampling.effort * sampling.temperature / sampling.deviation[k] ** 2
            total = total + per_noise * plan[t, k] * added[k]
        kept.append(library.stacked(added))
        stepped = step_of(model, state, last[0], last[1], sampling.seconds)
        state = stepped[:9]
        elapsed = (t + 1) * sampling.seconds
        found = track.look_up(state)
        total = total + step_cost(*found, stepped[9], elapsed, problem.costs)
    return total, library.stacked(kept)


class TrackArrays:
    """The table and the obstacles as arrays of the library."""

    def __init__(self, library: ArrayLibrary, problem: Problem) -> None:
        self.library, self.square = library, problem.square
        self.values = library.array(problem.values)
        self._grid = library.array(problem.obstacles)
        self._start, self._nose = problem.start, problem.nose

    def look_up(self, state: tuple[Array, ...]) -> tuple[Array, Array, Array, Array, Array, Array]:
        """The arguments that `step_cost` needs of centre and nose, in its order."""
        x, y, _, cosine, sine = state[:5]
        centre = _Places(self, x, y)
        nose = _Places(self, x + self._nose * cosine, y + self._nose * sine)
        touched = 0.0 * x
        if len(self._grid) > 1:
            touched = centre.of(self._grid) + nose.of(self._grid)
        return (
            shortest(centre.distance() - self._start, self.square.length),
            centre.offset(),
            centre.texels[:, INSIDE],
            nose.offset(),
            nose.texels[:, INSIDE],
            touched,
        )


class _Places:
    """In which texels places lie, `texels` (K, 5), and how far from the middles of these."""

    def __init__(self, track: TrackArrays, x: Array, y: Array) -> None:
        library, square = track.library, track.square
        least, most = 0.0 * x, 0.0 * x + (len(track.values) - 1.0)
        u = library.limited((x - square.west) * square.per_metre, least, most)
        v = library.limited((y - square.south) * square.per_metre, least, most)
        self._column, self._row = library.whole(u), library.whole(v)
        self._east = (u - self._column - 0.5) / square.per_metre
        self._north = (v - self._row - 0.5) / square.per_metre
        self.texels = track.values[self._row, self._column]

    def distance(self) -> Array:
        """Along the curve [m]."""
        cosine, sine = self.texels[:, COSINE], self.texels[:, SINE]
        return self.texels[:, DISTANCE] + self._east * cosine + self._north * sine

    def offset(self) -> Array:
        """From the curve [m]."""
        cosine, sine = self.texels[:, COSINE], self.texels[:, SINE]
        return self.texels[:, OFFSET] - self._east * sine + self._north * cosine

    def of(self, grid: Array) -> Array:
        """The items of a grid of obstacles."""
        return grid[self._row, self._column]
