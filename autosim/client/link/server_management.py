"""The orders to a server beyond its control: other worlds, more robots, user programs, saving."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from shlex import quote

import grpc

from autosim.client.link.client_errors import explain_rpc_error
from autosim.client.link.simulation_control import (
    LOAD_SECONDS,
    SimulationControl,
    Status,
    status_of,
)
from autosim.config.descriptions import Vector3
from autosim.model.program_status import ProgramStatus
from autosim.v1 import autosim_pb2 as pb
from autosim.v1.autosim_pb2_grpc import SimulatorStub


@dataclass(frozen=True, slots=True)
class ProgramInfo:
    """A user program of a server.

    `side`: server, client, or elsewhere. `last_words`: why it does not run. `turn_mean`,
    `turn_longest` [s]: from being woken to waiting, over the `turns` of the last second;
    `has_turn`: the step waits for it now. `drives`: the robots that obey it now.
    """

    robot: str
    file: str
    arguments: tuple[str, ...]
    side: str
    state: ProgramStatus
    last_words: str
    restarts: int
    turn_mean: float
    turn_longest: float
    turns: int
    has_turn: bool
    drives: tuple[str, ...] = ()

    @property
    def call(self) -> str:
        """The file with its arguments, on one line."""
        return " ".join((self.file, *map(quote, self.arguments)))


@dataclass(frozen=True, slots=True)
class LoadStep:
    """Progress of loading; `is_done` with the last one, which has the `warnings`."""

    step: str
    share: float
    is_done: bool = False
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RobotOrder:
    """A robot to add.

    `file` and `program` ("": none) are named as in world files, in the folders of the server.
    Without `position`, (x, y) [m] in W, it is put on a free lane; `yaw` [rad] counter-clockwise
    from east.
    """

    file: str
    name: str
    position: tuple[float, float] | None = None
    yaw: float = 0.0
    program: str = ""
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RobotMove:
    """Position for the origin of a robot or an object: `position` (x, y) [m] in W.

    `yaw` [rad] counter-clockwise from east, None: as it heads now. Of several levels it stands on
    the one nearest to `height` [m] in W, None: to its own height. There it moves at `velocity`
    [m/s] and turns at `angular_velocity` [rad/s]: forward, left, up.
    """

    robot: str
    position: tuple[float, float]
    yaw: float | None = None
    height: float | None = None
    velocity: Vector3 = (0.0, 0.0, 0.0)
    angular_velocity: Vector3 = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Undone:
    """The change that was undone, in words, and the `next` one; "" where there is none."""

    text: str
    next: str


class ServerManagement:
    """Changes what a server simulates. Its methods may be called from any thread."""

    def __init__(self, control: SimulationControl) -> None:
        self._control = control

    def programs(self) -> tuple[ProgramInfo, ...]:
        """The user programs, and how they fare.

        Raises:
            ClientError: the server has no world, or does not answer.
        """
        request = pb.ProgramsRequest()
        return _programs(
            self._control.call(lambda stub: stub.Programs(request, timeout=LOAD_SECONDS))
        )

    def stop_program(self, robot: str) -> tuple[ProgramInfo, ...]:
        """Ends the user program of a robot, which then brakes; returns all programs.

        Raises:
            ClientError: none runs, or the server does not answer.
        """
        return self._order(pb.ProgramOrder.Action.STOP, robot)

    def restart_program(
        self, robot: str, arguments: Sequence[str] | None = None
    ) -> tuple[ProgramInfo, ...]:
        """Starts or restarts the program of a robot; its file is read again.

        Args:
            robot: its name.
            arguments: take the place of those that the program had; None: it keeps them.

        Raises:
            ClientError: the robot has none, or the server does not answer.
        """
        return self._order(pb.ProgramOrder.Action.RESTART, robot, arguments=arguments)

    def attach_program(
        self, robot: str, file: str, arguments: Sequence[str] = ()
    ) -> tuple[ProgramInfo, ...]:
        """Makes a file of the server's folders the user program of a robot that has none.

        Raises:
            ClientError: it cannot be, or the server does not answer.
        """
        return self._order(pb.ProgramOrder.Action.ATTACH, robot, file=file, arguments=arguments)

    def take_over(self, robot: str) -> tuple[ProgramInfo, ...]:
        """Ends the program that drives a robot, or is about to; returns all programs.

        The server restarts its own program when the new driver of the robot has left.

        Raises:
            ClientError: there is no such robot, or the server does not answer.
        """
        return self._order(pb.ProgramOrder.Action.TAKE_OVER, robot)

    def give_back(self, robot: str) -> tuple[ProgramInfo, ...]:
        """Starts what `take_over` has ended, if the server has not done so yet.

        Raises:
            ClientError: there is no such robot, or the server does not answer.
        """
        return self._order(pb.ProgramOrder.Action.GIVE_BACK, robot)

    def load(
        self, world: str, *, is_safe: bool = False, steps_per_second: int = 0
    ) -> Iterator[LoadStep]:
        """Loads another world; to close the iterator before its end cancels that.

        Args:
            world: a world file or an extract in the server's folders; "": the present world, from
                its beginning.
            is_safe: start none of its programs.
            steps_per_second: of simulated time; 0: as its file says.

        Raises:
            ClientError: it cannot be used; the previous world continues.
        """
        request = pb.LoadRequest(world=world, is_safe=is_safe, steps_per_second=steps_per_second)
        stream = self._control.call(lambda stub: stub.Load(request))
        try:
            for each in stream:
                is_done = each.HasField("status")
                yield LoadStep(each.step, each.share, is_done, tuple(each.warnings))
        except grpc.RpcError as error:
            raise explain_rpc_error(error, self._control.address) from error
        finally:
            stream.cancel()

    def add_robot(self, robot: RobotOrder) -> Status:
        """Puts a robot into the simulation, which continues in place.

        Raises:
            ClientError: it cannot be, or the server does not answer.
        """
        x, y = robot.position or (0.0, 0.0)
        request = pb.AddRobotRequest(
            file=robot.file,
            name=robot.name,
            is_placed=robot.position is not None,
            x=x,
            y=y,
            yaw=robot.yaw,
            program=robot.program,
            arguments=robot.arguments,
        )
        return self._status(lambda stub: stub.AddRobot(request, timeout=LOAD_SECONDS))

    def move_robot(self, move: RobotMove) -> Status:
        """Moves a robot or an object; a robot's program continues.

        Raises:
            ClientError: it cannot stand there, or the server does not answer.
        """
        request = pb.MoveRobotRequest(
            robot=move.robot,
            x=move.position[0],
            y=move.position[1],
            yaw=move.yaw,
            height=move.height,
            velocity=_vector(move.velocity),
            angular_velocity=_vector(move.angular_velocity),
        )
        return self._status(lambda stub: stub.MoveRobot(request, timeout=LOAD_SECONDS))

    def remove_robot(self, robot: str) -> Status:
        """Takes a robot out of the simulation, which continues in place.

        Raises:
            ClientError: there is no such robot, or the server does not answer.
        """
        request = pb.RemoveRobotRequest(robot=robot)
        return self._status(lambda stub: stub.RemoveRobot(request, timeout=LOAD_SECONDS))

    def undo(self) -> Undone:
        """Undoes the last change: a robot added, removed or moved, an actuator set.

        Raises:
            ClientError: there is none, it cannot be undone, or the server does not answer.
        """
        request = pb.UndoRequest()
        report = self._control.call(lambda stub: stub.Undo(request, timeout=LOAD_SECONDS))
        return Undone(report.undone, report.next)

    def save(self, folder: str) -> str:
        """The current world: the text of a world file that will lie in `folder`.

        Raises:
            ClientError: the server has no world, or does not answer.
        """
        request = pb.SaveRequest(folder=folder)
        return self._control.call(lambda stub: stub.Save(request, timeout=LOAD_SECONDS)).text

    def _status(self, call: Callable[[SimulatorStub], pb.Status]) -> Status:
        return status_of(self._control.call(call))

    def _order(
        self,
        action: pb.ProgramOrder.Action,
        robot: str,
        *,
        file: str = "",
        arguments: Sequence[str] | None = None,
    ) -> tuple[ProgramInfo, ...]:
        order = pb.ProgramOrder(
            action=action,
            robot=robot,
            file=file,
            arguments=arguments or (),
            has_arguments=arguments is not None,
        )
        return _programs(
            self._control.call(lambda stub: stub.ControlProgram(order, timeout=LOAD_SECONDS))
        )


def _programs(found: pb.ProgramList) -> tuple[ProgramInfo, ...]:
    return tuple(
        ProgramInfo(
            robot=each.robot,
            file=each.file,
            arguments=tuple(each.arguments),
            side=each.side,
            state=ProgramStatus(each.state),
            last_words=each.last_words,
            restarts=each.restarts,
            turn_mean=1e-3 * each.turn_ms_mean,
            turn_longest=1e-3 * each.turn_ms_max,
            turns=each.turns,
            has_turn=each.has_turn,
            drives=tuple(each.drives),
        )
        for each in found.programs
    )


def _vector(numbers: Vector3) -> pb.Vector:
    x, y, z = numbers
    return pb.Vector(x=x, y=y, z=z)
