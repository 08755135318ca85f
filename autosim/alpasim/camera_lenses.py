"""Lenses of AlpaSim's cameras: which direction each pixel shows.

The models are those of OpenCV (pinhole with rational, tangential and thin prism distortion, and
fisheye) and f-theta, in which the angle to the axis is a polynomial of the distance to the
principal point. Windshields are not modelled.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import radians, tan

import numpy as np

from autosim.alpasim.service_errors import InvalidRequestError, UnsupportedError
from autosim.alpasim.wire import sensorsim_pb2 as sensorsim
from autosim.arrays import Floats
from autosim.kinds.sensors.perception.lens import WIDEST

_ITERATIONS = 30
"""Number of steps in which a distortion is undone."""

_EXACT = 1e-6
"""Largest distance (factor of the focal length) that remains when it is undone: below a pixel."""

_SAMPLES = 8192
"""Number of angles of a table."""

_MAX_ANGLE = radians(89.0)
"""Angle [rad] to the axis up to which tables go."""

_MAX_PIXELS = 8192
"""Width and height [pixels] of a picture at most."""


class RequestedLens(ABC):
    """A lens before a picture of `width` by `height` pixels; `focal` [pixels]."""

    def __init__(self, width: int, height: int, focal: float) -> None:
        self.width, self.height, self.focal = width, height, focal

    def directions(self, pixels: Floats) -> Floats:
        """Directions (n, 2) that pixels (n, 2) show: to the right and down, by 1 ahead.

        NaN where the lens passes no light, or more than 80 degrees from its axis.
        """
        found = self._directions(pixels)
        radius = np.hypot(found[:, 0], found[:, 1])
        found[~(radius <= tan(WIDEST))] = np.nan
        return found

    @abstractmethod
    def _directions(self, pixels: Floats) -> Floats: ...


class PinholeLens(RequestedLens):
    """OpenCV's pinhole camera with its distortion."""

    def __init__(
        self, size: tuple[int, int], camera: sensorsim.OpenCVPinholeCameraParam, scale: Floats
    ) -> None:
        self._focals = scale * [camera.focal_length_x, camera.focal_length_y]
        self._centre = scale * [camera.principal_point_x, camera.principal_point_y]
        self._radial = _filled(camera.radial_coeffs, 6)
        self._tangential = _filled(camera.tangential_coeffs, 2)
        self._prism = _filled(camera.thin_prism_coeffs, 4)
        _require_focal(self._focals)
        super().__init__(*size, float(self._focals[0]))

    def _directions(self, pixels: Floats) -> Floats:
        shown = (pixels - self._centre) / self._focals
        found = shown.copy()
        for _ in range(_ITERATIONS):
            found = found - (self._distorted(found) - shown)
        is_exact = np.abs(self._distorted(found) - shown).max(axis=1) < _EXACT
        return np.where(is_exact[:, None], found, np.nan)

    def _distorted(self, ways: Floats) -> Floats:
        x, y = ways.T
        with np.errstate(all="ignore"):
            r2 = x * x + y * y
            k1, k2, k3, k4, k5, k6 = self._radial
            p1, p2 = self._tangential
            s1, s2, s3, s4 = self._prism
            above = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))
            radial = above / (1.0 + r2 * (k4 + r2 * (k5 + r2 * k6)))
            across = 2.0 * x * y
            right = x * radial + p1 * across + p2 * (r2 + 2.0 * x * x) + r2 * (s1 + r2 * s2)
            down = y * radial + p1 * (r2 + 2.0 * y * y) + p2 * across + r2 * (s3 + r2 * s4)
        return np.column_stack([right, down])


class FisheyeLens(RequestedLens):
    """OpenCV's fisheye: the distance grows with a polynomial of the angle to the axis."""

    def __init__(
        self, size: tuple[int, int], camera: sensorsim.OpenCVFisheyeCameraParam, scale: Floats
    ) -> None:
        self._focals = scale * [camera.focal_length_x, camera.focal_length_y]
        self._centre = scale * [camera.principal_point_x, camera.principal_point_y]
        _require_focal(self._focals)
        self._angles = np.linspace(0.0, min(camera.max_angle or _MAX_ANGLE, _MAX_ANGLE), _SAMPLES)
        square, k = self._angles**2, _filled(camera.radial_coeffs, 4)
        grown = 1.0 + square * (k[0] + square * (k[1] + square * (k[2] + square * k[3])))
        self._radii = np.maximum.accumulate(self._angles * grown)
        super().__init__(*size, float(self._focals[0]))

    def _directions(self, pixels: Floats) -> Floats:
        shown = (pixels - self._centre) / self._focals
        radius: Floats = np.hypot(*shown.T)
        angle = np.interp(radius, self._radii, self._angles, right=np.nan)
        return _at_angles(shown, radius, angle)


