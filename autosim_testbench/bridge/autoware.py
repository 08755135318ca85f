"""Drives a vehicle by the topics of Autoware's planning simulator.

The devices of a KinematicVehicle have the fields of Autoware.Auto's messages. A launch file gives
them Autoware's topic names, such as `set:car.chassis.vehicle` = `/control/command/control_cmd`.
"""

from collections.abc import Sequence

from autosim.kinds.kinematic import kinematic_state, kinematic_vehicle, state_command
from autosim_testbench.bridge.device_kinds import kind_with
from autosim_testbench.nodes.node import Node
from autosim_testbench.nodes.parameters import number_of

_DRIVE = 1
"""Number of the gear in which a vehicle goes ahead."""

_GAIN = 0.8
"""Acceleration for each metre a second that is lacking [1/s]: there in about three seconds."""

_HARDEST = 2.0
"""Largest acceleration, either way [m/s²]: what passengers bear without holding on."""


class VehicleCommander(Node):
    """Keeps a vehicle at a speed and a steering angle.

    Parameters: `command` (VehicleControlCommand), `states` (VehicleStateCommand), `kinematic_state`
    (VehicleKinematicState): topics; `speed` [m/s] ahead, `steering` [rad], positive to the left.
    """

    def setup(self, arguments: Sequence[str]) -> None:
        """Connects."""
        vehicle = kinematic_vehicle.KinematicVehicle("", "")
        fields = kinematic_vehicle.KIND.fields_of(vehicle)
        self.command = kind_with("KinematicVehicle", fields)()
        self.states = kind_with("VehicleStateCommand", state_command.STATES)()
        self.state = kind_with("VehicleKinematicState", kinematic_state.FIELDS)()
        self._speed, self._steering = number_of(self, "speed"), number_of(self, "steering", 0.0)
        self.advertise(self.find_topic_name("command"), self.command)
        self.advertise(self.find_topic_name("states"), self.states)
        state = self.find_topic_name("kinematic_state")
        self.subscribe(state, self.state)
        self.register_input_function(state, self._control)

    def report(self) -> dict[str, object]:
        """Last speed of the vehicle."""
        return {"speed": round(self.state.longitudinal_velocity_mps, 3)}

    def _control(self) -> None:
        lacking = self._speed - self.state.longitudinal_velocity_mps
        self.command.long_accel_mps2 = min(max(_GAIN * lacking, -_HARDEST), _HARDEST)
        self.command.velocity_mps = self._speed
        self.command.front_wheel_angle_rad = self._steering
        self.command.stamp = self.state.stamp
        self.states.gear = _DRIVE
        for each in (self.command, self.states):
            each.stamp_ns, each.flagged = self.state.stamp_ns, True
