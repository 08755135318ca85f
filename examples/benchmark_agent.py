"""An agent of the benchmark in its own process, with Gymnasium's interface.

    autosim benchmark run town --agent "process:python examples/benchmark_agent.py" --limit 2

It drives with the weights of `userprograms/learned_driver.npz`, which has learned to keep its lane
and nothing about others. Replace `Network` by your own policy.
"""

import sys
from pathlib import Path

import gymnasium
import numpy as np

import autosim.environments  # noqa: F401 (registers the names)

WEIGHTS = Path(__file__).parents[1] / "userprograms" / "learned_driver.npz"


class Network:
    """Layers of tanh, and one of sums."""

    def __init__(self, file):
        with np.load(file) as arrays:
            count = len(arrays.files) // 2
            self._layers = [(arrays[f"weight_{k}"], arrays[f"bias_{k}"]) for k in range(count)]

    def __call__(self, seen):
        """The action for an observation: steering and pedal in [-1, 1]."""
        *inner, (weight, bias) = self._layers
        for inner_weight, inner_bias in inner:
            seen = np.tanh(inner_weight @ seen + inner_bias)
        return np.clip(weight @ seen + bias, -1.0, 1.0)


def main(argv):
    """Drives one episode; an argument is another file of weights."""
    policy = Network(argv[0] if argv else WEIGHTS)
    environment = gymnasium.make("autosim/Benchmark-v0")
    seen, _ = environment.reset()
    ended = cut = False
    while not (ended or cut):
        seen, _, ended, cut, _ = environment.step(policy(seen))
    environment.close()


if __name__ == "__main__":
    main(sys.argv[1:])
