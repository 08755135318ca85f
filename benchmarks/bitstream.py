"""Encoding the state: a tree's bitstream against a plain copy of the same bytes."""

import sys
import timeit

from autosim.model.state import State
from autosim.model.tree import Field, SimulationTree, TreeNode

COUNTS = (10, 100, 1000, 10_000)
FIELDS = (
    Field("position", shape=(3,), unit="m"),
    Field("orientation", shape=(4,)),
    Field("velocity", shape=(3,), unit="m/s"),
    Field("angular_velocity", shape=(3,), unit="rad/s"),
)


def microseconds(call, repeats: int) -> float:
    return min(timeit.repeat(call, number=repeats, repeat=7)) / repeats * 1e6


def main() -> None:
    print(
        f"{'nodes':>7} {'bytes':>9} {'copy µs':>9} {'encode µs':>10} {'decode µs':>10}  encode:copy"
    )
    for count in COUNTS:
        tree = SimulationTree()
        for index in range(count):
            tree.register(TreeNode(f"n{index}", "Box", FIELDS))
        state = State(tree.lay_out())
        data, memory = state.to_bitstream(), bytearray(tree.stop)
        repeats = max(20, 200_000 // count)
        copy = microseconds(lambda memory=memory: bytes(memory), repeats)
        encode = microseconds(state.to_bitstream, repeats)
        decode = microseconds(
            lambda state=state, data=data: state.from_bitstream(data, digest=state.tree.digest),
            repeats,
        )
        print(
            f"{count:7} {tree.stop:9} {copy:9.2f} {encode:10.2f} {decode:10.2f}"
            f"  {encode / copy:.2f} (goal at 10 000 nodes: at most 2)"
        )


if __name__ == "__main__":
    sys.exit(main())
