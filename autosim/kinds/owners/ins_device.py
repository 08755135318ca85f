"""The record of an inertial navigation system."""

from dataclasses import dataclass

from autosim.config.descriptions import Device


@dataclass(frozen=True, slots=True)
class INS(Device):
    """An error-state Kalman filter keeps the robot's belief up to date.

    It begins at the truth and an error with these standard deviations: `start_position` [m],
    `start_turn` [rad], `start_velocity` [m/s], which is that of the velocity along its own axes.
    `rolling_deviation` [m/s] is that of the speed that a wheel tells, for tyres slip, and
    `sliding_deviation` [m/s] that of the speeds sideways and upwards of a robot on wheels, which
    are taken for 0.
    """

    start_position: float = 1.0
    start_turn: float = 0.01
    start_velocity: float = 0.1
    rolling_deviation: float = 0.2
    sliding_deviation: float = 0.6
