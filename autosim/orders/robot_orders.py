"""Orders that add, move and remove robots."""

from dataclasses import dataclass

from autosim.config.descriptions import Vector3
from autosim.orders.base_order import Order
from autosim.v1 import autosim_pb2 as pb


@dataclass(frozen=True, slots=True)
class AddRobot(Order[None]):
    """A robot to add.

    `file` and `program` ("": none) are named as in world files, in the folders of the server.
    Without `position`, (x, y) [m] in W, it is put on a free lane; `yaw` [rad] counter-clockwise
    from east.
    """

    file: str
    name: str
    """Name of the new robot, unique in the world."""
    position: tuple[float, float] | None = None
    yaw: float = 0.0
    program: str = ""
    arguments: tuple[str, ...] = ()
    """Arguments of the program."""

    def to_message(self) -> pb.AddRobotRequest:
        """Its request on the wire."""
        x, y = self.position or (0.0, 0.0)
        return pb.AddRobotRequest(
            file=self.file,
            name=self.name,
            is_placed=self.position is not None,
            x=x,
            y=y,
            yaw=self.yaw,
            program=self.program,
            arguments=self.arguments,
        )

    @classmethod
    def from_message(cls, message: pb.AddRobotRequest) -> "AddRobot":
        """The order of a checked request."""
        return cls(
            file=message.file,
            name=message.name,
            position=(message.x, message.y) if message.is_placed else None,
            yaw=message.yaw,
            program=message.program,
            arguments=tuple(message.arguments),
        )


@dataclass(frozen=True, slots=True)
class MoveRobot(Order[None]):
    """Position for the origin of a robot or an object: `position` (x, y) [m] in W.

    `yaw` [rad] counter-clockwise from east, None: as it heads now. Of several levels it stands on
    the one nearest to `height` [m] in W, None: to its own height. There it moves at `velocity`
    [m/s] and turns at `angular_velocity` [rad/s]: forward, left, up.
    """

    robot: str
    position: tuple[float, float]
    yaw: float | None = None
    height: float | None = None
    velocity: Vector3 = (0.0, 0.0, 0.0)
    angular_velocity: Vector3 = (0.0, 0.0, 0.0)

    def to_message(self) -> pb.MoveRobotRequest:
        """Its request on the wire."""
        x, y = self.position
        return pb.MoveRobotRequest(
            robot=self.robot,
            x=x,
            y=y,
            yaw=self.yaw,
            height=self.height,
            velocity=_to_vector(self.velocity),
            angular_velocity=_to_vector(self.angular_velocity),
        )

    @classmethod
    def from_message(cls, message: pb.MoveRobotRequest) -> "MoveRobot":
        """The order of a checked request."""
        return cls(
            robot=message.robot,
            position=(message.x, message.y),
            yaw=message.yaw if message.HasField("yaw") else None,
            height=message.height if message.HasField("height") else None,
            velocity=_from_vector(message.velocity),
            angular_velocity=_from_vector(message.angular_velocity),
        )


@dataclass(frozen=True, slots=True)
class StartPose:
    """Start pose of a robot: `position` [m] in W of its origin, z None: on the ground; `yaw` [rad].

    Its program is not started.
    """

    robot: str
    position: tuple[float, float, float | None]
    yaw: float

    def to_message(self) -> pb.StartPose:
        """Its form on the wire."""
        x, y, z = self.position
        return pb.StartPose(robot=self.robot, x=x, y=y, z=z, yaw=self.yaw)

    @classmethod
    def from_message(cls, message: pb.StartPose) -> "StartPose":
        """The pose of a checked message."""
        z = message.z if message.HasField("z") else None
        return cls(message.robot, (message.x, message.y, z), message.yaw)


def _to_vector(numbers: Vector3) -> pb.Vector:
    x, y, z = numbers
    return pb.Vector(x=x, y=y, z=z)


def _from_vector(message: pb.Vector) -> Vector3:
    return (message.x, message.y, message.z)
