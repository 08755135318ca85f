"""What holds for every kind of device: those that come with AutoSim, and a plug-in.

A kind that is put into the registry is tested here without further ado, except FMUs: they need a
compiled file, and have their own tests in tests/fmi.
"""

import time
from dataclasses import fields, replace

import numpy as np
import pytest

from autosim.config.descriptions import PlacedRobot
from autosim.config.diagnostics import ConfigError
from autosim.config.noise_records import WhiteGaussianNoise, WhiteNoise
from autosim.config.schema import Element, Occurs, ValueType
from autosim.engine.step.simulation import Simulation
from autosim.kinds.actuators import wheel
from autosim.kinds.element_reader import field_name
from autosim.kinds.elements import is_noise
from autosim.kinds.registry import BUILT_IN
from autosim.loading.loader import load_robot
from autosim.model.state import State
from autosim.model.tree import FieldType, SimulationTree
from autosim.userprogram.codec.tree_codec import tree_from_bytes, tree_to_bytes
from tests.kinds.plugins import write_thruster
from tests.worlds import flat_world, impreza_world

STEPS = 30
MANY = 100


@pytest.fixture(scope="module")
def plugin(tmp_path_factory):
    """The kind of a plug-in, whose record pickles and whose robot names its file."""
    folder = tmp_path_factory.mktemp("plugin")
    return write_thruster(folder).devices[0].kind, folder


@pytest.fixture(params=[kind.name for kind in BUILT_IN if kind.name != "FMU"] + ["plug-in"])
def kind(request, plugin):
    by_name = {kind.name: kind for kind in BUILT_IN}
    return by_name.get(request.param) or plugin[0]


def text_of(element: Element) -> str:
    """The least that may be written of an element: what is required, with allowed values."""
    own = " ".join(
        f'{each.name}="{_allowed(each)}"' for each in element.attributes if each.required
    )
    needed = [each for each in element.children if each.occurs in (Occurs.ONCE, Occurs.SOME)]
    return f"<{element.name} {own}>{''.join(map(text_of, needed))}</{element.name}>"


def _allowed(attribute) -> str:
    if attribute.type is ValueType.NAME:
        return "sample"
    if attribute.default is not None:
        return str(attribute.default).lower()
    return str(attribute.allowed[0] if attribute.allowed else 1)


HUNG = (
    '<Box name="hung"><Size x="1" y="1" z="1"/><Mass value="1"/></Box><RevoluteLink name="hinge">'
    '<Parent name="sample"/><Child name="hung"/><Position x="0" y="0" z="0"/>'
    '<Axis x="0" y="1" z="0"/></RevoluteLink>'
)
"""A part on a hinge, for what moves or measures it."""

UNIT = '<IMU name="unit"><Part name="sample"/></IMU>'
"""What an inertial navigation system cannot do without."""

DRIVEN = '<KinematicVehicle name="moves" model="KS"><Part name="sample"/></KinematicVehicle>'
"""What a wheel of a kinematic vehicle cannot do without."""

DRIVE = '<DriveActuator name="sample"><Part name="sample"/></DriveActuator>'
WHEEL = text_of(wheel.KIND.element).replace('name="sample">', 'name="wheel">', 1)


def robot_with(folder, kind, plugin):
    """A robot file with one device of a kind, all of whose references lead to 'sample'."""
    device = text_of(kind.element)
    if kind.name == "InclinometerSensor":
        device = device.replace('y="1"', 'y="0"')
    device = device.replace('<Link name="sample">', '<Link name="hinge">')
    hung = HUNG if kind.name in ("Motor", "LinkSensor") else ""
    others = "" if kind.name == "DriveActuator" else DRIVE
    others += UNIT if kind.name == "INS" else ""
    others += DRIVEN if kind.name == "KinematicWheel" else ""
    if "<Wheel " in device:
        device = device.replace('<Wheel name="sample"', '<Wheel name="wheel"')
        others += WHEEL
    device = device.replace('name="sample">', 'name="device">', 1)
    path = folder / "robot.xml"
    path.write_text(
        '<Robot name="r"><Plugin file="plugins/bow_thruster.py"/><Parts><Box name="sample">'
        f'<Size x="1" y="1" z="1"/><Mass value="1"/></Box>{hung}</Parts>'
        f"<Devices>{others}{device}</Devices></Robot>"
    )
    return load_robot(path, roots=[folder, plugin[1]])


def simulate(robot, *others, seed=0) -> Simulation:
    """`robot`, called r, and others out of its sight."""
    placed = [
        PlacedRobot("r" + "s" * place, each, position=(150.0 * place, 0.0, None), yaw=0.3)
        for place, each in enumerate((robot, *others))
    ]
    world = replace(impreza_world(), robots=tuple(placed))
    return Simulation(world, compiled=flat_world(), seed=seed, report=lambda notice: None)


