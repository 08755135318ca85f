"""Runs in notebooks: the page of one run, inside the output of a cell.

The page is wholly in the output, as the `srcdoc` of a frame. So it needs no server, no extension of
the notebook's program and no network, and remains in a notebook that is exported as HTML. The frame
has no origin and may only run its own script: what others have recorded cannot reach the notebook.
"""

import weakref
import zlib
from collections import OrderedDict
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Protocol, runtime_checkable

from autosim.applications.records.html_page import (
    RATE_HZ,
    PageRun,
    record_page,
    run_page,
    states_between,
)
from autosim.engine.step.simulation import Simulation
from autosim.errors import UserError
from autosim.model.notebook import VIEW_HEIGHT
from autosim.records.record_file import Record

MAX_STATES = round(60.0 * RATE_HZ)
"""Largest number of states that a view of a simulation keeps: one minute."""


@runtime_checkable
class HasSimulation(Protocol):
    """An environment: `simulation` is that of its present episode, None between two."""

    @property
    def simulation(self) -> Simulation | None:
        """The simulation of the present episode."""


class WrapsEnvironment(Protocol):
    """A wrapper of Gymnasium or PettingZoo around an environment."""

    @property
    def unwrapped(self) -> object:
        """The environment without any wrapper."""


class RunView:
    """A run in a notebook, displayed where it is the last value of a cell.

    Args:
        page: makes the page, again for each display.
        title: of the frame.
        height: of the frame [px].
    """

    def __init__(self, page: Callable[[], str], title: str, height: int) -> None:
        self._page, self._title, self._height = page, title, height

    def __repr__(self) -> str:
        return f"<RunView of {self._title}>"

    def _repr_html_(self) -> str:
        """The frame, for notebooks."""
        # In ASCII: its script has the same digest wherever, in whatever encoding, the frame stands.
        page = escape(self._page()).encode("ascii", "xmlcharrefreplace").decode()
        return (
            f'<iframe title="{escape(self._title)}" sandbox="allow-scripts" '
            f'style="width: 100%; height: {self._height}px; border: 0" '
            f'srcdoc="{page}"></iframe>'
        )

    def save(self, file: str | Path) -> None:
        """Writes the page, which a browser opens from disk.

        Raises:
            OSError: the file cannot be written.
        """
        Path(file).write_text(self._page(), encoding="utf-8")


def show(
    run: str | Path | Simulation | HasSimulation | WrapsEnvironment, *, height: int = VIEW_HEIGHT
) -> RunView:
    """A view of a run, for a notebook: picture, time line, objects and plots.

    Of a simulation or an environment the view has the present state, and those that follow: its
    first view begins to keep them, twenty in a simulated second, those of the last minute. A view
    that is displayed again has what was added.

    Args:
        run: the path of a record, a simulation, or an environment after `reset`.
        height: of the view [px].

    Raises:
        TypeError: `run` is none of these.
        UserError: the page for browsers was not built, the record is damaged or its world is not
            there, or episodes of the environment do not run in this process.
    """
    if isinstance(run, Simulation):
        return _view_of(run, height)
    if isinstance(run, str | Path):
        path = Path(run)
        return RunView(lambda: _page_of(path), path.name, height)
    # Wrappers pass on only what Gymnasium defines.
    environment = getattr(run, "unwrapped", run)
    if not isinstance(environment, HasSimulation):
        raise TypeError(
            "show() takes the path of a record, a simulation or an environment of AutoSim, not "
            f"'{type(run).__name__}'"
        )
    if environment.simulation is None:
        raise UserError(
            "there is no episode in this process to show: call reset() first; one that runs in a "
            "server is shown by its own page (autosim server --web)"
        )
    return _view_of(environment.simulation, height)


def _page_of(path: Path) -> str:
    with Record(path) as record:
        return record_page(record)


def _view_of(simulation: Simulation, height: int) -> RunView:
    history = _HISTORIES.get(simulation)
    if history is None:
        history = _HISTORIES[simulation] = _History(simulation)
    history.take()
    return RunView(history.page, simulation.world.name, height)


class _History:
    """The last states of a simulation, compressed; it does not keep the simulation alive."""

    def __init__(self, simulation: Simulation) -> None:
        self._world, self._compiled = simulation.world, simulation.compiled
        self._tree, self._state = simulation.tree, simulation.state
        self._every = states_between(simulation.step_seconds)
        self._states: OrderedDict[int, bytes] = OrderedDict()
        simulation.on_publish.append(self._follow)

    def _follow(self) -> None:
        if self._state.step % self._every == 0:
            self.take()

    def take(self) -> None:
        """Keeps the present state."""
        step = self._state.step
        while self._states and next(reversed(self._states)) >= step:
            self._states.popitem()
        self._states[step] = zlib.compress(self._state.buffer, 1)
        if len(self._states) > MAX_STATES:
            self._states.popitem(last=False)

    def page(self) -> str:
        """The page of all that is kept."""
        states = dict(self._states)
        return run_page(
            PageRun(
                self._world,
                self._compiled,
                self._tree,
                list(states),
                lambda step: zlib.decompress(states[step]),
            )
        )


_HISTORIES: "weakref.WeakKeyDictionary[Simulation, _History]" = weakref.WeakKeyDictionary()
"""Histories of simulations that are shown."""
