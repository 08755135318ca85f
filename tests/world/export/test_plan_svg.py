"""The plan as SVG: what is on it, and where."""

import re

import numpy as np
import pytest
import shapely
from lxml import etree

from autosim.world.export.plan_svg import plan_svg
from autosim.world.geometry.meshes import Surface
from tests.world.maps import TOWN

NAMES = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def town(built):
    return built(TOWN)


@pytest.fixture(scope="module")
def drawing(town):
    return etree.fromstring(plan_svg(town, size=800))


def path(drawing, name):
    return drawing.find(f"{NAMES}path[@id='{name}']").get("d")


def area(text):
    """Area of the rings of a path, holes taken off."""
    rings = [
        shapely.Polygon([[float(v) for v in p.split(",")] for p in ring.split()])
        for ring in text.strip("MZ").split("ZM")
    ]
    total = shapely.Polygon()
    for ring in rings:
        total = shapely.symmetric_difference(total, ring)
    return total.area


def test_it_shows_the_world_at_its_size(town, drawing):
    x_min, y_min, x_max, y_max = town.bounds
    assert [float(v) for v in drawing.get("viewBox").split()] == pytest.approx(
        [x_min, -y_max, x_max - x_min, y_max - y_min], abs=0.01
    )
    assert max(int(drawing.get("width")), int(drawing.get("height"))) == 800


@pytest.mark.parametrize("surface", [Surface.CARRIAGEWAY, Surface.WATER, Surface.PARK])
def test_surfaces_keep_their_area(town, drawing, surface):
    corners = town.ground.vertices[town.ground.triangles[town.ground.surfaces == surface]]
    u, v = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    expected = 0.5 * np.abs(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]).sum()
    assert area(path(drawing, surface.name.lower())) == pytest.approx(expected, rel=1e-3)


def test_north_is_up(town, drawing):
    used = town.ground.triangles[town.ground.surfaces == Surface.WATER]
    y = town.ground.vertices[used, 1]
    drawn = [float(p.split(",")[1]) for p in re.split("[MZ ]", path(drawing, "water")) if p]
    assert (min(drawn), max(drawn)) == pytest.approx((-y.max(), -y.min()), abs=0.02)
    assert abs(min(drawn) + max(drawn)) > 10.0


def test_lanes_and_connectors_are_lines(town, drawing):
    connectors = int(town.roads.connectors.sum())
    assert path(drawing, "connectors").count("M") == connectors
    assert path(drawing, "lanes").count("M") == len(town.roads.lanes) - connectors


def test_names_are_escaped_and_the_data_is_named(town, drawing):
    assert drawing.findtext(f"{NAMES}title") == town.name
    assert drawing.findtext(f"{NAMES}desc") == town.attribution
