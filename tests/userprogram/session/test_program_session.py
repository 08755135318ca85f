"""What a user program may call, and what it gets."""

import math
import socket
import threading
from collections.abc import Callable
from contextlib import closing

import numpy as np
import pytest

import autosim.userprogram as api
from autosim.model.commands import DeviceError, DeviceErrorCode, DeviceState
from autosim.model.tree import WORD
from autosim.userprogram.api import use_session
from autosim.userprogram.ipc.camera_images import DrawnImage, ImageMemory
from autosim.userprogram.ipc.channel import Channel, QueueChannel, SocketChannel
from autosim.userprogram.ipc.program_messages import images_message, refused_message, turn_message
from autosim.userprogram.session.program_session import FOREVER, ProgramStopped, Session
from autosim.userprogram.session.session_context import SessionContext
from autosim.v1 import autosim_pb2 as pb
from tests.userprogram.rig import STEP_SECONDS, Toy, load_navigation_map, node


def session_of(toy: Toy, channel: Channel, images: ImageMemory | None) -> Session:
    """The session of a program in the toy simulation."""
    return Session(
        SessionContext(
            tree=toy.tree,
            memory=toy.shared.live.toreadonly(),
            channel=channel,
            step_seconds=STEP_SECONDS,
            load_navigation_map=load_navigation_map,
            images=images,
        )
    )


class Rig:
    """A session whose host is this test."""

    def __init__(self, images: ImageMemory | None = None) -> None:
        self.toy = Toy.new()
        self.host, channel = QueueChannel.pair()
        self.session = session_of(self.toy, channel, images)

    def words(self, name: str) -> np.ndarray:
        device = node(self.toy.tree, name)
        return self.toy.state.floats[device.start // WORD : device.own_stop // WORD]

    def waited(self, seconds: float) -> list:
        self.host.send(turn_message(0))
        api.wait(seconds)
        messages = [self.host.receive(1.0).wait]
        while messages[-1].until_step == 0:
            messages.append(self.host.receive(1.0).wait)
        return messages


@pytest.fixture
def rig():
    rig = Rig()
    with use_session(rig.session):
        yield rig


def refusal(call: Callable[[], object]) -> DeviceErrorCode:
    with pytest.raises(DeviceError) as caught:
        call()
    return caught.value.code


def test_one_value_is_a_float(rig: Rig):
    rig.words("alpha.chassis.psd0")[:] = 4.25
    value = api.get_data("alpha.chassis.psd0")
    assert (type(value), value) == (float, 4.25)


def test_a_value_is_read_anew_each_time(rig: Rig):
    values = []
    for distance in (1.0, 2.0):
        rig.words("alpha.chassis.psd0")[:] = distance
        values.append(api.get_data("alpha.chassis.psd0"))
    assert values == [1.0, 2.0]


def test_several_values_are_a_copy(rig: Rig):
    rig.words("beta.chassis.drive")[:] = [0.1, 0.2, 0.3, 0.4, 1.0]
    values = api.get_data("beta.chassis.drive")
    assert isinstance(values, np.ndarray)
    rig.words("beta.chassis.drive")[:] = 0.0
    np.testing.assert_array_equal(values, [0.1, 0.2, 0.3, 0.4, 1.0])
    values[0] = 7.0
    assert rig.words("beta.chassis.drive")[0] == 0.0


def test_a_text_is_a_str(rig: Rig):
    gps = node(rig.toy.tree, "alpha.chassis.gps")
    rig.toy.state.buffer[gps.start : gps.start + 10] = b"$GPRMC,1*2"
    assert api.get_data("alpha.chassis.gps") == "$GPRMC,1*2"


def test_a_lidar_gives_its_ranges_and_its_points(rig: Rig):
    lidar = node(rig.toy.tree, "beta.chassis.lidar")
    ranges = rig.words("beta.chassis.lidar")[:8].reshape(2, 4)
    ranges[1] = [2.0, 0.0, 3.0, 4.0]
    rig.toy.state.ints[lidar.field_offset("newest_column") // WORD] = 0
    read = api.get_data("beta.chassis.lidar")
    np.testing.assert_array_equal(read, [[0, 0, 0, 0], [2, 0, 3, 4]])
    points = api.get_points("beta.chassis.lidar")
    np.testing.assert_allclose(points, [[-3, 0, 1], [0, -4, 1], [2, 0, 1]], atol=1e-12)
    ranges[:] = 0.0
    assert api.get_points("beta.chassis.lidar").shape == (0, 3)
    assert read[1, 0] == 2.0


def test_only_lidars_give_points(rig: Rig):
    points = api.get_points
    assert refusal(lambda: points("alpha.chassis.psd0")) == DeviceErrorCode.INVALID_OPERATION
    assert refusal(lambda: points("alpha.chassis.ldr")) == DeviceErrorCode.UNKNOWN_DEVICE
    assert refusal(lambda: points("alpha.chassis")) == DeviceErrorCode.INVALID_DEVICE
    rig.session.stop()
    with pytest.raises(ProgramStopped):
        points("alpha.chassis.lidar")


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("gamma.chassis.psd0", DeviceErrorCode.UNKNOWN_ROBOT),
        ("alpha.chassis.psd1", DeviceErrorCode.UNKNOWN_DEVICE),
        ("alpha.chassis", DeviceErrorCode.INVALID_DEVICE),
        ("alpha", DeviceErrorCode.INVALID_DEVICE),
        ("alpha.chassis.view", DeviceErrorCode.INVALID_OPERATION),
        (None, DeviceErrorCode.UNKNOWN_DEVICE),
        (["alpha.chassis.psd0"], DeviceErrorCode.UNKNOWN_DEVICE),
        ("\0", DeviceErrorCode.UNKNOWN_ROBOT),
    ],
)
def test_reading_what_cannot_be_read_says_why(rig: Rig, name: str, code: DeviceErrorCode):
    assert refusal(lambda: api.get_data(name)) == code


