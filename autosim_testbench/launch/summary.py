"""Results of a bench as numbers: messages by topic, delays, and the reports of its nodes."""

from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import Any

import numpy as np

from autosim_testbench.nodes.node import Node
from autosim_testbench.nodes.reality import MixedReality

_MILLISECONDS = 1e-6
"""Milliseconds in a nanosecond [ms/ns]: people read lags in milliseconds."""

Counts = dict[str, Any]
"""Counts of one node, as JSON."""

_NEWEST_LAGS = 200
"""Number of newest messages whose lag counts while a bench runs: 10 s of a topic at 20 Hz."""


def glimpse(node: Node, *, asks: bool = True) -> Counts:
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


def summarise(counts: Iterable[Counts]) -> dict[str, Any]:
    """The summary of a bench as it is written to `summary.json`.

    Returns:
        `topics`: by name, `sent`, `received`, `lost` (gaps in the publishers' numbers), `dropped`
        (by subscribers that were too slow), `rejected` (number by reason), `lag_ms` (`p50`, `p99`:
        from a message's stamp to its arrival; None where none came). `modes`: the reality mode of
        each combiner and splitter, by name. `nodes`: what each node reports of itself, by name.
    """
    counts = list(counts)
    names = sorted({name for each in counts for name in (*each["published"], *each["subscribed"])})
    return {
        "topics": {name: _topic(name, counts) for name in names},
        "modes": {each["name"]: each["mode"] for each in counts if each["mode"] is not None},
        "nodes": {each["name"]: each["report"] for each in counts if each["report"]},
    }


def _topic(name: str, counts: list[Counts]) -> dict[str, Any]:
    subscribed = [each["subscribed"][name] for each in counts if name in each["subscribed"]]
    rejected = sum((Counter(each["rejected"]) for each in subscribed), Counter[str]())
    lags = np.array([lag for each in subscribed for lag in each["lags_ns"]])
    return {
        "sent": sum(each["published"].get(name, 0) for each in counts),
        "received": sum(each["received"] for each in subscribed),
        "lost": sum(each["lost"] for each in subscribed),
        "dropped": sum(each["dropped"].get(name, 0) for each in counts),
        "rejected": dict(rejected),
        "lag_ms": {"p50": _percentile(lags, 50), "p99": _percentile(lags, 99)},
    }


def _percentile(lags: Any, share: float) -> float | None:
    return float(np.percentile(lags, share)) * _MILLISECONDS if lags.size else None
