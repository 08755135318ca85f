"""Draws what the devices of docs/devices.md say: `python scripts/draw_devices.py [KIND...]`.

The demo's program drives `robots/sensor_car.xml` through the shipped town, and the first device of
each kind becomes a picture. Kinds that the car lacks, or for which nothing happens there, have a
drive of their own.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import pi
from pathlib import Path
from typing import Any

import numpy as np

from autosim.arrays import Floats
from autosim.config.descriptions import PlacedObject, WorldDescription
from autosim.config.reserved_names import STATES
from autosim.engine.step.simulation import Simulation
from autosim.kinds.nmea import read_rmc
from autosim.loading.device_reference import DOCS
from autosim.loading.loader import load_robot, load_world
from autosim.model.commands import command_for
from autosim.model.state import State
from autosim.model.tree import Field, FieldType, TreeNode
from autosim.robots import INS, BoxPart, LidarSensor
from autosim.world.geometry.map_projection import MapProjection

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 24.0
"""Time [s] that is drawn: the car starts, and drives around a corner."""

SAMPLES = 240
"""Number of samples of a curve: more than a small picture can show make it large."""

WIDTH, HEIGHT, MARGIN = 640, 110, 80
"""Of a panel [px], and of its margin on the left."""

COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd")
MOST_PANELS, MOST_CURVES = 4, 4
"""Number of values of a device that are drawn, and of curves of a value."""

_LEAST_SPAN = 1e-8
"""Span of values, in the unit of each, below which they count as one."""

Panel = tuple[str, list[str]]
"""A title, and SVG elements with the origin in the panel's upper left."""


@dataclass(frozen=True, slots=True)
class Drive:
    """What a robot of a world does for some seconds [s].

    `kinds` are drawn of it; none: all that it has. `command`: a device that is set from the start,
    and to what.
    """

    world: WorldDescription
    robot: str
    seconds: float = SECONDS
    kinds: tuple[str, ...] = ()
    command: tuple[str, tuple[float, ...]] | None = None


def drives() -> Iterator[Drive]:
    """All of them; of a kind, the first drive counts."""
    robots, cars = (load_world(ROOT / "worlds" / f"{name}.xml") for name in ("robots", "cars"))
    town = load_world(ROOT / "worlds" / "circle_town.xml")
    car = replace(town.robots[0], robot=load_robot(ROOT / "robots" / "sensor_car.xml"))
    yield Drive(cars, "sensor_car", 12.0, ("NoisyContacts",))
    yield Drive(_with_crate(town), "car", 8.0, ("ContactSensor",), ("chassis.drive_chassis", PUSH))
    yield Drive(robots, "arm_rover", 14.0, ("Motor", "LinkSensor"))
    yield Drive(robots, "boat", 60.0, ("Propeller", "Float"))
    yield Drive(load_world(ROOT / "worlds" / "ins.xml"), "car", SECONDS, ("INS",))
    yield Drive(replace(town, robots=(car,)), car.name)


PUSH = (0.0, 0.25, 0.0)
"""A quarter of the motor's force: the car meets the crate after some seconds, and pushes it."""


def _with_crate(town: WorldDescription) -> WorldDescription:
    """The car with all sensors on the street north of the roundabout, and a crate ahead of it."""
    car = load_robot(ROOT / "robots" / "sensor_car.xml")
    placed = replace(
        town.robots[0], name="car", robot=car, program=None, position=(-2.2, 42.0, None), yaw=pi / 2
    )
    crate = BoxPart("crate", position=(0.0, 0.0, 0.0), mass=80.0, size=(1.2, 1.2, 0.9))
    objects = (PlacedObject("crate", crate, (-2.2, 52.0, None)),)
    return replace(town, robots=(placed,), objects=objects)


