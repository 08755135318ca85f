"""Writes autosim/world/osm/left_hand_countries.geojson: where traffic keeps left.

    python scripts/make_left_hand_countries.py path/to/borders.json

`borders.json` is `src/data/borders.json` of the npm package @rapideditor/country-coder (5.6.1, ISC
licence), which OpenStreetMap's editors use. Its borders lie off the coasts, so that islands and
harbours are inside, and its feature property `driveSide` is "left" where traffic keeps left; the
licence asks for its text to be in every copy.
"""

import json
import sys
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[1] / "autosim" / "world" / "osm" / "left_hand_countries.geojson"
DIGITS = 4
"""Decimals [deg] of borders: 10 m."""

LICENCE = (
    "From country-coder 5.6.1 (https://github.com/rapideditor/country-coder). ISC License. "
    "Copyright (c) 2025, country-coder contributors. Permission to use, copy, modify, and/or "
    "distribute this software for any purpose with or without fee is hereby granted, provided that "
    "the above copyright notice and this permission notice appear in all copies. THE SOFTWARE IS "
    'PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE '
    "INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR "
    "BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES "
    "WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, "
    "NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR "
    "PERFORMANCE OF THIS SOFTWARE."
)


def left_hand_countries(borders: dict[str, Any]) -> dict[str, Any]:
    """The features where traffic keeps left, with their English names alone."""
    features = [
        {
            "type": "Feature",
            "properties": {"name": feature["properties"]["nameEn"]},
            "geometry": {
                "type": "MultiPolygon",
                "coordinates": [
                    [[[round(x, DIGITS), round(y, DIGITS)] for x, y in ring] for ring in polygon]
                    for polygon in feature["geometry"]["coordinates"]
                ],
            },
        }
        for feature in borders["features"]
        if feature["properties"].get("driveSide") == "left" and feature["geometry"]
    ]
    features.sort(key=lambda feature: feature["properties"]["name"])
    return {"type": "FeatureCollection", "licence": LICENCE, "features": features}


def main(argv: list[str]) -> None:
    """Reads the borders and writes the table, a country a line."""
    table = left_hand_countries(json.loads(Path(argv[1]).read_text(encoding="utf-8")))
    lines = [json.dumps(each, separators=(",", ":")) for each in table.pop("features")]
    head = json.dumps(table)[:-1]
    TARGET.write_text(head + ', "features": [\n' + ",\n".join(lines) + "\n]}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv)
