"""Storyboards of OpenSCENARIO in a simulation: actors in physics, robots as egos, snapshots."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from autosim.cli import main
from autosim.config.descriptions import WorldDescription
from autosim.config.world_settings import TrafficDescription
from autosim.engine.step.simulation import Simulation
from autosim.errors import UserError
from autosim.loading.world_writer import with_scenario
from autosim.traffic.scenarios.scenario_file import load_scenario
from autosim.traffic.scenarios.scenario_starts import verdict_of
from autosim.traffic.traffic_node import FREE, V, traffic_arrays_of
from tests.openscenario.scenario_texts import (
    after,
    event,
    scenario_text,
    speed_action,
    write_scenario,
)
from tests.openscenario.scenario_texts import other_car as car_of
from tests.paths import ROOT
from tests.worlds import impreza_world

STEPS = 60


def text_of(*, ahead: float = 40.0, events: str = "", end: float = 6.0, speed: float = 8.0) -> str:
    """The ego stands at x = -100 m, and a car drives before it."""
    position = '<WorldPosition x="-100" y="-3" h="0"/>'
    record, start = car_of("Car", f'<WorldPosition x="{-100 + ahead}" y="-3" h="0"/>', speed)
    return scenario_text(
        events, position=position, speed=0.0, others=record, other_starts=start, end=end
    )


def simulation_of(folder: Path, street, text: str, robots: int = 1) -> Simulation:
    scenario = load_scenario(write_scenario(folder, text))
    described = impreza_world(robots=robots)
    physics = replace(described.physics, step_seconds=1.0 / STEPS)
    described = replace(described, physics=physics, traffic=TrafficDescription(), files=())
    world = with_scenario(described, scenario)
    return Simulation(world, compiled=street, report=lambda notice: None)


def run(simulation: Simulation, seconds: float):
    """Vehicles (steps, V, 12)."""
    arrays = traffic_arrays_of(simulation.state)
    rows = []
    for _ in range(round(seconds * STEPS)):
        simulation.step()
        rows.append(arrays.vehicles.copy())
    return np.array(rows)


def test_an_entity_drives_evenly_and_the_robot_begins_where_the_ego_does(tmp_path, street):
    simulation = simulation_of(tmp_path, street, text_of())
    vehicles = run(simulation, 4.0)

    x = vehicles[:, 0, V.x]
    assert x[0] == pytest.approx(-60.0 + 1.4, abs=0.2)
    np.testing.assert_allclose(np.diff(x), 8.0 / STEPS, atol=1e-3)
    (robot,) = simulation.world.robots
    assert robot.position[:2] == pytest.approx((-100.0 + 1.4, -3.0), abs=0.1)


def test_a_place_that_the_map_lacks_is_named_with_the_file(tmp_path, street):
    text = scenario_text("", position='<LanePosition roadId="0" laneId="-9" s="5"/>')

    with pytest.raises(UserError, match=r"\.xosc: .*needs the map that it was written for"):
        simulation_of(tmp_path, street, text)


def test_events_and_the_stop_trigger_become_a_verdict(tmp_path, street):
    brakes = event("brakes", speed_action(0.0, "linear", 2.0), after(2.0))
    text = text_of(events=brakes.replace("Ego", "Car"), end=5.0)
    simulation = simulation_of(tmp_path, street, text)
    run(simulation, 5.2)

    verdict = verdict_of(simulation.world, simulation.state)
    assert verdict.passed is True
    assert verdict.events["brakes"] == pytest.approx(2.0, abs=0.05)


def test_an_ego_that_is_hit_fails(tmp_path, street):
    text = text_of(ahead=-30.0, speed=12.0, end=20.0)
    simulation = simulation_of(tmp_path, street, text)
    run(simulation, 4.0)

    verdict = verdict_of(simulation.world, simulation.state)
    assert verdict.criteria == {"no collision of Ego": "broken"}


def test_a_storyboard_continues_from_a_snapshot_to_the_same_bytes(tmp_path, street):
    brakes = event("brakes", speed_action(2.0, "cubic", 3.0), after(1.0))
    text = text_of(events=brakes, end=20.0).replace(
        '<EntityRef entityRef="Ego"/></Actors>', '<EntityRef entityRef="Car"/></Actors>'
    )
    first = simulation_of(tmp_path, street, text)
    second = simulation_of(tmp_path, street, text)
    run(first, 2.0)
    second.restore(first.snapshot())

    np.testing.assert_array_equal(run(first, 3.0)[:, 0], run(second, 3.0)[:, 0])
    assert run(first, 0.1)[-1, 0, V.speed] == pytest.approx(2.0, abs=0.05)


def test_vehicles_of_a_swarm_are_in_the_world(tmp_path, street):
    swarm = (
        "<GlobalAction><TrafficAction trafficName='t'><TrafficSwarmAction innerRadius='20' "
        "semiMajorAxis='90' semiMinorAxis='30' numberOfVehicles='3' offset='0'>"
        "<CentralObject entityRef='Ego'/></TrafficSwarmAction></TrafficAction></GlobalAction>"
    )
    started = (
        '<Event name="swarm" priority="parallel"><Action name="a">'
        f"{swarm}</Action><StartTrigger>{after(0.1)}</StartTrigger></Event>"
    )
    vehicles = run(simulation_of(tmp_path, street, text_of(events=started)), 2.0)

    assert vehicles.shape[1] == 4
    assert (vehicles[0, 1:, V.kind] == FREE).all()
    assert (vehicles[-1, 1:, V.kind] != FREE).sum() == 3


@pytest.mark.slow
def test_a_robot_with_a_program_is_the_ego_of_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    position = '<LanePosition roadId="1" laneId="-1" s="50"/>'
    record, start = car_of("Car", '<LanePosition roadId="1" laneId="-1" s="90"/>', 10.0)
    text = scenario_text(
        "", road="road.xodr", position=position, others=record, other_starts=start, end=4.0
    )
    path, out = write_scenario(tmp_path, text), tmp_path / "out"
    arguments = ["--ego", "robots/impreza.xml", "--program", "userprograms/driver.py"]
    result = CliRunner().invoke(main, ["scenario", "run", str(path), *arguments, "--out", str(out)])

    assert result.exit_code == 0, result.output
    summary = json.loads((out / "summary.json").read_text())
    assert summary["scenario"]["passed"] is True
    assert 3.9 < summary["seconds"] < 6.0


ENVIRONMENT = """<GlobalAction><EnvironmentAction><Environment name="e">{parts}</Environment>
</EnvironmentAction></GlobalAction>"""


def in_environment(folder: Path, parts: str, minor: int = 2) -> WorldDescription:
    text = scenario_text("", other_starts=ENVIRONMENT.format(parts=parts), minor=minor)
    scenario = load_scenario(write_scenario(folder, text))
    world = replace(impreza_world(robots=1), traffic=TrafficDescription(), files=())
    return with_scenario(world, scenario)


def test_the_world_has_the_day_time_weather_and_friction_of_the_init_phase(tmp_path):
    world = in_environment(
        tmp_path,
        '<TimeOfDay animation="false" dateTime="2026-11-05T21:30:00+01:00"/>'
        '<Weather fractionalCloudCover="sixOktas"><Fog visualRange="180"/>'
        '<Precipitation precipitationType="rain" precipitationIntensity="25"/></Weather>'
        '<RoadCondition frictionScaleFactor="0.6"/>',
    )
    sky = world.graphics.sky
    assert (sky.hours, sky.utc_offset, sky.month, sky.day) == (21.5, 1.0, 11, 5)
    assert (sky.visibility, sky.clouds, sky.rain, sky.wetness) == (180.0, 0.75, 0.5, 0.5)
    assert (world.physics.friction, world.physics.wetness) == (0.6, 0.0)


def test_the_sun_is_where_the_init_phase_states_it(tmp_path):
    sun = '<Weather><Sun azimuth="3.9269908" elevation="0.5235988" illuminance="9000"/></Weather>'
    sky = in_environment(tmp_path, sun).graphics.sky
    assert (sky.sun_elevation, sky.sun_azimuth) == pytest.approx((30.0, 225.0))


def test_rain_without_a_friction_wets_the_road_and_snow_covers_it(tmp_path):
    rain = in_environment(
        tmp_path,
        '<Weather cloudState="rainy"><Precipitation precipitationType="rain" intensity="0.8"/>'
        "</Weather>",
        minor=0,
    )
    assert rain.physics.wetness == pytest.approx(0.8)
    assert rain.graphics.sky.clouds == 1.0
    snow = in_environment(
        tmp_path,
        '<Weather><Precipitation precipitationType="snow" precipitationIntensity="2.5"/></Weather>',
    )
    assert (snow.physics.snow_cover, snow.graphics.sky.snow, snow.graphics.sky.rain) == (
        0.5,
        0.5,
        0,
    )


def test_what_an_environment_leaves_open_stays_as_in_the_world(tmp_path):
    before = impreza_world(robots=1)
    world = in_environment(tmp_path, '<RoadCondition frictionScaleFactor="1.0"/>')
    assert world.graphics.sky == before.graphics.sky
    assert world.physics == before.physics
