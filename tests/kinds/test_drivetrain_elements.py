"""Engines, gearboxes and differentials in robot files: what is read, and what is refused."""

import pytest

from autosim.config.diagnostics import ConfigError
from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.loading.loader import load_robot

ROBOT = """<Robot name="r">
  <Parts><Box name="b"><Size x="2" y="1" z="4"/><Mass value="1000"/></Box></Parts>
  <Devices>
    <DriveActuator name="drive">
      <Part name="b"/>
{drivetrain}
    </DriveActuator>
  </Devices>
</Robot>"""

ENGINE = """      <Engine idle_speed="80" top_speed="600" braking="40" inertia="0.2">
        <Torque speed="100" torque="150"/>
        <Torque speed="400" torque="200"/>
      </Engine>"""

GEARBOX = """      <Gearbox mode="automatic" reverse="4" final="3" shift_up="550" shift_down="150">
        <Gear ratio="4"/>
        <Gear ratio="2"/>
      </Gearbox>"""


def read(tmp_path, drivetrain):
    file = tmp_path / "r.xml"
    file.write_text(ROBOT.format(drivetrain=drivetrain), encoding="utf-8")
    (drive,) = load_robot(file).devices
    assert isinstance(drive, DriveActuator)
    return drive


def test_a_drivetrain_is_read(tmp_path):
    more = '      <Differentials rear="limited" rear_share="0.6" preload="50" locking="0.2"/>'
    drive = read(tmp_path, f"{ENGINE}\n{GEARBOX}\n{more}")
    assert drive.engine.curve == ((100.0, 150.0), (400.0, 200.0))
    assert drive.engine.idle_speed == 80.0
    assert drive.gearbox.ratios == (4.0, 2.0)
    assert drive.gearbox.final == 3.0
    assert drive.differentials.rear == "limited"
    assert drive.differentials.front == "open"
    assert drive.electric_motor is None


def test_without_any_there_is_a_motor_force_alone(tmp_path):
    drive = read(tmp_path, '      <MotorForce value="100"/>')
    assert not drive.has_motor
    assert drive.gearbox.ratios == (1.0,)
    assert drive.brake_balance is None
    assert drive.rear_steering is None


def test_a_manual_gearbox_takes_the_number_of_the_gear(tmp_path):
    drive = read(tmp_path, f"{ENGINE}\n{GEARBOX.replace('automatic', 'manual')}")
    gear = drive.kind.fields_of(drive)[-1]
    assert gear.limits.high == 2.0
    drive = read(tmp_path, f"{ENGINE}\n{GEARBOX}")
    assert drive.kind.fields_of(drive)[-1].limits.high == 1.0


@pytest.mark.parametrize(
    ("drivetrain", "message"),
    [
        (ENGINE, "r.xml:6: error: the <Engine> of <DriveActuator> 'drive' needs a <Gearbox>"),
        (GEARBOX, "needs an <Engine> or an <ElectricMotor>"),
        (
            f'      <MotorForce value="1"/>\n{ENGINE}\n{GEARBOX}',
            "has both <Engine> and <MotorForce>",
        ),
        (
            ENGINE.replace('speed="400"', 'speed="50"') + "\n" + GEARBOX,
            "r.xml:8: error: the speeds of <Torque> have to rise: 50 follows 100 rad/s",
        ),
        (
            f"{ENGINE.replace('80', '700')}\n{GEARBOX}",
            "idle_speed 700 rad/s is not below top_speed",
        ),
        (
            ENGINE + "\n" + GEARBOX.replace('ratio="2"', 'ratio="5"'),
            "the ratios of <Gear> have to fall: 5 follows 4",
        ),
        (
            ENGINE + "\n" + GEARBOX.replace('"150"', '"300"'),
            "would shift to and fro: after shift_up at 550 rad/s the motor turns at 275 rad/s",
        ),
        (
            ENGINE + "\n" + GEARBOX.replace('shift_up="550" ', ""),
            "an automatic <Gearbox> of several gears needs shift_up and shift_down",
        ),
        ('      <BrakesWith name="other"/>', "names 'other', which is not another DriveActuator"),
    ],
)
def test_what_does_not_fit_together_is_an_error_with_its_line(tmp_path, drivetrain, message):
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, drivetrain)
    assert message in str(caught.value)
