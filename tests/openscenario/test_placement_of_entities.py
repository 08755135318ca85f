"""Places of entities: relative ones, stations behind a road's end, entities added later."""

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

AGAINST = (
    '<LanePosition roadId="1" laneId="1" s="100"><Orientation type="relative" h="3.14159265"/>'
    "</LanePosition>"
)


def engine_of(folder: Path, text: str) -> ScenarioEngine:
    scenario, findings = read_scenario(write_scenario(folder, text))
    assert scenario is not None
    assert not findings.refusals
    engine = ScenarioEngine(scenario, load_roads(scenario, None))
    engine.step(0.0)
    return engine


def test_a_place_relative_to_an_entity_heads_as_the_entity(tmp_path: Path) -> None:
    """Ego drives against the traffic of its lane, and so does the car behind it."""
    behind = '<RelativeLanePosition entityRef="Ego" dLane="0" ds="-30" offset="0"/>'
    entity, start = other_car("Other", behind, 20.0)
    text = scenario_text("", road="road.xodr", position=AGAINST, others=entity, other_starts=start)
    engine = engine_of(tmp_path, text)
    for _ in range(100):
        engine.step(0.01)

    assert engine.entities["Ego"].pose.x == pytest.approx(110.0)
    assert engine.entities["Other"].pose.x == pytest.approx(90.0)


def test_a_station_behind_the_last_road_is_its_end(tmp_path: Path) -> None:
    place = '<LanePosition roadId="1" laneId="-1" s="900"/>'
    engine = engine_of(tmp_path, scenario_text("", road="road.xodr", position=place))

    assert engine.entities["Ego"].pose.x == pytest.approx(500.0)


def test_an_entity_that_an_action_adds_is_not_there_before(tmp_path: Path) -> None:
    add = (
        '<Event name="adds" priority="parallel" maximumExecutionCount="1"><Action name="a">'
        '<GlobalAction><EntityAction entityRef="Late"><AddEntityAction><Position>'
        '<WorldPosition x="5" y="9"/></Position></AddEntityAction></EntityAction></GlobalAction>'
        f"</Action><StartTrigger>{after(1.0)}</StartTrigger></Event>"
    )
    entity, _ = other_car("Late", "", 0.0)
    engine = engine_of(tmp_path, scenario_text(add, others=entity))

    assert not engine.entities["Late"].is_active
    for _ in range(150):
        engine.step(0.01)
    assert engine.entities["Late"].is_active
    assert engine.entities["Late"].pose[:2] == (5.0, 9.0)


def test_an_absolute_offset_is_kept_after_its_action_has_ended(tmp_path: Path) -> None:
    action = (
        '<LateralAction><LaneOffsetAction continuous="true"><LaneOffsetActionDynamics '
        'dynamicsShape="cubic" maxLateralAcc="2"/><LaneOffsetTarget><AbsoluteTargetLaneOffset '
        'value="1"/></LaneOffsetTarget></LaneOffsetAction></LateralAction>'
    )
    events = event("moves aside", action, after(1.0)) + event(
        "slows", speed_action(5.0), after(6.0)
    )
    place = '<LanePosition roadId="1" laneId="-1" s="50"/>'
    engine = engine_of(tmp_path, scenario_text(events, road="road.xodr", position=place))
    for _ in range(800):
        engine.step(0.01)

    ended = [each for _, each in engine.world.events if each.startswith("event moves aside: end")]
    assert ended
    assert engine.entities["Ego"].pose.y == pytest.approx(-0.75)


@pytest.mark.parametrize(("kind", "y"), [("vehicle", -1.75), ("pedestrian", 8.25)])
def test_vehicles_keep_their_lane_and_pedestrians_walk_where_they_face(
    tmp_path: Path, kind: str, y: float
) -> None:
    place = (
        '<LanePosition roadId="1" laneId="-1" s="50"><Orientation type="relative" h="1.5707963"/>'
        "</LanePosition>"
    )
    text = scenario_text("", road="road.xodr", position=place)
    if kind == "pedestrian":
        start, end = text.index("<Vehicle"), text.index("</Vehicle>") + len("</Vehicle>")
        person = '<Pedestrian name="p" mass="80" pedestrianCategory="pedestrian"/>'
        text = text[:start] + person + text[end:]
    engine = engine_of(tmp_path, text)
    for _ in range(100):
        engine.step(0.01)

    assert engine.entities["Ego"].pose.y == pytest.approx(y, abs=1e-3)


def test_relative_speeds_are_taken_along_the_axes_of_the_reference(tmp_path: Path) -> None:
    """Other drives at 20 m/s across the way of Ego: along Ego's axis it is 10 m/s slower."""
    across = '<WorldPosition x="0" y="50" h="1.5707963"/>'
    entity, start = other_car("Other", across, 20.0)
    trigger = (
        '<ConditionGroup><Condition name="c" delay="0" conditionEdge="none"><ByEntityCondition>'
        '<TriggeringEntities triggeringEntitiesRule="any"><EntityRef entityRef="Other"/>'
        '</TriggeringEntities><EntityCondition><RelativeSpeedCondition value="-9" rule="lessThan" '
        'entityRef="Ego" direction="longitudinal"/></EntityCondition></ByEntityCondition>'
        "</Condition></ConditionGroup>"
    )
    text = scenario_text(event("e", speed_action(3.0), trigger), others=entity, other_starts=start)
    engine = engine_of(tmp_path, text)
    for _ in range(20):
        engine.step(0.01)

    assert engine.entities["Ego"].speed == 3.0
