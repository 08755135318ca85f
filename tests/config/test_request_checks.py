"""What a request may hold, and how it is said what it must not."""

import pytest

from autosim.config.request_checks import RequestError, check_request, fields_without_rule
from autosim.config.schemas.requests import FIELDS, FREE, MOST
from autosim.v1 import autosim_pb2 as pb
from autosim.v1 import tree_pb2

NAN, INF = float("nan"), float("inf")
MESSAGES = {**tree_pb2.DESCRIPTOR.message_types_by_name, **pb.DESCRIPTOR.message_types_by_name}
METHODS = tuple(pb.DESCRIPTOR.services_by_name["Simulator"].methods)


def robot(**fields):
    return pb.AddRobotRequest(**{"file": "robots/impreza.xml", "name": "car", **fields})


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_field_of_a_request_has_a_rule(method):
    assert list(fields_without_rule(method.input_type)) == []


def test_every_rule_is_for_a_field_that_there_is():
    named = {f"{message}.{each.name}" for message, fields in FIELDS.items() for each in fields}
    for name in sorted(named | MOST.keys() | FREE):
        message, field = name.split(".")
        assert field in MESSAGES[message].fields_by_name, name


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (
            pb.ControlRequest(real_time_factor=1e-18),
            "ControlRequest.real_time_factor: expected 0 or a number in [0.001, 1e+06], not 1e-18",
        ),
        (
            pb.ControlRequest(action=99),
            "ControlRequest.action: expected one of STATUS, RUN, PAUSE, STEP, STOP, not 99",
        ),
        (
            pb.ProgramOrder(action=-1),
            "ProgramOrder.action: expected one of STOP, RESTART, ATTACH, TAKE_OVER, GIVE_BACK, "
            "not -1",
        ),
        (
            pb.ControlRequest(steps=-3),
            "ControlRequest.steps: expected a number in [0, 1e+12], not -3",
        ),
        (robot(yaw=NAN), "AddRobotRequest.yaw: expected a finite number [rad], not nan"),
        (robot(x=-INF), "AddRobotRequest.x: expected a finite number [m], not -inf"),
        (
            robot(y=1e300),
            "AddRobotRequest.y: expected a number of at most 1e+07 m in size, not 1e+300",
        ),
        (
            robot(name="a car"),
            "AddRobotRequest.name: expected a name of letters, digits, '_' and '-' (at most 64), "
            "not 'a car'",
        ),
        (robot(file="../x.xml"), "AddRobotRequest.file: path '../x.xml' leads upwards ('..')"),
        (
            robot(arguments=["fine", "a\0b"]),
            "AddRobotRequest.arguments: expected text without control characters, not 'a?b'",
        ),
        (
            pb.SubscribeRequest(client="\x1b]0;mine\a"),
            "SubscribeRequest.client: expected text without control characters, not '?]0;mine?'",
        ),
        (
            pb.SubscribeRequest(rate_hz=-1.0),
            "SubscribeRequest.rate_hz: expected 0 or a number in [0.001, 1e+06] Hz, not -1",
        ),
        (
            pb.ProgramOrder(arguments=["a"] * 101),
            "ProgramOrder.arguments: expected at most 100, not 101",
        ),
        (
            pb.LoadRequest(world="a" * 1001),
            "LoadRequest.world: expected at most 1000 characters, not 1001",
        ),
        (
            pb.ProgramMessage(wait=pb.Wait(until_step=3, turn_seconds=NAN)),
            "Wait.turn_seconds: expected a finite number [s], not nan",
        ),
        (
            pb.Commands(commands=[pb.Command(device="a\n")]),
            "Command.device: expected text without control characters, not 'a?'",
        ),
    ],
)
def test_what_a_field_must_not_hold_is_said(request_, words):
    with pytest.raises(RequestError) as caught:
        check_request(request_)
    assert str(caught.value) == words


@pytest.mark.parametrize(
    "request_",
    [
        pb.ControlRequest(),
        pb.ControlRequest(action=pb.ControlRequest.RUN, real_time_factor=0.05),
        pb.SubscribeRequest(client="Büro 3 – Süd", rate_hz=60.0),
        robot(x=-1.5, yaw=-7.0, arguments=["a file.txt", "ü", ""]),
        pb.ProgramMessage(wait=pb.Wait(until_step=2**62, turn_seconds=0.1)),
        pb.ProgramMessage(leave=pb.Leave(traceback="two\nlines")),
    ],
)
def test_what_is_sound_is_taken(request_):
    check_request(request_)
