"""Training gives the same bytes from the same seed, and policies that do what they have learned."""

from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from click.testing import CliRunner

from autosim import load_world
from autosim.applications.learning.train_policy import (
    CHECKPOINT,
    MODEL,
    POLICY,
    TrainingOrder,
    bars,
    remaining_seconds,
    train_policy,
)
from autosim.cli.runs.train import train
from autosim.environments.fleet.fleet_tasks import TASKS
from autosim.errors import UserError
from autosim.learning.network_kernels import (
    Layers,
    Samples,
    Scratch,
    add_critic_gradient,
    advantages,
    outputs_of,
)
from autosim.learning.policy_file import Policy, read_policy
from autosim.learning.ppo import Learner, PpoSettings
from autosim.learning.training import CostChange, Training

TOWN = "worlds/circle_town.xml"
SMALL = PpoSettings(hidden=16, steps=16, minibatches=2)


def trained(updates: int = 2, threads: int = 1, seed: int = 3) -> bytes:
    """Everything that a short training ends with."""
    task = TASKS["Traffic"]
    training = Training(task, [load_world(TOWN)], 36, seed, threads, SMALL)
    for _ in range(updates):
        training.update()
    training.close()
    return b"".join(each.tobytes() for each in training.memory.values())


def test_the_same_seed_gives_the_same_bytes_with_any_number_of_threads() -> None:
    first = trained()
    assert trained() == first
    assert trained(threads=2) == first
    assert trained(seed=4) != first


def test_the_cost_of_collisions_changes_when_it_is_time() -> None:
    settings = replace(SMALL, steps=120)  # some cars collide in that time

    def states(change: CostChange | None, first: float) -> list[bytes]:
        task = replace(TASKS["Junction"], collision_cost=first)
        training = Training(task, [load_world(TOWN)], 36, 3, 1, settings, change)
        found = []
        for _ in range(3):
            training.update()
            found.append(training.last_policy.to_bytes())
        training.close()
        return found

    plain, changed = states(None, 25.0), states(CostChange(36 * 120, 9000.0), 25.0)
    assert changed[0] == plain[0]
    assert changed[2] != plain[2]
    assert states(CostChange(0, 9000.0), 25.0) == states(None, 9000.0)


def test_a_last_part_needs_a_total_of_steps(tmp_path: Path) -> None:
    order = TrainingOrder("Traffic", tmp_path, [TOWN], [], final_collision_cost=60.0, final_steps=9)
    with pytest.raises(UserError, match="applies to the last --final-steps of --steps"):
        list(train_policy(order))


def test_the_best_policy_of_all_trials_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = iter([0.5, 0.2])
    monkeypatch.setattr("autosim.learning.training.TRIAL_SAMPLES", 500)
    monkeypatch.setattr("autosim.learning.training.TRIAL_EPISODES", 4)
    monkeypatch.setattr("autosim.learning.training.score_of", lambda _: next(scores))
    task = replace(TASKS["Junction"], seconds=2.0)
    training = Training(task, [load_world(TOWN)], 36, 3, 1, SMALL)
    policies = []
    for _ in range(2):
        training.update()
        policies.append(training.policy.to_bytes())
    training.close()
    assert training.best_score == 0.5
    assert policies[0] == policies[1]


def test_actions_never_lose_all_noise() -> None:
    settings = replace(SMALL, least_deviation=0.4)
    learner = Learner(4, 2, settings, seed=0, threads=1)
    rng = np.random.default_rng(0)
    for _ in range(60):
        seen = rng.normal(size=(1024, 4)).astype(np.float32)
        actions, chances = learner.act(seen)
        returns = -(actions**2).sum(1)
        learner.learn(Samples(seen, actions, chances, returns - learner.values(seen), returns))
    assert learner.deviations.min() == pytest.approx(0.4)


def layers_of(rng: np.random.Generator, inputs: int, hidden: int, outputs: int) -> Layers:
    """A network with weights of deviation 0.5."""
    shapes = ((inputs, hidden), (hidden,), (hidden, hidden), (hidden,), (outputs, hidden))
    return Layers(
        *(rng.normal(0.0, 0.5, each).astype(np.float32) for each in (*shapes, (outputs,)))
    )


def test_the_gradient_is_that_of_finite_differences() -> None:
    rng = np.random.default_rng(1)
    layers, room = layers_of(rng, 4, 8, 1), Scratch.of(8)
    seen = rng.normal(size=(64, 4)).astype(np.float32)
    wanted = rng.normal(size=64).astype(np.float32)
    nothing = np.zeros((64, 2), np.float32)
    samples = Samples(seen, nothing, wanted, wanted, wanted)
    gradient = Layers(*(np.zeros_like(each) for each in layers))
    add_critic_gradient(layers, samples, 1.0 / 64.0, gradient, room)

    def loss() -> float:
        found = np.zeros((64, 1), np.float32)
        outputs_of(layers, seen, found, room)
        return float(0.5 * ((found[:, 0].astype(float) - wanted) ** 2).mean())

    for weights, slopes in zip(layers, gradient, strict=True):
        for place in ((0,) * weights.ndim, tuple(size - 1 for size in weights.shape)):
            before = weights[place]
            losses = []
            for step in (1e-2, -1e-2):
                weights[place] = before + step
                losses.append(loss())
            weights[place] = before
            assert slopes[place] == pytest.approx((losses[0] - losses[1]) / 2e-2, abs=2e-4)