def bytes_of(simulation: Simulation, name: str) -> list[bytes]:
    """The bytes of a node after each of a few steps."""
    node = simulation.tree.find(name)
    states = []
    for _ in range(STEPS):
        simulation.step()
        states.append(bytes(simulation.state.buffer[node.start : node.own_stop]))
    return states


def numbers_of(simulation: Simulation) -> list[np.ndarray]:
    """The values of all fields of real numbers."""
    state = simulation.state
    return [
        np.asarray(state.value(node, field))
        for node in simulation.tree.walk()
        for field in node.fields
        if field.type is FieldType.FLOAT
    ]


def noisy(device):
    has_noise = any(map(is_noise, device.kind.element.children))
    sources = (WhiteNoise(0.1), WhiteGaussianNoise(0.5, 0.01))
    return replace(device, noises=sources) if has_noise else device


def test_every_element_is_documented_and_has_a_field(kind):
    own = {each.name for each in fields(kind.record)}
    assert kind.element.description.endswith(".")
    for child in kind.element.children:
        assert child.description.endswith("."), child.name
        assert is_noise(child) or field_name(child.name, kind.names) in own
        for attribute in child.attributes:
            is_length = child.name in ("Position", "Size")
            assert not is_length or attribute.unit == "m", (child.name, attribute.name)


def test_every_field_has_a_unit_and_every_actuator_limits(kind):
    device = kind.record("device", "sample")
    for field in kind.fields_of(device):
        assert field.unit
        assert not field.meaning or field.meaning.endswith("."), field.name
        assert kind.access.value != "drive" or field.limits, field.name


def test_the_file_says_what_the_record_holds(tmp_path, kind, plugin):
    device = robot_with(tmp_path, kind, plugin).devices[-1]
    assert type(device) is kind.record
    assert device.part == "sample"
    assert device == robot_with(tmp_path, kind, plugin).devices[-1]


