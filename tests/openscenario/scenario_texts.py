"""Short scenarios and a straight road for tests."""

from pathlib import Path

ROAD = """<OpenDRIVE><header revMajor="1" revMinor="4"/>
<road name="" length="500" id="1" junction="-1">
<planView><geometry s="0" x="0" y="0" hdg="0" length="500"><line/></geometry></planView>
<lanes><laneSection s="0">
<left><lane id="1" type="driving"><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></left>
<center><lane id="0" type="none"/></center>
<right><lane id="-1" type="driving"><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane>
<lane id="-2" type="driving"><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right>
</laneSection></lanes></road></OpenDRIVE>"""

_CAR = """<ScenarioObject name="{name}"><Vehicle name="car" vehicleCategory="car"><BoundingBox>
<Center x="1.4" y="0" z="0.7"/><Dimensions width="2" length="5" height="1.5"/></BoundingBox>
<Performance maxSpeed="60" maxAcceleration="100" maxDeceleration="100"/>
</Vehicle></ScenarioObject>"""

_START = """<Private entityRef="{name}"><PrivateAction><TeleportAction>
<Position>{position}</Position></TeleportAction></PrivateAction><PrivateAction>{speed}</PrivateAction></Private>"""


def speed_action(value: float, shape: str = "step", seconds: float = 0.0) -> str:
    """A change of speed."""
    return (
        f'<LongitudinalAction><SpeedAction><SpeedActionDynamics dynamicsShape="{shape}" '
        f'dynamicsDimension="time" value="{seconds}"/><SpeedActionTarget>'
        f'<AbsoluteTargetSpeed value="{value}"/></SpeedActionTarget></SpeedAction>'
        "</LongitudinalAction>"
    )


def after(seconds: float, edge: str = "none", delay: float = 0.0, rule: str = "greaterThan") -> str:
    """A group of one condition on the time."""
    return (
        f'<ConditionGroup><Condition name="time" delay="{delay}" conditionEdge="{edge}">'
        f'<ByValueCondition><SimulationTimeCondition value="{seconds}" rule="{rule}"/>'
        "</ByValueCondition></Condition></ConditionGroup>"
    )


def event(name: str, action: str, trigger: str, priority: str = "parallel", count: int = 1) -> str:
    """An event with one private action."""
    return (
        f'<Event name="{name}" priority="{priority}" maximumExecutionCount="{count}">'
        f'<Action name="{name} action"><PrivateAction>{action}</PrivateAction></Action>'
        f"<StartTrigger>{trigger}</StartTrigger></Event>"
    )


def scenario_text(
    events: str,
    *,
    position: str = '<WorldPosition x="0" y="0"/>',
    speed: float = 10.0,
    others: str = "",
    other_starts: str = "",
    parameters: str = "",
    road: str = "",
    end: float = 20.0,
    minor: int = 2,
) -> str:
    """A scenario in which the car "Ego" has some events."""
    start = _START.format(name="Ego", position=position, speed=speed_action(speed))
    logic = f'<LogicFile filepath="{road}"/>' if road else ""
    return f"""<OpenSCENARIO>
<FileHeader revMajor="1" revMinor="{minor}" date="2026-01-01T00:00:00" description="" author=""/>
<ParameterDeclarations>{parameters}</ParameterDeclarations><CatalogLocations/>
<RoadNetwork>{logic}</RoadNetwork>
<Entities>{_CAR.format(name="Ego")}{others}</Entities>
<Storyboard><Init><Actions>{start}{other_starts}</Actions></Init>
<Story name="story"><Act name="act"><ManeuverGroup name="group" maximumExecutionCount="1">
<Actors selectTriggeringEntities="false"><EntityRef entityRef="Ego"/></Actors>
<Maneuver name="maneuver">{events}</Maneuver></ManeuverGroup>
<StartTrigger>{after(-1.0)}</StartTrigger></Act></Story>
<StopTrigger>{after(end)}</StopTrigger></Storyboard></OpenSCENARIO>"""


def other_car(name: str, position: str, speed: float) -> tuple[str, str]:
    """Another car: its entity, and its start."""
    start = _START.format(name=name, position=position, speed=speed_action(speed))
    return _CAR.format(name=name), start


def write_scenario(folder: Path, text: str, name: str = "scenario.xosc") -> Path:
    """Writes a scenario, and the road beside it."""
    (folder / "road.xodr").write_text(ROAD)
    path = folder / name
    path.write_text(text)
    return path


def controlled(text: str, **properties: str) -> str:
    """A scenario whose car "Ego" has a controller."""
    rows = "".join(f'<Property name="{name}" value="{it}"/>' for name, it in properties.items())
    controller = (
        '<ObjectController><Controller name="driver"><Properties>'
        f"{rows}</Properties></Controller></ObjectController>"
    )
    return text.replace(
        "</Vehicle></ScenarioObject>", f"</Vehicle>{controller}</ScenarioObject>", 1
    )
