"""Elementary functions that give the same bits on every processor.

The C library and NumPy choose their code for sines, exponentials and the like by the instructions
of the processor (AVX-512, AVX2, FMA), and the results differ in the last bit. One bit decides on
which side of a line a point lies, and so whether a triangle exists. IEEE 754 defines only sums,
differences, products, quotients and square roots to the last bit. These functions use nothing else,
always in the same order.

Most functions take a float, an array, or a float inside a compiled kernel, and give the same bits
for each. They have no branches, since the three have only operators in common. Results are within 3
units in the last place. Zeros have no sign; infinities and nan give nan.

Source of the polynomials and of the splitting of constants: FreeBSD's msun, after Sun's fdlibm
(`k_sin.c`, `k_cos.c`, `e_rem_pio2.c`, `s_atan.c`, `e_exp.c`, `e_log.c`). "Developed at SunSoft, a
Sun Microsystems, Inc. business. Permission to use, copy, modify, and distribute this software is
freely granted, provided that this notice is preserved."
"""

import math
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from autosim.arrays import Floats

Number = TypeVar("Number", float, Floats)
First = TypeVar("First", float, Floats)

TAU = 2.0 * np.pi
"""A whole turn [rad] in double precision."""

_TO_WHOLE = 1.5 * 2.0**52
"""Added and subtracted again, this number rounds others below 2^51 to whole ones."""

_PER_QUARTER = 6.36619772367581382433e-01
"""Number of quarter turns per radian, 2 / pi."""

_QUARTER_1, _QUARTER_2, _QUARTER_3 = (
    1.57079632673412561417e00,
    6.07710050630396597660e-11,
    2.02226624879595063154e-21,
)
"""A quarter turn [rad] in three parts, which have so few bits that the product with a number below
2^20 is exact."""

_SIN_1, _SIN_2, _SIN_3 = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
)
"""Coefficients of the sine, of x^3 to x^7."""

_SIN_4, _SIN_5, _SIN_6 = (
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
"""Coefficients of the sine, of x^9 to x^13."""

_COS_1, _COS_2, _COS_3 = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
)
"""Coefficients of the cosine, of x^4 to x^8."""

_COS_4, _COS_5, _COS_6 = (
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)
"""Coefficients of the cosine, of x^10 to x^14."""


def sin(angle: Number) -> Number:
    """Sines of angles [rad] up to 10^6 in size."""
    return sin_cos(angle)[0]


def cos(angle: Number) -> Number:
    """Cosines of angles [rad] up to 10^6 in size."""
    return sin_cos(angle)[1]


def tan(angle: Number) -> Number:
    """Tangents of angles [rad] up to 10^6 in size."""
    sine, cosine = sin_cos(angle)
    return sine / cosine


def sin_cos(angle: Number) -> tuple[Number, Number]:
    """Sines and cosines of angles [rad] up to 10^6 in size, hardly slower than one of them."""
    quarters = (angle * _PER_QUARTER + _TO_WHOLE) - _TO_WHOLE
    # The rest, in [-pi/4, pi/4], as the sum of a number and its rounding error.
    first = angle - quarters * _QUARTER_1
    second = quarters * _QUARTER_2
    difference = first - second
    lost = ((first - difference) - second) - quarters * _QUARTER_3
    rest = difference + lost
    lost = (difference - rest) + lost

    square = rest * rest
    cube = square * rest
    half = 0.5 * square
    tail = _SIN_2 + square * (_SIN_3 + square * (_SIN_4 + square * (_SIN_5 + square * _SIN_6)))
    sine = rest - ((square * (0.5 * lost - cube * tail) - lost) - cube * _SIN_1)
    tail = square * (_COS_4 + square * (_COS_5 + square * _COS_6))
    tail = square * (_COS_1 + square * (_COS_2 + square * (_COS_3 + tail)))
    about = 1.0 - half
    cosine = about + (((1.0 - about) - half) + (square * tail - rest * lost))

    # Quarter turns, -2 to 2. Of each pair one factor is 0 and the other 1 or -1, so that the
    # choice is exact.
    turns = quarters - 4.0 * ((0.25 * quarters + _TO_WHOLE) - _TO_WHOLE)
    odd = (abs(turns) == 1.0) * turns
    even = (abs(turns) != 1.0) * (1.0 - 0.5 * turns * turns)
    return even * sine + odd * cosine, even * cosine - odd * sine


