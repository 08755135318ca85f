"""Kernels that are compiled ahead are all that simulations call, whatever is in these."""

import os
import subprocess
import sys

import pytest

from autosim.server.step import kernels
from autosim.world.pipeline.forked_helpers import SharedWork
from tests.paths import ROOT

CALLED = """
import sys
from dataclasses import replace

import numpy as np

from autosim.jit import Kernel
from autosim.server.step import kernels
from autosim.server.step.simulation import Simulation
from tests.server.lidar_worlds import PLAIN, world_with
from tests.worlds import flat_world, impreza_world


def signatures():
    modules = [module for name, module in sys.modules.items() if name.startswith("autosim.")]
    values = {value for module in modules for value in vars(module).values()
              if isinstance(value, Kernel)}
    return {(value.__name__, each) for value in values for each in value.dispatcher.signatures}


for warm_up in kernels.REHEARSALS:
    warm_up()
ahead = signatures()
ground = replace(flat_world(), ground_friction=np.ones(2, dtype=np.float32))
for world in (impreza_world(), world_with(PLAIN)):
    with Simulation(world, compiled=ground, report=print) as simulation:
        simulation.step()
print(len(ahead), sorted(name for name, _ in signatures() - ahead))
"""


def test_a_simulation_calls_no_kernel_that_is_not_compiled_ahead():
    ran = subprocess.run(
        [sys.executable, "-c", CALLED], cwd=ROOT, capture_output=True, text=True, env=os.environ
    )
    assert ran.stdout == "42 []\n", ran.stderr


@pytest.fixture
def compiled(monkeypatch):
    calls = []

    class Work(SharedWork):
        def collect(self):
            calls.append(len(self._tasks))
            return []

    monkeypatch.setattr(kernels, "SharedWork", lambda tasks, **_: Work(tasks, helpers=0))
    return calls


def test_kernels_that_are_kept_are_not_compiled(compiled, monkeypatch):
    monkeypatch.setattr(kernels, "is_kept", lambda kernel: True)
    kernels.keep_kernels(lambda: pytest.fail("nothing begins"))
    assert not compiled


def test_whoever_waits_for_kernels_is_told_before(compiled, monkeypatch):
    monkeypatch.setattr(kernels, "is_kept", lambda kernel: False)
    said = []
    kernels.keep_kernels(lambda: said.append(list(compiled)))
    assert said == [[]]
    assert compiled == [len(kernels.REHEARSALS)]
