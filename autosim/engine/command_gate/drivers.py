"""Drivers of each robot: current, waiting, taken over, and returned to.

Also the owner of each published list.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field

from autosim.model.commands import DeviceError, DeviceErrorCode


class AnotherDriverError(DeviceError):
    """A program has set an actuator of a robot that another program drives."""


@dataclass(frozen=True, slots=True)
class Driver:
    """A program that may drive.

    `index` is its number among all programs that have taken part, `program` its name for messages,
    `robot` the robot that it was started for. `is_remote`: it was started elsewhere, as a person at
    the controls is.
    """

    index: int
    program: str
    robot: str
    is_remote: bool = False


@dataclass(slots=True)
class _Seat:
    """The driver's seat of one robot.

    `waiting`: the robot's own programs, by number; each is to drive once it sets an actuator.
    `taken_from`: the robots whose programs were ended for a person, in that order; `taker`: the
    number of that person's program, once it drives. `owner`: the program that keeps up to date what
    the robot believes.
    """

    driver: Driver | None = None
    owner: Driver | None = None
    waiting: set[int] = field(default_factory=set)
    taken_from: list[str] = field(default_factory=list)
    taker: int | None = None
    is_blocked: bool = False


def _among(driver: Driver | None, indices: Collection[int]) -> Driver | None:
    return driver if driver is not None and driver.index in indices else None


class Drivers:
    """The driver of each robot, for all parts of the server.

    A robot is in one of three states. A program drives it from the first actuator that it sets
    until it leaves: so one program may drive several robots, and any number may look on.

                  a program sets an actuator
             ┌───────────────────────────────────┐
             │                                   ▼
        ┌────┴───┐    its driver has left    ┌────────┐
        │  free  │◀──────────────────────────│ driven │──┐ another program sets an
        └────┬───┘                           └─┬──────┘◀─┘ actuator: it is refused
             │ its own program                 │    ▲
             │ fails before                    │    │ a program sets an actuator
             │ it drives     ┌─────────┐       │    │
             └──────────────▶│ blocked │◀──────┘    │
                             │         │ its driver │
                             └────┬────┘ has failed │
                                  └─────────────────┘

    A free robot holds what was last set, by hand or by a program, and brakes once its driver has
    left. A driven one obeys its program, and what is set by hand until the program sets it again. A
    blocked one brakes, and is not set by hand.

    In addition, a person may take a robot over from the server's own programs. They are stopped,
    and restart when the robot is returned:

        its own ──a person takes over──▶ taken ──a program drives──▶ taken, with a taker
           ▲                               │                            │
           └─────────given back────────────┴──────the taker has left────┘
    """

    def __init__(self) -> None:
        self._seats: defaultdict[str, _Seat] = defaultdict(_Seat)
        self._due_back: list[str] = []
        self._publishers: dict[str, int] = {}

    def only(self, indices: Collection[int], robots: Collection[str]) -> "Drivers":
        """The part of this that another simulation takes over.

        Args:
            indices: numbers of the programs that continue there.
            robots: names of those that it simulates.
        """
        kept = Drivers()
        for robot in robots:
            seat = self._seats[robot]
            kept._seats[robot] = _Seat(
                driver=_among(seat.driver, indices),
                owner=_among(seat.owner, indices),
                waiting=seat.waiting.intersection(indices),
                is_blocked=seat.is_blocked,
            )
        kept._publishers = {
            name: index for name, index in self._publishers.items() if index in indices
        }
        return kept

    def take_over_from(self, other: "Drivers") -> None:
        """Continues with what `only` of another simulation gave."""
        self._seats.update(other._seats)
        self._publishers.update(other._publishers)

    def expect(self, driver: Driver) -> None:
        """Notes that the robot's own program takes part, and is to drive."""
        self._seats[driver.robot].waiting.add(driver.index)

    def claim(self, robot: str, driver: Driver) -> None:
        """Makes a program the driver of `robot`, which is blocked no longer.

        Raises:
            AnotherDriverError: another program drives it.
        """
        seat = self._seats[robot]
        present = seat.driver
        if present is None:
            seat.driver, seat.is_blocked = driver, False
            if seat.taken_from and seat.taker is None:
                seat.taker = driver.index
        elif present.index != driver.index:
            raise AnotherDriverError(
                DeviceErrorCode.INVALID_OPERATION,
                f"robot '{robot}' is driven by the program '{present.program}'; one program drives "
                f"a robot at a time: take over with autosim drive --robot {robot}, end that one "
                f"with autosim ctl stop-program {present.robot}, or start the server with "
                "--no-programs",
            )

    def publish(self, name: str, driver: Driver) -> None:
        """Makes a program the owner of a list, which it has set last."""
        self._publishers[name] = driver.index

    def withdraw(self, index: int) -> tuple[str, ...]:
        """Withdraws the program of that number, which has left; its lists lose their owner."""
        left = tuple(name for name, owner in self._publishers.items() if owner == index)
        for name in left:
            del self._publishers[name]
        return left

    def claim_belief(self, robot: str, driver: Driver) -> None:
        """Makes a program the owner of what `robot` believes, until it leaves.

        Raises:
            AnotherDriverError: another program owns it.
        """
        seat = self._seats[robot]
        if seat.owner is None:
            seat.owner = driver
        elif seat.owner.index != driver.index:
            raise AnotherDriverError(
                DeviceErrorCode.INVALID_OPERATION,
                f"what '{robot}' believes is owned by the program '{seat.owner.program}': one "
                "program sets it at a time",
            )

    def driver_of(self, robot: str) -> Driver | None:
        """The program that drives `robot`."""
        return self._seats[robot].driver

    def is_driven(self, robot: str) -> bool:
        """Whether a program drives `robot`."""
        return self._seats[robot].driver is not None

    def is_blocked(self, robot: str) -> bool:
        """Whether `robot` brakes since its program has failed, and is not set by hand."""
        return self._seats[robot].is_blocked

    def driven_by(self, index: int) -> tuple[str, ...]:
        """The robots that the program of that number drives."""
        return tuple(
            robot
            for robot, seat in self._seats.items()
            if seat.driver and seat.driver.index == index
        )

    def leave(self, index: int, *, has_failed: bool) -> tuple[str, ...]:
        """Removes the program of that number.

        Returns:
            the robots that are left without a driver, which have to brake: those that it drove, and
            its own if it has failed before it could drive it and no other drives it. If it has
            failed they are blocked.
        """
        for seat in self._seats.values():
            if seat.owner is not None and seat.owner.index == index:
                seat.owner = None
        driven = self.driven_by(index)
        awaited = [robot for robot, seat in self._seats.items() if index in seat.waiting]
        for robot in driven:
            self._seats[robot].driver = None
        self._due_back += [
            robot for robot, seat in self._seats.items() if seat.taken_from and seat.taker == index
        ]
        for robot in awaited:
            self._seats[robot].waiting.discard(index)
        missed = [robot for robot in awaited if has_failed and not self.is_driven(robot)]
        left = tuple(dict.fromkeys((*driven, *missed)))
        for robot in left:
            self._seats[robot].is_blocked = has_failed
        return left

    def miss(self, robot: str) -> tuple[str, ...]:
        """The robot's own program could not be started.

        Returns:
            the robot, which is blocked from now on; none where another program drives it.
        """
        if self.is_driven(robot):
            return ()
        self.block(robot)
        return (robot,)

    def block(self, robot: str) -> None:
        """Blocks a robot without a driver."""
        self._seats[robot].is_blocked = True

    def take_over(self, robot: str, owner: str | None) -> None:
        """A person takes `robot` over; its next driver is that person.

        Args:
            robot: its name.
            owner: the robot whose program drove it, and gets it back; None: none.
        """
        seat = self._seats[robot]
        seat.taker = None
        if owner is not None:
            seat.taken_from.append(owner)

    def give_back(self, robot: str) -> tuple[str, ...]:
        """The robots whose programs restart now that `robot` is returned."""
        seat = self._seats[robot]
        owners, seat.taken_from, seat.taker = seat.taken_from, [], None
        return tuple(reversed(owners))

    def take_due_back(self) -> tuple[str, ...]:
        """The robots whose takers have left since the last call: they are to be given back."""
        due, self._due_back = self._due_back, []
        return tuple(due)

    def is_taken_from(self, owner: str) -> bool:
        """Whether the program of the robot `owner` was ended for a person who still drives."""
        return any(owner in seat.taken_from for seat in self._seats.values())
