"""What a message on a collision says of who has met what."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from autosim.engine.step.simulation import Simulation
from autosim.loading.loader import load_robot
from autosim.model.commands import command_for
from autosim.world.compiled.compiled_world import Building, PropKind, Props
from autosim.world.compiled.tile_grid import sort_into_tiles
from autosim.world.geometry.meshes import Mesh, Surface
from tests.worlds import ROOT, flat_world, impreza_world

AHEAD = 6.0
"""Of the car [m]: what it meets."""


def solid(surface):
    """A box of 2 m that stands in the way of a car at the origin which heads east."""
    corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    triangles = ConvexHull(corners).simplices
    middle = corners.mean(axis=0)
    a, b, c = (corners[triangles[:, k]] for k in range(3))
    is_inwards = np.einsum("ni,ni->n", np.cross(b - a, c - a), a - middle) < 0.0
    triangles[is_inwards] = triangles[is_inwards][:, ::-1]
    place = (AHEAD, -1.0, 0.0)
    surfaces = np.full(len(triangles), surface, np.uint8)
    return Mesh(2.0 * corners + place, triangles.astype(np.int32), surfaces)


def first_words(compiled, world=None, *, robot="impreza"):
    """What is said first of a car that drives straight on."""
    notices = []
    world = world or impreza_world(position=(0.0, 0.0, None), yaw=0.0)
    with Simulation(world, compiled=compiled, report=notices.append) as simulation:
        drive = f"{robot}.chassis.drive_chassis"
        simulation.queue([command_for(simulation.tree, drive, [0.0, 1.0, 0.0])])
        while not any("collided" in notice.text for notice in notices):
            simulation.step()
            assert simulation.state.time < 5.0, "nothing was met"
    return [(notice.source, notice.text) for notice in notices if "collided" in notice.text]


def props(kind):
    place = np.array([[AHEAD + 0.3, 0.0, 0.0]])
    return Props(np.array([kind], np.uint8), place, np.zeros(1), np.full(1, 4.0))


def house(model):
    return (Building((AHEAD + 1.0, 0.0, 0.0), 0.0, (2.0, 2.0, 2.0), model),)


@pytest.mark.parametrize(
    ("changes", "thing"),
    [
        ({"buildings": solid(Surface.WALL)}, "a building"),
        ({"obstacles": solid(Surface.WALL)}, "a wall or fence"),
        ({"obstacles": solid(Surface.WALL), "props": props(PropKind.CONIFER)}, "a tree"),
        ({"obstacles": solid(Surface.WALL), "props": props(PropKind.LAMP)}, "a lamp post"),
        (
            {"house_boxes": solid(Surface.WALL), "houses": house("models/buildings/house1")},
            "a house",
        ),
        (
            {"house_boxes": solid(Surface.WALL), "houses": house("models/nature/trees/tree0")},
            "a tree",
        ),
        ({"structures": solid(Surface.CONCRETE)}, "a bridge or tunnel"),
    ],
)
def test_a_collision_with_the_world_names_part_and_thing(changes, thing):
    compiled = sort_into_tiles(replace(flat_world(), **changes))
    assert first_words(compiled) == [("impreza", f"has collided: chassis with {thing}")]


def test_a_car_that_rolls_over_meets_the_ground():
    world = impreza_world(position=(0.0, 0.0, 20.0), yaw=0.0)
    assert first_words(flat_world(), world) == [
        ("impreza", "has collided: chassis with the ground")
    ]


def test_both_robots_hear_of_the_other_s_part():
    car = impreza_world(position=(0.0, 0.0, None), yaw=0.0).robots[0]
    rig = replace(
        car,
        name="rig",
        robot=load_robot(ROOT / "robots" / "trailer_rig.xml"),
        position=(20.0, 0.0, None),
    )
    world = replace(impreza_world(), robots=(car, rig))
    said = dict(first_words(flat_world(), world))
    assert said["impreza"].startswith("has collided: chassis with rig's ")
    part = said["impreza"].rsplit(" ", 1)[1]
    assert said["rig"] == f"has collided: {part} with impreza's chassis"


@pytest.mark.parametrize(("height", "collisions"), [(None, 0), (4.0, 1)])
def test_what_has_no_wheels_stands_on_the_ground_without_a_collision(height, collisions):
    world = impreza_world(position=(0.0, 0.0, height), yaw=0.0)
    copter = load_robot(ROOT / "robots" / "quadcopter.xml")
    world = replace(world, robots=(replace(world.robots[0], robot=copter),))
    notices = []
    with Simulation(world, compiled=flat_world(), report=notices.append) as simulation:
        while simulation.state.time < 2.0:
            simulation.step()
        node = simulation.tree.find("impreza")
        assert simulation.state.value(node, node.fields[1]) == collisions
    assert len([each for each in notices if "collided" in each.text]) == collisions
