"""Pictures of cameras: ordered when something subscribes, drawn by a process beside the bridge."""

import select
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Bytes
from autosim.config.descriptions import RobotDescription
from autosim.engine.programs.picture_scheduler import PictureScheduler
from autosim.kinds.sensors.perception.camera import Camera, lens_of
from autosim.kinds.sensors.perception.lens import Lens
from autosim.ros2.message_types import Fields
from autosim.ros2.robots.odometry import device_frame
from autosim.ros2.ros_frames import header_of
from autosim.ros2.ros_graph import GraphParticipant, Quality, Sink, ros_name
from autosim.userprogram.ipc.camera_images import ImageMemory, ImageSlot, PictureRequest

USUAL_HZ = 10.0
"""Pictures per simulated second of a camera without an UpdateRate."""

_RGB, _DEPTH, _LABELS, _INSTANCES = "rgb", "depth", "semantic", "instance"

_TOPICS = {
    _RGB: ("image_raw", "rgb8"),
    _DEPTH: ("depth/image_raw", "32FC1"),
    _LABELS: ("semantic/image_raw", "8UC1"),
    _INSTANCES: ("instance/image_raw", "32SC1"),
}
"""RosTopic and encoding of each kind of picture that ROS has an encoding for."""

_JPEG_QUALITY = 90
"""Quality factor of JPEG pictures, of 100: without visible artefacts."""


@dataclass(slots=True)
class _View:
    """One kind of picture of one camera, with what is published of it."""

    robot: str
    request: PictureRequest
    lens: Lens
    frame: str
    period_ns: int
    raw: Sink
    info: Sink
    compressed: Sink | None
    next_ns: int = 0

    @property
    def is_wanted(self) -> bool:
        return self.raw.has_subscribers or bool(self.compressed and self.compressed.has_subscribers)


