"""The machine code of `enter_boxes`, written by hand for the wide registers of processors.

numba does not notice by itself that the four children of a node are treated alike. Each of them
gets the same multiplications and comparisons as one alone would, so the bits are the same on every
processor. This module imports numba: `autosim.jit` imports it before it compiles the first kernel.
"""

from collections.abc import Callable, Sequence

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.base import BaseContext
from numba.core.typing import Signature
from numba.extending import lower_builtin, type_callable

from autosim.rays.slabs import LANES, enter_boxes

_DOUBLES = ir.VectorType(ir.DoubleType(), LANES)


@type_callable(enter_boxes)  # type: ignore[untyped-decorator]
def _find_type(_context: object) -> Callable[..., types.Type]:
    """Gives numba the type of what `enter_boxes` returns."""

    def result(
        bounds: types.Type,
        node: types.Type,
        near: types.Type,
        far: types.Type,
        origin: types.Type,
        inverse: types.Type,
        best: types.Type,
    ) -> types.Type:
        del bounds, node, near, far, origin, inverse, best
        return types.UniTuple(types.float64, LANES)

    return result


@lower_builtin(enter_boxes, types.VarArg(types.Any))  # type: ignore[untyped-decorator]
def _write_code(
    context: BaseContext,
    builder: ir.IRBuilder,
    signature: Signature,
    arguments: Sequence[ir.Value],
) -> ir.Value:
    """Writes the instructions of one call of `enter_boxes` (LLVM's IR)."""
    bounds, node, near, far, origin, inverse, best = arguments
    array = context.make_array(signature.args[0])(context, builder, bounds)
    wide = ir.IntType(64)
    number = context.cast(builder, node, signature.args[1], types.int64)
    start = builder.mul(number, ir.Constant(wide, 6 * LANES))

    def splat(value: ir.Value) -> ir.Value:
        vector = ir.Constant(_DOUBLES, ir.Undefined)
        for lane in range(LANES):
            place = ir.Constant(ir.IntType(32), lane)
            vector = builder.insert_element(vector, value, place)
        return vector

    def crossing(rows: ir.Value, axis: int) -> ir.Value:
        """Shares of the way at which the ray crosses the planes in a row of `bounds`."""
        row = builder.extract_value(rows, axis)
        offset = builder.add(start, builder.mul(row, ir.Constant(wide, LANES)))
        pointer = builder.bitcast(
            builder.gep(array.data, [offset]),
            ir.PointerType(ir.VectorType(ir.FloatType(), LANES)),
        )
        planes = builder.fpext(builder.load(pointer, align=4), _DOUBLES)
        from_origin = builder.fsub(planes, splat(builder.extract_value(origin, axis)))
        return builder.fmul(from_origin, splat(builder.extract_value(inverse, axis)))

    def chosen(sign: str, first: ir.Value, second: ir.Value) -> ir.Value:
        return builder.select(builder.fcmp_ordered(sign, first, second), first, second)

    enter = splat(ir.Constant(ir.DoubleType(), 0.0))
    leave = splat(best)
    for axis in range(3):
        enter = chosen(">", crossing(near, axis), enter)
        leave = chosen("<", crossing(far, axis), leave)
    outside = splat(ir.Constant(ir.DoubleType(), float("inf")))
    entries = builder.select(builder.fcmp_ordered("<=", enter, leave), enter, outside)
    lanes = [
        builder.extract_element(entries, ir.Constant(ir.IntType(32), lane)) for lane in range(LANES)
    ]
    return cgutils.pack_array(builder, lanes)