@pytest.mark.parametrize("name", [None, 7, [], b"alpha"])
@pytest.mark.parametrize(
    "call",
    [
        api.get_data,
        api.get_points,
        api.get_state,
        api.get_image,
        api.describe,
        api.explain,
        api.get_vehicle_info,
    ],
)
def test_a_name_that_is_no_text_is_unknown(call: Callable[[object], object], name: object):
    with use_session(Rig(memory_for_pictures()).session):
        assert refusal(lambda: call(name)) == DeviceErrorCode.UNKNOWN_DEVICE


@pytest.mark.parametrize(
    ("name", "values", "code"),
    [
        ("gamma.chassis.drive", [0, 0, 0], DeviceErrorCode.UNKNOWN_ROBOT),
        ("alpha.chassis.brake", [0, 0, 0], DeviceErrorCode.UNKNOWN_DEVICE),
        ("alpha.chassis", [0, 0, 0], DeviceErrorCode.INVALID_DEVICE),
        ("alpha.chassis.psd0", [0], DeviceErrorCode.INVALID_OPERATION),
        ("alpha.chassis.drive", [0, math.nan, 0], DeviceErrorCode.INVALID_OPERATION),
        ("alpha.chassis.drive", "fast", DeviceErrorCode.INVALID_OPERATION),
        ("alpha.chassis.drive", [0, 0], DeviceErrorCode.DATA_SIZE_MISMATCH),
        ("alpha.chassis.drive", [10**400, 0, 0], DeviceErrorCode.INVALID_OPERATION),
        ("alpha.chassis.drive", [[0, 0], [0]], DeviceErrorCode.INVALID_OPERATION),
        ("alpha.chassis.drive", None, DeviceErrorCode.DATA_SIZE_MISMATCH),
        ("alpha.chassis.drive", {}, DeviceErrorCode.INVALID_OPERATION),
        (None, [0, 0, 0], DeviceErrorCode.UNKNOWN_DEVICE),
    ],
)
def test_setting_what_cannot_be_set_says_why(rig: Rig, name: str, values: list, code: int):
    assert refusal(lambda: api.set_data(name, values)) == code
    assert not rig.waited(0.1)[0].commands


