"""A user program's connection to the simulation, on which the functions of `api` work."""

import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Lock
from typing import TYPE_CHECKING, Unpack

import numpy as np
import numpy.typing as npt

from autosim.arrays import Floats
from autosim.kinds.sensors.perception.camera import picture_size
from autosim.kinds.sensors.perception.radio import text_message
from autosim.model.belief import (
    EstimateValues,
    StateEstimate,
    belief_of,
    make_estimate,
    state_words,
    truth_of,
)
from autosim.model.commands import (
    Command,
    DeviceError,
    DeviceErrorCode,
    DeviceState,
    abbreviated,
    command_for,
    find_device,
)
from autosim.model.device_states import device_state
from autosim.model.instance_numbers import instance_numbers
from autosim.model.state import State
from autosim.model.tree import STATE_TRUTH, TreeNode
from autosim.traffic.traffic_node import (
    traffic_arrays_of,
)
from autosim.userprogram.ipc.camera_images import (
    Image,
    ImageMemory,
    ImageSlot,
    Picture,
    PictureRequest,
)
from autosim.userprogram.ipc.channel import ChannelClosedError
from autosim.userprogram.ipc.program_messages import (
    attach_message,
    image_request,
    places_of,
    wait_messages,
)
from autosim.userprogram.session.node_explanations import Explanation, explain
from autosim.userprogram.session.node_records import (
    Described,
    describe,
    describe_robot,
    find_camera,
    find_lidar,
)
from autosim.userprogram.session.program_traffic_orders import (
    ROUTES,
    SIGNALS,
    VEHICLES,
    TrafficOrders,
)
from autosim.userprogram.session.readers import (
    PointReader,
    Reader,
    Reading,
    make_point_reader,
    make_reader,
)
from autosim.userprogram.session.session_context import Layout, SessionContext
from autosim.userprogram.session.traffic_vehicles import (
    TrafficPerson,
    TrafficVehicle,
    VehicleOrder,
    people_of,
    vehicles_of,
)
from autosim.v1 import autosim_pb2 as pb
from autosim.vehicle.info.vehicle_info import VehicleInfo, vehicle_info
from autosim.world.lanes.lane_rules import SignalState
from autosim.world.lanes.roads import RoadNetwork

if TYPE_CHECKING:  # slow to import, and only programs that navigate need them
    from autosim.userprogram.session.navigation_map import NavigationMap

FOREVER = 2**62
"""A step that no simulation reaches."""


class ProgramStopped(BaseException):
    """The simulation is over or has dropped the program: let it pass, so that the program ends."""


