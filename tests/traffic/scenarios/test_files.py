"""Scenario files, OpenSCENARIO files, and how they meet a world."""

import math

import pytest

from autosim.config.diagnostics import ConfigError, Diagnostics
from autosim.config.scenarios import (
    ChangeLane,
    DistanceCondition,
    DriveTo,
    EventCondition,
    FollowPath,
    LanePosition,
    Move,
    ReachPositionCondition,
    RelativePosition,
    SetSpeed,
    SpeedCondition,
    TimeCondition,
    ValueRange,
    WorldPosition,
)
from autosim.errors import UserError
from autosim.kinds.director import build_tree
from autosim.loading.checker import check_file
from autosim.loading.world_writer import with_scenario
from autosim.model.state import State
from autosim.traffic.scenarios.scenario_file import load_scenario
from autosim.traffic.scenarios.scenario_starts import verdict_of, with_start_poses
from tests.paths import ROOT
from tests.traffic.signals.junctions import signalled_crossing
from tests.worlds import impreza_world

TEXT = """
<Scenario name="all of it" seconds="12">
  <Vehicle name="car" kind="van" speed="9" opposite="true">
    <RelativePosition of="impreza" ahead="20" lanes="1" left="0.5"/>
  </Vehicle>
  <Person name="child"><Position x="3" z="-4" rotY="0"/></Person>
  <Start of="impreza"><LanePosition lane="0" station="10"/></Start>
  <Event name="goes">
    <When><Time min="1"/><Gap of="car" to="child" max="9"/></When>
    <When><Headway of="car" to="child" max="2"/></When>
    <When><TimeToCollision of="car" to="child" max="3"/><At of="car" within="2">
      <LanePosition lane="0" station="50"/></At></When>
    <SetSpeed actor="car" value="3" seconds="2"/>
    <ChangeLane actor="car" lanes="-1"/>
    <Move actor="child"><Position x="0" z="0"/></Move>
    <FollowPath actor="child"><Position x="1" z="2" time="1"/><Position x="3" z="4" time="2"/>
    </FollowPath>
    <DriveTo actor="car"><LanePosition lane="1" station="1"/></DriveTo>
  </Event>
  <Once name="moves"><Speed of="car" min="1"/></Once>
  <Never><Collision of="impreza" with="car"/></Never>
  <Always><After event="goes" seconds="1"/></Always>
  <End><Time min="11"/></End>
</Scenario>
"""


def read(tmp_path, text, name="s.xml", diagnostics=None):
    path = tmp_path / name
    path.write_text(text)
    return load_scenario(path, diagnostics)


def test_a_file_says_who_does_what_and_when(tmp_path):
    found = read(tmp_path, TEXT)
    car, child = found.actors
    assert (car.kind, car.speed, car.is_opposite) == ("van", 9.0, True)
    assert car.place == RelativePosition("impreza", 20.0, 1, 0.5)
    assert child.place == WorldPosition(3.0, -4.0, math.pi / 2)
    assert found.starts == (("impreza", LanePosition(0, 10.0)),)
    (event,) = found.events
    assert event.when == (
        (
            TimeCondition(ValueRange(least=1.0)),
            DistanceCondition("car", "child", ValueRange(most=9.0)),
        ),
        (DistanceCondition("car", "child", ValueRange(most=2.0), "headway"),),
        (
            DistanceCondition("car", "child", ValueRange(most=3.0), "collision"),
            ReachPositionCondition("car", LanePosition(0, 50.0), 2.0),
        ),
    )
    assert event.actions == (
        SetSpeed("car", 3.0, 2.0),
        ChangeLane("car", -1, 3.0),
        Move("child", WorldPosition(0.0, 0.0)),
        FollowPath("child", (WorldPosition(1.0, 2.0), WorldPosition(3.0, 4.0)), (1.0, 2.0)),
        DriveTo("car", (LanePosition(1, 1.0),)),
    )
    assert [(each.name, each.must) for each in found.criteria] == [
        ("moves", "once"),
        ("Never Collision impreza and car", "never"),
        ("Always After", "always"),
    ]
    assert found.criteria[0].condition == SpeedCondition("car", ValueRange(least=1.0))
    assert found.criteria[2].condition == EventCondition("goes", 1.0)
    assert found.ends == ((TimeCondition(ValueRange(least=11.0)),),)


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ('<Event name="e"><SetSpeed actor="a" value="1"/></Event>', "has no <When>"),
        ("<Never/>", "takes one condition"),
        ('<Event name="e"><When/><Move actor="a"/></Event>', "takes one place"),
        ('<Event name="e"><When/><FollowPath actor="a"/></Event>', "names no place"),
        ('<Vehicle name="a" kind="sledge"/>', "sledge"),
        ("<Bend/>", "Bend"),
    ],
)
def test_faults_of_a_file_are_named_with_their_lines(tmp_path, own, words):
    with pytest.raises(ConfigError, match=words) as fault:
        read(tmp_path, f'<Scenario name="s" seconds="1">\n{own}\n</Scenario>')
    assert ":2:" in str(fault.value)