def test_values_are_handed_over_with_the_wait_as_set(rig: Rig):
    api.set_data("alpha.chassis.drive", [0.0, 0.5, 0.0])
    api.set_data("beta.chassis.drive", (0, 0, 1))
    api.set_data("alpha.chassis.drive", np.array([0.0, 0.6, 0.0]))
    (wait,) = rig.waited(0.1)
    given = [(each.device[0], np.frombuffer(each.data).tolist()) for each in wait.commands]
    assert given == [("a", [0, 0.5, 0]), ("b", [0, 0, 1]), ("a", [0, 0.6, 0])]
    assert not rig.waited(0.1)[0].commands


def test_many_commands_go_in_several_packets_in_order(rig: Rig):
    for number in range(3_000):
        api.set_data("alpha.chassis.drive", [0.0, number, 0.0])
    waits = rig.waited(0.1)
    assert len(waits) > 1
    assert max(wait.ByteSize() for wait in waits) < 100_000
    given = [np.frombuffer(each.data)[1] for wait in waits for each in wait.commands]
    assert given == list(range(3_000))


@pytest.mark.parametrize(
    ("seconds", "steps"),
    [
        (0.0, 1),
        (-1.0, 1),
        (-math.inf, 1),
        (0.001, 1),
        (0.0208, 5),
        (0.05, 12),
        (1.0, 240),
        (3600.0, 864_000),
    ],
)
def test_a_wait_is_whole_steps(rig: Rig, seconds: float, steps: int):
    rig.toy.state.ints[0] = 100
    assert rig.waited(seconds)[0].until_step == 100 + steps


@pytest.mark.parametrize("seconds", [math.inf, 1e300])
def test_a_program_may_wait_for_ever(rig: Rig, seconds: float):
    assert rig.waited(seconds)[0].until_step == FOREVER


@pytest.mark.parametrize(
    ("seconds", "shown"), [(math.nan, "nan"), (None, "None"), ("1", "'1'"), (10**400, "1000")]
)
def test_a_wait_for_no_number_is_refused(rig: Rig, seconds: object, shown: str):
    with pytest.raises(ValueError, match=f"expected a number of seconds, not {shown}"):
        api.wait(seconds)


def test_time_is_simulated(rig: Rig):
    rig.toy.state.ints[1] = 1_500_000_000
    assert api.get_time() == 1.5


