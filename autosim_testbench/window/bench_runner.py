"""Runs a bench in its own thread, and reports its state to the window."""

import threading
import time
from dataclasses import replace
from queue import Empty, SimpleQueue

from PyQt6.QtCore import QObject, pyqtSignal

from autosim_testbench.applications.run_bench import Bench, run_bench
from autosim_testbench.launch.bench import BenchOptions
from autosim_testbench.launch.launch_file import Launch
from autosim_testbench.launch.summary import RunSummary
from autosim_testbench.nodes.reality import RealityMode
from autosim_testbench.window.bench_snapshot import Observer

_LOOK_SECONDS = 0.2
"""Least time [s] between two looks at the bench: people read no faster."""

_LOOK_SHARE = 0.2
"""Greatest share of the bench's time that looks may take: figures with many points take long."""


class BenchRunner(QObject):
    """A bench in a thread. Its methods are for the window's thread.

    Signals: `seen` (a `BenchSnapshot`), `ended` (nothing: `summary` or `error` then says how).

    Attributes:
        summary: what the bench has done, once it has ended well.
        error: why it has not.
    """

    seen = pyqtSignal(object)
    ended = pyqtSignal()

    def __init__(self, launch: Launch, backend: str, options: BenchOptions) -> None:
        super().__init__()
        self.launch, self.options = launch, options
        self.summary: RunSummary | None = None
        self.error: Exception | None = None
        self._backend = backend
        self._observer = Observer()
        self._switches: SimpleQueue[tuple[str, RealityMode]] = SimpleQueue()
        self._is_stopped = threading.Event()
        self._next_look = 0.0
        self._thread = threading.Thread(target=self._run, name="autosim-bench")

    def start(self) -> None:
        """Starts the bench, in real time."""
        self._thread.start()

    def switch(self, node: str, mode: RealityMode) -> None:
        """Has a combiner or splitter take a mode."""
        self._switches.put((node, mode))

    def stop(self) -> None:
        """Ends the bench soon; it writes its results."""
        self._is_stopped.set()

    def wait(self) -> None:
        """Waits until it has ended."""
        self._thread.join()

    def _run(self) -> None:
        options = replace(self.options, in_real_time=True)
        try:
            self.summary = run_bench(
                self.launch, backend=self._backend, options=options, watch=self._watch
            )
        except Exception as error:  # the window shows it, and the command raises it once more
            self.error = error
        finally:
            self.ended.emit()

    def _watch(self, bench: Bench) -> None:
        if self._is_stopped.is_set():
            bench.stop()
        self._switch_modes(bench)
        begun = time.monotonic()
        if begun >= self._next_look:
            glimpses = bench.glimpses()
            self.seen.emit(self._observer.observe(bench.seconds, glimpses, bench.failed))
            now = time.monotonic()
            self._next_look = begun + max(_LOOK_SECONDS, (now - begun) / _LOOK_SHARE)

    def _switch_modes(self, bench: Bench) -> None:
        while True:
            try:
                node, mode = self._switches.get_nowait()
            except Empty:
                return
            bench.switch_mode(node, mode)
