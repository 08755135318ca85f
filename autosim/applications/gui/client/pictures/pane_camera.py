"""Camera of one pane: a robot's camera device, or one that the user moves."""

from enum import Enum

from autosim.client.cameras.camera_projection import CameraProjection
from autosim.client.cameras.camera_rigs import CameraPose, Rig, camera_names
from autosim.client.cameras.clearance import Clearance
from autosim.client.cameras.depth_test import DepthTest
from autosim.client.cameras.moving_cameras import ChaseCamera, FreeCamera
from autosim.client.overlays.annotations import first_parts
from autosim.client.rendering.device_pictures import DevicePictures
from autosim.client.rendering.world_renderer import Pixels, WorldRenderer
from autosim.config.descriptions import WorldDescription
from autosim.model.state import State
from autosim.model.tree import SimulationTree

MOST_PIXELS = 1280 * 720
"""Number of pixels of a picture whose size a pane decides: as many as are drawn smoothly without a
graphics card."""

FLIGHT_SPEED = 15.0
"""[m/s] of a free camera that keys move: a street's width in about a second."""

TURN_SPEED = 1.2
"""[rad/s] of a camera that keys turn: once around in about five seconds."""


class ViewKind(Enum):
    """The kinds of views."""

    CHASE = "Chase camera"
    FREE = "Free camera"
    DEVICE = "Camera device"


