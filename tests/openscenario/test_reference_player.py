"""Details on which the standard leaves room, as the reference player esmini executes them."""

import math
from itertools import pairwise
from pathlib import Path

import pytest

from autosim.openscenario.engine.scenario_engine import ScenarioEngine
from tests.openscenario.scenario_texts import (
    ROAD,
    after,
    event,
    other_car,
    scenario_text,
    speed_action,
)
from tests.openscenario.test_execution import engine_of, run_until, times_of


def _follow(vertices: str, timing: str = "<None/>", mode: str = "position") -> str:
    return (
        "<RoutingAction><FollowTrajectoryAction><Trajectory name='way' closed='false'><Shape>"
        f"<Polyline>{vertices}</Polyline></Shape></Trajectory>"
        f"<TimeReference>{timing}</TimeReference><TrajectoryFollowingMode followingMode='{mode}'/>"
        "</FollowTrajectoryAction></RoutingAction>"
    )


def _vertex(x: float, y: float = 0.0, heading: str = "") -> str:
    h = f" h='{heading}'" if heading else ""
    return f"<Vertex><Position><WorldPosition x='{x}' y='{y}'{h}/></Position></Vertex>"


def test_a_car_with_negative_speed_backs_along_a_trajectory(tmp_path: Path) -> None:
    action = _follow(_vertex(0.0) + _vertex(50.0))
    engine = engine_of(tmp_path, scenario_text(event("e", action, after(0.0)), speed=-10.0))
    run_until(engine, 1.01)

    ego = engine.entities["Ego"]
    assert ego.pose.x == pytest.approx(10.0, abs=0.11)
    assert abs(math.cos(ego.pose.heading) + 1.0) < 1e-9


def test_stated_headings_of_vertices_hold_between_corners(tmp_path: Path) -> None:
    action = _follow(_vertex(0.0, heading="0.5") + _vertex(40.0, heading="1.0") + _vertex(80.0))
    engine = engine_of(tmp_path, scenario_text(event("e", action, after(0.0))))
    run_until(engine, 2.0)
    assert engine.entities["Ego"].pose.heading == pytest.approx(0.5)

    run_until(engine, 4.0)
    assert 0.5 < engine.entities["Ego"].pose.heading < 1.0


def test_the_first_step_counts_as_travelled(tmp_path: Path) -> None:
    engine = engine_of(tmp_path, scenario_text("", end=5.0))
    run_until(engine, 1.0, step=0.1)

    assert engine.entities["Ego"].travelled == pytest.approx(10.0)


def test_a_car_stops_where_its_lane_ends(tmp_path: Path) -> None:
    position = '<LanePosition roadId="1" laneId="-1" s="480"/>'
    text = scenario_text("", road="road.xodr", position=position, end=8.0)
    engine = engine_of(tmp_path, text)
    run_until(engine, 6.0)

    assert engine.entities["Ego"].speed == 0.0
    assert engine.entities["Ego"].pose.x == pytest.approx(500.0)


def test_a_relative_orientation_on_a_road_counts_from_its_reference_line(tmp_path: Path) -> None:
    position = (
        '<RoadPosition roadId="1" s="50" t="1.75"><Orientation type="relative" h="0"/>'
        "</RoadPosition>"
    )
    text = scenario_text("", road="road.xodr", position=position, end=3.0)
    engine = engine_of(tmp_path, text)
    run_until(engine, 1.0)

    assert engine.entities["Ego"].pose.x == pytest.approx(60.0)


def test_a_position_with_an_orientation_is_reached_in_that_orientation(tmp_path: Path) -> None:
    def reached(heading: float) -> str:
        return (
            "<ConditionGroup><Condition name='there' delay='0' conditionEdge='none'>"
            "<ByEntityCondition><TriggeringEntities triggeringEntitiesRule='any'>"
            "<EntityRef entityRef='Ego'/></TriggeringEntities><EntityCondition>"
            "<ReachPositionCondition tolerance='1'><Position>"
            "<LanePosition roadId='1' laneId='-1' s='70'>"
            f"<Orientation type='relative' h='{heading}'/></LanePosition></Position>"
            "</ReachPositionCondition>"
            "</EntityCondition></ByEntityCondition></Condition></ConditionGroup>"
        )

    events = event("same", speed_action(9.0), reached(0.0))
    events += event("other", speed_action(9.0), reached(1.0))
    position = '<LanePosition roadId="1" laneId="-1" s="50"/>'
    text = scenario_text(events, road="road.xodr", position=position, end=4.0)
    engine = engine_of(tmp_path, text)
    run_until(engine, 4.0)

    assert times_of(engine, "event same: startTransition")
    assert not times_of(engine, "event other: startTransition")


def test_init_trajectories_place_entities_before_the_stop_trigger_is_evaluated(
    tmp_path: Path,
) -> None:
    text = scenario_text("", end=2.0)
    start = text.index("<PrivateAction><TeleportAction>")
    end = text.index("</PrivateAction>", start) + len("</PrivateAction>")
    placed = f"<PrivateAction>{_follow(_vertex(100.0) + _vertex(200.0))}</PrivateAction>"
    near = (
        "<ConditionGroup><Condition name='at origin' delay='0' conditionEdge='none'>"
        "<ByEntityCondition><TriggeringEntities triggeringEntitiesRule='any'>"
        "<EntityRef entityRef='Ego'/></TriggeringEntities><EntityCondition>"
        "<DistanceCondition value='5' rule='lessThan' freespace='false'><Position>"
        "<WorldPosition x='0' y='0'/></Position></DistanceCondition></EntityCondition>"
        "</ByEntityCondition></Condition></ConditionGroup></StopTrigger></Storyboard>"
    )
    text = (text[:start] + placed + text[end:]).replace("</StopTrigger></Storyboard>", near)
    engine = engine_of(tmp_path, text)
    run_until(engine, 5.0)

    assert engine.world.time > 1.9


