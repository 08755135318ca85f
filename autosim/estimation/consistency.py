"""Whether a belief is as sure of itself as it may be."""

import numpy as np

from autosim.arrays import Floats
from autosim.estimation.rotations import inverse, product, to_vector
from autosim.model.belief import StateEstimate


def error_of(belief: StateEstimate, truth: StateEstimate) -> Floats:
    """Difference between the truth and a belief (9,).

    Of the position [m], the orientation (a rotation vector [rad]) and the velocity [m/s], in W.
    """
    true, believed = (
        (float(q[0]), float(q[1]), float(q[2]), float(q[3]))
        for q in (truth.orientation, belief.orientation)
    )
    turn = to_vector(product(true, inverse(believed)))
    position = truth.position - belief.position
    return np.concatenate([position, turn, truth.velocity - belief.velocity])


def normalized_error_squared(error: Floats, covariance: Floats) -> float:
    """The normalised estimation error squared eᵀ P⁻¹ e.

    Its mean is the number of errors n where the covariance is right: over N runs it lies in the
    95 % band of the chi-square distribution with N n degrees of freedom, divided by N.

    Args:
        error: (n,).
        covariance: (n, n) of these errors, not singular.
    """
    return float(error @ np.linalg.solve(covariance, error))
