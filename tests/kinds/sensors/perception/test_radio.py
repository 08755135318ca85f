"""Radios: what arrives, when, and what is lost on the way."""

import numpy as np
import pytest

from autosim.kinds.sensors.perception.radio import (
    numbers_of_text,
    text_message,
    text_of_numbers,
)
from autosim.model.commands import DeviceError, command_for
from autosim.userprogram.ipc.channel import QueueChannel
from autosim.userprogram.session.program_session import Session
from autosim.userprogram.session.readers import make_reader
from autosim.userprogram.session.session_context import SessionContext
from tests.kinds.sensors.boxes_with_devices import box_robot, simulate

RADIO = '<RadioDevice name="radio"><Part name="hull"/>{}</RadioDevice>'
PLACES = ((0.0, 0.0, None), (30.0, 40.0, None), (0.0, 120.0, None))


def talk(folder, settings="", *, steps=20, seed=0, messages=((0, (1.0, 7.0)),), others=None):
    """What each of three radios has received after some steps, and when messages were sent.

    `messages`: the sender and its values, one for each of the first steps.
    """
    first = box_robot(folder, RADIO.format(settings), name="first")
    rest = box_robot(folder, RADIO.format(settings if others is None else others), name="rest")
    placed = [(robot, place, 0.0) for robot, place in zip((first, rest, rest), PLACES, strict=True)]
    with simulate(*placed, seed=seed) as simulation:
        for step in range(steps):
            if step < len(messages):
                sender, values = messages[step]
                padded = np.zeros(9)
                padded[: len(values)] = values
                command = command_for(simulation.tree, f"r{sender}.hull.radio", padded)
                simulation.queue([command])
            simulation.step()
        nodes = [simulation.tree.find(f"r{k}.hull.radio") for k in range(3)]
        memory = simulation.state.buffer
        return [make_reader(node, memory)() for node in nodes], simulation.step_seconds


def test_a_message_arrives_at_all_others_with_sender_number_time_and_distance(tmp_path):
    (own, near, far), step = talk(tmp_path)
    assert len(own) == 0
    assert near[0] == pytest.approx([0, 1, step, 50.0, 7.0, *[0.0] * 7], abs=0.01)
    assert far[0, 3] == pytest.approx(120.0, abs=0.01)


@pytest.mark.parametrize("steps_late", [1, 5, 13])
def test_it_arrives_after_the_latency(tmp_path, steps_late):
    latency = f'<Latency value="{steps_late / 240}"/>'
    assert len(talk(tmp_path, latency, steps=steps_late)[0][1]) == 0
    assert len(talk(tmp_path, latency, steps=steps_late + 1)[0][1]) == 1


def test_beyond_its_range_and_on_other_channels_nobody_hears_it(tmp_path):
    _, near, far = talk(tmp_path, '<Range value="60"/>')[0]
    assert (len(near), len(far)) == (1, 0)
    received, _ = talk(tmp_path, '<Channel value="2"/>', others="")
    assert [len(each) for each in received] == [0, 0, 0]


def test_it_is_sent_once_for_each_change_of_the_number(tmp_path):
    messages = [(0, (1.0, 5.0)), (0, (1.0, 6.0)), (0, (2.0, 6.0)), (0, (0.0, 9.0))]
    _, near, _ = talk(tmp_path, messages=messages)[0]
    assert near[:, [1, 4]].tolist() == [[1.0, 5.0], [2.0, 6.0]]


def test_a_full_list_keeps_the_newest(tmp_path):
    messages = [(0, (float(number),)) for number in range(1, 8)]
    _, near, _ = talk(tmp_path, '<Capacity value="3"/>', messages=messages)[0]
    assert near[:, 1].tolist() == [5.0, 6.0, 7.0]


def test_a_share_is_lost_by_the_seed_and_jitter_makes_messages_late(tmp_path):
    settings = '<Loss value="0.3"/><Jitter value="0.1"/><Capacity value="256"/>'
    messages = [(0, (float(number),)) for number in range(1, 201)]
    runs = [
        talk(tmp_path, settings, messages=messages, steps=240, seed=seed)[0] for seed in (1, 1, 2)
    ]
    assert runs[0][1].tolist() == runs[1][1].tolist() != runs[2][1].tolist()
    assert len(runs[0][1]) / 200 == pytest.approx(0.7, abs=0.1)
    assert runs[0][1].shape != runs[0][2].shape or (runs[0][1][:, 1] != runs[0][2][:, 1]).any()
    assert (np.diff(runs[0][1][:, 1]) < 0.0).any()


def test_a_receiver_with_less_room_gets_the_beginning(tmp_path):
    values = (1.0, 2.0, 3.0, 4.0)
    others = '<Width value="2"/>'
    _, near, _ = talk(tmp_path, messages=((0, values),), others=others)[0]
    assert near[0, 4:].tolist() == [2.0, 3.0]


@pytest.mark.parametrize("text", ["", "brake!", "grün überholt", "x" * 48])
def test_a_text_comes_back_from_the_numbers_of_a_message(text):
    numbers = numbers_of_text(text, 8)
    assert np.isfinite(numbers).all()
    assert text_of_numbers(numbers) == text


def test_a_text_that_is_too_long_says_what_fits():
    with pytest.raises(ValueError, match="49 bytes; a message of 8 numbers holds 48"):
        numbers_of_text("x" * 49, 8)


def test_a_program_sends_text_with_the_next_number(tmp_path):
    robot = box_robot(tmp_path, RADIO.format(""), name="first")
    placed = [(robot, place, 0.0) for place in PLACES[:2]]
    with simulate(*placed) as simulation:
        session = Session(
            SessionContext(
                tree=simulation.tree,
                memory=simulation.state.buffer,
                channel=QueueChannel.pair()[1],
                step_seconds=simulation.step_seconds,
                load_navigation_map=lambda: None,
                images=None,
            )
        )
        for text in ("brake!", "grün"):
            session.set_data("r0.hull.radio", text)
            simulation.queue([session._pending.pop()])
            for _ in range(10):
                simulation.step()
        received = session.get_data("r1.hull.radio")
        with pytest.raises(DeviceError, match="holds 48"):
            session.set_data("r0.hull.radio", "x" * 49)
    assert received[:, 1].tolist() == [1.0, 2.0]
    assert [text_of_numbers(row[4:]) for row in received] == ["brake!", "grün"]


def test_only_radios_send_text(tmp_path):
    robot = box_robot(tmp_path, '<TimeDevice name="clock"><Part name="hull"/></TimeDevice>')
    with (
        simulate((robot, PLACES[0], 0.0)) as simulation,
        pytest.raises(DeviceError, match="only a RadioDevice sends text"),
    ):
        text_message(simulation.state, simulation.tree.find("r0.hull.clock"), "hello")
