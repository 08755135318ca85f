"""Recorded actors of CommonRoad files and tables: they are where they were recorded."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autosim.arrays import Floats
from autosim.config.diagnostics import ConfigError, Diagnostics
from autosim.config.scenarios import PERSON, ReachAreaCondition, Scenario, WorldPosition
from autosim.config.world_settings import TrafficDescription
from autosim.engine.step.simulation import Simulation
from autosim.traffic.scenarios.conditions import is_inside
from autosim.traffic.scenarios.entity_binding import bind_entities
from autosim.traffic.scenarios.recorded.recorded_scenario import kind_of, with_reactive_actors
from autosim.traffic.scenarios.scenario_file import load_scenario
from autosim.traffic.traffic_node import FREE, V, traffic_arrays_of
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.pipeline.world_pipeline import build_world
from tests.world.lanelets.commonroad_files import PROBLEM, car, document, two_lanes
from tests.worlds import impreza_world

STEPS = 50
"""Steps in a second."""

CURVE = [(k, 10.0 + 1.3 * k, 1.75 + 0.004 * k * k, 0.01 * k, 13.0) for k in range(31)]
QUEUE = [(k, 40.0, 1.75, 0.0, 0.0) for k in range(31)]
"""States of an obstacle: time step, x, y [m], yaw [rad], speed [m/s]."""


@pytest.fixture(scope="module")
def street(tmp_path_factory: pytest.TempPathFactory) -> CompiledWorld:
    path = tmp_path_factory.mktemp("street") / "street.xml"
    path.write_text(document(two_lanes()), encoding="utf-8")
    return build_world(path)


def loaded(folder: Path, *parts: str) -> Scenario:
    path = folder / "scenario.xml"
    path.write_text(document(two_lanes(), *parts), encoding="utf-8")
    return load_scenario(path)


def played(world: CompiledWorld, scenario: Scenario, seconds: float) -> np.ndarray:
    """Rows (steps, vehicles, columns) of the vehicles."""
    described = impreza_world(robots=0)
    physics = replace(described.physics, step_seconds=1.0 / STEPS)
    traffic = TrafficDescription(scenario=scenario)
    described = replace(described, physics=physics, traffic=traffic)
    simulation = Simulation(described, compiled=world, report=lambda notice: None)
    arrays = traffic_arrays_of(simulation.state)
    assert arrays is not None
    found = []
    for _ in range(round(seconds * STEPS)):
        simulation.step()
        found.append(arrays.vehicles.copy())
    return np.array(found)


def test_recorded_actors_are_where_they_were_recorded(
    tmp_path: Path, street: CompiledWorld
) -> None:
    rows = played(street, loaded(tmp_path, car(7, CURVE)), 3.2)
    for step, x, y, yaw, _ in CURVE[1:]:
        row = rows[step * STEPS // 10 - 1, 0]
        assert np.hypot(row[V.x] - x, row[V.y] - y) < 1e-9
        assert row[V.yaw] == pytest.approx(yaw)
    # Between two samples they move evenly, and after the last one they are gone.
    assert rows[2, 0, V.x] == pytest.approx(10.0 + 1.3 * 0.6)
    assert rows[20, 0, V.speed] == pytest.approx(13.0, abs=0.1)
    assert rows[-1, 0, V.kind] == FREE


def test_reactive_actors_keep_their_distance_on_the_recorded_way(
    tmp_path: Path, street: CompiledWorld
) -> None:
    scenario = loaded(tmp_path, car(7, CURVE), car(8, QUEUE))
    crashed = played(street, scenario, 3.0)
    assert (crashed[:, 0, V.x] > 40.0).any()
    freed = with_reactive_actors(scenario)
    rows = played(street, freed, 3.0)
    assert rows[:, 0, V.x].max() < 36.0
    assert np.ptp(rows[:, 0, V.x]) > 10.0


def test_the_planning_problem_is_the_robots(tmp_path: Path) -> None:
    scenario = loaded(tmp_path, car(7, CURVE), PROBLEM)
    ego = scenario.actors[0]
    assert ego.name == "ego"
    assert ego.place == WorldPosition(5.0, 1.75, 0.0)
    assert scenario.seconds == pytest.approx(4.0)
    assert [each.must for each in scenario.criteria] == ["never", "once"]


def goal_of(folder: Path, place: str) -> Floats:
    """The corners of the goal of a problem with a place."""
    old = PROBLEM[PROBLEM.index("<position><rectangle>") : PROBLEM.index("<time><intervalStart>")]
    problem = PROBLEM.replace(old, f"<position>{place}</position>")
    condition = loaded(folder, problem).criteria[1].condition
    assert isinstance(condition, ReachAreaCondition)
    (area,) = condition.areas
    return np.array(area)


def test_a_goal_may_be_a_lanelet(tmp_path: Path) -> None:
    area = goal_of(tmp_path, '<lanelet ref="1"/>')
    inside, beside = np.mean(area, axis=0), np.max(area, axis=0) + 1.0
    assert is_inside(*inside, area)
    assert not is_inside(*beside, area)
    with pytest.raises(ConfigError, match="names the lanelet '77', which is missing"):
        goal_of(tmp_path, '<lanelet ref="77"/>')


def test_a_goal_has_the_orientation_of_its_rectangle(tmp_path: Path) -> None:
    area = goal_of(
        tmp_path,
        "<rectangle><length>20</length><width>2</width><orientation>1.5707963</orientation>"
        "<center><x>50</x><y>10</y></center></rectangle>",
    )
    assert is_inside(50.0, 19.0, area)
    assert not is_inside(59.0, 10.0, area)


def test_the_robot_begins_at_the_speed_of_the_planning_problem(tmp_path: Path) -> None:
    moving = PROBLEM.replace("<velocity><exact>0.0", "<velocity><exact>7.5")
    scenario = bind_entities(loaded(tmp_path, moving), ["car"], [])
    assert scenario.start_speeds == (("car", 7.5),)
    assert bind_entities(loaded(tmp_path, PROBLEM), ["car"], []).start_speeds == ()


def test_a_faulty_number_of_a_map_is_reported_once(tmp_path: Path) -> None:
    path = tmp_path / "faulty.xml"
    path.write_text(document(two_lanes()).replace("<x>0.0</x>", "<x>abc</x>", 1))
    with pytest.raises(ConfigError) as caught:
        build_world(path)
    assert len([each for each in caught.value.diagnostics if "abc" in each.message]) == 1


def test_kinds_of_the_fleet_are_chosen_by_type_and_size() -> None:
    assert kind_of("pedestrian", 0.5, 0.5) == PERSON
    assert kind_of("car", 4.0, 1.75) == "hatchback"
    assert kind_of("bus", 12.0, 2.5) == "bus"
    assert kind_of("building", 10.0, 10.0) is None


def table(folder: Path, rows: Sequence[str], header: str = "id,kind,time,x,y,heading") -> Path:
    path = folder / "log.csv"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def test_a_table_is_a_scenario(tmp_path: Path, street: CompiledWorld) -> None:
    rows = [f"a,car,{k / 10.0},{10.0 + k},1.75,0.0" for k in (2, 0, 1, 3)]
    scenario = load_scenario(table(tmp_path, [*rows, "ego,car,0,1,2,0.5"]))
    assert [each.name for each in scenario.actors] == ["ego", "a"]
    assert scenario.actors[0].place == WorldPosition(1.0, 2.0, 0.5)
    found = played(street, replace(scenario, actors=scenario.actors[1:]), 0.3)
    assert found[-1, 0, V.x] == pytest.approx(13.0)


def test_values_of_tables_may_be_quoted(tmp_path: Path) -> None:
    rows = ['"a, first","car",0,1,2,0', '"a, first","car",1,2,2,0']
    scenario = load_scenario(table(tmp_path, rows, '"id","kind","time","x","y","heading"'))
    assert [each.name for each in scenario.actors] == ["a, first"]


def test_a_table_of_parquet_is_the_same(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    arrow = pytest.importorskip("pyarrow")
    columns = {"id": [1, 1], "kind": ["car"] * 2, "time": [0.0, 0.1], "x": [0.0, 1.0]}
    columns |= {"y": [0.0, 0.0], "heading": [0.0, 0.0], "length": [4.0, 4.0]}
    parquet.write_table(arrow.table(columns), str(tmp_path / "log.parquet"))
    scenario = load_scenario(tmp_path / "log.parquet")
    track = scenario.actors[0].track
    assert track is not None
    assert track.times == (0.0, 0.1)


@pytest.mark.parametrize(
    ("rows", "header", "message"),
    [
        (["a,car,0,0,0,0"], "id,kind,time,x,y,angle", ":1: error: the table has no column heading"),
        (["a,car,0,0,0"], "id,kind,time,x,y,heading", ":2: error: expected 6 values"),
        (["a,car,0,east,0,0"], "id,kind,time,x,y,heading", ":2: error: x is not a number"),
        (["", "", "a,car,0,0,0,?"], "id,kind,time,x,y,heading", ":4: error: heading is not a"),
        (["a,car,0,0,0,0,-4"], "id,kind,time,x,y,heading,length", ":2: error: length is not a"),
        (["a;car;0;0;0;0"], "id;kind;time;x;y;heading", "it has id;kind;time;x;y;heading"),
        ([], "id,kind,time,x,y,heading", "the table has no row"),
    ],
)
def test_faulty_tables_are_refused_with_the_line(
    tmp_path: Path, rows: list[str], header: str, message: str
) -> None:
    with pytest.raises(ConfigError) as error:
        load_scenario(table(tmp_path, rows, header), Diagnostics())
    assert message in str(error.value)
