"""Execution of OpenSCENARIO: states, priorities, edges and delays, motion on lanes."""

from pathlib import Path

import pytest

from autosim.applications.openscenario.scenario_trial import load_roads
from autosim.openscenario.engine.scenario_engine import ScenarioEngine
from autosim.openscenario.reading.scenario_reader import read_scenario
from tests.openscenario.scenario_texts import (
    after,
    event,
    other_car,
    scenario_text,
    speed_action,
    write_scenario,
)

LANE = '<LanePosition roadId="1" laneId="-1" s="50"/>'


def engine_of(folder: Path, text: str) -> ScenarioEngine:
    scenario, findings = read_scenario(write_scenario(folder, text))
    assert scenario is not None
    assert not findings.refusals
    engine = ScenarioEngine(scenario, load_roads(scenario, None))
    engine.step(0.0)
    return engine


def run_until(engine: ScenarioEngine, seconds: float, step: float = 0.01) -> None:
    while not engine.is_over and engine.world.time < seconds - 1e-9:
        engine.step(step)


def times_of(engine: ScenarioEngine, text: str) -> list[float]:
    return [time for time, each in engine.world.events if each.startswith(text)]


def test_a_car_drives_to_the_stop_trigger(tmp_path: Path) -> None:
    engine = engine_of(tmp_path, scenario_text("", end=5.0))
    run_until(engine, 60.0)

    assert engine.is_stopped
    assert engine.world.time == pytest.approx(5.01)
    assert engine.entities["Ego"].pose.x == pytest.approx(50.1)


@pytest.mark.parametrize(
    ("shape", "half"), [("linear", 15.0), ("cubic", 15.0), ("sinusoidal", 15.0), ("step", 20.0)]
)
def test_speed_changes_by_the_shape_of_its_transition(
    tmp_path: Path, shape: str, half: float
) -> None:
    text = scenario_text(event("e", speed_action(20.0, shape, 2.0), after(1.0)))
    engine = engine_of(tmp_path, text)
    run_until(engine, 2.01)

    assert engine.entities["Ego"].speed == pytest.approx(half)
    run_until(engine, 4.0)
    assert engine.entities["Ego"].speed == 20.0


def test_priorities_override_skip_and_parallel(tmp_path: Path) -> None:
    slow = speed_action(20.0, "linear", 5.0)
    offset = (
        '<LateralAction><LaneOffsetAction continuous="false"><LaneOffsetActionDynamics '
        'dynamicsShape="sinusoidal" maxLateralAcc="0.2"/><LaneOffsetTarget>'
        '<AbsoluteTargetLaneOffset value="1"/></LaneOffsetTarget></LaneOffsetAction>'
        "</LateralAction>"
    )
    events = (
        event("first", slow, after(1.0))
        + event("skips", offset, after(2.0, "rising"), "skip")
        + event("joins", offset, after(3.0), "parallel")
        + event("takes over", speed_action(5.0), after(4.0), "override")
    )
    engine = engine_of(tmp_path, scenario_text(events, road="road.xodr", position=LANE))
    run_until(engine, 10.0)

    assert times_of(engine, "event skips: startTransition") == []
    assert len(times_of(engine, "event skips: skipTransition")) == 1
    assert times_of(engine, "event joins: startTransition") == [pytest.approx(3.01)]
    assert times_of(engine, "event first: stopTransition") == [pytest.approx(4.01)]
    assert times_of(engine, "event joins: stopTransition") == [pytest.approx(4.01)]
    assert engine.entities["Ego"].speed == 5.0


def test_an_event_is_executed_as_often_as_it_may_be(tmp_path: Path) -> None:
    text = scenario_text(event("again", speed_action(5.0), after(1.0), count=3))
    engine = engine_of(tmp_path, text)
    run_until(engine, 3.0)

    assert len(times_of(engine, "event again: startTransition")) == 3
    assert times_of(engine, "story story: endTransition")


@pytest.mark.parametrize(
    ("edge", "rule", "delay", "expected"),
    [
        ("none", "greaterThan", 0.0, [0.0]),
        ("rising", "greaterThan", 0.0, []),
        ("falling", "lessThan", 0.0, []),
        ("none", "greaterThan", 1.5, [1.5]),
    ],
)
def test_edges_need_a_change_and_delays_wait(
    tmp_path: Path, edge: str, rule: str, delay: float, expected: list[float]
) -> None:
    """The condition holds from the start (time > -1), or never (time < -1)."""
    trigger = after(-1.0, edge, delay, rule)
    engine = engine_of(tmp_path, scenario_text(event("e", speed_action(5.0), trigger)))
    run_until(engine, 4.0)

    assert times_of(engine, "event e: startTransition") == [
        pytest.approx(each) for each in expected
    ]


@pytest.mark.parametrize(("edge", "at"), [("rising", 2.01), ("risingOrFalling", 2.01)])
def test_edges_find_the_step_of_the_change(tmp_path: Path, edge: str, at: float) -> None:
    engine = engine_of(tmp_path, scenario_text(event("e", speed_action(5.0), after(2.0, edge))))
    run_until(engine, 4.0)

    assert times_of(engine, "event e: startTransition") == [pytest.approx(at)]


