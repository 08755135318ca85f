"""What a bench has done, as numbers: messages by topic, lags, and what its nodes report."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from autosim.testbench.nodes.node import Node

_MILLISECONDS = 1e-6
"""Milliseconds in a nanosecond [ms/ns]: people read lags in milliseconds."""

Counts = dict[str, Any]
"""What one node has counted, as JSON."""


def count(node: Node) -> Counts:
    """What a node has counted, to be put together with what others have."""
    return {
        "name": node.name,
        "published": {name: each.sent for name, each in node.published.items()},
        "subscribed": {
            name: {
                "received": each.received,
                "lost": each.lost,
                "rejected": dict(each.rejected),
                "lags_ns": list(each.lags_ns),
            }
            for name, each in node.subscribed.items()
        },
        "dropped": dict(node.dropped),
        "report": node.report(),
    }


def summarise(counts: Iterable[Counts]) -> dict[str, Any]:
    """The summary of a bench as it is written to `summary.json`.

    Returns:
        `topics`: by name, `sent`, `received`, `lost` (gaps in the publishers' numbers), `dropped`
        (by subscribers that were too slow), `rejected` (number by reason), `lag_ms` (`p50`, `p99`:
        from a message's stamp to its arrival; None where none came). `nodes`: what each node
        reports of itself, by name.
    """
    counts = list(counts)
    names = sorted({name for each in counts for name in (*each["published"], *each["subscribed"])})
    return {
        "topics": {name: _topic(name, counts) for name in names},
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