def draw(out: Path, wanted: set[str]) -> None:
    """Writes a picture of each kind of device that a drive has something to show of.

    Args:
        out: a folder.
        wanted: kinds; none: all.
    """
    out.mkdir(exist_ok=True)
    drawn: set[str] = set()
    for drive in drives():
        left = wanted - drawn
        if wanted and (not left or (drive.kinds and left.isdisjoint(drive.kinds))):
            continue
        times, states, nodes = _record(drive)
        for node in nodes:
            is_wanted = all(node.kind in each for each in (drive.kinds, wanted) if each)
            panels = list(_panels(node, times, states)) if is_wanted else []
            if panels and node.kind not in drawn:
                drawn.add(node.kind)
                (out / f"{node.kind}.svg").write_text(_svg(panels), encoding="utf-8")


def _record(drive: Drive) -> tuple[Floats, list[State], list[TreeNode]]:
    """Times [s] and copies of the state on the way, and the robot's devices."""
    states = []
    with Simulation(drive.world, report=lambda notice: None) as simulation:
        if drive.command is not None:
            device, values = drive.command
            command = command_for(simulation.tree, f"{drive.robot}.{device}", values)
            simulation.queue([command])
        steps = round(drive.seconds / simulation.step_seconds)
        stride = max(1, steps // SAMPLES)
        for step in range(steps):
            simulation.step()
            if step % stride == 0:
                states.append(State(simulation.tree, bytearray(simulation.state.buffer)))
    robot = next(each for each in simulation.tree.robots if each.name == drive.robot)
    devices = [node for part in robot.children for node in part.children]
    return np.array([state.time for state in states]), states, devices


def _panels(node: TreeNode, times: Floats, states: list[State]) -> Iterator[Panel]:
    fields = list(node.fields)
    if node.kind == LidarSensor.__name__:
        yield _scan(node, states[-1])
        return
    if node.kind == INS.__name__:
        yield _errors(node, times, states)
    for field in fields[:MOST_PANELS]:
        values: list[Any] = [state.value(node, field) for state in states]
        unit = f" [{field.unit}]" if field.unit != "1" else ""
        if field.type is FieldType.TEXT:
            if "RMC" not in str(values[0]):
                continue
            yield _track([str(value) for value in values])
        elif field.is_list:
            if not any(map(len, values)):
                continue
            yield _dots(field, times, values)
        elif np.size(values[0]) <= MOST_CURVES:
            rows = np.array(values, dtype=np.float64).reshape(len(times), -1)
            yield f"{field.name}{unit}", _curves(times, rows)


def _errors(node: TreeNode, times: Floats, states: list[State]) -> Panel:
    """How far a robot believes to be from where it is."""
    robot, _, _ = node.name.split(".")
    tree = states[0].tree
    belief, truth = (tree.find(f"{robot}.{name}") for name in STATES)
    assert belief is not None
    assert truth is not None
    field = next(each for each in truth.fields if each.name == "position")
    places = [
        np.subtract(state.value(belief, field), state.value(truth, field)) for state in states
    ]
    return "believed less true place, east and north [m]", _curves(times, np.array(places)[:, :2])


def _curves(times: Floats, rows: Floats) -> list[str]:
    low, high = _span(rows)
    found = _axes(times[0], times[-1], low, high)
    for column, colour in zip(rows.T, COLOURS, strict=False):
        x, y = _place(times, times[0], times[-1], WIDTH), _place(column, low, high, HEIGHT)
        points = " ".join(f"{a:.1f},{HEIGHT - b:.1f}" for a, b in zip(x, y, strict=True))
        found.append(f'<polyline points="{points}" fill="none" stroke="{colour}"/>')
    return found


def _dots(field: Field, times: Floats, values: list[Any]) -> Panel:
    """One measure of each row of a list over time: an impulse, or the first that has a unit."""
    columns = [number for number, each in enumerate(field.columns) if each.unit != "1"] or [0]
    columns.sort(key=lambda number: field.columns[number].name != "impulse")
    column = field.columns[columns[0]]
    points = [
        (time, row[columns[0]])
        for time, rows in zip(times[::2], values[::2], strict=True)
        for row in np.asarray(rows)
    ]
    found = np.array(points).reshape(-1, 2)
    title = f"{field.name}: {column.name} [{column.unit}] of each row"
    low, high = _span(found[:, 1])
    return title, [
        *_axes(times[0], times[-1], low, high),
        *_circles(found, times[0], times[-1], low, high),
    ]


def _track(sentences: list[str]) -> Panel:
    fixes = list(map(read_rmc, sentences))
    first = fixes[0]
    projection = MapProjection((first.latitude, first.longitude))
    places = projection.to_local(np.array([(fix.latitude, fix.longitude) for fix in fixes]))
    return "places from the first one, north is up [m]", _map(places)


def _scan(node: TreeNode, state: State) -> Panel:
    """The places that a lidar has met in its last revolution, from above."""
    field = next(each for each in node.fields if len(each.shape) == 2)
    ranges = np.asarray(state.value(node, field))
    angles = np.linspace(0.0, 2.0 * np.pi, ranges.shape[1], endpoint=False)
    across = np.column_stack([-np.sin(angles), np.cos(angles)])
    places = (ranges[::3, :, None] * across).reshape(-1, 2)
    met = ranges[::3].reshape(-1) > 0.0
    return "places met by every third channel, from above, ahead is up [m]", _map(places[met])


def _map(places: Floats) -> list[str]:
    """Places (n, 2) as dots, to the right and up."""
    (left, right), (low, high) = _span(places[:, 0]), _span(places[:, 1])
    # A metre is as long across as it is upwards.
    wide = (high - low) * WIDTH / HEIGHT
    if right - left < wide:
        left, right = (left + right - wide) / 2, (left + right + wide) / 2
    else:
        tall = (right - left) * HEIGHT / WIDTH
        low, high = (low + high - tall) / 2, (low + high + tall) / 2
    return [*_axes(left, right, low, high), *_circles(places, left, right, low, high)]


def _circles(places: Floats, left: float, right: float, low: float, high: float) -> list[str]:
    x, y = _place(places[:, 0], left, right, WIDTH), _place(places[:, 1], low, high, HEIGHT)
    marks = "".join(f"M{a:.0f} {HEIGHT - b:.0f}h2" for a, b in zip(x, y, strict=True))
    return [f'<path d="{marks}" stroke="{COLOURS[0]}" stroke-width="2"/>']


def _span(values: Floats) -> tuple[float, float]:
    """A little more than what lies between the least and the greatest."""
    if not values.size:
        return 0.0, 1.0
    low, high = float(np.min(values)), float(np.max(values))
    # Rounding alone is no curve.
    room = 0.05 * (high - low) if high - low > _LEAST_SPAN else 0.5
    return low - room, high + room


def _place(values: Floats, low: float, high: float, length: float) -> Floats:
    return np.asarray((values - low) / (high - low) * length)


def _axes(left: float, right: float, low: float, high: float) -> list[str]:
    return [
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fafafa" stroke="#bbb"/>',
        f'<text x="-4" y="10" text-anchor="end">{_number(high, high - low)}</text>',
        f'<text x="-4" y="{HEIGHT}" text-anchor="end">{_number(low, high - low)}</text>',
        f'<text x="0" y="{HEIGHT + 12}">{_number(left, right - left)}</text>',
        f'<text x="{WIDTH}" y="{HEIGHT + 12}" text-anchor="end">'
        f"{_number(right, right - left)}</text>",
    ]


def _number(value: float, span: float) -> str:
    """A number with as many digits as a span of such numbers needs."""
    return f"{value:.{max(0, int(np.ceil(1.0 - np.log10(span))))}f}"


def _svg(panels: list[Panel]) -> str:
    step = HEIGHT + 40
    size = f"{WIDTH + MARGIN + 30} {step * len(panels)}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" font-size="11" '
        'font-family="sans-serif" fill="#333" style="background:#fff">'
    ]
    for number, (title, elements) in enumerate(panels):
        parts += [
            f'<g transform="translate({MARGIN + 14} {number * step + 22})">',
            f'<text x="0" y="-6">{title}</text>',
            *elements,
            "</g>",
        ]
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    draw(DOCS / "devices", set(sys.argv[1:]))
