"""Sparse least squares with soft targets and one-sided limits."""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import SuperLU, splu

from autosim import portable
from autosim.arrays import Floats, Integers

_ROUNDS = 80
"""Largest number of Newton steps. Chosen: far more than a town takes, and an end for any
problem."""

_TOLERANCE = 3e-4
"""Largest change [unit of the unknowns] in a step that ends the rounds: of heights, 0.3 mm."""

_UNMOVED = 1e-6
"""Change [unit of the limits] below which a step does not move a limit, so the search skips it."""

_FARTHEST = 2.0
"""Length of the longest step that the search along it tries, in Newton steps: a factor."""

_HALVINGS = 24
"""Number of halvings of the search along a step: it is then exact to a ten-millionth of it."""


@dataclass(slots=True)
class WeightedRows:
    """Weighted rows of a sparse system: weight * (coefficients @ z - value).

    Attributes:
        columns: numbers of the unknowns of the coefficients.
        values: coefficients.
        right: right-hand sides.
        weights: weights of the rows.
        count: number of rows so far.
    """

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

    def copy(self) -> "WeightedRows":
        """The same rows, to which others may be added."""
        return WeightedRows(
            rows=list(self.rows),
            columns=list(self.columns),
            values=list(self.values),
            right=list(self.right),
            weights=list(self.weights),
            count=self.count,
        )

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


def minimise(
    wanted: WeightedRows, limits: WeightedRows, count: int, start: Floats | None = None
) -> Floats:
    """Minimises the squares of the soft targets `wanted` and of the excess over `limits`.

    A Newton method on the convex, piecewise quadratic sum. Each round treats the limits that the
    last solution broke as equations, and steps towards their solution as far as the sum falls. A
    full step would leap to and fro between sets of broken limits for ever. The first round begins
    at `start`, if there is one.
    """
    matrix, right, weights = wanted.matrix(count)
    bounds, most, stiffness = limits.matrix(count)
    order = _elimination_order(matrix, bounds)
    matrix, bounds = matrix[:, order], bounds[:, order]
    base = matrix.T @ sparse.diags_array(weights**2) @ matrix
    pull = matrix.T @ (weights**2 * right)
    force = stiffness**2
    z = _solved(base, pull) if start is None else start[order]
    excess = bounds @ z - most
    for _ in range(_ROUNDS):
        active = np.flatnonzero(excess > 0.0)
        part = bounds[active]
        whole = base + part.T @ sparse.diags_array(force[active]) @ part
        step = _solved(whole, pull + part.T @ (force[active] * most[active])) - z
        change = bounds @ step
        moved = np.flatnonzero(np.abs(change) > _UNMOVED)
        share = _lowest(
            _dot(step, base @ z - pull),
            _dot(step, base @ step),
            excess[moved],
            change[moved],
            force[moved],
        )
        z, excess = z + share * step, excess + share * change
        if np.abs(share * step).max() < _TOLERANCE:
            break
    heights = np.empty(count)
    heights[order] = z
    return heights


def _lowest(slope: float, bend: float, excess: Floats, change: Floats, force: Floats) -> float:
    """The number of steps to the least sum of squares along a step.

    Args:
        slope: of the sum of the targets at the step's beginning.
        bend: growth of that slope with each step.
        excess: (n,) by how much each limit is broken at the step's beginning.
        change: (n,) growth of the excess with each step.
        force: (n,) the squares of the limits' weights.
    """
    low, high = 0.0, _FARTHEST
    # Most limits stay unbroken all along the step.
    is_near = np.maximum(excess, excess + high * change) > 0.0
    excess, change, force = excess[is_near], change[is_near], force[is_near]
    pulls = force * change
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        broken = np.maximum(excess + middle * change, 0.0)
        rises = slope + middle * bend + _dot(pulls, broken) > 0.0
        low, high = (low, middle) if rises else (middle, high)
    return 0.5 * (low + high)


def _dot(first: Floats, second: Floats) -> float:
    """The sum of products (n,), which NumPy adds up by itself.

    BLAS divides long sums among threads. Its last bits then depend on the kind and number of
    processors, and its threads wait for one another longer than they work.
    """
    return float(portable.dot(first, second))


def _elimination_order(matrix: sparse.csr_array, bounds: sparse.csr_array) -> Integers:
    """The unknowns (n,) in an order of elimination with little fill-in for any set of limits.

    Finding the order takes as long as an elimination, so it is found once for all rounds.
    """
    meets = abs(matrix).T @ abs(matrix) + abs(bounds).T @ abs(bounds)
    # Any values will do as long as they need no other pivots.
    dominant = meets + sparse.diags_array(meets.sum(axis=0))
    return np.argsort(_factors(dominant.tocsc(), "MMD_AT_PLUS_A").perm_c, kind="stable")


def _solved(matrix: sparse.csr_array, right: Floats) -> Floats:
    """The solution of a symmetric positive definite system, eliminated in the order of its rows."""
    return np.asarray(_factors(_spaced(matrix.tocsc()), "NATURAL").solve(np.repeat(right, 2))[1::2])


def _spaced(matrix: sparse.csc_array) -> sparse.csc_array:
    """A symmetric system (n, n) with an added unknown before each of its own: (2n, 2n).

    SuperLU gathers neighbouring columns of like structure and passes them to BLAS, which adds in an
    order that depends on the processor. With the added unknowns no column is like the one before
    it, and SuperLU adds up single columns by itself. Zeros tie each added unknown to its neighbour,
    so it stays in its place and changes nothing.
    """
    n = matrix.shape[1]
    columns = np.arange(n, dtype=matrix.indices.dtype)
    # Three entries come before those of a column: two of the added column, and the tie to it.
    heads = matrix.indptr[:-1] + 3 * columns
    own = np.arange(matrix.nnz) + 3 * (np.repeat(columns, np.diff(matrix.indptr)) + 1)
    values, rows = np.zeros(matrix.nnz + 3 * n), np.empty(matrix.nnz + 3 * n, columns.dtype)
    values[heads], values[own] = 1.0, matrix.data
    rows[heads], rows[heads + 1], rows[heads + 2] = 2 * columns, 2 * columns + 1, 2 * columns
    rows[own] = 2 * matrix.indices + 1
    starts = np.append(np.column_stack([heads, heads + 2]).ravel(), len(rows))
    return sparse.csc_array((values, rows, starts), shape=(2 * n, 2 * n))


def _factors(matrix: sparse.csc_array, order: Literal["NATURAL", "MMD_AT_PLUS_A"]) -> SuperLU:
    # Streets are nearly trees: the factors have no dense panels worth gathering.
    return splu(
        matrix,
        permc_spec=order,
        diag_pivot_thresh=0.0,
        relax=1,
        panel_size=1,
        options={"SymmetricMode": True},
    )
