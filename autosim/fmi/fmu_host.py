"""The life of a process with an FMU: it answers orders until its parent closes the connection."""

import sys
from pathlib import Path

from autosim.fmi.fmu import Fmu, FmuError
from autosim.fmi.fmu_process import FmuFailure, FmuOrder, FmuState, FmuStep, SaveFmu
from autosim.helper_processes.process_socket import ControlClosedError, ControlSocket
from autosim.helper_processes.start import inherited_control


def main() -> None:
    """Serves the FMU that the first message orders."""
    control = inherited_control(int(sys.argv[1]))
    order, _ = control.receive()
    assert isinstance(order, FmuOrder)
    try:
        with Fmu(Path(order.path), dict(order.start), time=order.time) as fmu:
            if order.state is not None:
                fmu.restore((order.state.time, order.state.data))
            serve(fmu, order, control)
    except FmuError as error:
        control.send(FmuFailure(str(error)))


def serve(fmu: Fmu, order: FmuOrder, control: ControlSocket) -> None:
    """Sends the outputs now and after each step, and the state when it is asked for.

    Raises:
        FmuError: a step has failed.
    """
    control.send(outputs_of(fmu, order))
    while True:
        try:
            message, _ = control.receive()
        except ControlClosedError:
            return
        if isinstance(message, SaveFmu):
            try:
                control.send(FmuState(*fmu.save()))
            except FmuError as error:
                control.send(FmuFailure(str(error)))
            continue
        assert isinstance(message, FmuStep)
        for name, value in zip(order.inputs, message.values, strict=True):
            fmu.set(name, value)
        fmu.step(message.seconds)
        control.send(outputs_of(fmu, order))


def outputs_of(fmu: Fmu, order: FmuOrder) -> tuple[float, ...]:
    """The newest values of the outputs."""
    return tuple(fmu.get(each) for each in order.outputs)


if __name__ == "__main__":
    main()