def test_a_stop_trigger_on_undeclared_parameters_does_not_keep_a_scenario_running(
    tmp_path: Path,
) -> None:
    text = scenario_text(event("e", speed_action(5.0), after(1.0)))
    never = (
        "<StopTrigger><ConditionGroup><Condition name='criteria' delay='0' conditionEdge='none'>"
        "<ByValueCondition><ParameterCondition parameterRef='' value='' rule='lessThan'/>"
        "</ByValueCondition></Condition></ConditionGroup></StopTrigger></Storyboard>"
    )
    start = text.rindex("<StopTrigger>")
    engine = engine_of(tmp_path, text[:start] + never + "</OpenSCENARIO>")
    run_until(engine, 30.0)

    assert engine.is_over
    assert engine.world.time < 2.0


def test_an_entity_is_off_the_road_beyond_its_lanes_of_a_type(tmp_path: Path) -> None:
    def lasting(offset: float) -> float:
        position = f'<LanePosition roadId="1" laneId="-2" s="50" offset="{offset}"/>'
        engine = engine_of(tmp_path, scenario_text("", road="road.xodr", position=position))
        run_until(engine, 1.0)
        return engine.entities["Ego"].off_road

    assert lasting(0.0) < 0.0
    assert lasting(-2.0) == pytest.approx(1.0, abs=0.02)


_BACKWARDS = """<road name="" length="300" id="2" junction="-1">
<link><successor elementType="road" elementId="1" contactPoint="end"/></link>
<planView><geometry s="0" x="800" y="0" hdg="3.141592653589793" length="300"><line/></geometry>
</planView><lanes><laneSection s="0">
<left><lane id="1" type="driving"><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></left>
<center><lane id="0" type="none"/></center></laneSection></lanes></road></OpenDRIVE>"""


def test_the_left_of_a_car_on_a_road_that_runs_the_other_way_is_its_left(tmp_path: Path) -> None:
    link = '<link><successor elementType="road" elementId="2" contactPoint="end"/></link>'
    two = ROAD.replace("<planView>", f"{link}<planView>").replace("</OpenDRIVE>", _BACKWARDS)
    (tmp_path / "two.xodr").write_text(two)
    record, start = other_car("Lead", _lane_place(2, 1, 200), 0.0)
    aside = (
        '<LateralAction><LateralDistanceAction entityRef="Lead" freespace="false" distance="1" '
        'continuous="false" coordinateSystem="road" displacement="leftToReferencedEntity"/>'
        "</LateralAction>"
    )
    text = scenario_text(
        event("e", aside, after(0.1)),
        road="two.xodr",
        position=_lane_place(1, -1, 400),
        others=record,
        other_starts=start,
        speed=1.0,
    )
    engine = engine_of(tmp_path, text)
    run_until(engine, 1.0)

    assert engine.entities["Lead"].pose.y == pytest.approx(-1.75)
    assert engine.entities["Ego"].pose.y == pytest.approx(-0.75)


def _lane_place(road: int, lane: int, s: float) -> str:
    return f'<LanePosition roadId="{road}" laneId="{lane}" s="{s}"/>'


def _arrives(final: str = "") -> str:
    return (
        '<SynchronizeAction masterEntityRef="Lead" targetToleranceMaster="1" targetTolerance="1">'
        '<TargetPositionMaster><WorldPosition x="200" y="4"/></TargetPositionMaster>'
        f'<TargetPosition><WorldPosition x="265" y="0"/></TargetPosition>{final}'
        "</SynchronizeAction>"
    )


def _synchronized(folder: Path, final: str, lead: float, speed: float = 0.0) -> ScenarioEngine:
    record, start = other_car("Lead", '<WorldPosition x="0" y="4"/>', lead)
    action = event("e", _arrives(final), after(0.005))
    return engine_of(
        folder,
        scenario_text(action, others=record, other_starts=start, speed=speed, end=20.0),
    )


def test_a_synchronized_car_rises_to_an_apex_and_falls_evenly_to_its_final_speed(
    tmp_path: Path,
) -> None:
    final = '<FinalSpeed><AbsoluteSpeed value="20"/></FinalSpeed>'
    engine = _synchronized(tmp_path, final, 20.0)
    ego, speeds = engine.entities["Ego"], []
    while engine.world.time < 9.94:
        engine.step(0.01)
        speeds.append(ego.speed)
    assert ego.pose.x == pytest.approx(264.0, abs=0.5)
    assert ego.speed == pytest.approx(20.0, abs=0.2)
    steps = [abs(second - first) for first, second in pairwise(speeds[2:])]
    assert max(steps) < 0.08
    assert 44.0 < max(speeds) < 47.0


def test_without_a_final_speed_a_synchronized_car_changes_its_speed_evenly(tmp_path: Path) -> None:
    engine = _synchronized(tmp_path, "", 20.0, speed=10.0)
    ego, speeds = engine.entities["Ego"], []
    while engine.world.time < 9.94:
        engine.step(0.01)
        speeds.append(ego.speed)
    assert ego.pose.x == pytest.approx(264.0, abs=0.5)
    assert max(abs(second - first) for first, second in pairwise(speeds)) < 0.05


def test_a_synchronized_car_waits_for_a_master_that_stands(tmp_path: Path) -> None:
    engine = _synchronized(tmp_path, "", 0.0, speed=10.0)
    run_until(engine, 2.0)
    assert engine.entities["Ego"].speed == 0.0
    assert engine.entities["Ego"].pose.x < 1.0
