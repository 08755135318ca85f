"""The defaults of the files and those of the records are the same."""

from dataclasses import MISSING, Field, fields
from math import pi
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autosim.config import descriptions
from autosim.config.schema import Element
from autosim.config.xml_axes import body_direction, body_extent, body_vector, world_yaw
from autosim.kinds.kind import AnyDeviceKind
from autosim.kinds.registry import BUILT_IN
from autosim.loading.loader import load_robot, load_world
from autosim.loading.reference import FILES, markdown
from tests.config.samples import WORLD, write, write_world
from tests.paths import ROOT

MINIMAL = """\
<Robot name="r">
  <Parts>
    <Box name="b"><Size x="1" y="1" z="1"/><Mass value="1"/></Box>
    <Box name="c"><Size x="1" y="1" z="1"/><Mass value="1"/></Box>
    {hinge}
  </Parts>
  <Devices>
    <DriveActuator name="drive"><Part name="b"/></DriveActuator>
    {beside}
    <{kind} name="d"><Part name="b"/>{required}</{kind}>
  </Devices>
</Robot>
"""

HINGE = """\
<RevoluteLink name="hinge">
  <Parent name="b"/><Child name="c"/><Position x="0" y="0" z="0"/><Axis x="1" y="0" z="0"/>
</RevoluteLink>
"""

REQUIRED = {
    "WheelDevice": '<DriveActuator name="drive"/><Position x="0" y="0" z="0"/>'
    '<Radius value="1"/><Width value="1"/><SuspensionRestLength value="1"/>'
    '<SuspensionKs value="1"/><SuspensionKd value="1"/>',
    "Motor": '<Link name="hinge"/><MaxForce value="1"/><Stiffness value="1"/>',
    "LinkSensor": '<Link name="hinge"/>',
    "Propeller": '<MaxThrust value="1"/>',
    "GyroscopeSensor": '<Axis x="0" y="1" z="0"/>',
    "InclinometerSensor": '<Axis x="1" y="0" z="0"/>',
    "Odometer": '<Wheel name="wheel"/>',
    "WheelEncoder": '<Wheel name="wheel"/>',
    "WheelForceSensor": '<Wheel name="wheel"/>',
    "DriveSensor": '<DriveActuator name="drive"/>',
    "FlatTyre": '<Wheel name="wheel"/>',
    "KinematicWheel": '<Position x="0" y="0" z="0"/><Radius value="1"/><Width value="1"/>',
    "Float": '<Size x="1" y="1" z="1"/>',
}
WHEEL = f'<WheelDevice name="wheel"><Part name="b"/>{REQUIRED["WheelDevice"]}</WheelDevice>'
BESIDE = {
    "INS": '<IMU name="u"><Part name="b"/></IMU>',
    "Odometer": WHEEL,
    "WheelEncoder": WHEEL,
    "WheelForceSensor": WHEEL,
    "FlatTyre": WHEEL,
    "KinematicWheel": '<KinematicVehicle name="v" model="KS"><Part name="b"/></KinematicVehicle>',
}
"""The devices that a kind cannot do without."""

GIVEN = {
    "WheelDevice": {
        *("drive_actuator", "radius", "width", "suspension_rest_length"),
        *("suspension_ks", "suspension_kd"),
    },
    "Motor": {"link", "max_force", "stiffness"},
    "LinkSensor": {"link"},
    "Propeller": {"max_thrust"},
    "InclinometerSensor": {"axis"},
    "Odometer": {"wheel"},
    "WheelEncoder": {"wheel"},
    "WheelForceSensor": {"wheel"},
    "DriveSensor": {"drive_actuator"},
    "KinematicWheel": {"radius", "width"},
    "FlatTyre": {"wheel"},
    "Float": {"size"},
}


def default_of(field: Field[object]) -> object:
    return field.default if field.default is not MISSING else MISSING


