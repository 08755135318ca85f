"""A process for each node of a launch file, on this machine or over ssh.

In real time each node runs by itself. In step the bench gives one node after the other its turn,
as `bench.py` does in one process: the same run gives the same bytes, whatever carries the messages.
"""

import contextlib
import json
import os
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue
from typing import IO

from autosim.config.launches import NodeEntry
from autosim.errors import UserError
from autosim.helper_processes.nonblocking_output import OutputPump
from autosim.helper_processes.process_activity import WorkWatch
from autosim_testbench.backends.backend import Backend, BackendConnection
from autosim_testbench.launch.bench import BenchOptions
from autosim_testbench.launch.delivery_order import DeliveryOrder
from autosim_testbench.launch.launch_file import Launch
from autosim_testbench.launch.machines import SSH_FAILED, ssh_command
from autosim_testbench.launch.node_process import ALIVE, ASK, order_of
from autosim_testbench.launch.summary import BenchSummary, Counts, Glimpse, summarise
from autosim_testbench.nodes.clock import NANOSECONDS, WallClock
from autosim_testbench.nodes.reality import RealityMode, mode_topic, switch_mode

_START_SECONDS = 60.0
"""Longest time [s] of inactivity of a node before it has connected; of one on another machine, the
longest time in total."""

_END_SECONDS = 10.0
"""Longest time [s] for a node's exit functions."""

_PAUSE_SECONDS = 0.02
"""Time [s] between two looks at the processes."""

_LAST_BYTES = 64 * 1024
"""Number of bytes at the end of a log in which the last line of a node that has failed is found."""

_ALIVE_SECONDS = 1.0
"""Time [s] between two signs that the bench gives nodes on other machines."""

_SILENCE_SECONDS = 10.0
"""Time [s] without a sign of the bench after which such a node ends: several signs may be late."""

_MODULE = "autosim_testbench.launch.node_process"


@dataclass
class _NodeProcess:
    """A node's process, and what it has said."""

    entry: NodeEntry
    process: subprocess.Popen[str]
    log: IO[bytes] | None
    is_ready: bool = False
    error: str = ""
    counts: Counts | None = None
    glimpse: Glimpse | None = None
    is_asked: bool = False
    is_over: bool = False
    messages: list[DeliveryOrder] = field(default_factory=list)
    turns: "Queue[list[DeliveryOrder] | None]" = field(default_factory=Queue)
    reader: threading.Thread = field(init=False)
    watch: WorkWatch = field(init=False)
    output: OutputPump | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if self.log is not None and self.process.stderr is not None:
            self.output = OutputPump(self.process.stderr, self.log.fileno())
        self.watch = WorkWatch(self.process.pid)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    @property
    def has_ended(self) -> bool:
        return self.process.poll() is not None

    def write(self, line: str) -> None:
        if self.process.stdin and not self.process.stdin.closed:
            # If it has ended, the reason is reported where that is checked.
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.write(line + "\n")
                self.process.stdin.flush()

    def ask(self) -> None:
        """Asks for a glimpse, unless it owes one already."""
        if not self.is_asked and not self.has_ended:
            self.is_asked = True
            self.write(ASK)

    def take_turn(self, time_ns: int) -> list[DeliveryOrder]:
        """Gives the node its turn, and returns what it has published in it."""
        self.write(json.dumps({"time_ns": time_ns, "messages": self.messages}))
        self.messages = []
        published = self.turns.get()
        self.is_over = self.is_over or published is None
        return published or []

    def _read(self) -> None:
        for line in self.process.stdout or ():
            said = json.loads(line)
            if "turn" in said:
                self.is_over = said["ended"]
                self.turns.put([(*each,) for each in said["turn"]])
            if "glimpse" in said:
                self.glimpse, self.is_asked = said["glimpse"], False
            self.is_ready = self.is_ready or bool(said.get("ready"))
            self.error = said.get("error", self.error)
            self.counts = said.get("counts", self.counts)
        self.turns.put(None)


