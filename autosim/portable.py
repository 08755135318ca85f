"""Elementary functions that give the same bits on every processor.

The C library and NumPy choose code for sines, exponentials and the like by what the processor can
do (AVX-512, AVX2, FMA), and that code differs in the last bit. A bit decides on which side of a
line a point lies, and so whether a triangle is there. What IEEE 754 defines to the last bit are
sums, differences, products, quotients and square roots. These functions use nothing else, always in
the same order.

Most take a float, an array, or a float inside a compiled kernel, and do the same in each: they have
no branches, since the operators are all that the three have in common. The results are within 3
units in the last place. A zero has no sign here; what is not finite gives nan.

Source of the polynomials and of the splitting of constants: FreeBSD's msun, after Sun's fdlibm
(`k_sin.c`, `k_cos.c`, `e_rem_pio2.c`, `s_atan.c`, `e_exp.c`, `e_log.c`). "Developed at SunSoft, a
Sun Microsystems, Inc. business. Permission to use, copy, modify, and distribute this software is
freely granted, provided that this notice is preserved."
"""

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from autosim.arrays import Floats

Number = TypeVar("Number", float, Floats)
First = TypeVar("First", float, Floats)

TAU = 2.0 * np.pi

_TO_WHOLE = 1.5 * 2.0**52
"""Added and taken away again, it rounds numbers below 2^51 to whole ones."""

# pi/2 in three parts: so many bits each that the product with a number below 2^20 is exact.
_PER_QUARTER = 6.36619772367581382433e-01
_QUARTER_1 = 1.57079632673412561417e00
_QUARTER_2 = 6.07710050630396597660e-11
_QUARTER_3 = 2.02226624879595063154e-21

_SIN_1, _SIN_2, _SIN_3 = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
)
_SIN_4, _SIN_5, _SIN_6 = (
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)

_COS_1, _COS_2, _COS_3 = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
)
_COS_4, _COS_5, _COS_6 = (
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)


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
    """Sines and cosines of angles [rad] up to 10^6 in size, in little more time than either."""
    quarters = (angle * _PER_QUARTER + _TO_WHOLE) - _TO_WHOLE
    # The rest, in [-pi/4, pi/4], as the sum of a number and of what it is too small by.
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


_EIGHTH_1 = _QUARTER_1 / 2.0
_EIGHTH_2 = 3.03855025325309630e-11
_TAN_OF_SIXTEENTH = 0.41421356237309503

_ATAN_0, _ATAN_2, _ATAN_4 = (
    3.33333333333329318027e-01,
    1.42857142725034663711e-01,
    9.09088713343650656196e-02,
)
_ATAN_6, _ATAN_8, _ATAN_10 = (
    6.66107313738753120669e-02,
    4.97687799461593236017e-02,
    1.62858201153657823623e-02,
)
_ATAN_1, _ATAN_3, _ATAN_5 = (
    -1.99999999998764832476e-01,
    -1.11111104054623557880e-01,
    -7.69187620504482999495e-02,
)
_ATAN_7, _ATAN_9 = -5.83357013379057348645e-02, -3.65315727442169155270e-02


def arctan2(y: Number, x: Number) -> Number:
    """Angles [rad] of (x, y) from the x axis, in [-pi, pi]; 0 for the origin."""
    across, along = abs(y), abs(x)
    is_steep = (across > along) * 1.0
    is_flat = 1.0 - is_steep
    large = is_steep * across + is_flat * along
    small = is_steep * along + is_flat * across
    # Of angles above a sixteenth of a turn, what they are from an eighth.
    is_wide = (small > _TAN_OF_SIXTEENTH * large) * 1.0
    whole = large + is_wide * small
    slope = (small - is_wide * large) / (whole + (whole == 0.0))

    square = slope * slope
    fourth = square * square
    odd = _ATAN_1 + fourth * (_ATAN_3 + fourth * (_ATAN_5 + fourth * (_ATAN_7 + fourth * _ATAN_9)))
    even = _ATAN_6 + fourth * (_ATAN_8 + fourth * _ATAN_10)
    even = _ATAN_0 + fourth * (_ATAN_2 + fourth * (_ATAN_4 + fourth * even))
    angle = slope - slope * (square * even + fourth * odd)

    # Angles are so many eighths of a turn, plus or minus `angle`.
    is_back = (x < 0.0) * 1.0
    eighths = is_wide + is_steep * (2.0 - 2.0 * is_wide)
    eighths = eighths + is_back * (4.0 - 2.0 * eighths)
    sense = (1.0 - 2.0 * is_steep) * (1.0 - 2.0 * is_back)
    found = eighths * _EIGHTH_1 + (eighths * _EIGHTH_2 + sense * angle)
    # NumPy's types know no kind of number for the product of a truth and a number.
    return (1.0 - 2.0 * (y < 0.0)) * found  # type: ignore[no-any-return]