@pytest.mark.parametrize(
    "kind",
    # The defaults of the first stand in the table of its parameters alone; the second needs a file.
    [each for each in BUILT_IN if each.name not in ("KinematicVehicle", "FMU")],
    ids=lambda kind: kind.name,
)
def test_a_device_has_a_record_with_the_same_defaults(tmp_path: Path, kind: AnyDeviceKind) -> None:
    name = kind.name
    text = MINIMAL.format(
        kind=name,
        required=REQUIRED.get(name, ""),
        beside=BESIDE.get(name, ""),
        # Nothing hangs on what a kinematic vehicle moves.
        hinge="" if name == "KinematicWheel" else HINGE,
    )
    device = load_robot(write(tmp_path, text)).devices[-1]
    assert type(device) is kind.record
    for field in fields(device):
        if default_of(field) is not MISSING and field.name not in GIVEN.get(kind.name, ()):
            assert getattr(device, field.name) == pytest.approx(default_of(field)), field.name


def test_a_world_without_graphics_and_physics_has_the_defaults_of_the_records(
    tmp_path: Path,
) -> None:
    start, end = WORLD.index("  <Graphics>"), WORLD.index("  <Terrain>")
    world = load_world(write_world(tmp_path, WORLD[:start] + WORLD[end:]))
    assert world.graphics == descriptions.GraphicsDescription()
    assert world.physics == descriptions.PhysicsDescription()


COORDINATE = st.floats(-1000, 1000).filter(lambda number: abs(number) > 1e-6)
VECTOR = st.tuples(COORDINATE, COORDINATE, COORDINATE)


@given(VECTOR)
def test_the_body_frame_is_the_files_axes_turned_and_mirrored(
    xml: tuple[float, float, float],
) -> None:
    right, up, forward = xml
    assert body_vector(xml) == (forward, -right, up)
    assert body_extent(xml) == (forward, right, up)
    length = sum(each**2 for each in body_direction(xml)) ** 0.5
    assert length == pytest.approx(1.0)


def test_angles_turn_from_north_clockwise_to_east_counter_clockwise() -> None:
    assert world_yaw(0.0) == pi / 2
    assert world_yaw(pi / 2) == 0.0


@given(position=VECTOR, size=st.floats(0.001, 1000), mass=st.floats(0.001, 1e6))
def test_numbers_survive_the_file_unchanged(
    tmp_path_factory: pytest.TempPathFactory,
    position: tuple[float, float, float],
    size: float,
    mass: float,
) -> None:
    x, y, z = position
    box = f'<Position x="{x!r}" y="{y!r}" z="{z!r}"/><Size x="{size!r}" y="1" z="1"/>'
    text = (
        f'<Robot name="r"><Parts><Box name="b">{box}<Mass value="{mass!r}"/></Box></Parts></Robot>'
    )
    (part,) = load_robot(write(tmp_path_factory.getbasetemp(), text, "numbers.xml")).parts
    assert part.position == body_vector(position)
    assert part.size == (1.0, size, 1.0)
    assert part.mass == mass


def every(element: Element) -> list[Element]:
    below = [*element.children]
    if element.open_children:
        below.append(element.open_children.element)
    return [element, *(each for child in below for each in every(child))]


ELEMENTS = [each for root in FILES for each in every(root)]


@pytest.mark.parametrize("element", ELEMENTS, ids=lambda element: element.name)
def test_every_element_is_described_and_its_defaults_are_allowed(element: Element) -> None:
    assert element.description.endswith(".")
    for attribute in element.attributes:
        default = attribute.default
        if isinstance(default, float | int):
            assert default in attribute.interval
        if attribute.allowed and default is not None:
            assert default in attribute.allowed


def test_the_reference_in_the_documentation_is_up_to_date() -> None:
    written = ROOT / "docs" / "configuration.md"
    assert written.read_text(encoding="utf-8") == markdown(), (
        "renew it: python -m autosim.loading.reference > docs/configuration.md"
    )