XOSC = """
<OpenSCENARIO>
 <FileHeader revMajor="1" revMinor="1" date="2026-01-01T00:00:00" description="" author=""/>
 <ParameterDeclarations>
  <ParameterDeclaration name="fast" parameterType="double" value="15.5"/>
 </ParameterDeclarations>
 <Entities>
  <ScenarioObject name="Ego"><Vehicle name="c" vehicleCategory="car"/></ScenarioObject>
  <ScenarioObject name="Lorry"><Vehicle name="t" vehicleCategory="truck"/></ScenarioObject>
  <ScenarioObject name="Child"><Pedestrian name="p"/></ScenarioObject>
 </Entities>
 <Storyboard>
  <Init><Actions>
   <Private entityRef="Ego"><PrivateAction><TeleportAction><Position>
     <WorldPosition x="10" y="-2" h="0.1"/></Position></TeleportAction></PrivateAction></Private>
   <Private entityRef="Lorry">
    <PrivateAction><TeleportAction><Position>
     <LanePosition roadId="0" laneId="-1" s="20" offset="0.2"/></Position></TeleportAction>
    </PrivateAction>
    <PrivateAction><LongitudinalAction><SpeedAction>
     <SpeedActionDynamics dynamicsShape="step" value="0" dynamicsDimension="time"/>
     <SpeedActionTarget><AbsoluteTargetSpeed value="$fast"/></SpeedActionTarget>
    </SpeedAction></LongitudinalAction></PrivateAction>
   </Private>
  </Actions></Init>
  <Story name="s"><Act name="a"><ManeuverGroup name="g" maximumExecutionCount="1">
   <Actors selectTriggeringEntities="false"><EntityRef entityRef="Lorry"/></Actors>
   <Maneuver name="m">
    <Event name="cut in" priority="overwrite">
     <Action name="x"><PrivateAction><LateralAction><LaneChangeAction>
      <LaneChangeActionDynamics dynamicsShape="sinusoidal" value="30" dynamicsDimension="distance"/>
      <LaneChangeTarget><RelativeTargetLane entityRef="Lorry" value="-1"/></LaneChangeTarget>
     </LaneChangeAction></LateralAction></PrivateAction></Action>
     <Action name="y"><PrivateAction><LongitudinalAction><SpeedAction>
      <SpeedActionDynamics dynamicsShape="linear" value="2.5" dynamicsDimension="rate"/>
      <SpeedActionTarget><AbsoluteTargetSpeed value="5"/></SpeedActionTarget>
     </SpeedAction></LongitudinalAction></PrivateAction></Action>
     <Action name="z"><PrivateAction><RoutingAction><FollowTrajectoryAction>
      <Trajectory name="t" closed="false"><Shape><Polyline>
       <Vertex time="1"><Position><WorldPosition x="1" y="2"/></Position></Vertex>
       <Vertex time="2"><Position><RelativeObjectPosition entityRef="Ego" dx="3" dy="4"/></Position>
       </Vertex></Polyline></Shape></Trajectory>
      <TimeReference><Timing domainAbsoluteRelative="relative" scale="1" offset="0"/>
      </TimeReference>
      <TrajectoryFollowingMode followingMode="position"/>
     </FollowTrajectoryAction></RoutingAction></PrivateAction></Action>
     <StartTrigger>
      <ConditionGroup>
       <Condition name="c1" delay="0" conditionEdge="rising"><ByEntityCondition>
        <TriggeringEntities triggeringEntitiesRule="any"><EntityRef entityRef="Lorry"/>
        </TriggeringEntities><EntityCondition>
        <TimeHeadwayCondition entityRef="Ego" value="2" freespace="true" rule="lessThan"/>
        </EntityCondition></ByEntityCondition></Condition>
       <Condition name="c2" delay="0" conditionEdge="none"><ByValueCondition>
        <SimulationTimeCondition value="1.5" rule="greaterThan"/></ByValueCondition></Condition>
      </ConditionGroup>
      <ConditionGroup>
       <Condition name="c3" delay="0" conditionEdge="none"><ByEntityCondition>
        <TriggeringEntities triggeringEntitiesRule="any"><EntityRef entityRef="Lorry"/>
        </TriggeringEntities><EntityCondition><ReachPositionCondition tolerance="3"><Position>
        <RelativeLanePosition entityRef="Ego" dLane="1" ds="5"/></Position></ReachPositionCondition>
        </EntityCondition></ByEntityCondition></Condition>
      </ConditionGroup>
     </StartTrigger>
    </Event>
    <Event name="go there" priority="overwrite">
     <Action name="w"><PrivateAction><RoutingAction><AcquirePositionAction><Position>
      <WorldPosition x="5" y="6"/></Position></AcquirePositionAction></RoutingAction>
     </PrivateAction></Action>
     <StartTrigger><ConditionGroup><Condition name="c4" delay="0" conditionEdge="none">
      <ByValueCondition><StoryboardElementStateCondition storyboardElementType="event"
       storyboardElementRef="cut in" state="completeState"/></ByValueCondition></Condition>
     </ConditionGroup></StartTrigger>
    </Event>
   </Maneuver></ManeuverGroup>
   <StartTrigger><ConditionGroup><Condition name="c5" delay="0" conditionEdge="none">
    <ByValueCondition><SimulationTimeCondition value="0" rule="greaterThan"/></ByValueCondition>
   </Condition></ConditionGroup></StartTrigger>
  </Act></Story>
  <StopTrigger><ConditionGroup><Condition name="c6" delay="0" conditionEdge="none">
   <ByEntityCondition><TriggeringEntities triggeringEntitiesRule="any"><EntityRef entityRef="Ego"/>
   </TriggeringEntities><EntityCondition><CollisionCondition><EntityRef entityRef="Child"/>
   </CollisionCondition></EntityCondition></ByEntityCondition></Condition></ConditionGroup>
  </StopTrigger>
 </Storyboard>
</OpenSCENARIO>
"""


