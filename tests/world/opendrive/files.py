"""Small OpenDRIVE files, written by code."""

from collections.abc import Iterable
from math import cos, pi, sin
from pathlib import Path

ARMS = 4
INNER = 20.0
"""Distance [m] of the arms of `crossroads` from its middle."""

HEADER = (
    '<header revMajor="1" revMinor="{minor}" name="test" version="1">'
    "<geoReference><![CDATA[{projection}]]></geoReference></header>"
)


def document(
    *parts: str, minor: int = 7, projection: str = "+proj=tmerc +lat_0=50 +lon_0=8"
) -> str:
    """A file of some roads and junctions."""
    header = HEADER.format(minor=minor, projection=projection)
    return f'<?xml version="1.0"?>\n<OpenDRIVE>\n{header}\n' + "\n".join(parts) + "\n</OpenDRIVE>\n"


def lane(
    id_: int,
    *,
    type_: str = "driving",
    width: str = "3.5 0 0 0",
    before: int | None = None,
    after: int | None = None,
    inner: str = "",
) -> str:
    """A lane; `width` holds the coefficients a to d."""
    links = "".join(
        f'<{name} id="{other}"/>'
        for name, other in (("predecessor", before), ("successor", after))
        if other is not None
    )
    a, b, c, d = width.split()
    widths = f'<width sOffset="0" a="{a}" b="{b}" c="{c}" d="{d}"/>' if id_ else ""
    return f'<lane id="{id_}" type="{type_}"><link>{links}</link>{widths}{inner}</lane>'


def section(lanes: Iterable[tuple[int, str]], s: float = 0.0) -> str:
    """A lane section of (id, text) of lanes; the lane 0 is added."""
    sides = {"left": [], "center": [lane(0, type_="none")], "right": []}  # type: dict[str, list[str]]
    for id_, text in sorted(lanes, reverse=True):
        sides["left" if id_ > 0 else "right"].append(text)
    inner = "".join(f"<{side}>{''.join(each)}</{side}>" for side, each in sides.items() if each)
    return f'<laneSection s="{s}">{inner}</laneSection>'


def road(
    id_: int,
    geometry: str,
    length: float,
    sections: str,
    *,
    links: str = "",
    junction: int = -1,
    profiles: str = "",
    rest: str = "",
    rule: str = "RHT",
) -> str:
    """A road; `geometry` holds the elements of its plan view."""
    return (
        f'<road id="{id_}" length="{length}" junction="{junction}" rule="{rule}">\n'
        f"<link>{links}</link><planView>{geometry}</planView>{profiles}\n"
        f"<lanes>{sections}</lanes>{rest}\n</road>"
    )


def piece(
    s: float, x: float, y: float, heading: float, length: float, shape: str = "<line/>"
) -> str:
    """A piece of a plan view."""
    return (
        f'<geometry s="{s}" x="{x!r}" y="{y!r}" hdg="{heading!r}" length="{length!r}">'
        f"{shape}</geometry>"
    )


def straight(length: float = 100.0, lanes: str = "", **options: str) -> str:
    """A file with a straight road along x, with a lane to each side."""
    both = section([(1, lane(1)), (-1, lane(-1))])
    return document(road(1, piece(0, 0, 0, 0, length), length, lanes or both, **options))  # type: ignore[arg-type]


def crossroads(
    *, arm: float = 120.0, signal: str = "", priorities: str = "", bump: float = 0.0
) -> str:
    """A crossroads of four arms with pavements; arm k leads away at k · 90 degrees.

    Args:
        arm: length of the arms [m].
        signal: the signals of arms, as text.
        priorities: elements of the junction.
        bump: height [m] of the middle of the ways straight on; all else is level.
    """
    parts, connections, number = [], [], 10
    for k in range(ARMS):
        x, y = _direction(k)
        lanes = section(
            [
                (2, lane(2, type_="sidewalk", width="2 0 0 0")),
                (1, lane(1)),
                (-1, lane(-1)),
                (-2, lane(-2, type_="sidewalk", width="2 0 0 0")),
            ]
        )
        link = '<predecessor elementType="junction" elementId="100"/>'
        line = piece(0, INNER * x, INNER * y, k * pi / 2.0, arm)
        rest = f"<signals>{signal}</signals>" if signal else ""
        parts.append(road(k, line, arm, lanes, links=link, rest=rest))
    for start in range(ARMS):
        for turn in (1, 2, 3):
            end = (start + turn) % ARMS
            parts.append(_turn(number, start, end, turn, bump))
            connections.append(
                f'<connection id="{number}" incomingRoad="{start}" connectingRoad="{number}" '
                'contactPoint="start"><laneLink from="1" to="-1"/></connection>'
            )
            number += 1
    junction = f'<junction id="100" name="x">{"".join(connections)}{priorities}</junction>'
    return document(*parts, junction)


def _turn(number: int, start: int, end: int, turn: int, bump: float) -> str:
    x, y = _direction(start)
    heading = start * pi / 2.0 + pi
    if turn == 2:
        length, shape = 2.0 * INNER, "<line/>"
    else:
        length = INNER * pi / 2.0
        # To the next arm counter-clockwise it goes to the right.
        shape = f'<arc curvature="{(-1.0 if turn == 1 else 1.0) / INNER}"/>'
    links = (
        f'<predecessor elementType="road" elementId="{start}" contactPoint="start"/>'
        f'<successor elementType="road" elementId="{end}" contactPoint="start"/>'
    )
    line = piece(0, INNER * x, INNER * y, heading, length, shape)
    lanes = section([(-1, lane(-1, before=1, after=-1))])
    profile = ""
    if bump and turn == 2:
        rows = [(0.0, 0.0, 3.0, -2.0), (INNER, 1.0, -3.0, 2.0)]
        profile = "".join(
            f'<elevation s="{s}" a="{bump * a}" b="0" c="{bump * c / INNER**2}" '
            f'd="{bump * d / INNER**3}"/>'
            for s, a, c, d in rows
        )
        profile = f"<elevationProfile>{profile}</elevationProfile>"
    return road(number, line, length, lanes, links=links, junction=100, profiles=profile)


def _direction(k: int) -> tuple[float, float]:
    return cos(k * pi / 2.0), sin(k * pi / 2.0)


def written(path: Path, text: str) -> Path:
    """Writes a file and returns its path."""
    path.write_text(text, encoding="utf-8")
    return path
