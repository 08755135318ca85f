"""Every order that clients send arrives at the server as it was given."""

from typing import get_args

import pytest

from autosim.model.program_status import ProgramStatus
from autosim.orders.programs import OrderProgram, ProgramAction, ProgramReport, TurnFigures
from autosim.orders.robot_orders import AddRobot, MoveRobot, StartPose
from autosim.orders.times import (
    Begin,
    DropMoment,
    EndRecord,
    KeepMoment,
    PlayBack,
    RecordRun,
    ReportTime,
    RestoreMoment,
    Rewind,
    SaveMoment,
    Seek,
    TimeOrder,
    time_order_of,
)
from autosim.v1 import autosim_pb2 as pb

TIME_ORDERS = [
    ReportTime(),
    RecordRun("night"),
    EndRecord(),
    SaveMoment("noon"),
    KeepMoment("before the turn"),
    RestoreMoment("before the turn"),
    DropMoment("before the turn"),
    Rewind(2.5),
    Seek(480),
    PlayBack(0.5),
    Begin(7, (StartPose("car", (1.0, 2.0, None), 0.5), StartPose("bus", (3.0, 4.0, 0.0), 0.0))),
]


@pytest.mark.parametrize(
    "order",
    [
        AddRobot("robots/scout.xml", "scout"),
        AddRobot("robots/scout.xml", "scout", (0.0, -3.0), 0.5, "drive.py", ("fast", "")),
    ],
)
def test_a_robot_is_added_as_ordered(order: AddRobot) -> None:
    sent = order.to_message().SerializeToString()
    assert AddRobot.from_message(pb.AddRobotRequest.FromString(sent)) == order


@pytest.mark.parametrize(
    "order",
    [
        MoveRobot("scout", (1.0, 2.0)),
        MoveRobot("scout", (1.0, 2.0), 0.0, 0.0),
        MoveRobot("scout", (1.0, 2.0), 0.5, 3.0, (4.0, 5.0, 6.0), (0.1, 0.2, 0.3)),
    ],
)
def test_a_robot_is_moved_as_ordered(order: MoveRobot) -> None:
    sent = order.to_message().SerializeToString()
    assert MoveRobot.from_message(pb.MoveRobotRequest.FromString(sent)) == order


@pytest.mark.parametrize(
    "order",
    [
        OrderProgram(ProgramAction.STOP, "scout"),
        OrderProgram(ProgramAction.RESTART, "scout"),
        OrderProgram(ProgramAction.RESTART, "scout", arguments=()),
        OrderProgram(ProgramAction.ATTACH, "scout", "drive.py", ("fast",)),
        OrderProgram(ProgramAction.TAKE_OVER, "scout"),
        OrderProgram(ProgramAction.GIVE_BACK, "scout"),
    ],
)
def test_a_program_is_given_the_order(order: OrderProgram) -> None:
    sent = order.to_message().SerializeToString()
    assert OrderProgram.from_message(pb.ProgramOrder.FromString(sent)) == order


def test_an_attached_program_has_arguments_even_where_none_are_sent() -> None:
    attached = pb.ProgramOrder(action=pb.ProgramOrder.ATTACH, robot="scout", file="drive.py")
    assert OrderProgram.from_message(attached).arguments == ()


def test_a_program_is_reported_as_it_is() -> None:
    report = ProgramReport(
        robot="scout",
        file="drive.py",
        arguments=("two words",),
        side="server",
        state=ProgramStatus.FAILED,
        exit_reason="ZeroDivisionError",
        restarts=2,
        turns=TurnFigures(3, 0.25, 0.5, has_turn=True),
        drives=("scout", "car"),
    )
    assert ProgramReport.from_message(report.to_message()) == report
    assert report.call == "drive.py 'two words'"


@pytest.mark.parametrize("order", TIME_ORDERS)
def test_an_order_to_the_time_arrives_as_given(order: TimeOrder) -> None:
    sent = order.to_message().SerializeToString()
    assert time_order_of(pb.TimeOrder.FromString(sent)) == order


def test_every_action_of_the_wire_has_its_order() -> None:
    assert {type(each) for each in TIME_ORDERS} == set(get_args(TimeOrder))
    actions = {each.to_message().action for each in TIME_ORDERS}
    assert actions == set(pb.TimeOrder.Action.values())
    assert {each.value for each in ProgramAction} == set(pb.ProgramOrder.Action.values())
