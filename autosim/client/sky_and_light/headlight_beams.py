"""Head lights that light the world: the few that matter most to one picture."""

from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats
from autosim.client.materials.shaders import CONES

INTENSITY = 1.6
"""Light of a head light near the lamp (squares of sRGB, without unit): chosen by eye, it shows the
street at night and is pale by day."""


@dataclass(frozen=True, slots=True)
class HeadlightBeams:
    """Rows (n, 4) for the shader's vectors, n of `CONES`; a row without light has no colour.

    places: relative to the eye [m], range [m]; axes: unit vectors in W, cosine of the edge;
    lights: squares of sRGB.
    """

    places: Floats
    axes: Floats
    lights: Floats


def nearest_beams(
    eye: Floats, *, places: Floats, axes: Floats, ranges: Floats, edges: Floats, lights: Floats
) -> HeadlightBeams | None:
    """The cones of the lamps nearest to `eye` (3,), None where none is in reach.

    Args:
        eye: place of the camera [m] in W.
        places: (n, 3) of the lamps that shine [m] in W.
        axes: (n, 3) unit vectors in W.
        ranges: (n,) [m].
        edges: (n,) cosine of the angle between axis and edge.
        lights: (n, 3) squares of sRGB times brightness.
    """
    offsets = places - eye
    distances = np.linalg.norm(offsets, axis=1)
    order = np.argsort(distances, kind="stable")[: CONES[-1]]
    # What is lit farther away than this is only a few pixels.
    order = order[distances[order] < ranges[order] + 150.0]
    if not len(order):
        return None
    missing = next(count for count in CONES if count >= len(order)) - len(order)
    return HeadlightBeams(
        places=_padded(np.column_stack([offsets, ranges])[order], missing, fill=1.0),
        axes=_padded(np.column_stack([axes, edges])[order], missing, fill=0.0),
        lights=_padded(np.column_stack([INTENSITY * lights, edges])[order], missing, fill=0.0),
    )


def _padded(rows: Floats, missing: int, *, fill: float) -> Floats:
    return np.vstack([rows, np.full((missing, rows.shape[1]), fill)])
