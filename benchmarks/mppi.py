"""What a control step takes: 8192 plans of 32 steps, and by how much that beats `pytorch_mppi`.

    python benchmarks/mppi.py [--samples 8192] [--steps 32] [--by torch:cuda]

The best of several rounds, in milliseconds of the clock and of the processor. The goal is 10 ms on
two processors, and a twentieth of what `pytorch_mppi` takes in the same run for the same model,
costs and table: pip install torch pytorch_mppi==0.9.1. `--by` measures the same plans on arrays of
a library as well.
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from autosim.control.mppi import MPPI, problem_of
from autosim.control.rollouts import Sampling
from autosim.tracks.curvilinear_table import CurvilinearTable
from tests.control.cases import CASES, COSTS, RADIUS, SECONDS
from tests.control.oracle import oracle_of, start

ROUNDS, GOAL, GOAL_RATIO = 15, 10.0, 20.0


def least(*functions: Callable[[], object]) -> list[tuple[float, float]]:
    """Milliseconds of the clock and of the processor of each function, each of its best round.

    They take turns: what else the machine does in a round, it does to all of them.
    """
    rounds: list[list[tuple[float, float]]] = [[] for _ in functions]
    for number in range(ROUNDS + 1):
        for function, found in zip(functions, rounds, strict=True):
            begin = time.perf_counter(), time.process_time()
            function()
            if number > 0:  # the first compiles
                found.append((time.perf_counter() - begin[0], time.process_time() - begin[1]))
    return [tuple((np.min(found, axis=0) * 1e3).tolist()) for found in rounds]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=8192)
    parser.add_argument("--steps", type=int, default=32)
    parser.add_argument("--by", default=None)
    options = parser.parse_args()
    turn = np.linspace(0.0, 2.0 * np.pi, 200, endpoint=False)
    points = RADIUS * np.column_stack([np.sin(turn), 1.0 - np.cos(turn)])
    table = CurvilinearTable.of(points, is_closed=True)
    sizes = {"samples": options.samples, "steps": options.steps}
    print(f"{options.samples} plans of {options.steps} steps: goal {GOAL:g} ms")

    def commander(name: str, **chosen: object) -> Callable[[], object]:
        model, state, limits = CASES[name]
        given = {**limits, **sizes, "seconds": SECONDS, "costs": COSTS}
        mppi = MPPI(model, **given, **chosen)  # type: ignore[arg-type]
        return lambda: mppi.command(state, table)

    for name in CASES:
        one, two = least(commander(name, threads=1), commander(name))
        print(
            f"  {name:13} {two[0]:6.1f} ms, {two[1]:6.1f} ms of the processor; "
            f"with one thread {one[0]:6.1f} ms"
        )
    if options.by:
        ((by, _),) = least(commander("slipless", by=options.by))
        print(f"  slipless by {options.by}: {by:.1f} ms")
    try:
        import pytorch_mppi  # noqa: F401
    except ImportError:
        print("  pytorch_mppi is not installed: pip install torch pytorch_mppi==0.9.1")
        return
    model, state, limits = CASES["slipless"]
    free = (np.inf, np.inf)
    sampling = Sampling(**limits, change=free, temperature=1.0, effort=1.0, seconds=SECONDS)
    plan = np.zeros((options.steps, 2))
    problem = problem_of(model, state, np.zeros(2), plan, sampling, COSTS, table)
    oracle, first = oracle_of(problem, options.samples), start(problem)
    plans = commander("slipless")

    def torch() -> object:
        return oracle.command(first)

    # Alone, each has the caches to itself; in turns, both begin with what the other has left there.
    (ours,), (theirs,) = least(plans), least(torch)
    print(f"  pytorch_mppi  {theirs[0]:6.1f} ms, {theirs[1]:6.1f} ms of the processor")
    _compare("each alone", ours, theirs)
    _compare("in turns", *least(plans, torch))


def _compare(how: str, ours: tuple[float, float], theirs: tuple[float, float]) -> None:
    ratios = theirs[0] / ours[0], theirs[1] / ours[1]
    print(
        f"    {how}: slipless {ours[0]:.1f} ms, {ours[1]:.1f} ms of the processor; ratios "
        f"{ratios[0]:.1f} and {ratios[1]:.1f}; goal {GOAL_RATIO:g}"
    )


if __name__ == "__main__":
    main()
