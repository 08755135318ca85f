"""Delays of scans and lists: they arrive as a whole, in their order, and go on after a snapshot."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.config.noise_records import Delay, Noise, WhiteGaussianNoise
from autosim.engine.step.simulation import Simulation
from autosim.kinds.sensors.ranging.radar import RadarSensor
from tests.server.lidar_worlds import PLAIN, world_with
from tests.worlds import flat_world

STEPS = 30


def simulate(*noises: Noise, seed: int = 0) -> Simulation:
    lidar = replace(PLAIN, noises=(WhiteGaussianNoise(0.1), *noises))
    radar = RadarSensor("radar", PLAIN.part, tuple(noises), update_rate=30.0)
    world = world_with(lidar, radar)
    return Simulation(world, compiled=flat_world(), seed=seed, report=lambda notice: None)


def values(simulation: Simulation, name: str) -> bytes:
    return simulation.state.to_bitstream(simulation.tree.find(f"impreza.chassis.{name}"))[-800:]


def run(*noises: Noise, seed: int = 0, steps: int = STEPS) -> dict[str, list[bytes]]:
    found: dict[str, list[bytes]] = {"lidar": [], "radar": []}
    with simulate(*noises, seed=seed) as simulation:
        for _ in range(steps):
            simulation.step()
            for name, each in found.items():
                each.append(values(simulation, name))
    return found


@pytest.mark.parametrize("name", ["lidar", "radar"])
def test_values_are_those_of_some_steps_ago(name: str) -> None:
    now, late = run()[name], run(Delay(0.025))[name]
    assert late[10:] == now[4 : STEPS - 6], "0.025 s are 6 steps of 1/240 s"
    assert set(now[10:]) != {now[10]}


def test_nothing_is_there_before_the_first_has_arrived() -> None:
    late = run(Delay(0.025), steps=5)["lidar"]
    assert not any(any(each) for each in late)


def test_with_jitter_none_overtakes_another_and_the_seed_decides() -> None:
    now = run()["lidar"]
    jittered = run(Delay(0.02, jitter=0.03))["lidar"]
    order = [now.index(each) for each in jittered if each in now]
    assert order == sorted(order)
    assert len(order) > 10
    assert len(set(order)) < len(order), "some wait for the one before"
    assert run(Delay(0.02, jitter=0.03))["lidar"] == jittered


def test_a_snapshot_holds_what_is_under_way() -> None:
    with simulate(Delay(0.02, jitter=0.03)) as simulation:
        for _ in range(20):
            simulation.step()
        snapshot = simulation.snapshot()

        def on() -> list[bytes]:
            found = []
            for _ in range(10):
                simulation.step()
                found.append(values(simulation, "lidar"))
            return found

        first = on()
        simulation.restore(snapshot)
        shown = [np.frombuffer(each) for each in on()]
    for one, other in zip(first, shown, strict=True):
        assert np.allclose(np.frombuffer(one), other, atol=1e-6)


def test_delays_add_up() -> None:
    both = run(Delay(0.0125), Delay(0.0125))["lidar"]
    assert both == run(Delay(0.025))["lidar"]