def test_advantages_end_where_episodes_end() -> None:
    values, rewards = np.zeros((4, 1), np.float32), np.ones((3, 1), np.float32)
    is_over = np.array([[0.0], [1.0], [0.0]], np.float32)
    gains = np.zeros((3, 1), np.float32)
    advantages(values, rewards, is_over, 0.5, 1.0, gains)
    assert gains[:, 0].tolist() == [1.5, 1.0, 1.0]


def test_a_policy_learns_what_is_rewarded() -> None:
    learner = Learner(4, 2, replace(SMALL, minibatches=4), seed=0, threads=1)
    rng = np.random.default_rng(0)

    def errors(seen: np.ndarray, actions: np.ndarray) -> np.ndarray:
        return np.asarray(((actions - 0.5 * seen[:, :2]) ** 2).sum(1))

    tried = rng.normal(size=(2048, 4)).astype(np.float32)
    before = errors(tried, learner.means(tried)).mean()
    for _ in range(40):
        seen = rng.normal(size=(2048, 4)).astype(np.float32)
        actions, chances = learner.act(seen)
        returns = -errors(seen, actions).astype(np.float32)
        gains = returns - learner.values(seen)
        learner.learn(Samples(seen, actions, chances, gains, returns))
    assert errors(tried, learner.means(tried)).mean() < 0.2 * before


def test_a_policy_file_acts_as_the_learner() -> None:
    learner = Learner(66, 2, SMALL, seed=1, threads=1)
    seen = np.random.default_rng(2).normal(size=(40, 66)).astype(np.float32)
    policy = read_policy(Policy.of(learner.actor, 66, 6).to_bytes())
    means = np.clip(learner.means(learner.padded(seen)), -1.0, 1.0)
    assert policy.actions(seen) == pytest.approx(means, abs=1e-5)
    assert policy.observed == 6


def order(out: Path, steps: int, **options: object) -> TrainingOrder:
    """A training of a few seconds."""
    given = TrainingOrder(
        "Junction-v0", out, (TOWN,), (), cars=128, seed=5, steps=steps, episodes=8
    )
    return replace(given, **options)  # type: ignore[arg-type]


def test_a_resumed_training_ends_with_the_same_bytes(tmp_path: Path) -> None:
    whole, parted = tmp_path / "whole", tmp_path / "parted"
    lines = [*train_policy(order(whole, 4 * 4096))]
    assert "arrived" in lines[-1]
    assert any("done" in line for line in lines)
    for steps, is_resumed in ((2 * 4096, False), (4 * 4096, True)):
        [*train_policy(order(parted, steps, is_resumed=is_resumed))]
    assert (whole / POLICY).read_bytes() == (parted / POLICY).read_bytes()


def test_what_cannot_be_trained_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="'Parking' is not a task to train"):
        [*train_policy(order(tmp_path, 0, task="Parking"))]
    with pytest.raises(UserError, match="without --resume a training begins"):
        [*train_policy(order(tmp_path, 0, is_resumed=True))]
    [*train_policy(order(tmp_path, 0))]
    with pytest.raises(UserError, match="add --resume to continue"):
        [*train_policy(order(tmp_path, 0))]
    with pytest.raises(UserError, match="of another training"):
        [*train_policy(order(tmp_path, 0, is_resumed=True, seed=6))]
    whole = (tmp_path / CHECKPOINT).read_bytes()
    for damaged in (b"nothing", b"", whole[: len(whole) // 2], whole.replace(b"curve", b"curwe")):
        (tmp_path / CHECKPOINT).write_bytes(damaged)
        with pytest.raises(UserError, match="is not a checkpoint"):
            [*train_policy(order(tmp_path, 0, is_resumed=True))]


@pytest.mark.parametrize("data", [b"", b"nothing", b"PK\x03\x04 and no more"])
def test_a_file_that_is_not_a_policy_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="expected a policy"):
        read_policy(data)


def test_a_folder_that_cannot_be_written_is_reported_before_the_training(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    lines = train_policy(order(tmp_path / "file" / "out", 2 * 4096))
    with (
        patch.object(Training, "update", side_effect=AssertionError("it has begun")),
        pytest.raises(UserError, match="cannot be written"),
    ):
        next(lines)


@pytest.mark.parametrize("minutes", ["0", "-1", "nan", "inf"])
def test_a_training_takes_some_time(minutes: str, tmp_path: Path) -> None:
    given = ["Traffic", "--out", str(tmp_path), "--minutes", minutes]
    result = CliRunner().invoke(train, given)
    assert result.exit_code == 2
    assert "--minutes" in result.output


def test_the_time_left_is_that_of_this_run_alone() -> None:
    # From 80 % to 90 % in 10 s: the last tenth takes as long.
    assert remaining_seconds(10.0, 0.8, 0.9) == pytest.approx(10.0)


def test_the_onnx_model_acts_as_the_policy(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    [*train_policy(order(tmp_path, 0))]
    policy = read_policy((tmp_path / POLICY).read_bytes())
    session = onnxruntime.InferenceSession(str(tmp_path / MODEL))
    seen = np.random.default_rng(2).normal(size=(40, 66)).astype(np.float32)
    (found,) = session.run(None, {"seen": seen})
    assert found == pytest.approx(policy.actions(seen), abs=1e-5)


def test_a_curve_has_a_bar_for_each_part() -> None:
    assert bars([0.0, 0.5, 1.0]).strip() == "▁▅█"
    assert len(bars(np.linspace(0.0, 1.0, 100).tolist())) == 20