_EIGHTH_1, _EIGHTH_2 = _QUARTER_1 / 2.0, 3.03855025325309630e-11
"""An eighth of a turn [rad] in two parts, of which the second holds the bits that the first
lacks."""

_TAN_OF_SIXTEENTH = 0.41421356237309503
"""Tangent of a sixteenth of a turn, a ratio: from there on angles are measured from an eighth."""

_ATAN_0, _ATAN_2, _ATAN_4 = (
    3.33333333333329318027e-01,
    1.42857142725034663711e-01,
    9.09088713343650656196e-02,
)
"""Coefficients of the arc tangent, of x^3, x^7 and x^11."""

_ATAN_6, _ATAN_8, _ATAN_10 = (
    6.66107313738753120669e-02,
    4.97687799461593236017e-02,
    1.62858201153657823623e-02,
)
"""Coefficients of the arc tangent, of x^15, x^19 and x^23."""

_ATAN_1, _ATAN_3, _ATAN_5 = (
    -1.99999999998764832476e-01,
    -1.11111104054623557880e-01,
    -7.69187620504482999495e-02,
)
"""Coefficients of the arc tangent, of x^5, x^9 and x^13."""

_ATAN_7, _ATAN_9 = -5.83357013379057348645e-02, -3.65315727442169155270e-02
"""Coefficients of the arc tangent, of x^17 and x^21."""


def arctan2(y: Number, x: Number) -> Number:
    """Angles [rad] of (x, y) from the x axis, in [-pi, pi]; 0 for the origin."""
    across, along = abs(y), abs(x)
    is_steep = (across > along) * 1.0
    is_flat = 1.0 - is_steep
    large = is_steep * across + is_flat * along
    small = is_steep * along + is_flat * across
    # Angles above a sixteenth of a turn are measured from an eighth.
    is_wide = (small > _TAN_OF_SIXTEENTH * large) * 1.0
    whole = large + is_wide * small
    slope = (small - is_wide * large) / (whole + (whole == 0.0))

    square = slope * slope
    fourth = square * square
    odd = _ATAN_1 + fourth * (_ATAN_3 + fourth * (_ATAN_5 + fourth * (_ATAN_7 + fourth * _ATAN_9)))
    even = _ATAN_6 + fourth * (_ATAN_8 + fourth * _ATAN_10)
    even = _ATAN_0 + fourth * (_ATAN_2 + fourth * (_ATAN_4 + fourth * even))
    angle = slope - slope * (square * even + fourth * odd)

    # The angle is a number of eighths of a turn, plus or minus `angle`.
    is_back = (x < 0.0) * 1.0
    eighths = is_wide + is_steep * (2.0 - 2.0 * is_wide)
    eighths = eighths + is_back * (4.0 - 2.0 * eighths)
    sense = (1.0 - 2.0 * is_steep) * (1.0 - 2.0 * is_back)
    found = eighths * _EIGHTH_1 + (eighths * _EIGHTH_2 + sense * angle)
    # NumPy's types have no product of a truth value and a number.
    return (1.0 - 2.0 * (y < 0.0)) * found  # type: ignore[no-any-return]


def arctan(slope: Number) -> Number:
    """Angles [rad] of slopes."""
    return arctan2(slope, 1.0 + 0.0 * slope)


def wrapped(angle: Number) -> Number:
    """Angles [rad] less whole turns, in [-pi, pi]."""
    return angle - TAU * ((angle / TAU + _TO_WHOLE) - _TO_WHOLE)


def hypot(x: First, y: Number) -> First | Number:
    """Lengths of vectors (x, y) between 10^-150 and 10^150 in size."""
    # NumPy's types do not tell the result for each kind of number.
    return np.sqrt(x * x + y * y)  # type: ignore[no-any-return]


def dot(first: Floats, second: Floats) -> Floats:
    """Scalar products (...) of vectors (..., n). `@` would call BLAS, which adds in any order."""
    return np.asarray((first * second).sum(axis=-1))


def length(vector: npt.ArrayLike) -> float:
    """Length of one vector (n,)."""
    return float(np.sqrt(dot(np.asarray(vector), np.asarray(vector))))


_PER_LN2 = 1.44269504088896338700e00
"""Number of doublings per power of e, 1 / ln 2."""

