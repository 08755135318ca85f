"""Small CommonRoad files, written by code."""

from collections.abc import Sequence

HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<commonRoad timeStepSize="0.1" '
    'commonRoadVersion="{version}" benchmarkID="ZAM_Test-1_1_T-1" author="" affiliation="" '
    'source="" date="2026-01-01">\n'
)


def points(line: Sequence[Sequence[float]]) -> str:
    """The points of a line."""
    return "".join(f"<point><x>{x!r}</x><y>{y!r}</y></point>" for x, y in line)


def lanelet(
    id_: int, x: Sequence[float], y: Sequence[float], inner: str = "", marking: str = "dashed"
) -> str:
    """A straight lanelet from x[0] to x[1] between y[0] on the left and y[1] on the right [m]."""
    bounds = "".join(
        f"<{name}>{points([(x[0], side), (x[1], side)])}"
        f"<lineMarking>{marking}</lineMarking></{name}>"
        for name, side in zip(("leftBound", "rightBound"), y, strict=True)
    )
    return f'<lanelet id="{id_}">{bounds}{inner}</lanelet>\n'


def state(name: str, step: int, x: float, y: float, yaw: float, speed: float) -> str:
    """A state at a time step."""
    return (
        f"<{name}><position><point><x>{x!r}</x><y>{y!r}</y></point></position>"
        f"<orientation><exact>{yaw!r}</exact></orientation><time><exact>{step}</exact></time>"
        f"<velocity><exact>{speed!r}</exact></velocity></{name}>"
    )


def car(id_: int, states: Sequence[tuple[int, float, float, float, float]], **more: str) -> str:
    """A dynamic obstacle of 4.5 m × 1.8 m: time step, x, y [m], yaw [rad] and speed of states."""
    shape = "<rectangle><length>4.5</length><width>1.8</width></rectangle>"
    rest = "".join(state("state", *each) for each in states[1:])
    return (
        f'<dynamicObstacle id="{id_}"><type>{more.get("type_", "car")}</type>'
        f"<shape>{shape}</shape>{state('initialState', *states[0])}"
        f"<trajectory>{rest}</trajectory></dynamicObstacle>\n"
    )


PROBLEM = (
    '<planningProblem id="9">'
    + state("initialState", 0, 5.0, 1.75, 0.0, 0.0)
    + "<goalState><position><rectangle><length>8.0</length><width>4.0</width><orientation>0.0"
    "</orientation><center><x>90.0</x><y>1.75</y></center></rectangle></position><time>"
    "<intervalStart>0</intervalStart><intervalEnd>40</intervalEnd></time></goalState>"
    "</planningProblem>\n"
)


def document(*parts: str, version: str = "2020a") -> str:
    """A file of some parts."""
    return HEAD.format(version=version) + "".join(parts) + "</commonRoad>\n"


def two_lanes(shift: float = 0.0) -> str:
    """Two lanelets beside each other along x, of which the right one continues."""
    a, b, c = shift, shift + 100.0, shift + 160.0
    left = '<adjacentRight ref="2" drivingDir="same"/><laneletType>urban</laneletType>'
    right = (
        '<successor ref="3"/><adjacentLeft ref="1" drivingDir="same"/>'
        '<laneletType>urban</laneletType><trafficSignRef ref="50"/>'
    )
    sign = (
        '<trafficSign id="50"><trafficSignElement><trafficSignID>274</trafficSignID>'
        "<additionalValue>8.5</additionalValue></trafficSignElement></trafficSign>\n"
    )
    return (
        lanelet(1, (a, b), (shift + 7.0, shift + 3.5), left)
        + lanelet(2, (a, b), (shift + 3.5, shift), right)
        + lanelet(3, (b, c), (shift + 3.5, shift), '<predecessor ref="2"/>')
        + sign
    )
