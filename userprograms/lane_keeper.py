"""Keeps to its lane by what the camera in front sees, without a map and without GPS.

Each picture is warped to views from above (the camera's place, direction and field of view are in
the robot's description), one of the road and one of the kerbs' tops. There the dashes between the
lanes and the kerb beside the road are looked for near the place where they were before, and a
parabola is fitted to both: the lane. The car pursues a point on its middle. Where nothing is
painted, in a junction, the lane that was seen before is moved along by velocimeter and gyroscope.
docs/tutorials/lane_keeper.md explains it.

    autosim client worlds/lane_keeper.xml --robot impreza

It needs OpenCV: pip install autosim[client,vision].
"""

from math import atan2, hypot, tan

import cv2
import numpy as np

from autosim.userprogram import (
    describe,
    get_data,
    get_image,
    get_image_height,
    get_image_width,
    get_vehicle_info,
    set_data,
    unlock_image,
)

TOP_SPEED = 8.0  # m/s
LATERAL_ACCELERATION = 2.0  # m/s^2 in curves

# The view from above: what it shows of the road [m], and the size of its pixels [m].
NEAR, FAR, SIDE = 5.0, 30.0, 10.0
LENGTH, WIDTH = 0.1, 0.05
ROWS = np.arange(FAR, NEAR, -LENGTH)  # m ahead of each row of pixels

KERB = 0.15  # m: how high the light edge of a kerb lies above the road
CONTRAST = 35  # a marking is brighter than the road beside it by so many of 255 grey levels
MARKING = 0.5  # m: what is broader is no marking
TOLERANCE = 0.7  # m beside the lane expected within which its borders are looked for

# Where the lane may bend: from so far ahead on [m], by so much to a side [rad].
STARTS, ANGLES = np.meshgrid(np.arange(0.0, 25.0, 3.0), np.radians(np.arange(-48.0, 49.0, 4.0)))
BENDS = np.tan(ANGLES.reshape(-1, 1)) * np.maximum(ROWS - STARTS.reshape(-1, 1), 0.0)
BEND_COSTS = 25 + 80 * np.abs(ANGLES.ravel())  # votes that a bend must have more than none
BEND_COSTS[ANGLES.ravel() == 0.0] = 0.0

# How much the lane seen before counts against the new picture, for its offset, its direction and
# its curvature: so many points at the same place, at 10 m and at 20 m.
INERTIA = np.array([20.0, 20.0 * 10.0**2, 60.0 * 20.0**4])


class BirdsEye:
    """A view from above of what lies on a plane, made of the pictures of one camera."""

    def __init__(self, camera, height):
        """`camera` is its description, `height` that of its part's centre above the plane [m]."""
        ahead = np.array(camera.direction) / np.linalg.norm(camera.direction)
        right = np.cross(ahead, camera.up)
        right /= np.linalg.norm(right)
        axes = np.array([right, np.cross(ahead, right), ahead])  # right, down, ahead
        focal = get_image_height() / 2 / tan(camera.fov / 2)
        lens = np.array(
            [[focal, 0, get_image_width() / 2], [0, focal, get_image_height() / 2], [0, 0, 1]]
        )
        # From (x, y, 1) on the road to the picture, and from the view's pixels to (x, y, 1).
        origin = np.array([0.0, 0.0, -height]) - camera.position
        road = lens @ axes @ np.column_stack([np.eye(3)[:, :2], origin])
        place = np.array([[0.0, -LENGTH, FAR], [-WIDTH, 0.0, SIDE], [0.0, 0.0, 1.0]])
        self._homography = road @ place
        self._size = round(2 * SIDE / WIDTH), len(ROWS)

    def grey(self, pixels):
        """The view in grey, from the picture `pixels` (RGBA)."""
        grey = cv2.cvtColor(pixels, cv2.COLOR_RGBA2GRAY)
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        return cv2.warpPerspective(grey, self._homography, self._size, flags=flags)


