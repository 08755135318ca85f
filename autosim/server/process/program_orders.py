"""Orders to user programs, which are answered once they are carried out."""

from autosim.engine.programs.program_manager import ProgramOrderError
from autosim.helper_processes.process_socket import ControlSocket
from autosim.orders.programs import OrderProgram, ProgramAction
from autosim.server.process.process_messages import QueryResult
from autosim.server.process.steppable import Steppable


class ProgramOrders:
    """Orders of the front that are not answered yet.

    Args:
        simulation: has the programs.
        control: the connection to the front.
    """

    def __init__(self, simulation: Steppable, control: ControlSocket) -> None:
        self._simulation, self._control = simulation, control
        self._numbers: list[int] = []

    def __bool__(self) -> bool:
        return bool(self._numbers)

    def begin(self, number: int, order: OrderProgram) -> None:
        """Begins to carry out the order `number`; one that it cannot is answered at once."""
        programs = self._simulation.programs
        try:
            match order.action:
                case ProgramAction.STOP:
                    programs.stop(order.robot)
                case ProgramAction.RESTART:
                    programs.restart(order.robot, order.arguments)
                case ProgramAction.ATTACH:
                    programs.attach(order.robot, order.file, order.arguments or ())
                case ProgramAction.TAKE_OVER:
                    programs.take_over(order.robot)
                case ProgramAction.GIVE_BACK:
                    programs.give_back(order.robot)
        except ProgramOrderError as error:
            self._control.send(QueryResult(number, error))
        else:
            self._numbers.append(number)

    def answer(self, *, is_started: bool) -> None:
        """Answers orders once programs that end have left, and new ones have had a first turn.

        So the answer includes a program that fails at once. While it imports its modules, the
        simulation continues.

        Args:
            is_started: whether programs run yet; before, there is nothing to wait for.
        """
        if is_started and not self._simulation.participants.is_settled:
            return
        for number in self._numbers:
            self._control.send(QueryResult(number, self._simulation.programs.reports()))
        self.forget()

    def forget(self) -> None:
        """Drops all orders: others answer the callers."""
        self._numbers.clear()
