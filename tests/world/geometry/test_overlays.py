"""Overlay operations survive what GEOS does not, and the world uses them everywhere."""

import ast
from pathlib import Path

import numpy as np
import pytest
import shapely
from shapely.errors import GEOSException

from autosim.world.geometry import overlays
from autosim.world.geometry.overlays import collected_faults
from tests.paths import ROOT

SQUARE = shapely.box(0.0, 0.0, 1.0, 1.0)
MIXED = shapely.GeometryCollection([SQUARE, shapely.Point(5.0, 5.0)])
"""What an intersection leaves of a polygon and of another one that touches in a vertex."""

OPERATIONS = frozenset(
    {
        *("intersection", "difference", "symmetric_difference", "union", "union_all"),
        *("unary_union", "buffer", "simplify", "line_merge", "polygonize", "make_valid"),
        *("set_precision", "coverage_union_all", "coverage_clean", "coverage_simplify"),
        *("offset_curve", "snap", "remove_repeated_points", "segmentize"),
    }
)
FOLDERS = ("world", "traffic", "tools", "tracks", "rays", "loading", "config", "applications")


def fail(*_, **__):
    raise GEOSException("TopologyException: made by the test")


def failing_without_grid(plain):
    """An operation that fails as GEOS does: unless coordinates are snapped to a grid."""

    def operation(*shapes, grid_size=None, **options):
        return plain(*shapes, grid_size=grid_size, **options) if grid_size else fail()

    return operation


def test_geos_fails_on_an_empty_shape_and_a_mixed_one():
    with pytest.raises(GEOSException):
        shapely.intersection(shapely.MultiPolygon(), MIXED)


@pytest.mark.parametrize("name", ["intersection", "difference", "union"])
def test_mixed_shapes_are_combined_by_their_polygons(name):
    operation = getattr(overlays, name)
    with collected_faults() as faults:
        empty = operation(shapely.MultiPolygon(), MIXED)
        whole = operation(shapely.box(-1.0, -1.0, 2.0, 2.0), MIXED)
    assert empty.area == (1.0 if name == "union" else 0.0)
    assert whole.area == {"intersection": 1.0, "difference": 8.0, "union": 9.0}[name]
    assert not faults


def test_only_the_elements_that_fail_are_treated():
    shapes = np.array([SQUARE, MIXED, None], dtype=object)
    found = overlays.intersection(shapes, shapely.MultiPolygon())
    assert [each if each is None else each.area for each in found] == [0.0, 0.0, None]
    tall = overlays.intersection(np.array([[SQUARE], [SQUARE]]), np.array([SQUARE, MIXED]))
    assert tall.shape == (2, 2)


@pytest.mark.parametrize("name", ["intersection", "difference", "union"])
def test_a_failure_of_noding_is_tried_on_grids(monkeypatch, name):
    plain = getattr(shapely, name)
    broken = failing_without_grid(plain)
    broken.__name__ = name
    monkeypatch.setattr(shapely, name, broken)
    monkeypatch.setattr(overlays, "_WITH_GRID", (broken,))
    with collected_faults() as faults:
        found = getattr(overlays, name)(SQUARE, shapely.box(0.5, 0.0, 2.0, 1.0))
    assert found.area == pytest.approx({"intersection": 0.5, "difference": 0.5, "union": 2.0}[name])
    assert not faults


@pytest.mark.parametrize(
    ("name", "area"), [("intersection", 0.0), ("difference", 1.0), ("union", 4.0)]
)
def test_an_element_that_fails_always_is_left_out_by_its_place(monkeypatch, name, area):
    monkeypatch.setattr(shapely, name, fail)
    with collected_faults() as faults:
        found = getattr(overlays, name)(SQUARE, shapely.box(5.0, 5.0, 7.0, 7.0))
    assert found.area == area
    assert [(fault.place, fault.operation) for fault in faults] == [((0.5, 0.5), "fail")]
    assert "made by the test" in faults[0].reason


def test_rings_of_repeated_points_alone_are_removed():
    tiny = [(0.5, 0.5), (0.5 + 1e-7, 0.5), (0.5, 0.5 + 1e-7), (0.5, 0.5)]
    holed = shapely.MultiPolygon([shapely.Polygon(SQUARE.exterior, [tiny])])
    with pytest.raises(GEOSException):
        shapely.remove_repeated_points(holed, 1e-6)
    with collected_faults() as faults:
        found = overlays.remove_repeated_points(holed, 1e-6)
    assert found.area == pytest.approx(1.0)
    assert not faults


def test_a_union_loses_the_one_shape_that_fails(monkeypatch):
    plain, bad = shapely.union_all, shapely.box(40.0, 40.0, 41.0, 41.0)

    def union_all(shapes, grid_size=None):
        return fail() if any(each.equals(bad) for each in shapes) else plain(shapes)

    monkeypatch.setattr(shapely, "union_all", union_all)
    boxes = [shapely.box(k, 0.0, k + 1.0, 1.0) for k in range(9)]
    with collected_faults() as faults:
        whole = overlays.union_all([*boxes[:5], bad, *boxes[5:]])
    assert whole.area == 9.0
    assert [fault.place for fault in faults] == [(40.5, 40.5)]


@pytest.mark.parametrize("name", ["buffer", "simplify", "set_precision"])
def test_other_operations_give_what_is_left(monkeypatch, name):
    monkeypatch.setattr(shapely, name, fail)
    with collected_faults() as faults:
        found = getattr(overlays, name)([SQUARE, SQUARE], 0.1)
    assert len(found) == len(faults) == 2
    assert found[0].area == (0.0 if name == "buffer" else 1.0)


def test_a_coverage_loses_the_polygon_that_cannot_be_cleaned(monkeypatch):
    plain, bad = shapely.coverage_clean, shapely.box(2.0, 0.0, 3.0, 1.0)

    def clean(polygons, snapping_distance):
        if any(polygon.equals(bad) for polygon in polygons):
            fail()
        return plain(polygons, snapping_distance=snapping_distance)

    monkeypatch.setattr(shapely, "coverage_clean", clean)
    with collected_faults() as faults:
        parts = overlays.coverage_clean(np.array([SQUARE, bad]), snapping_distance=0.05)
    assert [part.area for part in parts] == [1.0, 0.0]
    assert [fault.place for fault in faults] == [(2.5, 0.5)]


def _direct_uses(path: Path) -> list[str]:
    """The overlay operations of shapely that a module calls directly, as function or method."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            is_ours = isinstance(owner, ast.Name) and owner.id == "overlays"
            if node.func.attr in OPERATIONS and not is_ours:
                found.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.func.attr}")
        if isinstance(node, ast.ImportFrom) and node.module == "shapely":
            names = {each.name for each in node.names} & OPERATIONS
            found += [f"{path.relative_to(ROOT)}:{node.lineno} {name}" for name in names]
    return found


def test_nobody_calls_shapelys_overlays_directly():
    modules = [path for folder in FOLDERS for path in (ROOT / "autosim" / folder).rglob("*.py")]
    assert len(modules) > 200
    own = ROOT / "autosim" / "world" / "geometry" / "overlays.py"
    assert [use for path in modules if path != own for use in _direct_uses(path)] == []
