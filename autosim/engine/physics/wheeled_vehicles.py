"""The vehicles of a world: the wheel model between the physics' rays and its forces."""

from collections.abc import Callable, Sequence

import numpy as np

from autosim.arrays import Floats
from autosim.engine.physics.engine_bodies import EngineBodies
from autosim.jit import bind_arguments
from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.banks import DriveReadings
from autosim.model.bodies import BodyForces
from autosim.model.environment.standard_atmosphere import AIR_DENSITY
from autosim.model.snapshot import Memory
from autosim.rays.ray_scene import RayScene
from autosim.vehicle.body.body_motion import BodyMotion
from autosim.vehicle.body.body_state import BodyState, body_parameters
from autosim.vehicle.commands.drive_controls import ANGLE, ControlState, controls_of
from autosim.vehicle.contact.grip import ASPHALT, Grip
from autosim.vehicle.contact.wheel_contacts import WheelContacts
from autosim.vehicle.drivetrain.drivetrains import (
    MOTOR_TORQUE,
    DrivetrainState,
    drivetrains_of,
)
from autosim.vehicle.model import wheel_forces
from autosim.vehicle.wheels.wheel_arrays import (
    LOAD,
    SLIP_ANGLE,
    MountedWheel,
    WheelState,
    wheel_parameters,
)

_TURNING = 2
"""Index of the turning rate [rad/s] in the fields of a `WheelDevice`."""


