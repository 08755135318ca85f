"""The one place where a kernel is written for processors' wide registers: four boxes at once.

numba does not see by itself that the four children of a node are looked at in the same way. What
is done is the same multiplication and comparison for each, so the bits are those of any processor.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_LANES = 4
"""Number of doubles in a vector register of AVX2, which every processor of the last decade has."""

_DOUBLES = ir.VectorType(ir.DoubleType(), _LANES)


@intrinsic
def enter_boxes(  # type: ignore[no-untyped-def]
    typing_context, bounds, node, near, far, origin, inverse, best
):
    """Where a ray enters each of the four children of a node.

    A ray enters a box where it is between its sides along all axes (Kay and Kajiya 1986).

    Args:
        typing_context: numba's.
        bounds: see `autosim.rays.hierarchy.Hierarchy`.
        node: whose children they are.
        near: rows of `bounds` with the sides that the ray passes first, along x, y and z.
        far: those that it passes last.
        origin: of the ray.
        inverse: one through the ray's way.
        best: share of the ray's way beyond which nothing counts.

    Returns:
        (4,) shares of the way at which it enters, 0 if it begins inside; infinite if it does not.
    """
    del typing_context
    result = types.UniTuple(types.float64, _LANES)
    return result(bounds, node, near, far, origin, inverse, best), _generate


def _generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    bounds, node, near, far, origin, inverse, best = arguments
    array = context.make_array(signature.args[0])(context, builder, bounds)
    wide = ir.IntType(64)
    number = context.cast(builder, node, signature.args[1], types.int64)
    start = builder.mul(number, ir.Constant(wide, 6 * _LANES))

    def splat(value: Any) -> Any:
        vector = ir.Constant(_DOUBLES, ir.Undefined)
        for lane in range(_LANES):
            place = ir.Constant(ir.IntType(32), lane)
            vector = builder.insert_element(vector, value, place)
        return vector

    def crossing(rows: Any, axis: int) -> Any:
        """Where the ray crosses the planes in a row of `bounds`."""
        row = builder.extract_value(rows, axis)
        offset = builder.add(start, builder.mul(row, ir.Constant(wide, _LANES)))
        pointer = builder.bitcast(
            builder.gep(array.data, [offset]),
            ir.PointerType(ir.VectorType(ir.FloatType(), _LANES)),
        )
        planes = builder.fpext(builder.load(pointer, align=4), _DOUBLES)
        from_origin = builder.fsub(planes, splat(builder.extract_value(origin, axis)))
        return builder.fmul(from_origin, splat(builder.extract_value(inverse, axis)))

    def chosen(sign: str, first: Any, second: Any) -> Any:
        return builder.select(builder.fcmp_ordered(sign, first, second), first, second)

    enter = splat(ir.Constant(ir.DoubleType(), 0.0))
    leave = splat(best)
    for axis in range(3):
        enter = chosen(">", crossing(near, axis), enter)
        leave = chosen("<", crossing(far, axis), leave)
    outside = splat(ir.Constant(ir.DoubleType(), float("inf")))
    entries = builder.select(builder.fcmp_ordered("<=", enter, leave), enter, outside)
    lanes = [
        builder.extract_element(entries, ir.Constant(ir.IntType(32), lane))
        for lane in range(_LANES)
    ]
    return cgutils.pack_array(builder, lanes)
