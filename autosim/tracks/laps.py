"""Laps of a closed track, and what went wrong in them."""

import numpy as np

from autosim.arrays import Floats


def lap_seconds(distances: Floats, *, length: float, interval: float) -> tuple[float, ...]:
    """Times of the whole laps [s], from start line to start line.

    A lap counts when the line has been passed forward and a whole length after it; rolling back
    over the line does not count. Times between two samples are interpolated.

    Args:
        distances: (n,) along the centre line [m], in [0, length], sampled in time.
        length: of the centre line [m].
        interval: between two samples [s], in which less than half a lap is driven.
    """
    if len(distances) < 2:
        return ()
    steps = np.diff(distances)
    steps -= length * np.round(steps / length)
    start = distances[0] if distances[0] <= 0.5 * length else distances[0] - length
    driven = np.concatenate([[start], start + np.cumsum(steps)])
    farthest = np.maximum.accumulate(driven)
    lines = np.arange(np.ceil(farthest[0] / length), np.floor(farthest[-1] / length) + 1.0)
    after = np.searchsorted(farthest, lines * length)
    times = np.zeros(len(lines))
    has_before = after > 0
    at = after[has_before]
    ahead = lines[has_before] * length - farthest[at - 1]
    share = ahead / (farthest[at] - farthest[at - 1])
    times[has_before] = interval * (at - 1 + share)
    return tuple(np.diff(times).tolist())