class WheeledVehicles:
    """All wheels of all robots.

    Args:
        bodies: of all robots, in whose states every `actuate` finds how they move by then.
        wheels: of all robots, see `autosim.vehicle.wheels.wheel_arrays.mount_wheels`.
        actuators: of all robots, in the order of the commands' rows.
        step_seconds: length of a step [s].
        gravity: [m/s^2].
        rays: what wheels may stand on.
        grip: of the triangles of `rays`; without it every wheel has the friction 1.
        air_density: [kg/m^3] of what resists them.

    `wheel_output`: (n_wheels, 7) float64, one row for each of `wheels` with the fields of a
    `WheelDevice` in their order, as of the last `actuate`. `surface_friction`: (n_wheels,)
    factor on each tyre's friction of what it stood on in the last `actuate`. `wheels`,
    `wheel_state`, `drivetrains` and `controls`: parameters and memory of the compiled step.
    """

    def __init__(
        self,
        bodies: EngineBodies,
        *,
        wheels: Sequence[MountedWheel],
        actuators: Sequence[DriveActuator],
        step_seconds: float,
        gravity: float,
        rays: RayScene,
        grip: Grip = ASPHALT,
        air_density: float = AIR_DENSITY,
    ) -> None:
        self._physics, states = bodies.physics, bodies.states
        self._rays = rays
        parameters = body_parameters(bodies.parts, air_density=air_density, moved=bodies.moved)
        self._parameters = parameters
        self._empty = parameters._replace(
            mass=parameters.mass.copy(), inertia=parameters.inertia.copy()
        )
        self.wheels = wheel_parameters(wheels, actuators, mass=parameters.mass)
        self.wheel_state = WheelState.at_rest(self.wheels)
        self._motion = BodyMotion.zeros(len(bodies.parts))
        count = self.wheels.wheel_count
        drivetrains = drivetrains_of(actuators, wheels)
        controls = controls_of(actuators, wheels, step_seconds=step_seconds)
        self.drivetrains = DrivetrainState.at_rest(drivetrains, count)
        self.controls = ControlState.at_rest(controls)
        self._commands = np.zeros((len(actuators), 5))
        self._forces = BodyForces(parameters.centre_of_mass)
        contacts = WheelContacts.none(count)
        self.surface_friction: Floats = contacts.friction
        self.wheel_output: Floats = self.wheel_state.output
        self._move = bind_arguments(
            wheel_forces,
            self.wheels,
            parameters,
            BodyState(
                states.positions, states.orientations, states.velocities, states.angular_velocities
            ),
            drivetrains,
            controls,
            self._commands,
            rays.hierarchy,
            grip,
            gravity,
            step_seconds,
            self._motion,
            contacts,
            self.wheel_state,
            self.drivetrains,
            self.controls,
            np.zeros((count, 2)),
            self._forces.forces,
            self._forces.torques,
        )

    def memories(
        self, *, parts: Sequence[str], wheels: Sequence[str], actuators: Sequence[str]
    ) -> tuple[Memory, ...]:
        """Memory of bodies, wheels and actuators in addition to the state.

        Of wheels the deflection of the carcass (2) [m], which lags behind, how flat the tyre is
        (1), its forces and aligning torque (3) [N, N m], and the share of the brake that ABS
        leaves; of bodies the force and the torque (3, 3) [N, N m] of the last step's tyres, from
        which the next one predicts; of actuators gear and motor, the angle of the steering, and the
        commands that have not arrived there.
        """
        motion = self._motion
        return (
            Memory("WheelDevice", tuple(wheels), self.wheel_state.deflection),
            Memory("flatness", tuple(wheels), self.wheel_state.flatness),
            Memory("wheel force", tuple(wheels), self.wheel_state.force),
            Memory("brake", tuple(wheels), self.controls.share),
            Memory("drivetrain", tuple(actuators), self.drivetrains.rows),
            Memory("steering", tuple(actuators), self.controls.steering),
            Memory("steering command", tuple(actuators), self.controls.queue),
            Memory("tyre force", tuple(parts), motion.tyre_force),
            Memory("tyre torque", tuple(parts), motion.tyre_torque),
        )

    def drives(self, *, wheels: Sequence[str], actuators: Sequence[str]) -> DriveReadings:
        """Arrays that sensors read of wheels and actuators, in order."""
        state, parameters = self.wheel_state, self.wheels
        return DriveReadings(
            {name: row for row, name in enumerate(wheels)},
            {name: row for row, name in enumerate(actuators)},
            state.force,
            state.output[:, LOAD : SLIP_ANGLE + 1],
            np.where(parameters.is_steering > 0.0, parameters.actuator, -1),
            self.drivetrains.rows[:, : MOTOR_TORQUE + 1],
            self.controls.steering[:, ANGLE : ANGLE + 1],
        )

    def set_loads(self, body: int, masses: Floats, places: Floats) -> None:
        """Gives a body loads, from the next step on, in place of those that it has.

        Args:
            body: its number.
            masses: (k,) kg.
            places: (k, 3) m in B from the shape's centre.
        """
        parameters, arms = self._parameters, places - self._parameters.centre_of_mass[body]
        square = (arms * arms).sum(axis=1)[:, None] - arms * arms
        parameters.mass[body] = self._empty.mass[body] + masses.sum()
        added = (masses[:, None] * square).sum(axis=0)
        parameters.inertia[body] = self._empty.inertia[body] + added
        self._physics.set_loads(body, masses, arms)

    def turn_wheels(self, output: Floats) -> None:
        """Takes over how the wheels of another simulation of the same world turned.

        Args:
            output: (n_wheels, 7) as `wheel_output`; rows of zeros for wheels that are new.
        """
        is_known = np.any(output != 0.0, axis=1)
        self.wheel_output[is_known] = output[is_known]

    def roll_wheels(self, wheels: Sequence[int], speeds: Sequence[float]) -> None:
        """Makes wheels roll without slip, whatever they did before.

        Args:
            wheels: (n,) their rows.
            speeds: (n,) [m/s] at which each one's vehicle moves forward there.
        """
        self.wheel_output[wheels] = 0.0
        for wheel, speed in zip(wheels, speeds, strict=True):
            self.wheel_output[wheel, _TURNING] = speed / self.wheels.radius[wheel]

    def flatten(self, wheels: Sequence[int], flatness: Floats) -> None:
        """Says how flat tyres are to be.

        Args:
            wheels: (n,) their rows.
            flatness: (n,) from 0, inflated, to 1, without air.
        """
        self.wheel_state.wanted_flatness[wheels] = flatness

    def actuate(
        self,
        commands: Floats,
        also: Callable[[BodyForces], None] = lambda forces: None,
    ) -> None:
        """Applies to the bodies what their wheels and the air do in the coming step.

        Args:
            commands: (n_actuators, 5) float64, see `command_wheels`.
            also: adds what other actuators do.
        """
        self._commands[...] = commands
        self._rays.complete(lambda _: (self._move(), 0))
        also(self._forces)
        self._physics.apply(self._forces.forces, self._forces.torques)
