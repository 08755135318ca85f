"""Results of a bench as numbers: messages by topic, delays, and the reports of its nodes."""

from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from autosim_testbench.nodes.node import Node
from autosim_testbench.nodes.reality import MixedReality

_MILLISECONDS = 1e-6
"""Milliseconds in a nanosecond [ms/ns]: people read lags in milliseconds."""

_NEWEST_LAGS = 200
"""Number of newest messages whose lag counts while a bench runs: 10 s of a topic at 20 Hz."""


class SubscriberCounts(TypedDict):
    """Counts of a subscription."""

    received: int
    """Number of messages taken."""

    lost: int
    """Gaps in the publishers' numbers [messages]."""

    rejected: dict[str, int]
    """Number of unreadable messages, by reason."""

    lags_ns: list[int]
    """Time [ns] from each message's stamp to its arrival, of the newest messages, newest first."""


class Counts(TypedDict):
    """Counts of one node, as JSON."""

    name: str
    """Name of the node."""

    published: dict[str, int]
    """Number of messages sent, by topic."""

    subscribed: dict[str, SubscriberCounts]
    """Counts of its subscriptions, by topic."""

    dropped: dict[str, int]
    """Number of messages for which it was too slow, by topic."""

    report: dict[str, object]
    """The node's own report, by name."""

    mode: int | None
    """Reality mode; None if the node is neither a combiner nor a splitter."""


class Glimpse(Counts):
    """Counts of one running node, with what a window shows of it, as JSON."""

    kind: str
    """Class of the node."""

    modes: list[int]
    """Reality modes that it can take."""

    messages: dict[str, str]
    """Class of the messages, by topic."""

    figures: dict[str, str]
    """SVG by name."""


class Lags(TypedDict):
    """Percentiles of the time from a message's stamp to its arrival [ms]; None without messages."""

    p50: float | None
    """Median."""

    p99: float | None
    """99th percentile."""


class TopicSummary(TypedDict):
    """Counts of a topic over all its publishers and subscribers."""

    sent: int
    """Number of messages sent."""

    received: int
    """Number of messages taken by subscribers."""

    lost: int
    """Gaps in the publishers' numbers [messages]."""

    dropped: int
    """Number of messages dropped by subscribers that were too slow."""

    rejected: dict[str, int]
    """Number of unreadable messages, by reason."""

    lag_ms: Lags
    """Delay of the messages."""


class CountSummary(TypedDict):
    """Counts of all nodes of a bench, combined."""

    topics: dict[str, TopicSummary]
    """Counts of each topic, by name."""

    modes: dict[str, int]
    """Reality mode of each combiner and splitter, by name."""

    nodes: dict[str, dict[str, object]]
    """Report of each node that makes one, by name."""


class BenchSummary(CountSummary):
    """CountSummary of a run of a bench."""

    seconds: float
    """Duration [s], on the clock of the bench."""

    failed: dict[str, str]
    """Failures of the code of nodes, by the nodes' names."""


class RunSummary(BenchSummary):
    """CountSummary of a run of a bench as it is written to `summary.json`."""

    bench: str
    """The launch file."""

    backend: str
    """Address of the backend."""

    seed: int
    """Seed of the run."""


def glimpse(node: Node, *, asks: bool = True) -> Glimpse:
    """Figures of a running node, for a window.

    Args:
        node: that runs.
        asks: whether to call the node's own `report` and `figures`.

    Returns:
        What it has counted so far, with the lags of the newest messages; `kind`, its class; `modes`
        that it can take; `messages`, the kind of message by topic; `figures`, SVG by name.
    """
    topics = {**node.published, **node.subscribed}
    return {
        **count(node, lags=_NEWEST_LAGS, asks=asks),
        "kind": type(node).__name__,
        "modes": list(map(int, node.modes)) if isinstance(node, MixedReality) else [],
        "messages": {name: type(each.object).__name__ for name, each in topics.items()},
        "figures": dict(node.figures()) if asks else {},
    }


def count(node: Node, lags: int | None = None, *, asks: bool = True) -> Counts:
    """Counts of a node, to be combined with those of others.

    Args:
        node: that counts.
        lags: number of newest lags by topic; None for all that are kept.
        asks: whether to call the node's own `report`.
    """
    return {
        "name": node.name,
        "published": {name: each.sent for name, each in node.published.items()},
        "subscribed": {
            name: {
                "received": each.received,
                "lost": each.lost,
                "rejected": dict(each.rejected),
                "lags_ns": list(islice(reversed(each.lags_ns), lags)),
            }
            for name, each in node.subscribed.items()
        },
        "dropped": dict(node.dropped),
        "report": node.report() if asks else {},
        "mode": int(node.mode) if isinstance(node, MixedReality) else None,
    }


def summarise(counts: Iterable[Counts]) -> CountSummary:
    """The counts of the nodes of a bench, combined by topic."""
    counts = list(counts)
    names = sorted({name for each in counts for name in (*each["published"], *each["subscribed"])})
    return {
        "topics": {name: _topic(name, counts) for name in names},
        "modes": {each["name"]: each["mode"] for each in counts if each["mode"] is not None},
        "nodes": {each["name"]: each["report"] for each in counts if each["report"]},
    }


def _topic(name: str, counts: list[Counts]) -> TopicSummary:
    subscribed = [each["subscribed"][name] for each in counts if name in each["subscribed"]]
    rejected = sum((Counter(each["rejected"]) for each in subscribed), Counter[str]())
    lags = np.array([lag for each in subscribed for lag in each["lags_ns"]], np.int64)
    return {
        "sent": sum(each["published"].get(name, 0) for each in counts),
        "received": sum(each["received"] for each in subscribed),
        "lost": sum(each["lost"] for each in subscribed),
        "dropped": sum(each["dropped"].get(name, 0) for each in counts),
        "rejected": dict(rejected),
        "lag_ms": {"p50": _percentile(lags, 50), "p99": _percentile(lags, 99)},
    }


def _percentile(lags: npt.NDArray[np.int64], share: float) -> float | None:
    return float(np.percentile(lags, share)) * _MILLISECONDS if lags.size else None
