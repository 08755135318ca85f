"""Packets written by the encoder, for tests of decoders in other languages.

`python -m tests.web.packet_vectors FILE.json` writes `{"hello": {...}, "packets": [{"bytes": hex,
"kind", "step", "key_number", "standing", "values": [[channel's numbers], ...]}, ...]}`. The values
are numbers as the viewer has to show them; those of int64 channels are texts, NaN is null.
"""

import json
import math
import sys
from pathlib import Path

import numpy as np

from autosim.config.world_settings import TrafficDescription
from autosim.model.state import State
from autosim.model.tree import Field, FieldType, SimulationTree, TreeNode
from autosim.traffic.traffic_node import traffic_node
from autosim.web.streaming.encoding import StateEncoder
from autosim.web.streaming.packets import HEADER, StreamFlag, StreamKind, read_runs, write_packet
from autosim.web.streaming.state_channels import EXACT, StateChannel
from autosim.web.streaming.stream_messages import hello_of

Numbers = list[list[float | str | None]]


def sample_tree() -> SimulationTree:
    """A robot with one body, wheels and lamps, and traffic of 4 vehicles and 3 people."""
    from autosim.kinds.kind import POSE

    tree = SimulationTree()
    robot = tree.register(TreeNode("car", "Robot", (Field("device_state", FieldType.INT),)))
    chassis = robot.register(TreeNode("chassis", "Box", POSE))
    fields = [Field(name) for name in ("steering", "rotation", "suspension_length", "load")]
    chassis.register(TreeNode("wheel", "WheelDevice", fields))
    chassis.register(TreeNode("lamp", "LightDevice", [Field("intensity")]))
    chassis.register(TreeNode("gps", "GPSSensor", [Field("sentence", FieldType.TEXT, (16,))]))
    tree.register(traffic_node(TrafficDescription(vehicles=4, people=3)))
    return tree.lay_out()


def decoded(packet: bytes, channels: tuple[StateChannel, ...], key: np.ndarray) -> np.ndarray:
    """The integers that a key or a delta stands for."""
    kind, _, _, size, _ = HEADER.unpack_from(packet)
    assert len(packet) == HEADER.size + size
    base = key * 0 if kind == StreamKind.KEY else key
    return read_runs(packet[HEADER.size :], base)


def _numbers(values: np.ndarray, channels: tuple[StateChannel, ...]) -> Numbers:
    rows: Numbers = []
    at = 0
    for channel in channels:
        part = values[at : at + channel.words].tolist()
        at += channel.words
        if channel.quantum == EXACT:
            rows.append([str(each) for each in part])
        else:
            rows.append([None if each == -(2**53) else each * channel.quantum for each in part])
    return rows


def vectors() -> dict[str, object]:
    """The content of the file."""
    tree = sample_tree()
    encoder = StateEncoder(tree)
    state = State(tree)
    random = np.random.default_rng(7)
    key = np.zeros(sum(each.words for each in encoder.channels), dtype=np.int64)
    packets: list[dict[str, object]] = []
    for number in range(12):
        state.ints[0], state.ints[1] = 100 + number, 2**40 + number
        chosen = random.integers(2, len(state.floats), size=2 + 6 * (number % 5))
        is_float = np.ones(len(state.floats), dtype=bool)
        for channel in encoder.channels:
            if channel.quantum == EXACT:
                first = channel.offset // 8
                is_float[first : first + channel.words] = False
        chosen = chosen[is_float[chosen]]
        state.floats[chosen] = random.normal(scale=10.0 ** random.integers(-3, 5), size=len(chosen))
        if number == 5:
            wheel = tree.find("car.chassis.wheel")
            assert wheel is not None
            state.floats[wheel.field_offset("steering") // 8] = math.nan
            state.floats[wheel.field_offset("rotation") // 8] = math.inf
        frame = encoder.encode(state.buffer, now=0.3 * number, is_standing=number == 3)
        packet = frame.key if frame.delta is None else frame.delta
        values = decoded(packet, encoder.channels, key)
        if frame.delta is None:
            key = values
        kind, flags, key_number, _, step = HEADER.unpack_from(packet)
        packets.append(
            {
                "bytes": packet.hex(),
                "kind": kind,
                "step": step,
                "key_number": key_number,
                "standing": bool(flags & StreamFlag.STANDS_STILL),
                "values": _numbers(values, encoder.channels),
            }
        )
    for kind, payload in ((StreamKind.HEARTBEAT, b"lost"), (StreamKind.WATCHED, b"\1" * 16)):
        packets.append({"bytes": write_packet(kind, payload, step=111, key=3).hex(), "kind": kind})
    return {"hello": hello_of(encoder, step_seconds=1 / 240), "packets": packets}


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(vectors()))