def test_the_state_is_that_of_the_robot(rig: Rig):
    rig.toy.state.ints[node(rig.toy.tree, "beta").start // WORD] = DeviceState.BLOCKED
    assert api.get_state("alpha.chassis.psd0") is DeviceState.READY
    assert api.get_state("beta") is DeviceState.BLOCKED
    assert refusal(lambda: api.get_state("gamma")) == DeviceErrorCode.UNKNOWN_ROBOT
    assert refusal(lambda: api.get_state("alpha.chassis")) == DeviceErrorCode.INVALID_DEVICE


def test_when_the_simulation_ends_so_does_the_program(rig: Rig):
    rig.host.close()
    with pytest.raises(ProgramStopped):
        api.wait(0.1)
    for call in (api.get_time, lambda: api.get_data("alpha.chassis.psd0")):
        with pytest.raises(ProgramStopped):
            call()


@pytest.mark.parametrize(
    "call", [lambda: api.wait(0.1), lambda: api.get_image("alpha.chassis.view")]
)
def test_what_is_said_to_a_simulation_that_has_ended_ends_the_program(call: Callable[[], object]):
    theirs, ours = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    theirs.close()
    toy, channel = Toy.new(), SocketChannel(ours, pb.ServerMessage)
    session = session_of(toy, channel, ImageMemory.create(width=6, height=4, size=0))
    with closing(channel), use_session(session), pytest.raises(ProgramStopped):
        call()


def test_images_are_refused_on_a_server(rig: Rig):
    for call in (lambda: api.get_image("alpha.chassis.view"), api.get_image_width):
        assert refusal(call) == DeviceErrorCode.INVALID_OPERATION


def test_an_image_is_what_the_host_drew_until_it_is_unlocked():
    images = memory_for_pictures()
    rig = Rig(images)
    with use_session(rig.session):
        assert (api.get_image_width(), api.get_image_height()) == (6, 4)
        for red in (10, 20):
            rig.host.send(images_message(images.put([DrawnImage(coloured(red), step=0)])))
            image = api.get_image("alpha.chassis.view")
            (wanted,) = rig.host.receive(1.0).image_request.images
            assert (wanted.camera, wanted.kind) == ("alpha.chassis.view", "rgb")
            assert (image.shape, image.dtype, image[0, 0, 0]) == ((4, 6, 4), np.uint8, red)
            locked = refusal(lambda: api.get_image("alpha.chassis.view"))
            assert locked == DeviceErrorCode.INVALID_OPERATION
            api.unlock_image()


def test_pictures_of_several_cameras_come_at_once_and_stay():
    images = memory_for_pictures()
    rig = Rig(images)
    cameras = ("alpha.chassis.view", "beta.chassis.view")
    with use_session(rig.session):
        rig.host.send(
            images_message(images.put([DrawnImage(coloured(10), 24), DrawnImage(coloured(20), 12)]))
        )
        first, second = api.get_pictures(*cameras)
        wanted = rig.host.receive(1.0).image_request.images
        images.put([DrawnImage(coloured(30), 24)])
    assert [(each.camera, each.kind) for each in wanted] == [(name, "rgb") for name in cameras]
    assert (first.camera, second.camera) == cameras
    assert (first["rgb"][0, 0, 0], second["rgb"][0, 0, 0]) == (10, 20)
    assert (first.step, second.step) == (24, 12)
    assert (first.time, second.time) == pytest.approx((24 * STEP_SECONDS, 12 * STEP_SECONDS))


def test_a_camera_gives_the_kinds_that_its_robot_file_names():
    rig = Rig(memory_for_pictures())
    with use_session(rig.session), pytest.raises(DeviceError, match="makes rgb, not 'depth'"):
        api.get_image("alpha.chassis.view", "depth")


def test_robots_have_numbers_in_pictures_of_instances(rig: Rig):
    assert api.get_instances() == {"alpha": 1, "beta": 2}


def memory_for_pictures() -> ImageMemory:
    """For two pictures in colour."""
    return ImageMemory.create(width=6, height=4, size=2 * 6 * 4 * 4)


def coloured(red: int) -> np.ndarray:
    return np.full((4, 6, 4), red, dtype=np.uint8)


def test_only_cameras_give_images():
    rig = Rig(memory_for_pictures())
    with use_session(rig.session):
        code = refusal(lambda: api.get_image("alpha.chassis.psd0"))
        assert code == DeviceErrorCode.INVALID_OPERATION
        rig.host.send(refused_message(DeviceErrorCode.INVALID_OPERATION, "no renderer"))
        with pytest.raises(DeviceError, match="no renderer"):
            api.get_image("alpha.chassis.view")


def test_roads_and_origin_come_from_the_world(rig: Rig):
    assert len(api.get_roads().lanes) == 2
    np.testing.assert_allclose(api.to_local(*api.get_origin()), [0.0, 0.0], atol=1e-6)


def test_outside_a_program_the_calls_say_so(rig: Rig):
    caught: list[Exception] = []

    def call() -> None:
        try:
            api.get_data("alpha.chassis.psd0")
        except api.NoProgramError as error:
            caught.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    assert "only in a user program" in str(caught[0])