def test_openscenario_names_its_actors_and_events(tmp_path):
    found = read(tmp_path, XOSC, "cut.xosc")
    kinds = {each.name: each.kind for each in found.actors}
    assert kinds == {"Ego": "saloon", "Lorry": "lorry", "Child": "person"}
    assert [each.name for each in found.events] == ["cut in", "go there"]
    assert found.storyboard.file == tmp_path / "cut.xosc"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("LaneChangeAction>", "LevitationAction>", ["LevitationAction", "is not executed"]),
        ('value="$fast"', 'value="$slow"', ["AbsoluteTargetSpeed", "$slow"]),
        ('catalogName="none"', "", []),
    ],
)
def test_what_is_not_executed_is_named_with_its_line(tmp_path, old, new, words):
    if not words:
        missing = '<CatalogReference catalogName="Cars" entryName="c"/>'
        old, new = '<Vehicle name="t" vehicleCategory="truck"/>', missing
        words = ["CatalogReference", "no catalog 'Cars'"]
    found = Diagnostics()
    with pytest.raises(ConfigError):
        read(tmp_path, XOSC.replace(old, new), "cut.xosc", found)
    assert all(word in str(found.all[0]) for word in words)
    assert found.all[0].line


def test_the_first_robot_is_the_one_under_test(tmp_path):
    scenario = read(tmp_path, XOSC, "cut.xosc")
    town = signalled_crossing(tmp_path)
    world = with_start_poses(with_scenario(impreza_world(), scenario), town)
    (robot,) = world.robots
    ahead = 1.4  # the middle of a car without a bounding box before its rear axle
    place = (10.0 + ahead * math.cos(0.1), -2.0 + ahead * math.sin(0.1))
    assert robot.position[:2] == pytest.approx(place)
    assert robot.yaw == pytest.approx(0.1)
    played = world.traffic.scenario
    assert [each.name for each in played.actors] == ["Lorry", "Child"]
    assert played.storyboard.egos == (("Ego", "impreza"),)
    verdict = verdict_of(world, State(build_tree(world)))
    assert verdict.criteria == {"no collision of Ego": "open"}


@pytest.mark.parametrize(
    ("name", "text", "element"),
    [("s.xml", TEXT, "Headway"), ("s.xosc", XOSC, "TimeHeadwayCondition")],
)
def test_autosim_check_knows_scenarios(tmp_path, name, text, element):
    path = tmp_path / name
    path.write_text(text)
    assert not check_file(path)
    path.write_text(text.replace(element, "Whatever"))
    assert "Whatever" in str(check_file(path)[0])


def test_somebody_unknown_is_refused(tmp_path):
    text = '<Scenario name="s" seconds="1"><Never><Collision of="ghost"/></Never></Scenario>'
    with pytest.raises(UserError, match="'ghost'"):
        with_scenario(impreza_world(), read(tmp_path, text))


@pytest.mark.parametrize("path", sorted((ROOT / "scenarios").glob("*.xml")), ids=lambda p: p.stem)
def test_shipped_scenarios_are_without_faults(path):
    found = Diagnostics()
    assert load_scenario(path, found).criteria
    assert not found.all
