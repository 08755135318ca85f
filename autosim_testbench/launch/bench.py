"""All nodes of a launch file in this process, stepped in turn.

In each tick the clock advances by one period, then each node has one turn in the order of the file.
Nothing else decides what happens when: the same file and seed give the same bytes. With
`in_real_time` a tick begins no earlier than in real time.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from autosim.errors import UserError
from autosim_testbench.backends.backend import BackendConnection
from autosim_testbench.backends.embedded import EmbeddedBackend
from autosim_testbench.launch.launch_file import Launch
from autosim_testbench.launch.node_faults import (
    NODE_FAULTS,
    fault_in_words,
    write_traceback,
)
from autosim_testbench.launch.node_start import start_fault, start_node
from autosim_testbench.launch.summary import (
    BenchSummary,
    Counts,
    Glimpse,
    count,
    glimpse,
    summarise,
)
from autosim_testbench.nodes.clock import NANOSECONDS, SteppedClock
from autosim_testbench.nodes.node import PERIOD, Node, NodeContext
from autosim_testbench.nodes.reality import RealityMode, switch_mode

_Counted = TypeVar("_Counted", bound=Counts)


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """Options of a bench.

    Attributes:
        seconds: how long, on its clock; None for until its nodes end.
        mode: the reality mode of all nodes for which the file sets none of their own; None leaves
            it to the file.
        seed: of all that is random.
        folder: where nodes write what they have found; None for nowhere.
        in_real_time: whether its time is that on the wall; else it goes as fast as it can.
        in_step: whether nodes with a process each take turns, too, as those in one process do.
        period: length of a tick [s].
        is_trusted: whether plug-ins and user programs of worlds may be run.
    """

    seconds: float | None = None
    mode: RealityMode | None = None
    seed: int = 0
    folder: Path | None = None
    in_real_time: bool = False
    in_step: bool = False
    period: float = PERIOD
    is_trusted: bool = True


class LockstepBench:
    """The nodes of a launch file in this process. Close it, or use it in a `with` block.

    Raises:
        ConfigError: the file names a node that is not there.
        UserError: a node's parameters are wrong.
    """

    def __init__(self, launch: Launch, options: BenchOptions = BenchOptions()) -> None:
        self._options = options
        self._backend, self._clock = EmbeddedBackend(), SteppedClock()
        self._ticks = 0
        self._is_stopped = self._has_ended = False
        self._switcher: BackendConnection | None = None
        self._required: list[Node] = []
        self._failed: dict[str, str] = {}
        self.nodes: list[Node] = []
        for entry in launch.nodes:
            node = start_node(
                launch.file,
                entry,
                connection=partial(self._backend.connect, entry.name),
                clock=self._clock,
                parameters=entry.parameters_in(options.mode),
                setting=NodeContext(
                    options.seed, options.folder, launch.file.parent, options.is_trusted
                ),
            )
            self.nodes.append(node)
            if entry.is_required:
                self._required.append(node)
        for entry, node in zip(launch.nodes, self.nodes, strict=True):
            try:
                node.begin()
            except NODE_FAULTS as error:
                raise start_fault(launch.file, entry, error) from error

    def __enter__(self) -> "LockstepBench":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def seconds(self) -> float:
        """Time [s] on the bench's clock."""
        return self._ticks * self._options.period

    @property
    def is_over(self) -> bool:
        """Whether its time is up, a required node has ended, or all have."""
        end = self._options.seconds
        is_late = end is not None and self._ticks >= round(end / self._options.period)
        return (
            is_late
            or self._is_stopped
            or any(each.is_terminated for each in self._required)
            or all(each.is_terminated for each in self.nodes)
        )

    def connect(self, name: str) -> BackendConnection:
        """A connection for a further listener or participant, which closes it."""
        return self._backend.connect(name)

    def glimpses(self) -> list[Glimpse]:
        """Current counts of each node (`summary.glimpse`)."""
        return self._of_each(glimpse)

    @property
    def failed(self) -> Mapping[str, str]:
        """Failures of the code of nodes so far, by the nodes' names."""
        return self._failed

    def switch_mode(self, node: str, mode: RealityMode) -> None:
        """Has a combiner or splitter take a mode."""
        self._switcher = self._switcher or self.connect("mode_switch")
        switch_mode(self._switcher, node, mode, now_ns=self._clock.now_ns())

    def stop(self) -> None:
        """Has `run` return after the tick in which it is."""
        self._is_stopped = True

    def tick(self) -> None:
        """Advances by one period: one turn of each node that has not ended."""
        self._ticks += 1
        self._clock.advance_to(round(self._ticks * self._options.period * NANOSECONDS))
        for node in self.nodes:
            if not node.is_terminated:
                try:
                    node.turn()
                except NODE_FAULTS as error:
                    self._fail(node, error)

    def run(self, after_tick: Callable[[], object] = lambda: None) -> BenchSummary:
        """Runs until it is over, ends all nodes, and returns the summary.

        A node whose code fails ends alone; `failed` of the summary says where, by name.
        """
        begun = time.monotonic() - self.seconds
        while not self.is_over:
            self.tick()
            after_tick()
            if self._options.in_real_time:
                time.sleep(max(0.0, begun + self.seconds - time.monotonic()))
        counts = self._of_each(count)
        self._end_nodes()
        return {"seconds": self.seconds, **summarise(counts), "failed": self._failed}

    def close(self) -> None:
        """Ends all nodes that have not ended; each writes what it has found."""
        self._end_nodes()
        if self._switcher:
            self._switcher.close()
        self.nodes, self._switcher = [], None

    def _end_nodes(self) -> None:
        if self._has_ended:
            return
        self._has_ended = True
        for node in self.nodes:
            try:
                node.end()
            except NODE_FAULTS as error:
                self._fail(node, error)

    def _of_each(self, look: Callable[..., _Counted]) -> list[_Counted]:
        """Counts of each node by `glimpse` or `count`; a node whose code fails here is failed."""
        found = []
        for node in self.nodes:
            try:
                found.append(look(node))
            except NODE_FAULTS as error:
                self._fail(node, error)
                found.append(look(node, asks=False))
        return found

    def _fail(self, node: Node, error: BaseException) -> None:
        node.terminate()
        if node.name not in self._failed:
            self._failed[node.name] = fault_in_words(error)
            write_traceback(error, node.name, self._options.folder)


def run_launch(launch: Launch, options: BenchOptions = BenchOptions()) -> BenchSummary:
    """Runs a bench in this process to its end, and returns its summary."""
    with LockstepBench(launch, options) as bench:
        return bench.run()


def require_folder(folder: Path) -> None:
    """Makes the folder for results.

    Raises:
        UserError: it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot make the folder {folder}: {error.strerror}") from None
