"""Rides along lanes."""

import numpy as np
import pybullet

from autosim.engine.physics.bullet.collision_shapes import SURFACE_FLAGS
from autosim.world.compiled.ground_index import GroundIndex, all_levels

RADIUS = 0.33


SPEED = 15.0


STEP = 1.0 / 240.0


def roll(compiled, path):
    """How high [m] (n,) a ball pushed along a path at 15 m/s is over the floor, step by step."""
    client = pybullet.connect(pybullet.DIRECT)
    try:
        pybullet.setGravity(0, 0, -9.81, physicsClientId=client)
        pybullet.setTimeStep(STEP, physicsClientId=client)
        for mesh in filter(
            lambda each: len(each.triangles), (compiled.ground, compiled.structures)
        ):
            shape = pybullet.createCollisionShape(
                pybullet.GEOM_MESH,
                vertices=mesh.vertices.tolist(),
                indices=mesh.triangles.ravel().tolist(),
                flags=SURFACE_FLAGS,
                physicsClientId=client,
            )
            pybullet.createMultiBody(0.0, shape, physicsClientId=client)
        sphere = pybullet.createCollisionShape(
            pybullet.GEOM_SPHERE, radius=RADIUS, physicsClientId=client
        )
        start = path[0] + [0.0, 0.0, RADIUS + 0.01]
        ball = pybullet.createMultiBody(10.0, sphere, -1, start, physicsClientId=client)
        places, row = [], 1
        while row < len(path):
            place, _ = pybullet.getBasePositionAndOrientation(ball, physicsClientId=client)
            velocity, spin = pybullet.getBaseVelocity(ball, physicsClientId=client)
            ahead = path[row, :2] - place[:2]
            while np.hypot(*ahead) < 1.0 and row < len(path) - 1:
                row += 1
                ahead = path[row, :2] - place[:2]
            if row == len(path) - 1 and np.hypot(*ahead) < 1.0:
                break
            push = SPEED * ahead / np.hypot(*ahead)
            pybullet.resetBaseVelocity(
                ball, [push[0], push[1], velocity[2]], spin, physicsClientId=client
            )
            pybullet.stepSimulation(physicsClientId=client)
            places.append(place)
    finally:
        pybullet.resetSimulation(physicsClientId=client)
        pybullet.disconnect(physicsClientId=client)
    places = np.array(places)
    index = GroundIndex.build(all_levels(compiled))
    return places[:, 2] - RADIUS - index.heights_at(places - [0.0, 0.0, RADIUS])
