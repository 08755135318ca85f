"""Kernels that are compiled ahead are all that simulations call, whatever is in these."""

import os
import subprocess
import sys
import textwrap

import pytest

from autosim.engine.step import kernel_cache
from autosim.engine.step.compile_progress import CompileProgress
from autosim.world.pipeline.forked_helpers import WorkQueue
from tests.paths import ROOT

CALLED = """
import sys
from dataclasses import replace

import numpy as np

from autosim.jit import Kernel
from autosim.engine.step import kernel_cache
from autosim.engine.step.simulation import Simulation
from tests.server.lidar_worlds import PLAIN, world_with
from tests.worlds import flat_world, impreza_world


def signatures():
    modules = [module for name, module in sys.modules.items() if name.startswith("autosim.")]
    values = {value for module in modules for value in vars(module).values()
              if isinstance(value, Kernel)}
    return {(value.__name__, each) for value in values for each in value.dispatcher.signatures}


for warm_up in kernel_cache.WARM_UPS:
    warm_up()
ahead = signatures()
ground = replace(flat_world(), ground_friction=np.ones(2, dtype=np.float32))
for world in (impreza_world(), world_with(PLAIN)):
    with Simulation(world, compiled=ground, report=print) as simulation:
        simulation.step()
print(len(ahead) > 0, sorted(name for name, _ in signatures() - ahead))
"""

IMPORTS = """
from pathlib import Path

from autosim.config.world_settings import TrafficDescription
from tests.traffic.signals.junctions import signalled_crossing
"""


def test_people_are_told_of_kernels_that_take_long_to_compile(monkeypatch: pytest.MonkeyPatch):
    from numba import njit

    said: list[str] = []
    monkeypatch.setattr(kernel_cache, "_TELL_SECONDS", -1.0)
    with kernel_cache.compilations_told(said.append):
        njit(lambda x: x + 1)(1)
    assert said == ["compiles kernels for this processor, once: 1 so far"]
    njit(lambda x: x + 2)(1)
    assert len(said) == 1


def test_a_simulation_calls_no_kernel_that_is_not_compiled_ahead():
    assert called(CALLED) == "True []\n"


def test_a_simulation_with_traffic_calls_no_other_either(tmp_path):
    world = f"""signalled_crossing(Path({str(tmp_path)!r}), with_people=True)"""
    others = CALLED[CALLED.index("for world in") :]
    traffic = f"""
    described = replace(impreza_world(), traffic=TrafficDescription(vehicles=4, people=4))
    with Simulation(described, compiled={world}, report=print) as simulation:
        for _ in range(25):
            simulation.step()
    print(len(ahead) > 0, sorted(name for name, _ in signatures() - ahead))
    """
    program = CALLED.replace(others, textwrap.dedent(traffic)).replace(
        "kernel_cache.WARM_UPS", "kernel_cache.WARM_UPS + kernel_cache.TRAFFIC"
    )
    program = IMPORTS + program
    assert called(program) == "True []\n"


def called(program):
    """What a program prints in a process of its own."""
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, env=os.environ
    )
    assert not ran.returncode, ran.stderr
    return ran.stdout


@pytest.fixture
def compiled(monkeypatch):
    calls = []

    class Work(WorkQueue):
        def collect(self):
            calls.append(len(self._tasks))
            return []

    monkeypatch.setattr(kernel_cache, "WorkQueue", lambda tasks, **_: Work(tasks, helpers=0))
    return calls


def test_kernels_that_are_kept_are_not_compiled(compiled, monkeypatch):
    monkeypatch.setattr(kernel_cache, "is_cached", lambda kernel: True)
    kernel_cache.fill_kernel_cache(lambda text: pytest.fail("nothing begins"))
    assert not compiled


def test_whoever_waits_for_kernels_is_told_before(compiled, monkeypatch):
    monkeypatch.setattr(kernel_cache, "is_cached", lambda kernel: False)
    said = []
    kernel_cache.fill_kernel_cache(lambda text: said.append((text, list(compiled))))
    total = sum(kernel_cache.KERNEL_COUNTS[each] for each in kernel_cache.WARM_UPS)
    assert said == [(f"compiling kernels for this processor, once: 0 of {total}", [])]
    assert compiled == [len(kernel_cache.WARM_UPS)]


def test_reports_count_kernels_in_helpers_and_estimate_the_time_that_is_left():
    from numba import njit

    clock, said = [0.0], []
    tasks = [lambda: njit(lambda x: x + 1)(1), lambda: None]
    progress = CompileProgress(tasks, (4, 6), tell=said.append, now=lambda: clock[0])
    assert progress.text.endswith("once: 0 of 10")
    progress.look()
    assert said == []  # not so soon after the beginning
    with WorkQueue(progress.tasks, helpers=1) as work:
        work.collect()
    assert progress.text.endswith("once: 10 of 10")
    clock[0] = 30.0
    half = CompileProgress(tasks[:1] * 2, (4, 4), tell=said.append, now=lambda: clock[0])
    half.tasks[0]()
    clock[0] = 60.0
    half.look()
    half.tasks[1]()
    for seconds in (70.0, 80.0):  # the last task still works on something else
        clock[0] = seconds
        half.look()
    assert said.pop().endswith("once: 8 of 8")
    assert said == ["compiling kernels for this processor, once: 4 of 8, about 30 s left"]


@pytest.mark.long
def test_each_rehearsal_compiles_about_as_many_kernels_as_reports_say(tmp_path):
    program = """
from numba.core.event import Listener, install_listener
from autosim.engine.step import kernel_cache

class Compilations(Listener):
    count = 0
    def on_start(self, event): ...
    def on_end(self, event): Compilations.count += 1

with install_listener("numba:compile", Compilations()):
    for rehearsal in (*kernel_cache.TRAFFIC, *kernel_cache.WARM_UPS):
        Compilations.count = 0
        rehearsal()
        expected = kernel_cache.KERNEL_COUNTS[rehearsal]
        if not 0.7 <= Compilations.count / expected <= 1.4:
            print(rehearsal.__name__, Compilations.count, "not", expected)
"""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
        assert called(program) == ""
