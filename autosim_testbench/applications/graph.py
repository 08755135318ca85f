"""A bench as a picture: its nodes in columns, from those that only send to those that only take."""

from collections.abc import Sequence
from html import escape

from autosim_testbench.applications.topology import Topology

_BOX_WIDTH, _BOX_HEIGHT = 150, 40
"""Size of a node's box [pixels]: room for a name of 20 letters."""

_COLUMN, _ROW = 300, 74
"""Distance of columns and rows [pixels]: room for a topic's name between them."""

_RIM, _SIDE = 24, 130
"""Room above and below, and to the sides [pixels], where what goes back to the left turns round."""

_STYLE = (
    "text{font:13px sans-serif;fill:#1e222a;text-anchor:middle}.topic{font-size:11px;fill:#2b62a8}"
    "rect.node{fill:#eef3fa;stroke:#2b62a8}path{fill:none;stroke:#8a94a6;stroke-width:1.4}"
)


Edge = tuple[str, str, str]
"""The publisher, the subscriber and the name of a topic."""


def draw_graph(topology: Topology) -> str:
    """The bench as an SVG file."""
    return draw_edges(
        topology.nodes,
        [
            (publisher, subscriber, topic.name)
            for topic in topology.topics.values()
            for publisher in topic.publishers
            for subscriber in topic.subscribers
        ],
    )


def draw_edges(nodes: Sequence[str], edges: Sequence[Edge]) -> str:
    """Nodes and what goes from one to the other, as an SVG file."""
    columns = _columns(nodes, edges)
    rows: dict[int, int] = {}
    places = {}
    for node in nodes:
        column = columns[node]
        row = rows.get(column, 0)
        rows[column] = row + 1
        places[node] = (_SIDE + column * _COLUMN, _RIM + row * _ROW)
    width = 2 * _SIDE + max(columns.values(), default=0) * _COLUMN + _BOX_WIDTH
    height = 2 * _RIM + max(rows.values(), default=0) * _ROW + _BOX_HEIGHT // 2
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}">',
        f'<style>{_STYLE}</style><rect width="{width}" height="{height}" fill="#fff"/>',
        '<defs><marker id="end" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
        '<path d="M0 0 L8 4 L0 8" fill="none"/></marker></defs>',
    ]
    for publisher, subscriber, topic in edges:
        lines += _edge(places[publisher], places[subscriber], topic)
    for node, (x, y) in places.items():
        lines.append(
            f'<rect class="node" x="{x}" y="{y}" '
            f'width="{_BOX_WIDTH}" height="{_BOX_HEIGHT}" rx="6"/>'
            f'<text x="{x + _BOX_WIDTH // 2}" y="{y + _BOX_HEIGHT // 2 + 5}">{escape(node)}</text>'
        )
    return "\n".join([*lines, "</svg>", ""])


def _columns(nodes: Sequence[str], edges: Sequence[Edge]) -> dict[str, int]:
    """The column of each node: behind all that send to it, without going round in circles."""
    senders: dict[str, set[str]] = {each: set() for each in nodes}
    for publisher, subscriber, _ in edges:
        senders[subscriber] |= {publisher} - {subscriber}
    columns: dict[str, int] = {}

    def column(node: str, way: tuple[str, ...]) -> int:
        if node not in columns:
            ahead = [each for each in sorted(senders[node]) if each not in way]
            found = max((1 + column(each, (*way, node)) for each in ahead), default=0)
            columns.setdefault(node, found)
        return columns[node]

    for each in nodes:
        column(each, ())
    return columns


def _edge(begin: tuple[int, int], end: tuple[int, int], label: str) -> list[str]:
    x1, y1 = begin[0] + _BOX_WIDTH, begin[1] + _BOX_HEIGHT // 2
    x2, y2 = end[0], end[1] + _BOX_HEIGHT // 2
    # One that passes other columns, or goes back, passes below the boxes that stand there.
    is_long = not 0 < x2 - x1 < _COLUMN
    low = max(y1, y2) + _ROW // 2 if is_long else 0
    bend = max(abs(x2 - x1) // 4, 60)
    middle, height = (x1 + x2) // 2, (low or (y1 + y2) // 2) - 5
    curve = (
        f"M{x1} {y1} C{x1 + bend} {y1} {x1 + bend // 2} {low} {x1 + bend} {low} "
        f"L{x2 - bend} {low} C{x2 - bend // 2} {low} {x2 - bend} {y2} {x2} {y2}"
        if is_long
        else f"M{x1} {y1} C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}"
    )
    return [
        f'<path d="{curve}" marker-end="url(#end)"/>',
        f'<text class="topic" x="{middle}" y="{height}">{escape(label)}</text>',
    ]
