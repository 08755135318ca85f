"""The orders to a server beyond its control: other worlds, more robots, user programs, saving."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import grpc

from autosim.client.link.client_errors import explain_rpc_error
from autosim.client.link.simulation_control import (
    LOAD_SECONDS,
    SimulationControl,
    Status,
    status_of,
)
from autosim.orders.programs import OrderProgram, ProgramAction, ProgramReport, ProgramReports
from autosim.orders.robot_orders import AddRobot, MoveRobot
from autosim.v1 import autosim_pb2 as pb
from autosim.v1.autosim_pb2_grpc import SimulatorStub


@dataclass(frozen=True, slots=True)
class LoadStep:
    """Progress of loading; `is_done` with the last one, which has the `warnings`."""

    step: str
    """Current step of the preparation."""
    share: float
    """Share of the work that is done, 0 to 1."""
    is_done: bool = False
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Undone:
    """The change that was undone, in words, and the `next` one; "" where there is none."""

    text: str
    """Description of the undone change."""
    next: str


class ServerManagement:
    """Changes what a server simulates. Its methods may be called from any thread."""

    def __init__(self, control: SimulationControl) -> None:
        self._control = control

    def programs(self) -> ProgramReports:
        """The user programs, and how they fare.

        Raises:
            ClientError: the server has no world, or does not answer.
        """
        request = pb.ProgramsRequest()
        return _programs(
            self._control.call(lambda stub: stub.Programs(request, timeout=LOAD_SECONDS))
        )

    def stop_program(self, robot: str) -> ProgramReports:
        """Ends the user program of a robot, which then brakes; returns all programs.

        Raises:
            ClientError: none runs, or the server does not answer.
        """
        return self.order_program(OrderProgram(ProgramAction.STOP, robot))

    def restart_program(self, robot: str, arguments: Sequence[str] | None = None) -> ProgramReports:
        """Starts or restarts the program of a robot; its file is read again.

        Args:
            robot: its name.
            arguments: take the place of those that the program had; None: it keeps them.

        Raises:
            ClientError: the robot has none, or the server does not answer.
        """
        new = None if arguments is None else tuple(arguments)
        return self.order_program(OrderProgram(ProgramAction.RESTART, robot, arguments=new))

    def attach_program(
        self, robot: str, file: str, arguments: Sequence[str] = ()
    ) -> ProgramReports:
        """Makes a file of the server's folders the user program of a robot that has none.

        Raises:
            ClientError: it cannot be, or the server does not answer.
        """
        order = OrderProgram(ProgramAction.ATTACH, robot, file, tuple(arguments))
        return self.order_program(order)

    def take_over(self, robot: str) -> ProgramReports:
        """Ends the program that drives a robot, or is about to; returns all programs.

        The server restarts its own program when the new driver of the robot has left.

        Raises:
            ClientError: there is no such robot, or the server does not answer.
        """
        return self.order_program(OrderProgram(ProgramAction.TAKE_OVER, robot))

    def give_back(self, robot: str) -> ProgramReports:
        """Starts what `take_over` has ended, if the server has not done so yet.

        Raises:
            ClientError: there is no such robot, or the server does not answer.
        """
        return self.order_program(OrderProgram(ProgramAction.GIVE_BACK, robot))

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

    def add_robot(self, order: AddRobot) -> Status:
        """Puts a robot into the simulation, which continues in place.

        Raises:
            ClientError: it cannot be, or the server does not answer.
        """
        request = order.to_message()
        return self._status(lambda stub: stub.AddRobot(request, timeout=LOAD_SECONDS))

    def move_robot(self, order: MoveRobot) -> Status:
        """Moves a robot or an object; a robot's program continues.

        Raises:
            ClientError: it cannot stand there, or the server does not answer.
        """
        request = order.to_message()
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

    def order_program(self, order: OrderProgram) -> ProgramReports:
        """Gives an order to the program of a robot; returns all programs.

        Raises:
            ClientError: it cannot be carried out, or the server does not answer.
        """
        request = order.to_message()
        return _programs(
            self._control.call(lambda stub: stub.ControlProgram(request, timeout=LOAD_SECONDS))
        )


def _programs(found: pb.ProgramList) -> ProgramReports:
    return tuple(ProgramReport.from_message(each) for each in found.programs)
