"""Controllers, overridden pedals and traffic flows of OpenSCENARIO."""

import math
from pathlib import Path

import pytest

from tests.openscenario.scenario_texts import (
    after,
    controlled,
    event,
    other_car,
    scenario_text,
    speed_action,
)
from tests.openscenario.test_execution import engine_of, run_until

LANE = '<LanePosition roadId="1" laneId="-1" s="50"/>'

ACTIVATE = (
    "<ControllerAction><ActivateControllerAction longitudinal='true' lateral='true'/>"
    "</ControllerAction>"
)


def test_an_active_controller_drives_at_its_speed(tmp_path: Path) -> None:
    text = scenario_text(event("go", ACTIVATE, after(0.5)), road="road.xodr", position=LANE)
    engine = engine_of(tmp_path, controlled(text, setSpeed="15"))
    run_until(engine, 20.0)

    assert engine.entities["Ego"].speed == pytest.approx(15.0, abs=0.1)
    assert any("built-in driver" in each for each in engine.world.notes)


def test_an_active_controller_stays_behind_the_car_ahead(tmp_path: Path) -> None:
    record, start = other_car("Slow", '<LanePosition roadId="1" laneId="-1" s="90"/>', 5.0)
    text = scenario_text(
        event("go", ACTIVATE, after(0.0)),
        road="road.xodr",
        position=LANE,
        others=record,
        other_starts=start,
        end=30.0,
    )
    engine = engine_of(tmp_path, controlled(text, setSpeed="15"))
    run_until(engine, 29.0)

    assert engine.entities["Ego"].speed == pytest.approx(5.0, abs=0.5)
    assert not engine.collisions


def test_a_controller_that_is_not_active_changes_nothing(tmp_path: Path) -> None:
    engine = engine_of(tmp_path, controlled(scenario_text("", end=5.0), setSpeed="15"))
    run_until(engine, 4.0)

    assert engine.entities["Ego"].speed == 10.0


def test_an_action_comes_before_the_controller(tmp_path: Path) -> None:
    slow = event("slow", speed_action(5.0, "linear", 4.0), after(0.5))
    text = scenario_text(event("go", ACTIVATE, after(0.1)) + slow, road="road.xodr", position=LANE)
    engine = engine_of(tmp_path, controlled(text))
    run_until(engine, 4.5)
    assert engine.entities["Ego"].speed == pytest.approx(5.0, abs=0.05)

    run_until(engine, 12.0)
    assert engine.entities["Ego"].speed == pytest.approx(5.0, abs=0.3)


def test_an_overridden_brake_stops_a_car_until_it_is_released(tmp_path: Path) -> None:
    def brake(active: str, value: float) -> str:
        return (
            "<ControllerAction><OverrideControllerValueAction>"
            f"<Brake active='{active}'><BrakePercent value='{value}'/></Brake>"
            "</OverrideControllerValueAction></ControllerAction>"
        )

    events = event("on", brake("true", 0.5), after(1.0)) + event(
        "off", brake("false", 0.0), after(2.0)
    )
    engine = engine_of(tmp_path, scenario_text(events))
    run_until(engine, 1.5)
    assert 6.0 < engine.entities["Ego"].speed < 9.0

    run_until(engine, 2.2)
    speed = engine.entities["Ego"].speed
    run_until(engine, 5.0)
    assert engine.entities["Ego"].speed == speed


def _flow(inner: str) -> str:
    return f"<GlobalAction><TrafficAction trafficName='flow'>{inner}</TrafficAction></GlobalAction>"


def _global_event(name: str, action: str, trigger: str) -> str:
    return (
        f'<Event name="{name}" priority="parallel"><Action name="{name} action">{action}</Action>'
        f"<StartTrigger>{trigger}</StartTrigger></Event>"
    )


def _traffic_of(folder: Path, events: str, seconds: float) -> list[str]:
    engine = engine_of(folder, scenario_text(events, road="road.xodr", position=LANE, end=60.0))
    run_until(engine, seconds, step=0.05)
    return [each.name for each in engine.entities.values() if each.is_traffic and each.is_active]


SOURCE = (
    "<TrafficSourceAction rate='0.5' radius='1' speed='10'><Position>"
    "<LanePosition roadId='1' laneId='-2' s='20'/></Position></TrafficSourceAction>"
)

SINK = (
    "<TrafficSinkAction rate='1' radius='10'><Position>"
    "<LanePosition roadId='1' laneId='-2' s='150'/></Position></TrafficSinkAction>"
)


def test_a_source_makes_vehicles_that_a_sink_removes(tmp_path: Path) -> None:
    source = _global_event("source", _flow(SOURCE), after(0.0))
    with_sink = source + _global_event("sink", _flow(SINK), after(0.0))

    without = _traffic_of(tmp_path, source, 30.0)
    assert 12 <= len(without) <= 16
    assert len(_traffic_of(tmp_path, with_sink, 30.0)) < len(without) - 4


def test_a_stop_action_ends_a_source(tmp_path: Path) -> None:
    stop = _global_event("stop", _flow("<TrafficStopAction/>"), after(6.0))
    source = _global_event("source", _flow(SOURCE), after(0.0))

    assert len(_traffic_of(tmp_path, source + stop, 30.0)) == 3


def test_a_swarm_surrounds_its_entity_with_the_same_vehicles_each_time(tmp_path: Path) -> None:
    swarm = (
        "<TrafficSwarmAction innerRadius='15' semiMajorAxis='120' semiMinorAxis='40' "
        "numberOfVehicles='4' offset='0'><CentralObject entityRef='Ego'/></TrafficSwarmAction>"
    )
    event_text = _global_event("swarm", _flow(swarm), after(0.0))
    first = engine_of(tmp_path, scenario_text(event_text, road="road.xodr", position=LANE))
    run_until(first, 5.0)
    cars = [each for each in first.entities.values() if each.is_traffic and each.is_active]
    assert len(cars) == 4

    second = engine_of(tmp_path, scenario_text(event_text, road="road.xodr", position=LANE))
    run_until(second, 5.0)
    assert [each.pose for each in cars] == [second.entities[each.name].pose for each in cars]


def test_vehicles_of_a_swarm_appear_apart_from_all_others(tmp_path: Path) -> None:
    swarm = (
        "<TrafficSwarmAction innerRadius='5' semiMajorAxis='60' semiMinorAxis='20' "
        "numberOfVehicles='12' offset='0'><CentralObject entityRef='Ego'/></TrafficSwarmAction>"
    )
    event_text = _global_event("swarm", _flow(swarm), after(0.0))
    engine = engine_of(tmp_path, scenario_text(event_text, road="road.xodr", position=LANE))
    present = []
    while sum(each.is_traffic for each in present) < 3:
        assert engine.world.time < 1.0
        run_until(engine, engine.world.time + 0.05, step=0.05)
        present = [each for each in engine.entities.values() if each.is_active]
    for number, each in enumerate(present):
        for other in present[:number]:
            apart = math.hypot(each.pose.x - other.pose.x, each.pose.y - other.pose.y)
            assert apart > 12.0