_LN2_1, _LN2_2 = 6.93147180369123816490e-01, 1.90821492927058770002e-10
"""The logarithm of 2 in two parts; the first has so few bits that its product with any number of
doublings is exact."""

_EXP_1, _EXP_2, _EXP_3 = (
    1.66666666666666019037e-01,
    -2.77777777770155933842e-03,
    6.61375632143793436117e-05,
)
"""Coefficients of the exponential, of x^2 to x^6."""

_EXP_4, _EXP_5 = -1.65339022054652515390e-06, 4.13813679705723846039e-08
"""Coefficients of the exponential, of x^8 and x^10."""

_LEAST_POWER, _LARGEST_POWER = -708.0, 709.0
"""Powers of e, whole numbers, between which the result is a normal number."""

_BIAS, _FRACTION_BITS = 1023, 52
"""Bias of the exponent and number of bits of the fraction of a double (IEEE 754)."""

_BLOCK = 16384
"""Number of values that are computed at once: with all that lies between they stay in the cache."""


def exp(power: Floats) -> Floats:
    """The powers of e by the numbers of an array, up to 709; 0 for numbers below -708."""
    found = np.empty(power.shape)
    flat, into = np.ascontiguousarray(power).reshape(-1), found.reshape(-1)
    for start in range(0, flat.size, _BLOCK):
        into[start : start + _BLOCK] = _exp(flat[start : start + _BLOCK])
    return found


def _exp(power: Floats) -> Floats:
    found, doublings = exp_parts(power)
    # Two to the power of the doublings, by the exponent's bits.
    scale = (doublings.astype(np.int64) + _BIAS << _FRACTION_BITS).view(np.float64)
    return np.asarray(found * scale * (power >= _LEAST_POWER))


def exp_of(power: float) -> float:
    """The same for one number, in kernels."""
    found, doublings = exp_parts(power)
    return math.ldexp(found, int(doublings)) * (power >= _LEAST_POWER)


def exp_parts(power: Number) -> tuple[Number, Number]:
    """Numbers, and the whole powers of two by which to multiply them."""
    known = np.minimum(np.maximum(power, _LEAST_POWER), _LARGEST_POWER)
    doublings = np.rint(known * _PER_LN2)
    high, low = known - doublings * _LN2_1, doublings * _LN2_2
    rest = high - low
    square = rest * rest
    tail = _EXP_2 + square * (_EXP_3 + square * (_EXP_4 + square * _EXP_5))
    tail = rest - square * (_EXP_1 + square * tail)
    found = 1.0 - ((low - (rest * tail) / (2.0 - tail)) - high)
    return found, doublings


_LOG_1, _LOG_2, _LOG_3 = (
    6.666666666666735130e-01,
    3.999999999940941908e-01,
    2.857142874366239149e-01,
)
"""Coefficients of the logarithm, of s^2 to s^6."""

_LOG_4, _LOG_5, _LOG_6 = (
    2.222219843214978396e-01,
    1.818357216161805012e-01,
    1.531383769920937332e-01,
)
"""Coefficients of the logarithm, of s^8 to s^12."""

_LOG_7 = 1.479819860511658591e-01
"""Coefficient of the logarithm, of s^14."""


def log(number: Floats) -> Floats:
    """Natural logarithms of the positive numbers of an array."""
    share, doublings = np.frexp(number)
    return np.asarray(log_of_parts(share, doublings))


def log_of(number: float) -> float:
    """The same for one number, in kernels."""
    share, doublings = math.frexp(number)
    return log_of_parts(share, float(doublings))


def log_of_parts(share: Number, doublings: Number) -> Number:
    """Natural logarithms of numbers in [1/2, 1), doubled so often."""
    # To [sqrt(1/2), sqrt(2)).
    is_low = (share < np.sqrt(0.5)) * 1.0
    share, doublings = share + is_low * share - 1.0, doublings - is_low
    half = 0.5 * share * share
    ratio = share / (2.0 + share)
    square = ratio * ratio
    tail = _LOG_4 + square * (_LOG_5 + square * (_LOG_6 + square * _LOG_7))
    tail = square * (_LOG_1 + square * (_LOG_2 + square * (_LOG_3 + square * tail)))
    tail = ratio * (half + tail) + doublings * _LN2_2
    return doublings * _LN2_1 - ((half - tail) - share)