class CameraTopics:
    """The pictures of all cameras of a world as topics.

    `ROBOT/CAMERA/image_raw` and `camera_info`, `image_raw/compressed` (JPEG); depths, labels and
    instances on `ROBOT/CAMERA/KIND/image_raw`.

    Args:
        node: that publishes.
        robots: of the world.
        scheduler: has the pictures drawn; owned from now on.
        report: called with why there are none.
    """

    def __init__(
        self,
        node: GraphParticipant,
        robots: list[RobotDescription],
        scheduler: PictureScheduler,
        report: Callable[[str], None],
    ) -> None:
        self._types, self._report = node.types, report
        self._scheduler = scheduler
        images = scheduler.new_images()
        assert images is not None, "the world has cameras"
        self._images: ImageMemory = images
        self._views = [each for robot in robots for each in self._views_of(node, robot)]
        self._ordered: tuple[int, int, list[_View]] | None = None

    def serve(self, nanoseconds: int) -> None:
        """Publishes the pictures that are drawn, and orders those that are due and wanted.

        Args:
            nanoseconds: simulated time of the state that is drawn.
        """
        if self._ordered is not None and not self._publish_drawn():
            return
        due = [each for each in self._views if self._is_due(each, nanoseconds)]
        for view in self._views:
            if (
                view.info.has_subscribers
                and not view.is_wanted
                and self._is_due(view, nanoseconds, True)
            ):
                self._publish_info(view, nanoseconds)
                view.next_ns = nanoseconds + view.period_ns
        if due:
            # The memory has room for the pictures of one robot: that which has waited longest.
            robot = min(due, key=lambda view: view.next_ns).robot
            due = [view for view in due if view.robot == robot]
            for view in due:
                view.next_ns = max(view.next_ns + view.period_ns, nanoseconds)
            requests = [view.request for view in due]
            number = self._scheduler.order(0, self._images, requests)
            self._ordered = (number, nanoseconds, due)

    def wait(self, seconds: float) -> None:
        """Waits for pictures that are ordered, at most `seconds` [s]."""
        if self._ordered is not None:
            select.select([self._scheduler.fileno()], [], [], seconds)

    @property
    def is_drawing(self) -> bool:
        """Whether pictures are ordered and not published yet."""
        return self._ordered is not None

    def close(self) -> None:
        """Ends the process that draws."""
        self._scheduler.close()
        self._images.close()

    def _views_of(self, node: GraphParticipant, robot: RobotDescription) -> Iterator[_View]:
        for camera in robot.devices:
            if not isinstance(camera, Camera):
                continue
            for kind in camera.kinds:
                if kind in _TOPICS:
                    yield self._view(node, robot, camera, kind)

    def _view(
        self, node: GraphParticipant, robot: RobotDescription, camera: Camera, kind: str
    ) -> _View:
        topic, _ = _TOPICS[kind]
        base = f"/{ros_name(robot.name)}/{ros_name(camera.name)}"
        beside = f"{base}/{topic}".rpartition("/")[0]
        sensor = Quality.SENSOR
        image = "sensor_msgs/msg/Image"
        compressed = None
        if kind == _RGB:
            packed = "sensor_msgs/msg/CompressedImage"
            compressed = node.publisher(f"{base}/{topic}/compressed", packed, sensor)
        return _View(
            robot=robot.name,
            request=PictureRequest(f"{robot.name}.{camera.part}.{camera.name}", kind),
            lens=lens_of(camera, self._scheduler.size),
            frame=f"{device_frame(robot, camera.name)}_optical",
            period_ns=round(1e9 / (camera.update_rate or USUAL_HZ)),
            raw=node.publisher(f"{base}/{topic}", image, sensor),
            info=node.publisher(f"{beside}/camera_info", "sensor_msgs/msg/CameraInfo", sensor),
            compressed=compressed,
        )

    @staticmethod
    def _is_due(view: _View, nanoseconds: int, is_info: bool = False) -> bool:
        if nanoseconds < view.next_ns - view.period_ns:
            view.next_ns = nanoseconds  # time went back
        return nanoseconds >= view.next_ns and (is_info or view.is_wanted)

    def _publish_drawn(self) -> bool:
        assert self._ordered is not None
        number, nanoseconds, views = self._ordered
        drawn = self._scheduler.answer(number)
        if drawn is None:
            return False
        if not drawn.failure:
            for view, place in zip(views, drawn.places, strict=False):
                self._publish(view, place, nanoseconds)
        self._ordered = None
        if drawn.failure:
            self._report(f"no pictures: {drawn.failure}")
        return True

    def _publish(self, view: _View, place: ImageSlot, nanoseconds: int) -> None:
        picture = self._images.picture(view.request.kind, place)
        if view.request.kind == _RGB:
            picture = picture[..., :3]
        pixels = np.ascontiguousarray(picture)
        height, width = pixels.shape[:2]
        header = header_of(nanoseconds, view.frame)
        if view.raw.has_subscribers:
            data = pixels.reshape(-1).view(np.uint8)
            message: Fields = {
                "header": header,
                "height": height,
                "width": width,
                "encoding": _TOPICS[view.request.kind][1],
                "is_bigendian": 0,
                "step": len(data) // height,
                "data": data,
            }
            view.raw.publish(self._types.build("sensor_msgs/msg/Image", message))
        if view.compressed is not None and view.compressed.has_subscribers:
            packed = {"header": header, "format": "rgb8; jpeg compressed bgr8"}
            packed["data"] = np.frombuffer(_jpeg(pixels), np.uint8)
            kind = "sensor_msgs/msg/CompressedImage"
            view.compressed.publish(self._types.build(kind, packed))
        self._publish_info(view, nanoseconds)

    def _publish_info(self, view: _View, nanoseconds: int) -> None:
        if not view.info.has_subscribers:
            return
        fields = {"header": header_of(nanoseconds, view.frame), **camera_info(view.lens)}
        view.info.publish(self._types.build("sensor_msgs/msg/CameraInfo", fields))


def camera_info(lens: Lens) -> Fields:
    """The fields of a CameraInfo by which image_geometry and OpenCV undo a lens.

    Pixels of ROS count from the middle of the first one.
    """
    column, row = lens.width / 2.0 - 0.5, lens.height / 2.0 - 0.5
    focal = lens.focal
    model, coefficients = "plumb_bob", lens.brown_conrady or (0.0,) * 5
    if lens.fisheye:
        model, coefficients = "equidistant", lens.fisheye
    matrix = [focal, 0.0, column, 0.0, focal, row, 0.0, 0.0, 1.0]
    return {
        "height": lens.height,
        "width": lens.width,
        "distortion_model": model,
        "d": coefficients,
        "k": matrix,
        "r": np.eye(3),
        "p": [focal, 0.0, column, 0.0, 0.0, focal, row, 0.0, 0.0, 0.0, 1.0, 0.0],
    }


def _jpeg(pixels: Bytes) -> bytes:
    from io import BytesIO

    from PIL import Image

    stream = BytesIO()
    Image.fromarray(pixels).save(stream, "JPEG", quality=_JPEG_QUALITY)
    return stream.getvalue()