class ProcessBench:
    """The nodes of a launch file, each in its own process. Use it in a `with` block.

    Raises:
        UserError: a node cannot be started; with its output.
    """

    def __init__(self, launch: Launch, backend: Backend, options: BenchOptions) -> None:
        self._options, self._backend = options, backend
        self._is_stopped = False
        self._switcher: BackendConnection | None = None
        self._begun: float | None = None
        self._ticks = 0
        self._shown_alive = 0.0
        self._logs: list[IO[bytes]] = []
        self.nodes: list[_NodeProcess] = []
        try:
            for entry in launch.nodes:
                self.nodes.append(self._start(launch.file, entry, backend.address))
            self._wait_until_ready()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "ProcessBench":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def seconds(self) -> float:
        """Time [s] since the nodes were started; in step, on the bench's clock."""
        if self._options.in_step:
            return self._ticks * self._options.period
        return 0.0 if self._begun is None else time.monotonic() - self._begun

    def connect(self, name: str) -> BackendConnection:
        """A connection for a further listener or participant, which closes it."""
        return self._backend.connect(name)

    def glimpses(self) -> list[Glimpse]:
        """The last counts of each node; requests new ones."""
        for each in self.nodes:
            each.ask()
        return [each.glimpse for each in self.nodes if each.glimpse]

    @property
    def failed(self) -> Mapping[str, str]:
        """Failures of the code of nodes so far, by the nodes' names."""
        return {each.entry.name: each.error for each in self.nodes if each.error}

    def switch_mode(self, node: str, mode: RealityMode) -> None:
        """Has a combiner or splitter take a mode."""
        self._switcher = self._switcher or self.connect("mode_switch")
        now_ns = self._time_ns() if self._options.in_step else WallClock().now_ns()
        switch_mode(self._switcher, node, mode, now_ns=now_ns)
        for each in self.nodes:
            each.messages.append((mode_topic(node), 0, 0))

    def stop(self) -> None:
        """Has `run` return soon."""
        self._is_stopped = True

    def run(self, after_turn: Callable[[], None] = lambda: None) -> BenchSummary:
        """Starts all nodes, waits until the bench is over, and returns its summary."""
        for each in self.nodes:
            each.write("go")
        self._begun = time.monotonic()
        while not self._is_over(self.seconds):
            if self._options.in_step:
                self._tick()
            else:
                time.sleep(_PAUSE_SECONDS)
            self._show_alive()
            after_turn()
        seconds = self.seconds
        self._end()
        counts = [each.counts for each in self.nodes if each.counts]
        return {"seconds": seconds, **summarise(counts), "failed": self._failed()}

    def _tick(self) -> None:
        """Advances by one period: one turn of each node that has not ended."""
        self._ticks += 1
        for each in self.nodes:
            if not each.is_over:
                published = each.take_turn(self._time_ns())
                for other in self.nodes:
                    other.messages += published
        if self._options.in_real_time and self._begun is not None:
            time.sleep(max(0.0, self._begun + self.seconds - time.monotonic()))

    def _time_ns(self) -> int:
        return round(self._ticks * self._options.period * NANOSECONDS)

    def close(self) -> None:
        """Ends all processes."""
        self._end()
        for each in self.nodes:
            if each.process.stdout:
                each.process.stdout.close()
            if each.output is not None:
                each.output.close()
        for log in self._logs:
            log.close()
        if self._switcher:
            self._switcher.close()
            self._switcher = None
        self.nodes, self._logs = [], []

    def _start(self, file: Path, entry: NodeEntry, address: str) -> _NodeProcess:
        parameters = entry.parameters_in(self._options.mode)
        ordered = NodeEntry(entry.name, entry.pkg, entry.type, parameters, entry.line)
        machine = entry.machine
        command = [*shlex.split(entry.launch_prefix), machine.python if machine else sys.executable]
        command += ["-m", _MODULE]
        if machine:
            command, address = ssh_command(machine, command, address)
        log = self._log(entry)
        pipe = subprocess.PIPE
        try:
            process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=None if log is None else pipe, text=True
            )
        except OSError as error:
            raise UserError(f"node {entry.name}: {command[0]}: {error.strerror}") from None
        started = _NodeProcess(entry, process, log)
        order = order_of(
            ordered,
            file=Path(machine.folder) / file.name if machine and machine.folder else file,
            backend=address,
            seed=self._options.seed,
            folder=None if machine else self._options.folder,
            silence=_SILENCE_SECONDS if machine else None,
            in_step=self._options.in_step,
            period=self._options.period,
        )
        started.write(order)
        return started

    def _show_alive(self) -> None:
        """Tells nodes on other machines, at times, that the bench is still there."""
        if time.monotonic() - self._shown_alive > _ALIVE_SECONDS:
            self._shown_alive = time.monotonic()
            for each in self.nodes:
                if each.entry.machine:
                    each.write(ALIVE)

    def _log(self, entry: NodeEntry) -> IO[bytes] | None:
        """File for a node's output; None for the terminal."""
        if entry.is_on_screen:
            return None
        if self._options.folder is None:
            log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the bench
        else:
            log = (self._options.folder / f"{entry.name}.log").open("wb+")
        self._logs.append(log)
        return log

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while not all(each.is_ready for each in self.nodes):
            for each in self.nodes:
                if each.has_ended and not each.is_ready:
                    each.reader.join()
                    raise UserError(each.error or f"node {each.entry.name}: {_exit(each)}")
            if time.monotonic() > deadline:
                late = next(each for each in self.nodes if not each.is_ready)
                if late.entry.machine or not late.watch.has_worked():
                    raise UserError(
                        f"node {late.entry.name} does not start in {_START_SECONDS:g} s"
                    )
                deadline = time.monotonic() + _START_SECONDS
            time.sleep(_PAUSE_SECONDS)
            self._show_alive()

    def _is_over(self, seconds: float) -> bool:
        end, half = self._options.seconds, self._options.period / 2.0 * self._options.in_step
        ended = [each for each in self.nodes if each.is_over or each.has_ended]
        return (
            (end is not None and seconds + half >= end)
            or self._is_stopped
            or any(each.entry.is_required for each in ended)
            or len(ended) == len(self.nodes)
        )

    def _end(self) -> None:
        for each in self.nodes:
            if each.process.stdin and not each.process.stdin.closed:
                with contextlib.suppress(BrokenPipeError):
                    each.process.stdin.close()
        for each in self.nodes:
            try:
                each.process.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:
                each.process.kill()
                each.process.wait()
            each.reader.join()

    def _failed(self) -> dict[str, str]:
        return {
            each.entry.name: each.error or _exit(each)
            for each in self.nodes
            if each.error or each.counts is None
        }


def _exit(node: _NodeProcess) -> str:
    """Why a process ended that has not said it itself: its exit code, and what it printed last."""
    machine, code = node.entry.machine, node.process.returncode
    if node.output is not None:
        node.output.close()
    said = _last_line(node.log)
    if machine and code == SSH_FAILED:
        return f"ssh to {machine.address}, port {machine.port}, ended{said}"
    return f"its process ended with exit code {code}{said}"


def _last_line(log: IO[bytes] | None) -> str:
    if log is None:
        return ""
    log.seek(max(0, log.seek(0, os.SEEK_END) - _LAST_BYTES))
    lines = log.read().decode("utf-8", "replace").split("\n")
    return next((f": {each.strip()}" for each in reversed(lines) if each.strip()), "")
