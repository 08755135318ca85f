"""Training of a policy into a folder: checkpoints, progress, the policy and what it achieves."""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from autosim.applications.common.files import write_whole
from autosim.applications.common.open_worlds import open_named_world
from autosim.config.descriptions import WorldDescription
from autosim.environments.fleet.fleet_tasks import TASKS, FleetTask
from autosim.errors import UserError
from autosim.learning.onnx_export import onnx_model
from autosim.learning.policy_file import read_policy
from autosim.learning.training import CostChange, Outcomes, Training, evaluate
from autosim.remaining_time import remaining_text
from autosim.world.pipeline.forked_helpers import usable_processors

CHECKPOINT, POLICY, MODEL, CURVE = "checkpoint.npz", "policy.npz", "policy.onnx", "curve.csv"
"""Files of a folder: all that a continued training needs, the policy, the same for ONNX, and the
learning curve."""

_SAVE_SECONDS = 60.0
"""Time [s] between two checkpoints: what a crash loses."""

_REPORT_SECONDS = 5.0
"""Time [s] between two lines about the progress."""

_BARS = "▁▂▃▄▅▆▇█"
"""Characters of a learning curve, by height."""

_BAR_COUNT = 20
"""Number of characters of a learning curve: what fits a line beside the numbers."""


@dataclass(frozen=True, slots=True)
class TrainingOrder:
    """Order of a training.

    `task`: name in `TASKS`; `worlds`: files of towns; `steps`: total of steps of cars, `minutes`:
    limit of processor time, None for none; `tests`: files of towns that are held out; `cars` in all
    towns, the `seed` of the policy, of starts and of traffic, `threads`, and whether the training
    `is_resumed`.
    """

    task: str
    out: Path
    worlds: Sequence[str]
    tests: Sequence[str]
    cars: int = 1024
    seed: int = 0
    steps: int | None = None
    minutes: float | None = None
    threads: int | None = None
    is_resumed: bool = False
    episodes: int = 300
    """Episodes in each town at the end."""
    collision_cost: float = 25.0
    """Cost of a collision from now on, see `FleetTask`."""
    final_collision_cost: float | None = None
    """Cost of a collision in the last `final_steps` of `steps`; None: it stays."""
    final_steps: int = 0
    """Number of steps of the last part."""
    keeps_last: bool = False
    """Whether the averaged policy at the end is written, not the best of all trials."""

    @property
    def change(self) -> CostChange | None:
        """The change of the cost of collisions, if any.

        Raises:
            UserError: the total of steps is not given, or smaller than the last part.
        """
        if self.final_collision_cost is None:
            return None
        if self.steps is None or not 0 < self.final_steps <= self.steps:
            raise UserError(
                "--final-collision-cost applies to the last --final-steps of --steps: give both, "
                "the former no larger than the latter"
            )
        return CostChange(self.steps - self.final_steps, self.final_collision_cost)


def train_policy(order: TrainingOrder) -> Iterator[str]:
    """Trains, and yields lines about the progress.

    Raises:
        UserError: the folder holds another training or none to continue; a town cannot be used.
    """
    task = replace(task_named(order.task), collision_cost=order.collision_cost)
    change = order.change
    worlds = [open_named_world(each) for each in order.worlds]
    tests = [open_named_world(each) for each in order.tests]
    checkpoint = order.out / CHECKPOINT
    if checkpoint.exists() and not order.is_resumed:
        raise UserError(f"{checkpoint} exists: add --resume to continue, or choose another folder")
    if order.is_resumed and not checkpoint.exists():
        raise UserError(f"{checkpoint} does not exist: without --resume a training begins")
    threads = order.threads or usable_processors()
    training = Training(task, worlds, order.cars, order.seed, threads, change=change)
    curve: list[tuple[float, ...]] = []
    if order.is_resumed:
        curve = _restore(training, order)
    else:
        _save(training, order, curve)  # a folder that cannot be written is reported at once
    yield from _train(training, order, curve)
    _save(training, order, curve)
    yield from _write_policy(training, order, curve)
    training.close()
    for name, world in zip([*order.worlds, *order.tests], [*worlds, *tests], strict=True):
        kind = "trained in" if name in order.worlds else "held out"
        yield report_of(f"{name} ({kind})", order, world)


def task_named(name: str) -> FleetTask:
    """The task of a name, with or without `-v0`.

    Raises:
        UserError: there is none.
    """
    found = TASKS.get(name.removeprefix("autosim/").removesuffix("-v0"))
    if found is None:
        raise UserError(f"'{name}' is not a task to train (tasks: {', '.join(TASKS)})")
    return found


def report_of(name: str, order: TrainingOrder, world: WorldDescription) -> str:
    """A line about the policy of a folder in a town."""
    policy = read_policy((order.out / POLICY).read_bytes())
    found = evaluate(
        policy, world, task_named(order.task), episodes=order.episodes, seed=order.seed + 1000
    )
    return f"{name}: {shares_text(found)} of {found.episodes} episodes"


def shares_text(found: Outcomes) -> str:
    """Endings of episodes in per cent."""
    most = max(found.episodes, 1)
    counts = (found.arrived, found.collided, found.left_lane)
    arrived, collided, left = (100.0 * each / most for each in counts)
    return f"arrived {arrived:.1f} %, collided {collided:.1f} %, off the lane {left:.1f} %"


