import math
from pathlib import Path

import pytest

from autosim.config.diagnostics import ConfigError, Diagnostics
from autosim.config.noise_records import WhiteGaussianNoise, WhiteNoise
from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.actuators.light import Follows, HeadLightDevice, LightDevice
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.kinds.sensors.motion.gyroscope import GyroscopeSensor
from autosim.kinds.sensors.perception.camera import Camera
from autosim.kinds.sensors.ranging.lidar_device import LidarSensor
from autosim.loading.loader import load_robot
from tests.config.samples import ROBOT, faults, spoiled, write


def test_parts_are_read_in_the_axes_of_the_body(tmp_path: Path) -> None:
    robot = load_robot(write(tmp_path, ROBOT))
    chassis, trailer = robot.parts
    assert robot.name == "cart"
    assert chassis.size == (4.8, 2.0, 1.2)
    assert chassis.centre_of_mass == (-0.7, -0.1, 0.3)
    assert trailer.position == (-10.0, 0.0, 0.0)
    assert trailer.centre_of_mass is None
    assert trailer.mass == 900.0
    assert robot.links[0].position == (-5.0, 0.0, 0.0)
    assert (robot.links[0].parent, robot.links[0].child) == ("chassis", "trailer")


def test_devices_keep_the_order_of_the_file_and_get_defaults(tmp_path: Path) -> None:
    drive, wheel, camera, gyroscope = load_robot(write(tmp_path, ROBOT)).devices
    assert isinstance(drive, DriveActuator)
    assert isinstance(wheel, WheelDevice)
    assert isinstance(camera, Camera)
    assert isinstance(gyroscope, GyroscopeSensor)
    assert (drive.brake_force, drive.max_steering_angle) == (10.0, 0.6)
    assert wheel.position == (1.35, 0.8, -0.45)
    assert (wheel.is_powered, wheel.is_steering, wheel.has_brakes) == (True, True, False)
    assert wheel.friction == 1.0
    assert camera.direction == pytest.approx((4 / math.sqrt(17), 0.0, -1 / math.sqrt(17)))
    assert gyroscope.axis == (0.0, -1.0, 0.0)
    assert gyroscope.noises == (
        WhiteGaussianNoise(0.01, 0.5),
        WhiteNoise(0.02, 0.0),
    )


LIGHTS = """
    <LightDevice name="brake_left">
      <Part name="chassis"/>
      <Position x="-0.6" y="0.1" z="-2.4"/>
      <Direction x="0" y="0" z="-2"/>
      <Diameter value="0.2"/>
      <Colour red="1" green="0.1" blue="0"/>
      <Follows name="drive" function="brake"/>
    </LightDevice>
    <HeadLightDevice name="head_left">
      <Part name="chassis"/>
      <ConeAngle value="0.4"/>
      <Range value="50"/>
    </HeadLightDevice>
"""


def test_lights_are_read_in_the_axes_of_the_body(tmp_path: Path) -> None:
    text = ROBOT.replace("  </Devices>", LIGHTS + "  </Devices>")
    brake, head = load_robot(write(tmp_path, text)).devices[-2:]
    assert brake == LightDevice(
        name="brake_left",
        part="chassis",
        position=(-2.4, 0.6, 0.1),
        direction=(-1.0, 0.0, 0.0),
        diameter=0.2,
        colour=(1.0, 0.1, 0.0),
        follows=Follows("drive", "brake"),
    )
    assert isinstance(head, HeadLightDevice)
    assert (head.cone_angle, head.range, head.follows) == (0.4, 50.0, None)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('<Follows name="drive"', '<Follows name="drove"', "is no DriveActuator; did you mean"),
        ('function="brake"', 'function="break"', "did you mean 'brake'?"),
        ('red="1"', 'red="255"', "<Colour> red: expected a number in [0, 1]"),
        ('z="-2"/>', 'z="0"/>', "<Direction> must not be the zero vector"),
    ],
)
def test_faults_of_lights_are_named(tmp_path: Path, old: str, new: str, expected: str) -> None:
    text = ROBOT.replace("  </Devices>", LIGHTS.replace(old, new) + "  </Devices>")
    with pytest.raises(ConfigError) as caught:
        load_robot(write(tmp_path, text))
    assert expected in str(caught.value)


