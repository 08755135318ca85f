"""Floats, against what hydrostatics says of them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autosim.config.descriptions import PlacedRobot
from autosim.config.world_settings import PhysicsDescription
from autosim.engine.step.simulation import Simulation
from autosim.loading.loader import load_robot
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.tile_grid import sort_into_tiles
from autosim.world.geometry.meshes import Mesh, Surface
from tests.server.linked_robots import box, command, record, value
from tests.vehicle.rig import grid
from tests.worlds import flat_world, impreza_world

GRAVITY = 9.81
DENSITY = 1000.0
LENGTH, WIDTH, HEIGHT = 2.0, 1.0, 0.5
MASS = 250.0
DRAUGHT = MASS / (DENSITY * LENGTH * WIDTH)
SHORE = 40.0
"""Half the edge [m] of the water, which is square."""
AIR = 0.5 * 1.2041 * 0.35 * WIDTH * HEIGHT
"""[kg/m] of the air ahead."""


def pond(spacing: float = 10.0) -> CompiledWorld:
    """The flat world with water in its middle."""
    vertices, triangles = grid(lambda x, y: 0.0 * x, half=200.0, spacing=spacing)
    middles = vertices[triangles].mean(axis=1)
    is_water = (np.abs(middles[:, :2]) < SHORE).all(axis=1)
    surfaces = np.where(is_water, Surface.WATER, Surface.GROUND).astype(np.uint8)
    return sort_into_tiles(replace(flat_world(), ground=Mesh(vertices, triangles, surfaces)))


def hull(*, drag: str = "", heavier: float = 1.0, devices: str = "") -> str:
    """A box that floats, as deep as it is calm, and drags as `drag` says."""
    part = box("hull", size=(WIDTH, HEIGHT, LENGTH), mass=MASS * heavier)
    return (
        f'<Robot name="r"><Parts>{part}</Parts><Devices><Float name="float"><Part name="hull"/>'
        f'<Size x="{WIDTH}" y="{HEIGHT}" z="{LENGTH}"/>{drag}</Float>{devices}</Devices></Robot>'
    )


NO_DRAG = '<DragCoefficients x="0" y="0" z="0"/>'
CALMING = '<LinearDrag x="2000" y="2000" z="200"/>'


def afloat(
    folder: Path,
    robot: str,
    *,
    at: tuple[float, float, float] = (0.0, 0.0, HEIGHT / 2 - DRAUGHT),
    **physics: float,
) -> Simulation:
    """The robot `r` above the middle of the pond; at rest as deep as it floats."""
    path = folder / "robot.xml"
    path.write_text(robot, encoding="utf-8")
    placed = PlacedRobot("r", load_robot(path), position=at, yaw=0.0)
    world = replace(impreza_world(), robots=(placed,), physics=PhysicsDescription(**physics))
    return Simulation(world, compiled=pond(), report=lambda notice: None)


def height_of(simulation: Simulation) -> float:
    return float(value(simulation, "r.hull.position")[2])


def test_at_rest_it_draws_its_mass_in_water(tmp_path: Path):
    with afloat(tmp_path, hull(drag=CALMING), at=(0.0, 0.0, 0.4)) as simulation:
        heights = record(simulation, 6.0, lambda: height_of(simulation))
        submerged = value(simulation, "r.hull.float.submerged")
        collisions = value(simulation, "r.collisions")
    assert heights[-1] == pytest.approx(HEIGHT / 2 - DRAUGHT, abs=1e-3)
    assert submerged == pytest.approx(DRAUGHT / HEIGHT, abs=1e-3)
    assert not collisions


def test_it_heaves_with_the_period_of_its_waterplane(tmp_path: Path):
    raised = (0.0, 0.0, HEIGHT / 2 - DRAUGHT + 0.05)
    with afloat(tmp_path, hull(drag=NO_DRAG), at=raised) as simulation:
        heights = record(simulation, 5.0, lambda: height_of(simulation))
    heights -= HEIGHT / 2 - DRAUGHT
    upwards = np.flatnonzero((heights[:-1] < 0.0) & (heights[1:] >= 0.0))
    period = np.diff(upwards).mean() * simulation.step_seconds
    assert period == pytest.approx(
        2.0 * np.pi * np.sqrt(MASS / (DENSITY * GRAVITY * LENGTH * WIDTH)), rel=0.01
    )
    assert np.abs(heights).max() == pytest.approx(0.05, rel=0.05)


def test_it_rights_itself_by_its_metacentric_height(tmp_path: Path):
    """GM = KB + BM - KG, where BM is the waterplane's moment over the displaced volume."""
    height = DRAUGHT / 2 + WIDTH**2 / (12.0 * DRAUGHT) - HEIGHT / 2
    inertia = MASS * (WIDTH**2 + HEIGHT**2) / 12.0
    with afloat(tmp_path, hull(drag=NO_DRAG)) as simulation:
        tilt = np.array([np.sin(0.01), 0.0, 0.0, np.cos(0.01)])
        still = np.zeros(3)
        simulation.systems.physics.place(
            0,
            position=value(simulation, "r.hull.position"),
            orientation=tilt,
            velocity=still,
            angular_velocity=still,
        )
        simulation.systems.bodies.read()
        rolls = record(simulation, 5.0, lambda: value(simulation, "r.hull.orientation")[0])
    upwards = np.flatnonzero((rolls[:-1] < 0.0) & (rolls[1:] >= 0.0))
    period = np.diff(upwards).mean() * simulation.step_seconds
    assert period == pytest.approx(
        2.0 * np.pi * np.sqrt(inertia / (MASS * GRAVITY * height)), rel=0.02
    )


