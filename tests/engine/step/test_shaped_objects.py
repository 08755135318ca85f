"""Objects of all shapes in a whole simulation."""

import hashlib

import numpy as np
import pytest

from autosim.config.descriptions import PartFile, PlacedObject
from autosim.kinds.bodies.capsule import CapsulePart
from autosim.kinds.bodies.compound import CompoundPart
from autosim.kinds.bodies.cylinder import CylinderPart
from autosim.kinds.bodies.mesh import MeshPart
from autosim.kinds.bodies.sphere import SpherePart
from autosim.model.rigid_bodies.shapes import Box, PlacedShape, Sphere
from tests.engine.step.test_objects import run, value, world_with
from tests.paths import ROOT
from tests.server.rows_of_cars import simulate

PYRAMID = b"""\
v -1 0 -1
v 1 0 -1
v 1 0 1
v -1 0 1
v 0 1 0
f 4 3 2 1
f 1 2 5
f 2 3 5
f 3 4 5
f 4 1 5
"""
FILE = PartFile("pyramid.obj", ROOT, PYRAMID)
AT = (0.0, 0.0, 0.0)
DUMBBELL = (
    PlacedShape(Box((0.4, 2.0, 0.4))),
    PlacedShape(Sphere(0.5), (0.0, 1.0, 0.0)),
    PlacedShape(Sphere(0.5), (0.0, -1.0, 0.0)),
)
THINGS = {
    "sphere": (SpherePart("sphere", AT, 0.6, mass=40.0), 0.6),
    "capsule": (CapsulePart("capsule", AT, 0.4, 1.0, (0.0, 1.0, 0.0), mass=40.0), 0.4),
    "cylinder": (CylinderPart("cylinder", AT, 0.5, 1.4, mass=40.0), 0.7),
    "compound": (CompoundPart("compound", AT, DUMBBELL, mass=40.0), 0.5),
    "mesh": (MeshPart("mesh", AT, FILE, mass=40.0), 0.0),
}


def thing(name, x=8.0, y=0.0, z=None):
    return PlacedObject(name, THINGS[name][0], (x, y, z))


@pytest.mark.parametrize("name", THINGS)
def test_objects_of_all_shapes_stand_on_the_ground_and_distance_sensors_see_them(name):
    with simulate(world_with(thing(name))) as simulation:
        height = THINGS[name][1]
        assert value(simulation, name) == pytest.approx([8.0, 0.0, height], abs=1e-9)
        run(simulation, 0.5)
        assert value(simulation, name) == pytest.approx([8.0, 0.0, height], abs=0.02)
        assert 4.0 < value(simulation, "car0.chassis.psd_front", "distance") < 7.0
        simulation.place(name, (-20.0, 5.0))
        assert value(simulation, name) == pytest.approx([-20.0, 5.0, height])


@pytest.mark.parametrize("name", THINGS)
def test_a_car_that_hits_an_object_is_told_its_name(name):
    notices = []
    with simulate(world_with(thing(name, x=6.0)), notices=notices) as simulation:
        run(simulation, 2.5, accelerate=0.6, brake=0.0)
    assert f"has collided: chassis with {name}" in [each.text for each in notices]


def test_a_world_of_all_shapes_runs_to_the_same_bytes_and_goes_on_from_a_snapshot():
    things = [thing(name, x=6.0 + 2.5 * k, z=3.0) for k, name in enumerate(THINGS)]
    world = world_with(*things)

    def ride():
        with simulate(world) as simulation:
            run(simulation, 1.5, accelerate=0.5, brake=0.0)
            places = np.array([value(simulation, name) for name in THINGS])
            return (
                hashlib.sha256(simulation.state.to_bitstream(None)).hexdigest(),
                simulation.snapshot(),
                places,
            )

    digest, snapshot, places = ride()
    assert ride()[0] == digest
    with simulate(world) as again:
        again.restore(snapshot)
        assert np.array([value(again, name) for name in THINGS]).tolist() == places.tolist()