def test_an_inclinometer_about_the_upright_axis_is_refused(tmp_path: Path) -> None:
    upright = '<InclinometerSensor name="i"><Part name="chassis"/><Axis x="0" y="2" z="0.01"/>'
    text = ROBOT.replace("  </Devices>", upright + "</InclinometerSensor>\n  </Devices>")
    with pytest.raises(ConfigError, match=r"stands upright.*a CompassSensor"):
        load_robot(write(tmp_path, text))


ERRORS = [
    ('<Mass value="1400.0"/>', '<Mass value="0"/>', "expected a number in [0.001, 1e+06] kg"),
    ('<Mass value="1400.0"/>', '<Mass value="-3"/>', "not -3"),
    ('<Mass value="1400.0"/>', '<Mass value="nan"/>', "finite number [kg], not 'nan'"),
    ('<Mass value="1400.0"/>', '<Mass value="-inf"/>', "finite number"),
    ('<Mass value="1400.0"/>', '<Mass value="1e999"/>', "finite number"),
    ('<Mass value="1400.0"/>', '<Mass value="heavy"/>', "expected a number [kg], not 'heavy'"),
    ('<Mass value="1400.0"/>', '<Mass value="1_400"/>', "expected a number"),
    ('<Mass value="1400.0"/>', '<Mass value=""/>', "expected a number"),
    ('<Mass value="1400.0"/>', "<Mass/>", "<Mass> needs the attribute 'value'"),
    ('<Mass value="1400.0"/>', '<Mass value="1"/><Mass value="2"/>', "more than once"),
    ('<Size x="2.0"', '<Size x="0.0"', "<Size> x: expected a number in [0.001, 1000] m"),
    ('<Size x="2.0" y="1.2"', '<Size x="2.0"', "<Size> needs the attribute 'y'"),
    ('<Position x="0.0"', '<Position x="1e30"', "at most 1e+07 m in size"),
    ('<Radius value="0.36"/>', '<Radius value="-0.36"/>', "<Radius> value: expected"),
    ('<Powered value="true"/>', '<Powered value="yes"/>', "expected true or false, not 'yes'"),
    ('<Type name="fixed"/>', '<Type name="fix"/>', "did you mean 'fixed'?"),
    ('<Alpha value="0.05"/>', '<Alpha value="0"/>', "expected a number in (0, 1]"),
    ('<Alpha value="0.05"/>', '<Alpha value="1.01"/>', "expected a number in (0, 1]"),
    ('<Axis x="2.0"', '<Axis x="0.0"', "<Axis> must not be the zero vector"),
    ('<Axis x="2.0" y="0.0"', '<Axis x="1e-12" y="0"', "zero vector"),
    ('<WhiteNoise range="0.02"', '<WhiteNoise range="-1"', "<WhiteNoise> range: expected"),
    ('<Box name="trailer">', '<Box name="chassis">', "there is already a 'chassis', <Box> in"),
    ('<Box name="trailer">', '<Box name="a.b">', "expected a name of letters"),
    ('<Box name="trailer">', "<Box>", "<Box> needs the attribute 'name'"),
    ('<SphericalLink name="towbar">', '<SphericalLink name="trailer">', "already a 'trailer'"),
    ('<Camera name="front_view">', '<Camera name="front_left">', "already a 'front_left'"),
    ('<Child name="trailer"/>', '<Child name="trailor"/>', "did you mean 'trailer'?"),
    ('<DriveActuator name="drive"/>', '<DriveActuator name="drove"/>', "is no DriveActuator"),
    ('y="-0.25" z="1.0"', 'y="-0.25" z="0"', "are parallel"),
]


@pytest.mark.parametrize(("old", "new", "message"), ERRORS)
def test_an_error_is_found_with_its_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    text, line = spoiled(ROBOT, old, new)
    found = [each for each in faults(tmp_path, text) if message in each.message]
    assert [(each.level, each.line) for each in found] == [("error", line)]
    with pytest.raises(ConfigError):
        load_robot(tmp_path / "file.xml")


