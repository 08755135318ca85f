"""Whether two boxes touch."""

from autosim.arrays import Floats
from autosim.jit import jitable
from autosim.portable import sin_cos
from autosim.traffic.road_users import B

_SAME_LEVEL = 2.0
"""Difference in height [m] from which two vehicles are on different levels."""


@jitable
def do_overlap(a: Floats, b: Floats) -> bool:
    """Whether two boxes touch in plan, on one level: by the theorem of separating axes."""
    x, y = b[B.x] - a[B.x], b[B.y] - a[B.y]
    reach = a[B.half_length] + a[B.half_width] + b[B.half_length] + b[B.half_width]
    if x * x + y * y > reach * reach or abs(b[B.z] - a[B.z]) > _SAME_LEVEL:
        return False
    sa, ca = sin_cos(a[B.yaw])
    sb, cb = sin_cos(b[B.yaw])
    cosine, sine = abs(ca * cb + sa * sb), abs(sa * cb - ca * sb)
    al, aw, bl, bw = a[B.half_length], a[B.half_width], b[B.half_length], b[B.half_width]
    if abs(ca * x + sa * y) > al + bl * cosine + bw * sine:
        return False
    if abs(ca * y - sa * x) > aw + bl * sine + bw * cosine:
        return False
    if abs(cb * x + sb * y) > bl + al * cosine + aw * sine:
        return False
    return bool(abs(cb * y - sb * x) <= bw + al * sine + aw * cosine)