def arctan(slope: Number) -> Number:
    """Angles [rad] of slopes."""
    return arctan2(slope, 1.0 + 0.0 * slope)


def wrapped(angle: Number) -> Number:
    """Angles [rad] less whole turns, in [-pi, pi]."""
    return angle - TAU * ((angle / TAU + _TO_WHOLE) - _TO_WHOLE)


def hypot(x: First, y: Number) -> First | Number:
    """Lengths of vectors (x, y) between 10^-150 and 10^150 in size."""
    # What NumPy gives for which number is not in its types.
    return np.sqrt(x * x + y * y)  # type: ignore[no-any-return]


def dot(first: Floats, second: Floats) -> Floats:
    """Scalar products (...) of vectors (..., n). What `@` calls, BLAS, adds in another order."""
    return np.asarray((first * second).sum(axis=-1))


def length(vector: npt.ArrayLike) -> float:
    """Length of one vector (n,)."""
    return float(np.sqrt(dot(np.asarray(vector), np.asarray(vector))))


_PER_LN2 = 1.44269504088896338700e00
_LN2_1, _LN2_2 = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_EXP_1, _EXP_2, _EXP_3 = (
    1.66666666666666019037e-01,
    -2.77777777770155933842e-03,
    6.61375632143793436117e-05,
)
_EXP_4, _EXP_5 = -1.65339022054652515390e-06, 4.13813679705723846039e-08
_LEAST_POWER, _LARGEST_POWER = -708.0, 709.0
_BIAS, _FRACTION_BITS = 1023, 52
_BLOCK = 16384
"""So many numbers, and what becomes of them on the way, stay near the processor."""


def exp(power: Floats) -> Floats:
    """The powers of e by the numbers of an array, up to 709; 0 by those below -708."""
    found = np.empty(power.shape)
    flat, into = np.ascontiguousarray(power).reshape(-1), found.reshape(-1)
    for start in range(0, flat.size, _BLOCK):
        into[start : start + _BLOCK] = _exp(flat[start : start + _BLOCK])
    return found


def _exp(power: Floats) -> Floats:
    known = power.clip(_LEAST_POWER, _LARGEST_POWER)
    doublings = np.rint(known * _PER_LN2)
    high, low = known - doublings * _LN2_1, doublings * _LN2_2
    rest = high - low
    square = rest * rest
    tail = _EXP_2 + square * (_EXP_3 + square * (_EXP_4 + square * _EXP_5))
    tail = rest - square * (_EXP_1 + square * tail)
    found = 1.0 - ((low - (rest * tail) / (2.0 - tail)) - high)
    # Two to so many doublings, by the exponent's bits.
    scale = (doublings.astype(np.int64) + _BIAS << _FRACTION_BITS).view(np.float64)
    return np.asarray(found * scale * (power >= _LEAST_POWER))


_LOG_1, _LOG_2, _LOG_3 = (
    6.666666666666735130e-01,
    3.999999999940941908e-01,
    2.857142874366239149e-01,
)
_LOG_4, _LOG_5, _LOG_6 = (
    2.222219843214978396e-01,
    1.818357216161805012e-01,
    1.531383769920937332e-01,
)
_LOG_7 = 1.479819860511658591e-01


def log(number: Floats) -> Floats:
    """Natural logarithms of the positive numbers of an array."""
    share, doublings = np.frexp(number)
    # From [1/2, 1) to [sqrt(1/2), sqrt(2)).
    is_low = share < np.sqrt(0.5)
    share, doublings = np.where(is_low, 2.0 * share, share) - 1.0, doublings - is_low
    half = 0.5 * share * share
    ratio = share / (2.0 + share)
    square = ratio * ratio
    tail = _LOG_4 + square * (_LOG_5 + square * (_LOG_6 + square * _LOG_7))
    tail = square * (_LOG_1 + square * (_LOG_2 + square * (_LOG_3 + square * tail)))
    tail = ratio * (half + tail) + doublings * _LN2_2
    return np.asarray(doublings * _LN2_1 - ((half - tail) - share))
