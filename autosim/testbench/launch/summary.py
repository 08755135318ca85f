"""What a bench has done, as numbers: messages by topic, lags, and what its nodes report."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from autosim.testbench.nodes.node import Node

_MILLISECONDS = 1e-6
"""Milliseconds in a nanosecond [ms/ns]: people read lags in milliseconds."""


def summarise(nodes: Iterable[Node]) -> dict[str, Any]:
    """The summary of a bench as it is written to `summary.json`.

    Returns:
        `topics`: by name, `sent`, `received`, `lost` (gaps in the publishers' numbers), `dropped`
        (by subscribers that were too slow), `rejected` (number by reason), `lag_ms` (`p50`, `p99`:
        from a message's stamp to its arrival; None where none came). `nodes`: what each node
        reports of itself, by name.
    """
    nodes = list(nodes)
    names = sorted({name for each in nodes for name in (*each.published, *each.subscribed)})
    return {
        "topics": {name: _topic(name, nodes) for name in names},
        "nodes": {each.name: report for each in nodes if (report := each.report())},
    }


def _topic(name: str, nodes: list[Node]) -> dict[str, Any]:
    published = [each.published[name] for each in nodes if name in each.published]
    subscribed = [each.subscribed[name] for each in nodes if name in each.subscribed]
    rejected: dict[str, int] = {}
    for topic in subscribed:
        for reason, number in topic.rejected.items():
            rejected[reason] = rejected.get(reason, 0) + number
    lags = np.array([lag for topic in subscribed for lag in topic.lags_ns])
    return {
        "sent": sum(each.sent for each in published),
        "received": sum(each.received for each in subscribed),
        "lost": sum(each.lost for each in subscribed),
        "dropped": sum(each.dropped[name] for each in nodes),
        "rejected": rejected,
        "lag_ms": {
            "p50": _percentile(lags, 50),
            "p99": _percentile(lags, 99),
        },
    }


def _percentile(lags: Any, share: float) -> float | None:
    return float(np.percentile(lags, share)) * _MILLISECONDS if lags.size else None