class Session:
    """One user program's connection to the simulation (see `api` for what each call means).

    Its methods may be called from any thread of the program. Reading needs no lock: numbers are
    whole words of the shared memory. One thread at a time speaks with the simulation.
    """

    def __init__(self, context: SessionContext) -> None:
        self._tree = context.tree
        self._state = State(context.tree, context.memory)
        self._channel = context.channel
        self._step_seconds = context.step_seconds
        self._load_navigation_map = context.load_navigation_map
        self._images = context.images
        self._navigation_map: NavigationMap | None = None
        self._orders = TrafficOrders()
        self._readers: dict[str, Reader] = {}
        self._point_readers: dict[str, PointReader] = {}
        self._pending: deque[Command] = deque()
        self._is_image_locked = False
        self._is_stopped = False
        self._is_imported = True
        self._woken_at = time.perf_counter()
        self._turn = Lock()
        self._memory = context.memory_of_program
        self._take_layout = context.take_layout
        self._clock = context.clock

    def attach(self, *, program: str, robot: str) -> None:
        """Takes part from now on; returns when it is the program's turn.

        Raises:
            DeviceError: the simulation refuses the program.
            ProgramStopped: the simulation is over.
        """
        self._send(attach_message(program, robot, self._tree.digest))
        self._await_woken()

    @contextmanager
    def importing(self) -> Iterator[None]:
        """Inside, the program's file is imported, for which the simulation does not wait.

        What reads or sets the simulation raises DeviceError: it would meet any step, or none.
        """
        self._is_imported = False
        try:
            yield
        finally:
            self._is_imported = True

    def on_snapshot(self, save: Callable[[], object]) -> None:
        """Registers a function that returns the program's memory for each snapshot."""
        self._memory.save = save

    def on_restore(self, restore: Callable[[object], None]) -> None:
        """Registers a function that is called after a rewind."""
        self._memory.load = restore

    def stop(self) -> None:
        """Makes every further call raise ProgramStopped; may be called from another thread."""
        self._is_stopped = True
        self._readers = {}

    def get_data(self, name: str) -> Reading:
        """The values of a device."""
        try:
            reader = self._readers.get(name)
        except TypeError:  # a name that is not a text may not be hashable
            reader = None
        return (reader or self._add_reader(name))()

    def get_points(self, name: str) -> Floats:
        """The points that a lidar has met."""
        self._require_running()
        try:
            reader = self._point_readers.get(name)
        except TypeError:
            reader = None
        if reader is None:
            node, lidar = find_lidar(self._tree, name)
            reader = make_point_reader(node, lidar, self._state.buffer)
            self._point_readers[name] = reader
        return reader()

    def get_state_estimate(self, robot: str) -> StateEstimate:
        """Believed motion of a robot."""
        self._require_running()
        return self._estimate(belief_of(self._tree, robot))

    def get_state_truth(self, robot: str) -> StateEstimate:
        """True motion of a robot."""
        self._require_running()
        node = truth_of(self._tree, robot)
        self._require_readable(node)
        return self._estimate(node)

    def set_state_estimate(self, robot: str, **values: Unpack[EstimateValues]) -> None:
        """Sets what a robot believes of its motion, with effect from the next `wait`."""
        self._require_running()
        node = belief_of(self._tree, robot)
        self._pending.append(
            command_for(self._tree, node.name, make_estimate(self._state.time, **values).words())
        )

    def set_data(self, name: str, values: npt.ArrayLike | str | bytes) -> None:
        """Sets an actuator, with effect from the next `wait`; a text is for a radio to send."""
        self._require_running()
        if isinstance(values, str | bytes):
            node = find_device(self._tree, name)
            values = text_message(self._state, node, values)
        self._pending.append(command_for(self._tree, name, values))

    def wait(self, seconds: float) -> None:
        """Continues the simulation for `seconds` of simulated time."""
        steps = _number(seconds) / self._step_seconds
        self._wait_steps(FOREVER if steps >= FOREVER else round(max(1.0, steps)))

    def finish(self) -> None:
        """Hands over what was set since the last `wait`: that takes one more step."""
        if self._pending:
            self._wait_steps(1)

    def get_time(self) -> float:
        """Simulated time [s]."""
        self._require_running()
        return self._state.time

    def field(self, node: TreeNode, name: str) -> Floats:
        """A copy of a field of numbers of `node`; for driving by hand, not for programs."""
        self._require_running()
        field = next(each for each in node.fields if each.name == name)
        return np.array(self._state.value(node, field), dtype=np.float64)

    def get_state(self, name: str) -> DeviceState:
        """State of a robot's devices."""
        self._require_running()
        node = self._tree.find(name)
        if node is None or node.kind != "Robot":
            node = find_device(self._tree, name)
        return device_state(self._state, node)

    def describe(self, name: str) -> Described:
        """Description of a robot, a part, a link, a device or an object."""
        return describe(self._tree, name)

    def explain(self, name: str) -> Explanation:
        """Documentation of a node and its values."""
        return explain(self._tree, name)

    def measure(self, robot: str) -> VehicleInfo:
        """The measures of the vehicle that a robot is."""
        return vehicle_info(describe_robot(self._tree, robot))

    def navigation_map(self) -> "NavigationMap":
        """The world's roads and origin."""
        self._require_simulation()
        if self._navigation_map is None:
            with self._clock.preparing():
                found = self._load_navigation_map()
            traffic = traffic_arrays_of(self._state)
            self._navigation_map = found.with_signals(traffic.signals) if traffic else found
        return self._navigation_map

    def order_signal(self, number: int | None, state: SignalState | None) -> None:
        """Orders what a signal shows, with effect from the next `wait`; None: what it likes."""
        self._require_running()
        self.set_data(SIGNALS, self._orders.of_signal(self._state, self._roads, number, state))

    def traffic_vehicles(self) -> list[TrafficVehicle]:
        """The vehicles of traffic that are on their way."""
        self._require_running()
        traffic = traffic_arrays_of(self._state)
        return vehicles_of(traffic.vehicles) if traffic else []

    def traffic_people(self) -> list[TrafficPerson]:
        """The people of traffic who are on foot."""
        self._require_running()
        traffic = traffic_arrays_of(self._state)
        return people_of(traffic.people) if traffic else []

    def order_vehicle(
        self, number: int, order: VehicleOrder | None, route: Sequence[str] | None
    ) -> None:
        """Orders what a vehicle does, with effect from the next `wait`; None: what it likes."""
        self._require_running()
        self.set_data(VEHICLES, self._orders.of_vehicle(self._state, self._roads, number, order))
        routes = self._orders.of_route(self._roads, number, route)
        if routes is not None:
            self.set_data(ROUTES, routes)

    def _roads(self) -> RoadNetwork:
        return self.navigation_map().roads

    def image_memory(self) -> ImageMemory:
        """Memory for incoming pictures; its size is theirs."""
        self._require_simulation()
        if self._images is None:
            raise DeviceError(
                DeviceErrorCode.INVALID_OPERATION,
                "no renderer is available for this program: the robots have no cameras",
            )
        return self._images

    def picture_size(self, camera: str) -> tuple[int, int]:
        """Width and height [pixels] of a camera's pictures; of "", those of the world."""
        images = self.image_memory()
        size = images.width, images.height
        return picture_size(find_camera(self._tree, camera), size) if camera else size

    def get_image(self, camera: str, kind: str = "") -> Image:
        """A picture of `camera`, read-only, valid until it is unlocked."""
        images = self.image_memory()
        self._require_running()
        kinds = find_camera(self._tree, camera).kinds
        if kind and kind not in kinds:
            raise DeviceError(
                DeviceErrorCode.INVALID_OPERATION,
                f"'{camera}' makes {', '.join(kinds)}, not {abbreviated(kind)}: add a <Kind> to it "
                "in the robot file",
            )
        with self._turn:
            wish = PictureRequest(camera, kind or kinds[0])
            (place,) = self._ask_for_pictures([wish])
            self._is_image_locked = True
        return images.picture(wish.kind, place)

    def get_pictures(self, *cameras: str) -> tuple[Picture, ...]:
        """Pictures of all kinds of several cameras, which are the caller's to keep."""
        images = self.image_memory()
        self._require_running()
        wishes = [
            PictureRequest(camera, kind)
            for camera in cameras
            for kind in find_camera(self._tree, camera).kinds
        ]
        found: dict[str, dict[str, Image]] = {camera: {} for camera in cameras}
        steps: dict[str, int] = {}
        with self._turn:
            for wish, place in zip(wishes, self._ask_for_pictures(wishes), strict=True):
                found[wish.camera][wish.kind] = images.picture(wish.kind, place).copy()
                steps[wish.camera] = place.step
        return tuple(
            Picture(camera, steps[camera], steps[camera] * self._step_seconds, found[camera])
            for camera in cameras
        )

    def _ask_for_pictures(self, wishes: list[PictureRequest]) -> list[ImageSlot]:
        if self._is_image_locked:
            reason = "the last image is in use: call unlock_image()"
            raise DeviceError(DeviceErrorCode.INVALID_OPERATION, reason)
        if not wishes:
            return []
        self._send(image_request(wishes))
        return places_of(self._expect("images").images)

    def get_instances(self) -> dict[str, int]:
        """The numbers of robots and objects in pictures of instances."""
        return instance_numbers(self._tree)

    def unlock_image(self) -> None:
        """Frees the last picture's memory for the next one."""
        self._is_image_locked = False

    def _estimate(self, node: TreeNode) -> StateEstimate:
        return StateEstimate.of(state_words(self._state.floats, node), self._state.time)

    def _require_readable(self, node: TreeNode) -> None:
        """Refuses what is true of a robot, where the world file does not allow it.

        Raises:
            DeviceError: INVALID_OPERATION.
        """
        robot = node.name.split(".", 1)[0]
        if node.kind == STATE_TRUTH and not self._tree.descriptions[robot].is_truth_readable:
            raise DeviceError(
                DeviceErrorCode.INVALID_OPERATION,
                f"programs may not read '{node.name}': the world file allows it by "
                f'<ReadableTruth value="true"/> in <Robot name="{robot}">; '
                f"get_state_estimate('{robot}') is what the robot believes",
            )

    def _add_reader(self, name: str) -> Reader:
        self._require_running()
        node = find_device(self._tree, name)
        self._require_readable(node)
        reader = make_reader(node, self._state.buffer)
        self._readers[name] = reader
        return reader

    def _wait_steps(self, steps: int) -> None:
        self._require_running()
        until = min(self._state.step + steps, FOREVER)
        with self._turn:
            if self._state.step >= until and not self._pending:
                return  # another thread's wait has let the time pass
            commands = [self._pending.popleft() for _ in range(len(self._pending))]
            seconds = time.perf_counter() - self._woken_at
            until = max(until, self._state.step + 1)
            for message in wait_messages(commands, until, turn_seconds=seconds):
                self._send(message)
            self._await_woken()

    def _send(self, message: pb.ProgramMessage) -> None:
        """Sends a message that has an answer; if the other end is gone, `_expect` reports it."""
        with suppress(ChannelClosedError):
            self._channel.send(message)

    def _await_woken(self) -> None:
        self._expect("turn_started")
        self._woken_at = time.perf_counter()

    def _expect(self, kind: str) -> pb.ServerMessage:
        """The answer of that kind.

        Raises:
            DeviceError: the simulation refused what was asked.
            ProgramStopped: the simulation is over or has dropped the program.
        """
        message = self._receive()
        answer = message.WhichOneof("kind")
        if answer == "refused":
            raise DeviceError(DeviceErrorCode(message.refused.code), message.refused.reason)
        if answer != kind:
            raise ProgramStopped(f"the simulation answered '{answer}' instead of '{kind}'")
        return message

    def _receive(self) -> pb.ServerMessage:
        """The next message that is not about snapshots or the layout of the state."""
        while True:
            try:
                message = self._channel.receive()
            except ChannelClosedError as error:
                self.stop()
                raise ProgramStopped("the simulation is over") from error
            match message.WhichOneof("kind"):
                case "snapshot_taken" if message.snapshot_taken.is_dropped:
                    self._memory.drop(message.snapshot_taken.name)
                case "snapshot_taken":
                    self._memory.keep(message.snapshot_taken.name)
                case "restored":
                    self._memory.restore(message.restored.name)
                case "layout_changed" if self._take_layout is not None:
                    self._change_layout(self._take_layout())
                case _:
                    return message

    def _change_layout(self, layout: Layout) -> None:
        """Reads another state from now on: robots were added or removed."""
        self._tree, self._images = layout.tree, layout.images
        self._state = State(layout.tree, layout.memory)
        self._readers, self._point_readers = {}, {}
        signals = None if self._navigation_map is None else self._navigation_map.roads.signals
        traffic = traffic_arrays_of(self._state)
        if signals is not None and traffic is not None:
            signals.shown = traffic.signals[: len(signals.shown)]

    def _require_running(self) -> None:
        self._require_simulation()
        if not self._is_imported:
            raise DeviceError(
                DeviceErrorCode.INVALID_OPERATION,
                "the program's file is still being imported, for which the simulation does not "
                "wait: call this from main(argv) or from a hook of Program",
            )

    def _require_simulation(self) -> None:
        if self._is_stopped:
            raise ProgramStopped("the simulation has dropped this program")


def _number(seconds: float) -> float:
    """A number that a program gave `wait`, which may be anything.

    Raises:
        ValueError: it is not a number.
    """
    try:
        number = seconds + 0.0
        is_number = not math.isnan(number)
    except (TypeError, OverflowError):
        is_number = False
    if not is_number:
        raise ValueError(f"wait: expected a number of seconds, not {abbreviated(seconds)}")
    return number