class Lane:
    """The lane as a parabola: its middle is at y = a + b x + c x^2 [m], x ahead, y to the kerb.

    It is the one beside the kerb of a street with two lanes of `width` [m]. `shape` is (a, b, c).
    """

    def __init__(self, width):
        self.shape = np.zeros(3)
        # The borders, from the lane's middle: dashes, the near kerb, the kerb across the street.
        self._offsets = -width / 2, width / 2, -1.5 * width

    def y(self, x):
        """Where the middle is, `x` ahead."""
        a, b, c = self.shape
        return a + x * (b + c * x)

    def move(self, distance, turn, arm):
        """The car has driven `distance` [m] and turned by `turn` [rad] about `arm` [m] ahead."""
        a, b, c = self.shape
        a += distance * (b + c * distance) + turn * arm
        self.shape = np.array([a, b + 2 * c * distance - turn, c])

    def see(self, road, kerbs):
        """Fits the lane to its borders in the grey views from above of the road and of kerbs."""
        masks = _dashes(road), _steps(kerbs), _steps(kerbs[:, ::-1])[:, ::-1]
        votes = self._votes(masks)
        expected = self.y(ROWS) + self._bend(votes)
        points = [self._near(*pair, expected) for pair in zip(masks, self._offsets, strict=True)]
        x, y = np.hstack(points)
        terms = np.stack([np.ones_like(x), x, x * x])
        self.shape = np.linalg.solve(
            terms @ terms.T + np.diag(INERTIA), terms @ y + INERTIA * self.shape
        )

    def _votes(self, masks):
        """How many borders say of each pixel that it lies on the lane's middle, or close to it."""
        votes = np.zeros(masks[0].shape, np.uint8)
        for mask, offset in zip(masks, self._offsets, strict=True):
            votes += _moved(mask, offset).astype(np.uint8)
        return cv2.dilate(votes, np.ones((1, round(TOLERANCE / WIDTH)), np.uint8))

    def _bend(self, votes):
        """The street may bend in a junction: [m] by which each row lies beside the parabola.

        Of all bends, each from some distance on and by some angle, that with the most votes.
        """
        columns = np.round((SIDE - self.y(ROWS) - BENDS) / WIDTH).astype(int)
        is_inside = (columns >= 0) & (columns < votes.shape[1])
        rows = np.arange(len(ROWS))
        found = votes[rows, np.where(is_inside, columns, 0)] * is_inside
        return BENDS[np.argmax(found.sum(axis=1) - BEND_COSTS)]

    def _near(self, mask, offset, expected):
        """The places of a border's pixels near the lane expected, as places of its middle."""
        rows, columns = np.nonzero(mask)
        x, y = ROWS[rows], SIDE - WIDTH * columns - offset
        near = np.abs(y - expected[rows]) < TOLERANCE
        return _thinned(x[near], y[near])


def _dashes(view):
    """A mask of what is narrow and brighter than the road on both sides of it."""
    kernel = np.ones((1, round(MARKING / WIDTH)), np.uint8)
    return cv2.morphologyEx(view, cv2.MORPH_TOPHAT, kernel) > CONTRAST


def _steps(view):
    """A mask of where it becomes brighter to the left, as from a road to its kerb."""
    step = round(0.2 / WIDTH)
    mask = np.zeros(view.shape, bool)
    mask[:, step:] = view[:, :-step].astype(np.int16) - view[:, step:] > CONTRAST
    return mask


def _moved(mask, offset):
    """A border's mask, moved by the border's distance from the lane's middle [m]."""
    columns = round(offset / WIDTH)
    moved = np.zeros_like(mask)
    if columns > 0:
        moved[:, columns:] = mask[:, :-columns]
    else:
        moved[:, :columns] = mask[:, -columns:]
    return moved


def _thinned(x, y):
    """The mean point of each half metre ahead, so that near and far count alike."""
    bins = np.floor(x / 0.5).astype(int)
    counts = np.bincount(bins, minlength=1)
    used = np.flatnonzero(counts > 2)
    sums = [np.bincount(bins, weights=each, minlength=1) for each in (x, y)]
    return np.array([each[used] / counts[used] for each in sums])


class Program:
    """Drives for ever; the arguments are the side of the traffic and the lane's width [m].

    The benchmark adds the route, of which it uses nothing: it has no map.
    """

    period = 0.05

    def start(self, robot, side="left", width="4.0", route=""):
        """Reads the robot's description."""
        self.vehicle = get_vehicle_info(robot)
        self.part = f"{robot}.{self.vehicle.part}"
        self.camera = f"{self.part}.front_view"
        heights = self.vehicle.height, self.vehicle.height - KERB
        self.views = [BirdsEye(describe(self.camera), height) for height in heights]
        self.lane = Lane(float(width))
        self.is_left = side == "left"  # for traffic on the right, the world is seen in a mirror

    def step(self, dt):
        """Looks, steers and keeps the speed."""
        speed = get_data(f"{self.part}.velocimeter")
        turn = get_data(f"{self.part}.gyro_yaw") * dt
        self.lane.move(speed * dt, turn if self.is_left else -turn, self.vehicle.rear_axle)
        image = get_image(self.camera)
        views = [view.grey(image) for view in self.views]
        unlock_image()
        self.lane.see(*(view if self.is_left else view[:, ::-1] for view in views))
        angle = self.steering(speed)
        push = np.clip(0.4 * (self.goal() - speed), -1.0, 0.5)
        values = [angle if self.is_left else -angle, max(push, 0.0), max(-push, 0.0)]
        set_data(f"{self.part}.{self.vehicle.actuator}", values)

    def goal(self):
        """The speed to have in this curve [m/s]."""
        curvature = 2 * abs(self.lane.shape[2])
        return min(TOP_SPEED, (LATERAL_ACCELERATION / max(curvature, 1e-3)) ** 0.5)

    def steering(self, speed):
        """Pure pursuit: the circle from the rear axle through a point on the lane's middle."""
        x = 4.0 + 0.5 * speed
        ahead, side = x - self.vehicle.rear_axle, self.lane.y(x)
        sine = side / hypot(ahead, side)
        return atan2(2 * self.vehicle.wheelbase * sine, hypot(ahead, side))