class PaneCamera:
    """The camera of one pane. It follows the first robot; where there is none, it flies.

    Args:
        viewer: draws its pictures.
        pictures: what camera devices give.
        world: the robots.
        tree: the tree of the states.
        number: of the pane, no two alike.
        clearance: keeps it out of houses; None: it goes anywhere.
    """

    def __init__(
        self,
        viewer: WorldRenderer,
        pictures: DevicePictures,
        *,
        world: WorldDescription,
        tree: SimulationTree,
        number: int,
        clearance: Clearance | None = None,
    ) -> None:
        self._viewer, self._pictures = viewer, pictures
        self._parts = first_parts(world, tree)
        self.chases = [
            ChaseCamera(each.robot, tree=tree, name=part.name, clearance=clearance)
            for each, part in zip(world.robots, self._parts, strict=True)
        ]
        self._devices = camera_names(world)
        self._robots = tuple(each.name for each in world.robots)
        self._own = f"pane:{number}"
        self._size = (640, 480)
        self._free: FreeCamera | None = None
        self.look = ViewKind.CHASE
        self.robot = 0
        self._device = ""
        if self._robots:
            self._install(self.chases[0])
        else:
            self._fly()

    @property
    def choices(self) -> tuple[str, ...]:
        """Valid arguments of `choose`."""
        chase = (ViewKind.CHASE.value,) if self._robots else ()
        return (*chase, ViewKind.FREE.value, *self._devices)

    @property
    def choice(self) -> str:
        """The current choice."""
        return self._device if self.look is ViewKind.DEVICE else self.look.value

    @property
    def robot_name(self) -> str:
        """The robot that is looked at, or through; "" where there is none."""
        return self._robots[self.robot] if self._robots else ""

    @property
    def has_own_size(self) -> bool:
        """Whether the pane decides on the picture's size; a device's pictures have one size."""
        return self.look is not ViewKind.DEVICE

    @property
    def pose(self) -> CameraPose:
        """Its pose, at the state that the viewer shows."""
        return self._viewer.pose(self._name)

    def projection(self, width: float, height: float) -> CameraProjection:
        """Its projection, in a picture of that size."""
        fov = self._viewer.fov(self._name)
        return CameraProjection(self.pose, fov=fov, width=width, height=height)

    def sight(self, projection: CameraProjection) -> DepthTest:
        """Depth test for the last picture; passes everything if it has no depths."""
        return DepthTest(projection, self._viewer.depths(self._name))

    @property
    def is_plain(self) -> bool:
        """Whether its pictures are as `projection` says, and of the state that is shown."""
        return self.look is not ViewKind.DEVICE or self._pictures.is_plain(self._device)

    def picture(self, state: State, *, has_depths: bool = False) -> Pixels:
        """The picture of the state that the viewer shows; `has_depths`: `sight` will be asked.

        Of a device it is that of the device, with its lens, noise and rate.
        """
        if not self.is_plain:
            return self._pictures.colours(self._device, state)
        self._viewer.keep_depths(self._name, has_depths)
        return self._viewer.image(self._name, is_streamed=True)

    @property
    def is_settled(self) -> bool:
        """Whether another picture of the same state would show no more than the last one."""
        return self._viewer.has_all

    def choose(self, choice: str) -> None:
        """Looks through another camera."""
        if choice in self._devices:
            self.look, self._device = ViewKind.DEVICE, choice
            self.robot = self._robots.index(choice.split(".", 1)[0])
        elif choice == ViewKind.FREE.value:
            self._fly()
        elif self._robots:
            self.look = ViewKind.CHASE
            self._install(self.chases[self.robot])

    def choose_robot(self, name: str) -> None:
        """Looks at another robot, or through the same camera of another robot."""
        if name not in self._robots:
            return
        self.robot = self._robots.index(name)
        if self.look is ViewKind.DEVICE:
            counterpart = ".".join([name, *self._device.split(".")[1:]])
            self.choose(counterpart if counterpart in self._devices else ViewKind.CHASE.value)
        else:
            self.choose(ViewKind.CHASE.value)

    def choose_next_robot(self) -> None:
        """The robot after this one, or the first."""
        if self._robots:
            self.choose_robot(self._robots[(self.robot + 1) % len(self._robots)])

    def fit(self, width: int, height: int) -> None:
        """Draws pictures of that size [pixels] from now on, smaller ones where it is too large."""
        size = fitting_size(width, height)
        if size != self._size:
            self._size = size
            self._install(self._rig)

    def turn(self, left: float, up: float) -> None:
        """Turns [rad], or goes around the robot."""
        if self.look is ViewKind.FREE and self._free is not None:
            self._free.turn(left, up)
        elif self.look is ViewKind.CHASE:
            self.chases[self.robot].turn(-left, -up)

    def move(self, forward: float, left: float, up: float) -> None:
        """Flies [m]; a chase camera goes nearer."""
        if self.look is ViewKind.FREE and self._free is not None:
            self._free.move(forward, left, up)
        elif self.look is ViewKind.CHASE and forward:
            self.approach(0.97 if forward > 0.0 else 1.03)

    def approach(self, factor: float) -> None:
        """Changes the distance of a chase camera by `factor`; a free one flies."""
        if self.look is ViewKind.CHASE:
            self.chases[self.robot].approach(factor)
        else:
            self.move(40.0 * (1.0 - factor), 0.0, 0.0)

    def close(self) -> None:
        """Frees what the viewer keeps for it."""
        self._viewer.remove_camera(self._own)

    @property
    def _name(self) -> str:
        return self._device if self.look is ViewKind.DEVICE else self._own

    def _fly(self) -> None:
        """Flies on from where it is; from the viewer's main view where it is nowhere yet."""
        if self.look is not ViewKind.FREE:
            self._free = FreeCamera.at(self._viewer.pose(self._name if self._robots else ""))
        self.look = ViewKind.FREE
        if self._free is not None:
            self._install(self._free)

    def _install(self, rig: Rig) -> None:
        self._rig = rig
        self._viewer.add_camera(self._own, rig, size=self._size)


def fitting_size(width: int, height: int, most: int = MOST_PIXELS) -> tuple[int, int]:
    """The size nearest to `width` × `height`, of the same shape and at most `most` pixels."""
    width, height = max(width, 16), max(height, 16)
    shrink = min(1.0, (most / (width * height)) ** 0.5)
    return max(16, int(width * shrink)), max(16, int(height * shrink))
