"""Sparse least squares with limits: what is wanted, and what must not be gone beyond."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.linalg import splu

from autosim.world.curves import Floats

Integers = npt.NDArray[np.int64]

_ROUNDS = 16
_TOLERANCE = 1e-3


@dataclass(slots=True)
class Rows:
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


def minimised(wanted: Rows, limits: Rows, count: int, start: Floats | None = None) -> Floats:
    """Minimises the squares of `wanted` and of what goes beyond `limits`.

    A Newton method on the piecewise quadratic sum: each round takes those limits for equations
    that the last heights broke. The first ones are `start`, if it is known.
    """
    matrix, right, weights = wanted.matrix(count)
    base = matrix.T @ sparse.diags_array(weights**2) @ matrix
    pull = matrix.T @ (weights**2 * right)
    bounds, most, stiffness = limits.matrix(count)
    z = _solved(base, pull) if start is None else start
    active = bounds @ z > most
    for _ in range(_ROUNDS):
        chosen = np.flatnonzero(active)
        part = bounds[chosen]
        force = stiffness[chosen] ** 2
        whole = base + part.T @ sparse.diags_array(force) @ part
        load = pull + part.T @ (force * most[chosen])
        last, z = z, _solved(whole, load)
        excess = bounds @ z - most
        # A limit that holds within a millimetre stays off, or the rounds would never agree.
        broken = excess > np.where(active, 0.0, _TOLERANCE)
        if np.array_equal(broken, active) or np.abs(z - last).max() < _TOLERANCE:
            break
        active = broken
    return z


def _solved(matrix: sparse.csr_array, right: Floats) -> Floats:
    """The solution of a symmetric positive definite system."""
    factors = splu(
        matrix.tocsc(),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
    return np.asarray(factors.solve(right))