WARNINGS = [
    ('<Mass value="1400.0"/>', '<Mass value="1" unit="kg"/>', "unknown attribute 'unit' of <Mass>"),
    (
        '<Alpha value="0.05"/>',
        '<Alfa value="0.05"/>',
        "unknown element <Alfa>",
    ),
    ('<Mass value="900.0"/>', '<Mass value="900.0">heavy</Mass>', "text in <Mass> is ignored"),
    ('<CenterOfMass x="0.1"', '<CenterOfMass x="1.1"', "lies outside its box"),
]


@pytest.mark.parametrize(("old", "new", "message"), WARNINGS)
def test_a_warning_is_found_and_the_file_loads(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    text, line = spoiled(ROBOT, old, new)
    diagnostics = Diagnostics()
    assert load_robot(write(tmp_path, text), diagnostics=diagnostics).name == "cart"
    (found,) = diagnostics.all
    assert (found.level, found.line) == ("warning", line)
    assert message in found.message


def test_an_unknown_element_is_a_warning_with_the_nearest_name(tmp_path: Path) -> None:
    text = ROBOT.replace("Alpha", "alfa")
    (found,) = faults(tmp_path, text)
    assert found.level == "warning"
    assert "unknown element <alfa>" in found.message
    assert found.message.endswith("did you mean 'Alpha'?")


def test_a_device_on_an_unknown_part_names_the_nearest(tmp_path: Path) -> None:
    text = ROBOT.replace('<Part name="chassis"/>', '<Part name="chasis"/>')
    found = faults(tmp_path, text)
    assert len([each for each in found if "did you mean 'chassis'?" in each.message]) == 4


def test_a_link_stands_after_its_parts(tmp_path: Path) -> None:
    start, end = ROBOT.index("    <SphericalLink"), ROBOT.index("  </Parts>")
    link = ROBOT[start:end]
    text = ROBOT.replace(link, "").replace("    <Box", link + "    <Box", 1)
    messages = [each.message for each in faults(tmp_path, text)]
    assert messages == [
        "<SphericalLink> 'towbar' must stand after its part 'chassis'",
        "<SphericalLink> 'towbar' must stand after its part 'trailer'",
    ]


def test_a_link_does_not_link_a_part_to_itself(tmp_path: Path) -> None:
    text = ROBOT.replace('<Child name="trailer"/>', '<Child name="chassis"/>')
    assert "links 'chassis' to itself" in faults(tmp_path, text)[0].message


def test_a_wheel_needs_an_actuator_of_its_own_part(tmp_path: Path) -> None:
    wheel_on_trailer = ROBOT.replace(
        '"front_left">\n      <Part name="chassis"/>', '"front_left">\n      <Part name="trailer"/>'
    )
    (found,) = faults(tmp_path, wheel_on_trailer)
    assert "a part with wheels needs one of its own" in found.message


def test_actuators_of_two_parts_have_two_names(tmp_path: Path) -> None:
    second = '<DriveActuator name="drive"><Part name="trailer"/></DriveActuator>\n  </Devices>'
    (found,) = faults(tmp_path, ROBOT.replace("</Devices>", second))
    assert "there is already a 'drive'" in found.message


def test_devices_of_two_parts_may_share_a_name(tmp_path: Path) -> None:
    second = '<TimeDevice name="gyro0"><Part name="trailer"/></TimeDevice>\n  </Devices>'
    assert faults(tmp_path, ROBOT.replace("</Devices>", second)) == []


def test_a_robot_without_a_part_is_refused(tmp_path: Path) -> None:
    (found,) = faults(tmp_path, '<Robot name="r"><Parts/></Robot>')
    assert found.message.startswith("<Parts> needs a part: <Box>, <Sphere>, ")


def test_all_faults_come_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = (
        ROBOT.replace('"1400.0"', '"zero"')
        .replace('<Child name="trailer"/>', '<Child name="boat"/>')
        .replace('<Radius value="0.36"/>', "")
        .replace('<Alpha value="0.05"/>', '<Alpha value="2"/>')
    )
    with pytest.raises(ConfigError) as caught:
        load_robot(write(tmp_path, text))
    found = caught.value.diagnostics
    assert len(found) == 4
    assert [each.line for each in found] == sorted(each.line for each in found)
    assert str(found[0]) == f"{tmp_path / 'file.xml'}:7: error: " + found[0].message
    assert str(caught.value).count("\n") == 3


def test_a_file_full_of_faults_is_given_up(tmp_path: Path) -> None:
    text = ROBOT.replace("</Devices>", "<Nonsense/>" * 5000 + "</Devices>")
    found = faults(tmp_path, text)
    assert len(found) <= 200
    assert any("the file is not looked at further" in each.message for each in found)


LIDAR = """
    <LidarSensor name="lidar">
      <Part name="chassis"/>
      <Position x="-0.5" y="1.5" z="0.2"/>
      <Direction x="0" y="0" z="-3"/>
      <UpVector x="0" y="2" z="0"/>
      <Channels value="32"/>
      <MinElevation value="-0.4"/>
      <MaxElevation value="0.1"/>
      <Columns value="900"/>
      <UpdateRate value="20"/>
      <MinRange value="1"/>
      <Range value="80"/>
      <Dropout value="0.01"/>
      <WhiteGaussianNoise range="0.4"/>
    </LidarSensor>
"""


def test_a_lidar_is_read_in_the_axes_of_the_body(tmp_path: Path) -> None:
    text = ROBOT.replace("  </Devices>", LIDAR + "  </Devices>")
    assert load_robot(write(tmp_path, text)).devices[-1] == LidarSensor(
        name="lidar",
        part="chassis",
        noises=(WhiteGaussianNoise(0.4),),
        position=(0.2, 0.5, 1.5),
        direction=(-1.0, 0.0, 0.0),
        up=(0.0, 0.0, 1.0),
        channels=32,
        min_elevation=-0.4,
        max_elevation=0.1,
        columns=900,
        update_rate=20.0,
        min_range=1.0,
        range=80.0,
        dropout=0.01,
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('<Direction x="0" y="0"', '<Direction x="0" y="-1e9"', "<Direction> y: expected"),
        ('<Direction x="0" y="0" z="-3"', '<Direction x="0" y="-3" z="0"', "are parallel"),
        ('Elevation value="-0.4"', 'Elevation value="0.1"', "is not less than <MaxElevation>"),
        ('<Range value="80"', '<Range value="0.5"', "is not less than <Range>, 0.5"),
        ('<Channels value="32"', '<Channels value="128"', "has 128 × 900 ranges; 65536"),
        ('<Channels value="32"', '<Channels value="1.5"', "<Channels> value: expected a whole"),
        ('<Dropout value="0.01"', '<Dropout value="1.01"', "<Dropout> value: expected"),
    ],
)
def test_faults_of_lidars_are_named(tmp_path: Path, old: str, new: str, expected: str) -> None:
    text, line = spoiled(ROBOT.replace("  </Devices>", LIDAR + "  </Devices>"), old, new)
    found = [each for each in faults(tmp_path, text) if expected in each.message]
    assert [each.level for each in found] == ["error"]
    assert found[0].line > line - 6


