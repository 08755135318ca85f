"""Who drives whom: the actuators of a robot obey one user program at a time."""

from autosim.simulation.commands import DeviceError, DeviceErrorCode


class Drivers:
    """The program that drives each robot.

    A program drives a robot from the first time that it sets one of its actuators until it
    leaves. So one program may drive several robots, and any number may look on.
    """

    def __init__(self) -> None:
        self._by_robot: dict[str, tuple[int, str, str]] = {}

    def claim(self, robot: str, *, index: int, program: str, of: str) -> None:
        """Makes a program the driver of `robot`.

        Args:
            robot: its name.
            index: the program's number among all that have taken part.
            program: its name for people.
            of: the robot that it was started for.

        Raises:
            DeviceError: INVALID_OPERATION: another program drives it.
        """
        driver, name, own = self._by_robot.setdefault(robot, (index, program, of))
        if driver != index:
            raise DeviceError(
                DeviceErrorCode.INVALID_OPERATION,
                f"robot '{robot}' is driven by the program '{name}'; one program drives a robot at "
                f"a time: take over with autosim drive --robot {robot}, end that one with autosim "
                f"ctl stop-program {own}, or start the server with --safe",
            )

    def is_driven(self, robot: str) -> bool:
        """Whether a program drives `robot`."""
        return robot in self._by_robot

    def driven_by(self, index: int) -> tuple[str, ...]:
        """The robots that the program of that number drives."""
        return tuple(robot for robot, (driver, *_) in self._by_robot.items() if driver == index)

    def release(self, index: int) -> tuple[str, ...]:
        """The robots of that program are free; returns their names."""
        freed = self.driven_by(index)
        for robot in freed:
            del self._by_robot[robot]
        return freed