def test_its_bytes_and_its_description_come_back(kind):
    tree = SimulationTree()
    tree.register(kind.node("device", kind.record("device", "sample")))
    state = State(tree.lay_out())
    state.bytes[:] = np.random.default_rng(1).integers(0, 100, tree.stop, dtype=np.uint8)
    for node in tree.children:
        for field in node.fields:
            if field.columns:
                state.ints[node.field_offset(field.name) // 8] = 0
    copy = State(tree_from_bytes(tree_to_bytes(tree)))
    copy.from_bitstream(state.to_bitstream(), digest=tree.digest)
    assert bytes(copy.buffer) == bytes(state.buffer)
    assert copy.tree.children[0].access is kind.access


def test_the_same_seed_gives_the_same_bytes_and_another_device_changes_none(tmp_path, kind, plugin):
    robot = robot_with(tmp_path, kind, plugin)
    device = noisy(robot.devices[-1])
    alone = replace(robot, devices=(*robot.devices[:-1], device))
    other = replace(device, name="other")
    both = replace(robot, devices=(*robot.devices[:-1], other, device))
    worlds = [(alone,), (alone,), (alone, alone)]
    if kind.name != "WheelDevice":  # which carries its robot
        worlds.append((both,))
    runs = []
    for robots in worlds:
        with simulate(*robots, seed=7) as simulation:
            runs.append(bytes_of(simulation, "r.sample.device"))
    assert all(run == runs[0] for run in runs)


def test_steps_that_nobody_looks_at_change_no_byte(tmp_path, kind, plugin):
    robot = robot_with(tmp_path, kind, plugin)
    robot = replace(robot, devices=(*robot.devices[:-1], noisy(robot.devices[-1])))
    with simulate(robot, seed=7) as one_by_one, simulate(robot, seed=7) as at_once:
        for steps in (1, 6, 6, 7):
            for _ in range(steps):
                one_by_one.step()
            at_once.run(steps)
            assert bytes(at_once.state.buffer) == bytes(one_by_one.state.buffer)


def test_a_hundred_of_them_run(tmp_path, kind, plugin):
    robot = robot_with(tmp_path, kind, plugin)
    device = noisy(robot.devices[-1])
    many = tuple(replace(device, name=f"device{number}") for number in range(MANY))
    times = []
    for devices in ((), many):
        with simulate(replace(robot, devices=(*robot.devices[:-1], *devices))) as simulation:
            simulation.step()
            begin = time.perf_counter()
            for _ in range(STEPS):
                simulation.step()
            times.append((time.perf_counter() - begin) / STEPS)
            assert all(np.isfinite(each).all() for each in numbers_of(simulation))
    print(f"{kind.name}: {MANY} of them take {(times[1] - times[0]) * 1e6:.0f} µs a step")


SENSES_ITSELF = "it tells of the robot as a whole"
OF_A_WHEEL, OF_A_LINK = "its place is that of its wheel", "its place is that of its link"
RIGID = "it is the same at each place of a rigid part"
ITS_ECHO = "the sound that comes back says when"
NOBODY_MEASURES = "it measures nothing: no value can be wrong, late or old"

IDEAL = "it is the whole of an ideal vehicle, whose model has the delays that it is to have"

LACKS: dict[str, dict[str, str]] = {
    "DriveActuator": {"Position": "it acts where its wheels are"},
    "WheelDevice": dict.fromkeys(("UpdateRate", "noise", "Delay"), NOBODY_MEASURES),
    "Motor": {"Position": OF_A_LINK},
    "Float": dict.fromkeys(("UpdateRate", "noise", "Delay"), NOBODY_MEASURES),
    "FlatTyre": {"Position": OF_A_WHEEL}
    | dict.fromkeys(("UpdateRate", "noise", "Delay"), NOBODY_MEASURES),
    "Load": dict.fromkeys(("UpdateRate", "noise", "Delay"), NOBODY_MEASURES),
    "LightDevice": dict.fromkeys(("UpdateRate", "noise", "Delay"), NOBODY_MEASURES),
    "HeadLightDevice": dict.fromkeys(("UpdateRate", "noise", "Delay"), NOBODY_MEASURES),
    "NoisyContacts": {"noise": "its deviations are its noise, and it tells them"},
    "UltrasonicSensor": {"UpdateRate": ITS_ECHO, "Delay": ITS_ECHO},
    "ContactSensor": {
        "UpdateRate": "what was touched between two lists would be lost",
        "Position": "it is the whole part",
    },
    "RadioDevice": {
        "UpdateRate": "messages come when they are sent",
        "noise": "messages arrive as they are, or not: Loss",
        "Delay": "Latency and Jitter",
    },
    "LinkSensor": {"Position": OF_A_LINK},
    "GyroscopeSensor": {"Position": RIGID},
    "VelocimeterSensor": {"Position": "it measures the middle of the part"},
    "CompassSensor": {"Position": RIGID},
    "InclinometerSensor": {"Position": RIGID},
    "Odometer": {"Position": OF_A_WHEEL},
    "WheelEncoder": {"Position": OF_A_WHEEL},
    "WheelForceSensor": {"Position": OF_A_WHEEL},
    "DriveSensor": {"Position": "it is that of its drive"},
    "TimeDevice": {
        **dict.fromkeys(("UpdateRate", "noise", "Delay"), "the clock by which all is measured"),
        "Position": "time is the same everywhere",
    },
    "Camera": {
        "noise": "ReadNoise and FullWell say it, in electrons, DepthNoise that of depths",
        "Delay": "a picture is drawn from the state at which it is asked for",
    },
    "KinematicWheel": dict.fromkeys(("UpdateRate", "noise", "Delay"), NOBODY_MEASURES),
    **dict.fromkeys(
        (
            "KinematicVehicle",
            "VehicleStateCommand",
            "InitialPose",
            "VehicleKinematicState",
            "VehicleStateReport",
            "VehicleTransform",
        ),
        dict.fromkeys(("UpdateRate", "Position", "noise", "Delay"), IDEAL),
    ),
    "FMU": dict.fromkeys(
        ("UpdateRate", "noise", "Delay"), "its model has those that it is to have"
    ),
    **dict.fromkeys(
        ("ProgramState", "NoisyState", "SimpleINS", "INS"),
        dict.fromkeys(("UpdateRate", "Position", "noise", "Delay"), SENSES_ITSELF),
    ),
}
"""What a kind of device lacks of a rate, a place on its part, noise and a delay, and why."""


@pytest.mark.parametrize("known", BUILT_IN, ids=lambda known: known.name)
def test_a_device_has_a_rate_a_place_noise_and_a_delay_or_says_why_not(known):
    children = {each.name for each in known.element.children}
    found = children & {"UpdateRate", "Position", "Delay"}
    found |= {"noise"} if "WhiteGaussianNoise" in children else set()
    missing = {"UpdateRate", "Position", "noise", "Delay"} - found
    assert missing == LACKS.get(known.name, {}).keys()
    assert not children & {"Rate", "Frequency", "Hertz"}, "<UpdateRate> is the one word for it"
    rates = [each for each in known.element.children if each.name == "UpdateRate"]
    assert all(each.attributes[0].unit == "Hz" for each in rates)


def test_a_rate_under_its_old_name_says_what_replaces_it(tmp_path):
    radar = '<RadarSensor name="radar"><Part name="sample"/><Rate value="20"/></RadarSensor>'
    (tmp_path / "robot.xml").write_text(
        '<Robot name="r"><Parts><Box name="sample"><Size x="1" y="1" z="1"/><Mass value="1"/></Box>'
        f"</Parts><Devices>{radar}</Devices></Robot>"
    )
    with pytest.raises(ConfigError, match="<Rate> is no longer: write <UpdateRate> in its place"):
        load_robot(tmp_path / "robot.xml")