def test_a_part_says_how_it_moves_and_how_it_slides(tmp_path: Path) -> None:
    given = '<Motion name="kinematic"/><Friction value="0.9"/><Mass value="900.0"/>'
    text, _ = spoiled(ROBOT, '<Mass value="900.0"/>', given)
    chassis, trailer = load_robot(write(tmp_path, text)).parts
    assert (chassis.motion, chassis.friction) == ("dynamic", 0.5)
    assert (trailer.motion, trailer.friction) == ("kinematic", 0.9)


def test_a_wheel_needs_a_part_that_forces_move(tmp_path: Path) -> None:
    text = ROBOT.replace("<Mass", '<Motion name="static"/><Mass', 1)
    (fault,) = faults(tmp_path, text)
    assert fault.message == (
        "<WheelDevice> 'front_left' is on the part 'chassis', which is static: "
        "expected a dynamic one"
    )


IMU = """
    <IMU name="imu">
      <Part name="chassis"/>
      <Position x="0" y="0.1" z="0"/>
      <UpdateRate value="100"/>
      <Bias value="0.1" field="acceleration"/>
      <Scale deviation="0.01" field="angular_velocity"/>
      <RandomWalk density="0.001" time="100"/>
      <Quantization step="0.001"/>
      <Saturation lower="-20" upper="20"/>
      <Outlier probability="0.01" range="5"/>
      <Dropout probability="0.1"/>
      <Delay seconds="0.01" jitter="0.005"/>
      <Hold rate="50"/>
      <WhiteGaussianNoise density="0.1"/>
    </IMU>
    <Barometer name="barometer">
      <Part name="chassis"/>
      <SeaLevelPressure value="101000"/>
    </Barometer>
    <WheelEncoder name="encoder">
      <Part name="chassis"/>
      <Wheel name="front_left"/>
      <TicksPerTurn value="100"/>
    </WheelEncoder>
    <Odometer name="odometer">
      <Part name="chassis"/>
      <Wheel name="front_left"/>
      <Radius value="0.36"/>
    </Odometer>
"""