def _train(
    training: Training, order: TrainingOrder, curve: list[tuple[float, ...]]
) -> Iterator[str]:
    begun, used = time.monotonic(), time.process_time()
    saved = reported = begun
    first, first_done = training.samples, _share_done(order, training.samples, 0.0)
    recent = Outcomes()
    while True:
        done = _share_done(order, training.samples, time.process_time() - used)
        now = time.monotonic()
        if recent.episodes and (now - reported > _REPORT_SECONDS or done >= 1.0):
            curve.append(_row(training, recent))
            left = remaining_seconds(now - begun, first_done, done)
            pace = (training.samples - first) / max(now - begun, 1e-6)
            yield _progress(training, recent, curve, done, left, pace)
            reported, recent = now, Outcomes()
        if done >= 1.0:
            return
        if now - saved > _SAVE_SECONDS:
            _save(training, order, curve)
            saved = time.monotonic()
        recent += training.update()


def remaining_seconds(seconds: float, first_done: float, done: float) -> float:
    """Time [s] until a training ends, whose share `first_done` grew to `done` in `seconds`."""
    return seconds * max(1.0 - done, 0.0) / max(done - first_done, 1e-6)


def _share_done(order: TrainingOrder, samples: int, seconds: float) -> float:
    """Share of a training that is done: of its steps or its time, whichever ends it first."""
    by_steps = samples / max(order.steps, 1) if order.steps is not None else 0.0
    by_time = seconds / (60.0 * order.minutes) if order.minutes is not None else 0.0
    if order.steps == 0:
        return 1.0
    return max(by_steps, by_time)


def _row(training: Training, recent: Outcomes) -> tuple[float, ...]:
    """A row of the learning curve."""
    most = max(recent.episodes, 1)
    return (
        float(training.samples),
        recent.rewards / max(recent.steps, 1),
        recent.arrived / most,
        recent.collided / most,
        recent.left_lane / most,
    )


def _progress(
    training: Training,
    recent: Outcomes,
    curve: Sequence[tuple[float, ...]],
    done: float,
    seconds_left: float,
    pace: float,
) -> str:
    left = remaining_text(seconds_left) if done < 1.0 else "done"
    return (
        f"{100.0 * min(done, 1.0):3.0f} % {bars([row[2] for row in curve])} "
        f"{training.samples / 1e6:7.2f} million steps, {pace:7.0f}/s, "
        f"reward {recent.rewards / max(recent.steps, 1):+.3f}, {shares_text(recent)}, {left}"
    )


def bars(values: Sequence[float]) -> str:
    """Values in 0 to 1 as a line of bars, the last one at its right end."""
    shown = values
    if len(values) > _BAR_COUNT:
        parts = np.array_split(np.array(values), _BAR_COUNT)
        shown = [float(each.mean()) for each in parts]
    top = len(_BARS) - 1
    return "".join(_BARS[min(top, max(0, math.floor(each * top + 0.5)))] for each in shown).rjust(
        _BAR_COUNT
    )


def _save(training: Training, order: TrainingOrder, curve: Sequence[tuple[float, ...]]) -> None:
    """Writes the checkpoint whole, or not at all."""
    stream = BytesIO()
    np.savez(
        stream, allow_pickle=False, order=_identity(order), curve=_table(curve), **training.memory
    )
    write_whole(order.out / CHECKPOINT, stream.getvalue())


def _restore(training: Training, order: TrainingOrder) -> list[tuple[float, ...]]:
    """Gives a training the state of the checkpoint; returns the learning curve so far.

    Raises:
        UserError: the checkpoint is broken or of another training.
    """
    path = order.out / CHECKPOINT
    try:
        with np.load(BytesIO(path.read_bytes()), allow_pickle=False) as arrays:
            if str(arrays["order"]) != str(_identity(order)):
                raise UserError(
                    f"{path} is of another training ({arrays['order']}): give the same task, "
                    "worlds, cars and seed"
                )
            for name, memory in training.memory.items():
                np.copyto(memory, arrays[name], casting="no")
            return [tuple(row) for row in arrays["curve"].tolist()]
    except (BadZipFile, EOFError, KeyError, OSError, TypeError, ValueError) as error:
        raise UserError(f"{path} is not a checkpoint of this version: train again") from error


def _identity(order: TrainingOrder) -> np.ndarray[tuple[int, ...], np.dtype[np.str_]]:
    worlds = ", ".join(order.worlds)
    return np.array(f"{order.task} in {worlds}, {order.cars} cars, seed {order.seed}")


def _table(curve: Sequence[tuple[float, ...]]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.array(curve, dtype=np.float64).reshape(-1, 5)


def _write_policy(
    training: Training, order: TrainingOrder, curve: Sequence[tuple[float, ...]]
) -> Iterator[str]:
    """Writes the policy, the learning curve, and the ONNX model where onnx is installed."""
    policy = training.last_policy if order.keeps_last else training.policy
    if np.isfinite(training.best_score) and not order.keeps_last:
        yield f"the best policy of all trials: arrived - collided = {training.best_score:.3f}"
    write_whole(order.out / POLICY, policy.to_bytes())
    lines = ["steps,reward,arrived,collided,off_lane"]
    lines += [",".join(f"{each:g}" for each in row) for row in curve]
    write_whole(order.out / CURVE, ("\n".join(lines) + "\n").encode())
    written = [POLICY, CURVE]
    try:
        write_whole(order.out / MODEL, onnx_model(policy))
        written.append(MODEL)
    except ImportError:
        yield "no ONNX model: pip install 'autosim[onnx]' and repeat with --resume"
    yield f"wrote {', '.join(written)} into {order.out}"
