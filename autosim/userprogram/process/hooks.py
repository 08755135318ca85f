"""User programs that are classes: the simulation calls them, instead of the other way round.

    class Program:
        period = 0.05  # s of simulated time from one step to the next (default)

        def start(self, robot, *arguments): ...
        def step(self, dt): ...
        def stop(self): ...

Each method is optional, but one there must be. `step` ends the program by returning False. `stop`
is called at every end: after that, after an error, and when the simulation is over (then its
calls to the simulation raise `ProgramStopped`).
"""

import inspect
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from math import inf, isfinite

from autosim.userprogram.api import get_time, wait

CLASS_NAME = "Program"
DEFAULT_PERIOD = 0.05
"""Simulated time [s] between two calls of `step` where the class has no `period`: 20 Hz, at which
people steer as well."""

SIGNATURES = {"start": "start(self, robot)", "step": "step(self, dt)", "stop": "stop(self)"}

Fault = tuple[int, str]
"""The number of a line (0: that of the class), and its fault."""


def find_fault(program: type, arguments: int) -> Fault | None:
    """The first fault that keeps a class from being a user program; None where there is none.

    Args:
        program: the class.
        arguments: how many follow the robot's name.
    """
    hooks = {name: getattr(program, name) for name in SIGNATURES if hasattr(program, name)}
    if not hooks:
        return 0, f"class {program.__name__} has none of {', '.join(SIGNATURES)}"
    counts = {"__init__": 0, "start": 1 + arguments, "step": 1, "stop": 0}
    for name, hook in {"__init__": program.__init__, **hooks}.items():  # type: ignore[misc]
        fault = _signature_fault(name, hook, counts[name])
        if fault:
            return _line(hook), fault
    return _misspelt(program) or _period_fault(program)


def as_main(program: type) -> Callable[[Sequence[str]], object]:
    """The `main(argv)` that drives a class without faults."""

    def main(argv: Sequence[str]) -> None:
        running: object = program()
        try:
            _call(running, "start", *argv)
            _step_on(running)
        except Exception as error:
            _stop_after(running, error)
            raise
        except BaseException:
            _call(running, "stop")
            raise
        _call(running, "stop")

    return main


def _stop_after(program: object, error: Exception) -> None:
    """Calls `stop` after an error, which stays the one that is reported if `stop` fails too."""
    try:
        _call(program, "stop")
    except Exception as later:
        error.add_note(f"stop has failed, too: {type(later).__name__}: {later}")


def _step_on(program: object) -> None:
    step = getattr(program, "step", None)
    period = float(getattr(program, "period", DEFAULT_PERIOD))
    last = get_time()
    while True:
        wait(period if step else inf)
        now = get_time()
        if step and step(now - last) is False:
            return
        last = now


def _call(program: object, name: str, *arguments: str) -> None:
    hook = getattr(program, name, None)
    if hook is not None:
        hook(*arguments)


def _signature_fault(name: str, hook: object, count: int) -> str:
    if not callable(hook):
        return f"{name} is a {type(hook).__name__}, not a method"
    try:
        inspect.signature(hook).bind(*[None] * (1 + count))
    except TypeError as error:
        wanted = SIGNATURES.get(name, "__init__(self)")
        given = f" for the robot's name and {count - 1} arguments" if count > 1 else ""
        return f"{name} must be {wanted}{given}: {error}"
    except ValueError:  # made in C, without a signature to check
        return ""
    return ""


def _misspelt(program: type) -> Fault | None:
    """A method that was meant to be a hook: `Step`, `steps`."""
    for name, each in vars(program).items():
        if name in SIGNATURES or name.startswith("_") or not inspect.isfunction(each):
            continue
        near = get_close_matches(name.lower(), SIGNATURES, n=1, cutoff=0.8)
        if near and not hasattr(program, near[0]):
            return _line(each), f"class {program.__name__} has {name}; did you mean {near[0]}?"
    return None


def _period_fault(program: type) -> Fault | None:
    period = getattr(program, "period", DEFAULT_PERIOD)
    if isinstance(period, (int, float)) and isfinite(period) and period > 0.0:
        return None
    return 0, f"period must be a positive number of seconds, not {period!r}"


def _line(hook: object) -> int:
    return hook.__code__.co_firstlineno if inspect.isfunction(hook) else 0