def with_devices(text: str) -> str:
    return ROBOT.replace("  </Devices>", text + "  </Devices>")


def test_sources_of_noise_act_in_the_order_of_the_file_and_the_rate_comes_last(
    tmp_path: Path,
) -> None:
    imu = load_robot(write(tmp_path, with_devices(IMU))).devices[-4]
    assert [type(each).__name__ for each in imu.noises] == [
        *("Bias", "Scale", "RandomWalk", "Quantization", "Saturation", "Outlier", "Dropout"),
        *("Delay", "Hold", "WhiteGaussianNoise", "Hold"),
    ]
    assert imu.noises[0].field == "acceleration"
    assert imu.position == (0.0, 0.0, 0.1)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            'field="acceleration"',
            'field="accelleration"',
            "<Bias> of <IMU> 'imu' acts on 'accelleration', which is none of angular_velocity, "
            "acceleration; did you mean 'acceleration'?",
        ),
        (
            '<SeaLevelPressure value="101000"/>',
            '<Bias value="1" field="pressure"/>',
            "the device has a single value: leave 'field' out",
        ),
        ('<Outlier probability="0.01"', '<Outlier probability="1.5"', "a number in [0, 1]"),
        ('<Dropout probability="0.1"', '<Dropout probability="-0.1"', "a number in [0, 1]"),
        ('<Quantization step="0.001"', '<Quantization step="0"', "<Quantization> step: expected"),
        ('<Saturation lower="-20" upper', "<Saturation upper", "needs the attribute 'lower'"),
        ('lower="-20"', 'lower="30"', "<Saturation> of <IMU> 'imu': lower, 30, is above upper, 20"),
        ('<RandomWalk density="0.001"', '<RandomWalk density="-1"', "<RandomWalk> density: exp"),
        ('<Delay seconds="0.01"', '<Delay seconds="61"', "a number in [0, 60] s"),
        ('jitter="0.005"', 'jitter="-1"', "<Delay> jitter: expected a number in [0, 60] s"),
        ('<Hold rate="50"', '<Hold rate="0"', "<Hold> rate: expected"),
        ('<UpdateRate value="100"', '<UpdateRate value="-5"', "<UpdateRate> value: expected"),
        ('<UpdateRate value="100"/>', '<UpdateRate value="1"/>' * 2, "more than once"),
        ('<Wheel name="front_left"/>', "", "<WheelEncoder> 'encoder' needs <Wheel>"),
        ('<Wheel name="front_left"', '<Wheel name="rear_left"', "which is no WheelDevice"),
        ('<TicksPerTurn value="100"', '<TicksPerTurn value="0"', "<TicksPerTurn> value: expected"),
        ('<TicksPerTurn value="100"', '<TicksPerTurn value="0.5"', "expected a whole number"),
        ('<Radius value="0.36"/>\n    </Odo', '<Radius value="-1"/></Odo', "[0, 1000] m"),
        ('<SeaLevelPressure value="101000"', '<SeaLevelPressure value="101"', "[10000, 200000] Pa"),
    ],
)
def test_faults_of_noise_and_of_sensors_are_named(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    text, line = spoiled(with_devices(IMU), old, new)
    (found,) = (each for each in faults(tmp_path, text) if expected in each.message)
    assert found.level == "error"
    assert abs(found.line - line) <= 2
