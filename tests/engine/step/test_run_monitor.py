from dataclasses import replace

import numpy as np
import pytest

from autosim.engine.step.run_monitor import Histogram, RunMonitor, Trajectory
from autosim.kinds.director import build_tree
from autosim.loading.loader import load_robot
from autosim.model.state import State
from tests.paths import ROOT
from tests.server.light_simulation import LightSimulation, light_world, run_in_process
from tests.worlds import impreza_world


def test_percentiles_are_right_to_one_per_cent() -> None:
    durations = np.random.default_rng(1).lognormal(np.log(2e-3), 0.5, 5000)
    histogram = Histogram()
    for duration in durations:
        histogram.add(duration)
    for share in (0.5, 0.99):
        expected = np.quantile(durations, share)
        assert histogram.percentile(share) == pytest.approx(expected, rel=0.011)


def test_a_histogram_takes_any_duration() -> None:
    histogram = Histogram()
    assert histogram.percentile(0.5) == 0.0
    for duration in (-1.0, 0.0, 1e9):
        histogram.add(duration)
    assert histogram.percentile(0.0) == 0.0
    assert histogram.percentile(1.0) > 900.0


def test_the_track_shows_where_the_robots_were() -> None:
    simulation = run_in_process(light_world(2), 40)
    assert simulation.record is not None
    figures, track = simulation.record.figures(), simulation.record.track.part()
    assert figures.robots == ("r0", "r1")
    assert track.samples.shape == (5, 2, 4)
    times = track.interval / 240.0 * np.arange(1, 5)
    angles = times[:, None] + np.arange(2)
    expected = np.stack([10 * np.cos(angles), 10 * np.sin(angles), 0 * angles, angles], axis=2)
    np.testing.assert_allclose(track.samples[1:], expected, atol=1e-6)


def test_a_robot_whose_first_part_is_of_another_kind_has_a_track_too() -> None:
    world = impreza_world()
    truck = replace(world.robots[0], robot=load_robot(ROOT / "robots" / "truck.xml"))
    state = State(build_tree(replace(world, robots=(truck,))))
    track = Trajectory(state)
    track.add()
    assert track.part().samples.shape == (1, 1, 4)


def test_a_full_track_keeps_every_other_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autosim.engine.step.run_monitor.TRACK_BYTES", 0)
    simulation = LightSimulation(light_world(1))
    track = Trajectory(simulation.state)
    simulation.on_publish.append(track.add)
    track.add()
    for _ in range(10 * 600):
        simulation.step()
    x = track.part().samples[:, 0, 0]
    assert track.interval == 40
    assert len(x) == 6000 // 40 + 1
    np.testing.assert_allclose(x[1:], 10 * np.cos(np.arange(1, len(x)) * 40 / 240), atol=1e-4)


def test_the_digest_names_every_step() -> None:
    world = light_world(1)
    digests = set()
    for steps, seed in ((3, 0), (4, 0), (3, 1)):
        record = run_in_process(world, steps, seed=seed).record
        assert isinstance(record, RunMonitor)
        digests.add(record.figures().state_digest)
    again = run_in_process(world, 3).record
    assert again is not None
    assert len(digests) == 3
    assert again.figures().state_digest in digests


def test_only_what_is_new_of_a_track_is_handed_out() -> None:
    simulation = run_in_process(light_world(2), 40)
    assert simulation.record is not None
    track = simulation.record.track
    known = track.part()
    for _ in range(20):
        simulation.step()
    new = track.part(len(known.samples), known.interval)
    assert (new.first, new.interval, new.samples.shape) == (5, 10, (2, 2, 4))
    assert track.part(len(known.samples), 20).first == 0