def test_its_top_speed_is_where_drag_is_its_thrust(tmp_path: Path):
    thrust, linear, coefficient = 300.0, 40.0, 0.5
    drag = (
        f'<DragCoefficients x="1" y="1" z="{coefficient}"/>'
        f'<LinearDrag x="2000" y="2000" z="{linear}"/>'
    )
    screw = (
        '<Propeller name="screw"><Part name="hull"/><Axis x="0" y="0" z="1"/>'
        f'<MaxThrust value="{thrust}"/></Propeller>'
    )
    with afloat(tmp_path, hull(drag=drag, devices=screw), at=(-35.0, 0.0, 0.125)) as simulation:
        command(simulation, "r.hull.screw", 1.0)
        record(simulation, 20.0, lambda: 0.0)
        share = value(simulation, "r.hull.float.submerged")
        speed = value(simulation, "r.hull.velocity")[0]
    quadratic = share * 0.5 * DENSITY * coefficient * WIDTH * HEIGHT
    drags = share * linear * speed + (quadratic + AIR) * speed**2
    assert speed > 1.0
    assert drags == pytest.approx(thrust, rel=0.02)


def test_it_runs_against_the_shore_as_against_a_quay(tmp_path: Path):
    with afloat(tmp_path, hull(drag=CALMING), at=(33.0, 0.0, 0.125)) as simulation:
        simulation.systems.physics.set_velocity(0, [6.0, 0.0, 0.0], [0.0, 0.0, 0.0])
        simulation.systems.bodies.read()
        places = record(simulation, 4.0, lambda: value(simulation, "r.hull.position"))
        assert value(simulation, "r.collisions") == 1
    assert SHORE - LENGTH / 2 - 0.3 < places[:, 0].max() < SHORE - LENGTH / 2 + 0.1
    assert np.abs(places[-1, 2] - (HEIGHT / 2 - DRAUGHT)) < 0.05


def test_what_is_too_heavy_sinks_to_the_bed_and_stays_there(tmp_path: Path):
    with afloat(tmp_path, hull(heavier=5.0)) as simulation:
        record(simulation, 10.0, lambda: 0.0)
        height, submerged = height_of(simulation), value(simulation, "r.hull.float.submerged")
        places = record(simulation, 1.0, lambda: height_of(simulation))
    assert -3.0 < height < -2.0
    assert submerged == 1.0
    assert np.ptp(places) < 1e-3


def test_what_falls_from_high_above_is_not_thrown_up_again(tmp_path: Path):
    with afloat(tmp_path, hull(), at=(0.0, 0.0, 60.0), step_seconds=1 / 60) as simulation:
        heights = record(simulation, 20.0, lambda: height_of(simulation))
    after = heights[np.argmin(heights) :]
    assert after.max() < 5.0
    assert after[-1] == pytest.approx(HEIGHT / 2 - DRAUGHT, abs=0.1)


def test_a_box_that_is_no_boat_stays_on_the_water(tmp_path: Path):
    """Also beside a boat, for which the water is open."""
    path = tmp_path / "box.xml"
    path.write_text(f'<Robot name="b"><Parts>{box("hull", size=(1, 1, 1))}</Parts></Robot>')
    boat = tmp_path / "boat.xml"
    boat.write_text(hull(), encoding="utf-8")
    robots = tuple(
        PlacedRobot(name, load_robot(each), position=(x, 0.0, 1.0), yaw=0.0)
        for name, each, x in (("b", path, 5.0), ("r", boat, 0.0))
    )
    world = replace(impreza_world(), robots=robots)
    with Simulation(world, compiled=pond(), report=lambda notice: None) as simulation:
        record(simulation, 3.0, lambda: 0.0)
        assert value(simulation, "b.hull.position")[2] == pytest.approx(0.5, abs=0.01)
        assert height_of(simulation) < 0.2
