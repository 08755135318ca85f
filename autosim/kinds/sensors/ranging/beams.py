"""The rays of sensors that send the same ones at each measurement, as they are mounted."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.jit import compiled_without_refcounts
from autosim.model.vector_kernels import read_vector, to_world, vec_add, vec_scale, write_vector
from autosim.rays.batch import RayBatch


class Beams(NamedTuple):
    """The beams of n sensors.

    body, robot: (n,) that carry each; position: (n, 3) m in B, where its beams begin; reach: (n,)
    how many times as long as in `ways` they are; starts: (n + 1,) where in `ways` its own begin;
    ways: (all, 3) m in B.
    """

    body: Integers
    robot: Integers
    position: Floats
    reach: Floats
    starts: Integers
    ways: Floats

    @classmethod
    def of(
        cls,
        body: Integers,
        robots: Integers,
        position: Floats,
        reach: Floats,
        ways: Sequence[Floats],
    ) -> "Beams":
        """Of sensors with `ways` (k, 3) each; `robots` (m,) are those of all bodies."""
        return cls(
            body,
            np.asarray(robots[body]),
            position,
            reach,
            np.cumsum([0, *(len(each) for each in ways)]),
            np.concatenate([np.zeros((0, 3)), *ways]),
        )


@compiled_without_refcounts
def aim(beams: Beams, due: Integers, positions: Floats, rotations: Floats, rays: RayBatch) -> int:
    """Writes the rays of the sensors `due` (k,) one after the other, and returns how many.

    Args:
        beams: of all sensors.
        due: whose beams are wanted.
        positions: (m, 3) m in W of the bodies.
        rotations: (m, 3, 3) R_WB.
        rays: `origins`, `ways` and `robots` are written.
    """
    place = 0
    for k in range(len(due)):
        i = due[k]
        R = rotations[beams.body[i]]
        origin = vec_add(
            read_vector(positions[beams.body[i]]), to_world(R, read_vector(beams.position[i]))
        )
        for beam in range(beams.starts[i], beams.starts[i + 1]):
            write_vector(origin, rays.origins[place])
            write_vector(
                vec_scale(beams.reach[i], to_world(R, read_vector(beams.ways[beam]))),
                rays.ways[place],
            )
            rays.robots[place] = beams.robot[i]
            place += 1
    return place
