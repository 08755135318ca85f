"""Overlay operations on shapes in plan that survive what maps contain.

GEOS raises an exception where rounding breaks its noding, where an input mixes polygons with the
points and lines that an earlier operation left, or where a ring crosses itself. One such shape must
not cost a world. The functions here have the names, arguments and results of those of shapely, and
call them first: where nothing fails, the result is that of shapely, to the byte. Where GEOS raises
an exception, each element is tried on its own, in this order:

1. as it is;
2. without parts of lower dimension, and with rings that do not cross themselves;
3. the same with coordinates rounded to `GRID_SIZES`, the finest first. With a grid, GEOS nodes by
   snap rounding, which cannot fail on rounding errors.

An element that fails even so is left out: a difference leaves its first shape as it is, a union
keeps the larger shape, any other operation gives an empty shape. `collected_faults` collects a
`Fault` for each.

All code of `autosim.world` uses this module instead of shapely's functions and methods of the same
names; `tests/world/test_overlays.py` holds it.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Integers

Shapes = npt.NDArray[np.object_]
"""Geometries (n,)."""

ShapesLike: TypeAlias = Any
"""A shape or an array of shapes: operations of shapely take both and give the same back."""

Operation = Callable[..., ShapesLike]
"""A function of shapely; it takes shapes and then keyword arguments."""

GRID_SIZES = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 5e-2)
"""Grids [m] to which coordinates are rounded where GEOS fails without one. The finest is far above
the rounding of doubles at 100 km (1e-11 m), the coarsest is the snapping distance of partitions."""

_Function = TypeVar("_Function", bound=Callable[..., ShapesLike])


def _typed_as(plain: _Function) -> Callable[[Callable[..., ShapesLike]], _Function]:
    """Gives a function the type of the function of shapely that it stands for."""

    def typed(robust: Callable[..., ShapesLike]) -> _Function:
        return cast(_Function, robust)

    return typed


@dataclass(frozen=True, slots=True)
class Fault:
    """An element that was left out because GEOS failed on it.

    Attributes:
        operation: name of the operation, such as "union".
        place: centre (x, y) [m] in W of the element's bounding box; None if it has no coordinates.
        reason: the message of GEOS.
    """

    operation: str
    place: tuple[float, float] | None
    reason: str


_faults: ContextVar[list[Fault] | None] = ContextVar("faults", default=None)


@contextmanager
def collected_faults() -> Iterator[list[Fault]]:
    """Collects the elements that operations leave out until the context ends."""
    found: list[Fault] = []
    token = _faults.set(found)
    try:
        yield found
    finally:
        _faults.reset(token)


def _leave_out(operation: str, shape: ShapesLike, error: Exception) -> None:
    """Records that a shape, or the smallest of several, is left out."""
    bounds = np.array(shapely.bounds(shape), dtype=np.float64).reshape(-1, 4)
    bounds = bounds[np.isfinite(bounds).all(axis=1)]
    place = None
    if len(bounds):
        sizes = (bounds[:, 2:] - bounds[:, :2]).max(axis=1)
        x_min, y_min, x_max, y_max = bounds[np.argmin(sizes)].tolist()
        place = ((x_min + x_max) / 2.0, (y_min + y_max) / 2.0)
    found = _faults.get()
    if found is not None:
        found.append(Fault(operation, place, str(error)))


def polygons_of(shape: BaseGeometry) -> shapely.MultiPolygon:
    """The polygons of any geometry, as one MultiPolygon."""
    parts = shapely.get_parts(shapely.get_parts(shape))
    is_kept = (shapely.get_type_id(parts) == shapely.GeometryType.POLYGON) & ~shapely.is_empty(
        parts
    )
    found: shapely.MultiPolygon = shapely.multipolygons(parts[is_kept])
    return found


def made_valid(shape: BaseGeometry) -> BaseGeometry:
    """The shape, or the polygons inside its rings if these cross.

    Buffers with mitres need it: their corners can cross one another.
    """
    if shapely.is_valid(shape):
        return shape
    return polygons_of(make_valid(shape, method="structure", keep_collapsed=False))


@_typed_as(shapely.intersection)
def intersection(first: ShapesLike, second: ShapesLike) -> ShapesLike:
    """The common part of two shapes, or of each pair of shapes (n,)."""
    return _pairwise(shapely.intersection, first, second, lambda a, b: _empty_of(a))


@_typed_as(shapely.difference)
def difference(first: ShapesLike, second: ShapesLike) -> ShapesLike:
    """The part of a shape outside another, or of each of shapes (n,)."""
    return _pairwise(shapely.difference, first, second, lambda a, b: a)


@_typed_as(shapely.union)
def union(first: ShapesLike, second: ShapesLike) -> ShapesLike:
    """The union of two shapes, or of each pair of shapes (n,)."""
    return _pairwise(shapely.union, first, second, _larger)


@_typed_as(shapely.union_all)
def union_all(shapes: ShapesLike, *, grid_size: float | None = None) -> ShapesLike:
    """The union of all shapes (n,)."""
    try:
        return shapely.union_all(shapes, grid_size=grid_size)
    except shapely.errors.GEOSException:
        return _united(np.asarray(shapes, dtype=object).reshape(-1))


@_typed_as(shapely.coverage_union_all)
def coverage_union_all(shapes: ShapesLike) -> ShapesLike:
    """The union of shapes (n,) that do not overlap; of others where they do."""
    try:
        return shapely.coverage_union_all(shapes)
    except shapely.errors.GEOSException:
        return union_all(shapes)


@_typed_as(shapely.buffer)
def buffer(shapes: ShapesLike, distance: ShapesLike, **options: Any) -> ShapesLike:
    """Shapes (n,) grown by a distance [m], or shrunk by a negative one; options of shapely."""
    try:
        return shapely.buffer(shapes, distance, **options)
    except shapely.errors.GEOSException:
        return _elementwise(
            lambda shape, by: _robust(shapely.buffer, (shape,), (by,), options, _no_polygon),
            shapes,
            distance,
        )


@_typed_as(shapely.simplify)
def simplify(shapes: ShapesLike, tolerance: float) -> ShapesLike:
    """Shapes (n,) with fewer points, within a tolerance [m]; a shape that fails stays as it is."""
    try:
        return shapely.simplify(shapes, tolerance)
    except shapely.errors.GEOSException:
        return _elementwise(
            lambda shape: _robust(shapely.simplify, (shape,), (tolerance,), {}, lambda a: a),
            shapes,
        )


@_typed_as(shapely.remove_repeated_points)
def remove_repeated_points(shapes: ShapesLike, tolerance: float) -> ShapesLike:
    """Shapes (n,) without points closer than a tolerance [m] to the one before.

    GEOS fails on rings that have no other points; they are removed by rounding.
    """
    try:
        return shapely.remove_repeated_points(shapes, tolerance)
    except shapely.errors.GEOSException:
        return _elementwise(
            lambda shape: _robust(
                shapely.remove_repeated_points, (shape,), (tolerance,), {}, lambda a: a
            ),
            shapes,
        )


@_typed_as(shapely.segmentize)
def segmentize(shapes: ShapesLike, longest: ShapesLike) -> ShapesLike:
    """Shapes (n,) with additional points, so that no edge is longer than a length [m]."""
    try:
        return shapely.segmentize(shapes, longest)
    except shapely.errors.GEOSException:
        return _elementwise(
            lambda shape, by: _robust(shapely.segmentize, (shape,), (by,), {}, lambda a: a),
            shapes,
            longest,
        )


@_typed_as(shapely.line_merge)
def line_merge(shapes: ShapesLike) -> ShapesLike:
    """Lines (n,) with parts joined where two of them end; a shape that fails stays as it is."""
    try:
        return shapely.line_merge(shapes)
    except shapely.errors.GEOSException:
        return _elementwise(
            lambda shape: _robust(shapely.line_merge, (shape,), (), {}, lambda a: a), shapes
        )


@_typed_as(shapely.polygonize)
def polygonize(lines: Sequence[BaseGeometry]) -> ShapesLike:
    """The polygons that noded lines enclose, as one collection."""
    try:
        return shapely.polygonize(lines)
    except shapely.errors.GEOSException:
        whole = _united(np.asarray(lines, dtype=object).reshape(-1))
        return _robust(shapely.polygonize, ([whole],), (), {}, lambda a: _no_polygon())


@_typed_as(shapely.make_valid)
def make_valid(shapes: ShapesLike, **options: Any) -> ShapesLike:
    """Shapes (n,) whose rings do not cross, with the same points; options of shapely."""
    try:
        return shapely.make_valid(shapes, **options)
    except shapely.errors.GEOSException:
        return _elementwise(lambda shape: _made_valid_coarsely(shape, options), shapes)


def _made_valid_coarsely(shape: BaseGeometry, options: dict[str, Any]) -> BaseGeometry:
    """A shape made valid, with rounded coordinates where GEOS fails without."""
    failure: Exception = ValueError("no attempt was made")
    for size in (0.0, *GRID_SIZES):
        try:
            rounded = shapely.set_precision(shape, size, mode="pointwise") if size else shape
            repaired: BaseGeometry = shapely.make_valid(rounded, **options)
        except shapely.errors.GEOSException as error:
            failure = error
        else:
            return repaired
    _leave_out("make_valid", shape, failure)
    return _no_polygon()


@_typed_as(shapely.set_precision)
def set_precision(shapes: ShapesLike, grid_size: float) -> ShapesLike:
    """Shapes (n,) with coordinates on a grid [m]; a shape that fails stays as it is."""
    try:
        return shapely.set_precision(shapes, grid_size)
    except shapely.errors.GEOSException:
        return _elementwise(
            lambda shape: _robust(shapely.set_precision, (shape,), (grid_size,), {}, lambda a: a),
            shapes,
        )


def coverage_clean(polygons: Shapes, *, snapping_distance: float) -> Shapes:
    """Polygons (n,) with identical common borders and without overlaps.

    Where GEOS fails on its own result, it is tried again with rounded coordinates; at last those
    polygons are left out that cannot be cleaned even alone.
    """
    # The type stubs of shapely 2.1 do not have this function yet.
    clean = shapely.coverage_clean  # type: ignore[attr-defined]

    def attempt(shapes: Shapes) -> Shapes:
        return np.asarray(clean(shapes, snapping_distance=snapping_distance), dtype=object)

    return _coverage("coverage_clean", attempt, polygons)


def coverage_simplify(polygons: Shapes, tolerance: float, *, simplify_boundary: bool) -> Shapes:
    """Polygons (n,) with fewer points and still without gaps; unchanged where GEOS fails."""
    try:
        return np.asarray(
            shapely.coverage_simplify(polygons, tolerance, simplify_boundary=simplify_boundary)
        )
    except shapely.errors.GEOSException as error:
        _leave_out("coverage_simplify", shapely.multipolygons([]), error)
        return polygons


def _coverage(name: str, attempt: Callable[[Shapes], Shapes], polygons: Shapes) -> Shapes:
    """The result of an operation on a whole coverage, on coarser and coarser grids."""
    failure: Exception = ValueError("no attempt was made")
    for size in (0.0, *GRID_SIZES):
        try:
            return attempt(set_precision(polygons, size) if size else polygons)
        except shapely.errors.GEOSException as error:
            failure = error
    kept = polygons.copy()
    for row in range(len(polygons)):
        try:
            attempt(polygons[row : row + 1])
        except shapely.errors.GEOSException as error:
            failure = error
            _leave_out(name, polygons[row], error)
            kept[row] = _no_polygon()
    try:
        return attempt(kept)
    except shapely.errors.GEOSException:
        # They stay as they are: the borders of neighbours may be a little apart.
        _leave_out(name, shapely.multipolygons([]), failure)
        return kept


def _pairwise(
    operation: Operation, first: ShapesLike, second: ShapesLike, left: Callable[..., BaseGeometry]
) -> ShapesLike:
    """An operation on two shapes, or on each pair; `left` is the result of a pair that fails."""
    try:
        return operation(first, second)
    except shapely.errors.GEOSException:
        return _elementwise(lambda a, b: _robust(operation, (a, b), (), {}, left), first, second)


def _elementwise(function: Callable[..., ShapesLike], *arguments: ShapesLike) -> ShapesLike:
    """The results of a function for each element of arguments that are broadcast together."""
    arrays = np.broadcast_arrays(*(_array(each) for each in arguments))
    result = np.empty(arrays[0].shape, dtype=object)
    for row in np.ndindex(result.shape):
        elements = [each[row] for each in arrays]
        result[row] = None if elements[0] is None else function(*elements)
    return result if result.shape else result[()]


def _array(value: ShapesLike) -> npt.NDArray[np.generic]:
    """An argument as an array; a sequence of geometries is not to be taken apart."""
    if isinstance(value, BaseGeometry) or value is None:
        array = np.empty((), dtype=object)
        array[()] = value
        return array
    return np.asarray(value)


def _robust(
    operation: Operation,
    shapes: tuple[ShapesLike, ...],
    values: tuple[ShapesLike, ...],
    options: dict[str, Any],
    left: Callable[..., ShapesLike],
) -> ShapesLike:
    """The result of an operation on one element, by the first attempt that does not fail."""
    failure: Exception = ValueError("no attempt was made")
    for attempt in (_as_it_is, _repaired, *(_on_grid(size) for size in GRID_SIZES)):
        try:
            return attempt(operation, shapes, values, options)
        except shapely.errors.GEOSException as error:
            failure = error
    _leave_out(operation.__name__, shapes, failure)
    return left(*shapes)


def _as_it_is(
    operation: Operation,
    shapes: tuple[ShapesLike, ...],
    values: ShapesLike,
    options: dict[str, Any],
) -> ShapesLike:
    return operation(*shapes, *values, **options)


def _repaired(
    operation: Operation,
    shapes: tuple[ShapesLike, ...],
    values: ShapesLike,
    options: dict[str, Any],
) -> ShapesLike:
    return operation(*(_sound(shape) for shape in shapes), *values, **options)


def _on_grid(size: float) -> Operation:
    """An attempt with coordinates rounded to a grid [m]."""

    def attempt(
        operation: Operation,
        shapes: tuple[ShapesLike, ...],
        values: ShapesLike,
        options: dict[str, Any],
    ) -> ShapesLike:
        rounded = [_sound(shapely.set_precision(_sound(shape), size)) for shape in shapes]
        if operation in _WITH_GRID:
            options = {**options, "grid_size": size}
        return operation(*rounded, *values, **options)

    return attempt


_WITH_GRID = (shapely.intersection, shapely.difference, shapely.union, shapely.union_all)
"""Functions of shapely that take the size of a grid."""


def _sound(shape: ShapesLike) -> ShapesLike:
    """A shape of one dimension whose rings do not cross; of a list of shapes, each."""
    if not isinstance(shape, BaseGeometry):
        return [_sound(each) for each in shape]
    if not shapely.is_valid(shape):
        shape = shapely.make_valid(shape, method="structure", keep_collapsed=False)
    return _of_highest_dimension(shape)


_COLLECTIONS: tuple[Callable[..., BaseGeometry], ...] = (
    shapely.multipoints,
    shapely.multilinestrings,
    shapely.multipolygons,
)
"""The function that collects shapes of each dimension."""


def _of_highest_dimension(shape: BaseGeometry) -> BaseGeometry:
    """The parts of a collection that have its highest dimension; other shapes as they are."""
    if shapely.get_type_id(shape) != shapely.GeometryType.GEOMETRYCOLLECTION:
        return shape
    parts = shapely.get_parts(shapely.get_parts(shape))
    parts = parts[~shapely.is_empty(parts)]
    if not len(parts):
        return shape
    dimensions: Integers = np.asarray(shapely.get_dimensions(parts), dtype=np.int64)
    kept = parts[dimensions == dimensions.max()]
    joined: BaseGeometry = _COLLECTIONS[int(dimensions.max())](kept)
    # Parts of a collection may overlap, which those of a MultiPolygon may not.
    return joined if shapely.is_valid(joined) else shapely.union_all(kept, grid_size=GRID_SIZES[0])


def _united(shapes: Shapes) -> BaseGeometry:
    """The union of shapes (n,) on which GEOS fails: by halves, until one part alone fails."""
    for size in (None, *GRID_SIZES):
        try:
            sound = shapes if size is None else np.array([_sound(each) for each in shapes])
            whole: BaseGeometry = shapely.union_all(sound, grid_size=size)
        except shapely.errors.GEOSException as error:
            failure = error
        else:
            return whole
    if len(shapes) < 2:
        _leave_out("union_all", shapes, failure)
        return _no_polygon()
    middle = len(shapes) // 2
    first, second = _united(shapes[:middle]), _united(shapes[middle:])
    both: BaseGeometry = union(first, second)
    return both


def _larger(first: BaseGeometry, second: BaseGeometry) -> BaseGeometry:
    return first if first.area >= second.area else second


def _empty_of(shape: BaseGeometry) -> BaseGeometry:
    """An empty shape of the dimension of another."""
    return shapely.MultiLineString() if shapely.get_dimensions(shape) == 1 else _no_polygon()


def _no_polygon(*_: object) -> BaseGeometry:
    return shapely.MultiPolygon()
