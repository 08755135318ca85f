"""Listens to a topic of a bench: its messages and their rate."""

from collections.abc import Callable
from typing import NotRequired, TypedDict

import numpy as np

from autosim.config.reading.attribute_values import suggestion
from autosim.errors import UserError
from autosim_testbench.applications.topology import topology_of
from autosim_testbench.launch.bench import BenchOptions, LockstepBench
from autosim_testbench.launch.launch_file import Launch
from autosim_testbench.messages.envelope import unseal
from autosim_testbench.messages.serial_object import SerialObject

_SECONDS = 1e-9
"""Seconds in a nanosecond [s/ns]."""


class Gaps(TypedDict):
    """Times between two messages [s]."""

    least: float
    """Shortest."""

    mean: float
    """Mean."""

    most: float
    """Longest."""

    deviation: float
    """Standard deviation."""


class Rate(TypedDict):
    """Frequency of a topic's messages."""

    messages: int
    """Number of messages."""

    rate_hz: NotRequired[float | None]
    """Messages a second; left out below two messages, None if all came at once."""

    gap_s: NotRequired[Gaps]
    """Times between two messages [s]; left out below two messages."""


def listen(
    launch: Launch,
    topic: str,
    options: BenchOptions,
    take: Callable[[float, SerialObject], None],
) -> None:
    """Runs a bench in this process, and has `take` called for each message of a topic.

    Args:
        launch: what to run.
        topic: to listen to.
        options: how long, and in which mode.
        take: gets the time [s] on the bench's clock and the message, which the next one overwrites.

    Raises:
        UserError: the bench has no such topic, or cannot run.
    """
    topology = topology_of(launch, is_trusted=True)
    topics = topology.topics
    if topic not in topics:
        raise UserError(f"the bench has no topic {topic!r}{suggestion(topic, topics)}")
    if topic in topology.conflicts:
        raise UserError(f"topic {topic!r} has different kinds: {topology.conflicts[topic]}")
    with LockstepBench(launch, options) as bench:
        message = topics[topic].kind()

        def came(data: bytes) -> None:
            unseal(data, message)
            take(bench.seconds, message)

        ear = bench.connect("listener")
        ear.subscribe(topic, came)
        bench.run(after_tick=ear.process)


def rate_of(times: list[float]) -> Rate:
    """Messages a second, and the times between them [s]: mean, smallest, largest, deviation."""
    gaps = np.diff(times)
    if not gaps.size:
        return {"messages": len(times)}
    return {
        "messages": len(times),
        "rate_hz": float(1.0 / gaps.mean()) if gaps.mean() else None,
        "gap_s": {
            "least": float(gaps.min()),
            "mean": float(gaps.mean()),
            "most": float(gaps.max()),
            "deviation": float(gaps.std()),
        },
    }


def in_words(message: SerialObject) -> str:
    """A message as one line: its fields, and the time to which it refers."""
    stamp = "" if message.stamp_ns is None else f"stamp {message.stamp_ns * _SECONDS:.6f} s  "
    values = (f"{each.name} {_value(getattr(message, each.name))}" for each in message.FIELDS)
    return stamp + "  ".join(values)


def _value(value: object) -> str:
    if isinstance(value, np.ndarray):
        return np.array2string(value, threshold=8, precision=4, separator=", ").replace("\n", "")
    return f"{value:.6g}" if isinstance(value, float) else str(value)
