"""A program is late by its own doing alone."""

from dataclasses import dataclass

import pytest

from autosim.engine.peer_limits import LIMITS
from autosim.engine.programs import participant
from autosim.engine.programs.participant import TurnDeadline


@dataclass
class Program:
    """What a program has spent otherwise than on its turn [s], and the time now [s]."""

    prepared_seconds: float = 0.0
    starved_seconds: float = 0.0
    now: float = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Program:
    program = Program()
    monkeypatch.setattr(participant, "time", program)
    return program


def deadline_of(program: Program, seconds: float) -> TurnDeadline:
    deadline = TurnDeadline(program)  # type: ignore[arg-type]
    deadline.allow(seconds)
    return deadline


def test_a_program_that_computes_is_late_once_its_time_is_over(program: Program) -> None:
    deadline = deadline_of(program, 2.0)
    program.now = 2.0
    assert not deadline.has_passed()
    program.now = 2.1
    assert deadline.has_passed()


def test_preparations_do_not_count_however_long_they_take_within_reason(program: Program) -> None:
    program.prepared_seconds = 7.0  # of earlier turns
    deadline = deadline_of(program, 2.0)
    program.now, program.prepared_seconds = 21.0, 7.0 + 20.0
    assert not deadline.has_passed()
    program.now = 22.1
    assert deadline.has_passed()
    program.prepared_seconds = 1e6
    assert not deadline.has_passed()
    program.now += LIMITS.preparation_seconds
    assert deadline.has_passed()


def test_waiting_for_a_processor_does_not_count(program: Program) -> None:
    program.starved_seconds = 3.0  # of earlier turns
    deadline = deadline_of(program, 2.0)
    program.now = 0.25  # when the barrier looks for the first time
    assert not deadline.has_passed()
    program.now, program.starved_seconds = 60.0, 3.0 + 58.5
    assert not deadline.has_passed()
    program.now = 60.6
    assert deadline.has_passed()


def test_the_time_left_at_an_order_for_pictures_has_all_that_does_not_count(
    program: Program,
) -> None:
    deadline = deadline_of(program, 2.0)
    program.now = program.prepared_seconds = 2.1
    assert not deadline.has_passed()  # from now on it is 4.1, until somebody looks again
    program.now = program.prepared_seconds = 4.0
    assert deadline.left() == pytest.approx(2.0)


def test_a_turn_with_many_orders_for_pictures_prepares_within_one_allowance(
    program: Program,
) -> None:
    deadline = deadline_of(program, 2.0)
    for _ in range(5):
        program.now += 0.5 * LIMITS.preparation_seconds
        program.prepared_seconds = program.now
        left = deadline.left()
        deadline.resume(left)
    assert left == pytest.approx(2.0 - 1.5 * LIMITS.preparation_seconds)


def test_the_next_turn_has_its_own_allowance_for_preparations(program: Program) -> None:
    deadline = deadline_of(program, 2.0)
    program.now = program.prepared_seconds = LIMITS.preparation_seconds
    deadline.resume(deadline.left())
    deadline.allow(2.0)
    program.now = program.prepared_seconds = 2.0 * LIMITS.preparation_seconds
    assert deadline.left() == pytest.approx(2.0)


def test_what_a_client_draws_does_not_count_up_to_an_allowance(program: Program) -> None:
    deadline = deadline_of(program, 2.0)
    program.now = 1.5
    deadline.begin_drawing()
    program.now += LIMITS.client_drawing_seconds
    assert not deadline.has_passed()
    deadline.end_drawing()
    program.now += 0.4
    assert not deadline.has_passed()
    program.now += 0.2
    assert deadline.has_passed()


def test_a_client_that_never_stops_drawing_is_late_when_its_allowance_is_used_up(
    program: Program,
) -> None:
    deadline = deadline_of(program, 2.0)
    deadline.begin_drawing()
    deadline.begin_drawing()
    program.now = 2.0 + LIMITS.client_drawing_seconds
    assert not deadline.has_passed()
    program.now += 0.1
    assert deadline.has_passed()


def test_a_turn_in_which_a_client_draws_often_has_one_allowance(program: Program) -> None:
    deadline = deadline_of(program, 2.0)
    for _ in range(5):
        deadline.begin_drawing()
        program.now += 0.5 * LIMITS.client_drawing_seconds
        deadline.end_drawing()
        deadline.resume(deadline.left())  # as after pictures that the server has drawn
    assert deadline.left() == pytest.approx(2.0 - 1.5 * LIMITS.client_drawing_seconds)
    deadline.allow(2.0)
    assert deadline.left() == 2.0
    deadline.begin_drawing()
    assert deadline.left() == 2.0 + LIMITS.client_drawing_seconds