def test_a_state_condition_sees_the_end_of_another_event(tmp_path: Path) -> None:
    trigger = (
        '<ConditionGroup><Condition name="c" delay="0" conditionEdge="rising"><ByValueCondition>'
        '<StoryboardElementStateCondition storyboardElementType="event" '
        'storyboardElementRef="first" state="endTransition"/></ByValueCondition></Condition>'
        "</ConditionGroup>"
    )
    events = event("first", speed_action(20.0, "linear", 1.0), after(1.0)) + event(
        "second", speed_action(2.0), trigger
    )
    engine = engine_of(tmp_path, scenario_text(events))
    run_until(engine, 5.0)

    ended = times_of(engine, "event first: endTransition")[0]
    assert times_of(engine, "event second: startTransition") == [pytest.approx(ended + 0.01)]


def test_a_lane_change_ends_on_the_other_lane(tmp_path: Path) -> None:
    action = (
        '<LateralAction><LaneChangeAction><LaneChangeActionDynamics dynamicsShape="sinusoidal" '
        'dynamicsDimension="time" value="3"/><LaneChangeTarget><RelativeTargetLane '
        'entityRef="Ego" value="-1"/></LaneChangeTarget></LaneChangeAction></LateralAction>'
    )
    text = scenario_text(event("e", action, after(1.0)), road="road.xodr", position=LANE)
    engine = engine_of(tmp_path, text)
    run_until(engine, 5.0)

    ego = engine.entities["Ego"]
    assert ego.place is not None
    assert ego.place.lane == -2
    assert ego.pose.y == pytest.approx(-5.25)
    assert ego.pose.heading == pytest.approx(0.0, abs=1e-9)
    assert times_of(engine, "event e: endTransition") == [pytest.approx(4.0, abs=0.02)]


def test_a_trajectory_with_times_sets_place_and_speed(tmp_path: Path) -> None:
    vertices = "".join(
        f'<Vertex time="{time}"><Position><WorldPosition x="{x}" y="{y}"/></Position></Vertex>'
        for time, x, y in ((0, 0, 0), (2, 10, 0), (4, 10, 20))
    )
    action = (
        '<RoutingAction><FollowTrajectoryAction><Trajectory name="t" closed="false">'
        f"<Shape><Polyline>{vertices}</Polyline></Shape></Trajectory><TimeReference><Timing "
        'domainAbsoluteRelative="relative" scale="1" offset="0"/></TimeReference>'
        '<TrajectoryFollowingMode followingMode="position"/></FollowTrajectoryAction>'
        "</RoutingAction>"
    )
    engine = engine_of(tmp_path, scenario_text(event("e", action, after(1.0))))
    run_until(engine, 4.02)

    ego = engine.entities["Ego"]
    assert (ego.pose.x, ego.pose.y) == (pytest.approx(10.0), pytest.approx(10.0, abs=0.2))
    assert ego.speed == pytest.approx(10.0)


def test_collisions_are_found_once(tmp_path: Path) -> None:
    entity, start = other_car("Other", '<WorldPosition x="30" y="0"/>', 0.0)
    text = scenario_text("", others=entity, other_starts=start, end=10.0)
    engine = engine_of(tmp_path, text)
    run_until(engine, 20.0)

    assert [each[1:] for each in engine.collisions] == [("Ego", "Other")]
    assert engine.collisions[0][0] == pytest.approx(2.51, abs=0.02)


def test_a_time_headway_triggers_at_the_gap(tmp_path: Path) -> None:
    entity, start = other_car("Other", '<LanePosition roadId="1" laneId="-1" s="150"/>', 0.0)
    trigger = (
        '<ConditionGroup><Condition name="c" delay="0" conditionEdge="none"><ByEntityCondition>'
        '<TriggeringEntities triggeringEntitiesRule="any"><EntityRef entityRef="Ego"/>'
        "</TriggeringEntities><EntityCondition><TimeHeadwayCondition "
        'entityRef="Other" value="2" rule="lessThan" freespace="false" coordinateSystem="road" '
        'relativeDistanceType="longitudinal"/></EntityCondition></ByEntityCondition></Condition>'
        "</ConditionGroup>"
    )
    text = scenario_text(
        event("brakes", speed_action(0.0, "linear", 2.0), trigger),
        road="road.xodr",
        position=LANE,
        others=entity,
        other_starts=start,
    )
    engine = engine_of(tmp_path, text)
    run_until(engine, 15.0)

    assert times_of(engine, "event brakes: startTransition") == [pytest.approx(8.01, abs=0.011)]
    assert engine.entities["Ego"].speed == 0.0
    assert not engine.collisions


def test_signal_controllers_repeat_their_phases(tmp_path: Path) -> None:
    phases = "".join(
        f'<Phase name="{name}" duration="2"><TrafficSignalState trafficSignalId="7" '
        f'state="{name}"/></Phase>'
        for name in ("stop", "go")
    )
    signals = (
        f'<TrafficSignals><TrafficSignalController name="c" delay="1">{phases}'
        "</TrafficSignalController></TrafficSignals></RoadNetwork>"
    )
    text = scenario_text("").replace("</RoadNetwork>", signals)
    engine = engine_of(tmp_path, text)
    found = []
    for seconds in (2.0, 4.0, 6.0):
        run_until(engine, seconds)
        found.append(engine.world.signals["7"])

    assert found == ["stop", "go", "stop"]