class FthetaLens(RequestedLens):
    """NVIDIA's f-theta lens, by the polynomial that its parameters name as the reference."""

    def __init__(
        self, size: tuple[int, int], camera: sensorsim.FthetaCameraParam, scale: Floats
    ) -> None:
        self._scale = scale
        self._centre = np.array([camera.principal_point_x, camera.principal_point_y])
        self._max_angle = min(camera.max_angle or _MAX_ANGLE, _MAX_ANGLE)
        cde = camera.linear_cde
        stretch = [[cde.linear_c, cde.linear_d], [cde.linear_e, 1.0]]
        self._unstretched = np.linalg.inv(stretch) if cde.linear_c else np.eye(2)
        forward = camera.ANGLE_TO_PIXELDIST
        is_forward = camera.reference_poly == forward or not camera.pixeldist_to_angle_poly
        stated = camera.angle_to_pixeldist_poly if is_forward else camera.pixeldist_to_angle_poly
        if not len(stated):
            raise InvalidRequestError("an f-theta camera has no polynomial")
        self._is_forward, self._polynomial = is_forward, np.polynomial.Polynomial(list(stated))
        slope = float(self._polynomial.deriv()(0.0))
        focal = slope if is_forward else 1.0 / slope if slope else 0.0
        _require_focal(np.array([focal]))
        angles = np.linspace(0.0, self._max_angle, _SAMPLES)
        self._angles, self._radii = angles, np.maximum.accumulate(self._polynomial(angles))
        super().__init__(*size, focal * float(scale[0]))

    def _directions(self, pixels: Floats) -> Floats:
        shown = (pixels / self._scale - self._centre) @ self._unstretched.T
        radius: Floats = np.hypot(*shown.T)
        if self._is_forward:
            angle = np.interp(radius, self._radii, self._angles, right=np.nan)
        else:
            angle = np.asarray(self._polynomial(radius))
        angle[~(angle <= self._max_angle)] = np.nan
        return _at_angles(shown, radius, angle)


def lens_of(spec: sensorsim.CameraSpec, size: tuple[int, int]) -> RequestedLens:
    """The lens of a camera for pictures of `size`; a scaled picture shows the same.

    Raises:
        ServiceError: its numbers are wrong, or it has no model that is known.
    """
    if not 0 < size[0] <= _MAX_PIXELS or not 0 < size[1] <= _MAX_PIXELS:
        raise InvalidRequestError(
            f"a picture of {size[0]} x {size[1]} pixels: 1 to {_MAX_PIXELS} are possible"
        )
    stated = spec.resolution_w or size[0], spec.resolution_h or size[1]
    scale = np.array(size) / np.array(stated)
    model = spec.WhichOneof("camera_param")
    if model == "opencv_pinhole_param":
        return PinholeLens(size, spec.opencv_pinhole_param, scale)
    if model == "opencv_fisheye_param":
        return FisheyeLens(size, spec.opencv_fisheye_param, scale)
    if model == "ftheta_param":
        return FthetaLens(size, spec.ftheta_param, scale)
    raise UnsupportedError(
        "camera_intrinsics: a camera is opencv_pinhole_param, opencv_fisheye_param or ftheta_param"
    )


def _at_angles(shown: Floats, radius: Floats, angle: Floats) -> Floats:
    """Directions (n, 2) towards points of the picture plane, at angles [rad] to the axis."""
    reach = np.tan(np.where(angle < _MAX_ANGLE, angle, np.nan))
    return shown * (reach / np.where(radius > 0.0, radius, 1.0))[:, None]


def _filled(values: Sequence[float], count: int) -> list[float]:
    """The values, with zeros for those that are missing."""
    found = [float(each) for each in values][:count]
    return found + [0.0] * (count - len(found))


def _require_focal(focals: Floats) -> None:
    if not (np.isfinite(focals) & (focals > 0.0)).all():
        raise InvalidRequestError("the focal length of a camera has to be positive")
