"""Who drives whom: the actuators of a robot obey one user program at a time."""

from autosim.simulation.commands import DeviceError, DeviceErrorCode


class Drivers:
    """The program that drives each robot.

    A program drives a robot from the first time that it sets one of its actuators until it
    leaves. So one program may drive several robots, and any number may look on.
    """

    def __init__(self) -> None:
        self._by_robot: dict[str, tuple[int, str]] = {}

    def claim(self, robot: str, *, index: int, program: str) -> None:
        """Makes a program the driver of `robot`.

        Args:
            robot: its name.
            index: the program's number among all that have taken part.
            program: its name for people.

        Raises:
            DeviceError: INVALID_OPERATION: another program drives it.
        """
        driver, name = self._by_robot.setdefault(robot, (index, program))
        if driver != index:
            raise DeviceError(
                DeviceErrorCode.INVALID_OPERATION,
                f"robot '{robot}' is driven by the program '{name}'; one program drives a robot at "
                f"a time: end that one, with autosim ctl stop-program {robot}, or start the "
                "server with --safe",
            )

    def is_driven(self, robot: str) -> bool:
        """Whether a program drives `robot`."""
        return robot in self._by_robot

    def release(self, index: int) -> tuple[str, ...]:
        """The robots of that program are free; returns their names."""
        freed = [robot for robot, (driver, _) in self._by_robot.items() if driver == index]
        for robot in freed:
            del self._by_robot[robot]
        return tuple(freed)
