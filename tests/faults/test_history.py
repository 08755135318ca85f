"""The checker finds each broken promise in a forged history, and nothing in a sound one."""

from collections.abc import Callable

import pytest

from tests.faults.history import History, Outcome, Sighting, violations


def sound() -> History:
    digests = {step: f"digest {step}" for step in range(6)}
    return History(
        sightings=[Sighting(1, 0, step, digests[step]) for step in (0, 1, 3, 5)],
        sent={0.1: Outcome.ACKNOWLEDGED, 0.2: Outcome.UNKNOWN, 0.3: Outcome.ACKNOWLEDGED},
        logged=[0.1, 0.3],
        recorded=dict(digests),
        record_steps=list(digests),
        resimulated=dict(digests),
    )


def lose_a_command(history: History) -> None:
    history.logged.remove(0.3)


def apply_commands_in_another_order(history: History) -> None:
    history.logged.reverse()


def double_a_command(history: History) -> None:
    history.logged.append(0.3)


def invent_a_command(history: History) -> None:
    history.logged.append(0.9)


def go_back(history: History) -> None:
    history.sightings.append(Sighting(2, 0, 4, "digest 4"))


def see_another_state(history: History) -> None:
    history.sightings.append(Sighting(2, 0, 5, "another"))


def leave_a_step_out(history: History) -> None:
    history.record_steps.remove(3)


def repeat_a_step(history: History) -> None:
    history.record_steps.insert(3, 3)


def differ_from_the_undisturbed_run(history: History) -> None:
    history.resimulated[4] = "another"


def leave_a_process(history: History) -> None:
    history.left_behind.append("process 17")


BREAKS = (
    lose_a_command,
    apply_commands_in_another_order,
    double_a_command,
    invent_a_command,
    go_back,
    see_another_state,
    leave_a_step_out,
    repeat_a_step,
    differ_from_the_undisturbed_run,
    leave_a_process,
)


def test_a_sound_history_keeps_every_promise() -> None:
    assert violations(sound()) == []


@pytest.mark.parametrize("breaks", BREAKS)
def test_a_broken_promise_is_found(breaks: Callable[[History], None]) -> None:
    history = sound()
    breaks(history)
    assert violations(history)


def test_a_newer_command_may_take_the_place_of_one_that_waits() -> None:
    history = sound()
    history.logged.remove(0.1)
    assert violations(history) == []


def test_time_may_go_back_where_that_was_ordered() -> None:
    history = sound()
    history.recorded.clear()
    history.sightings.append(Sighting(2, 1, 2, "after other commands"))
    assert violations(history) == []


def test_after_going_back_states_are_those_of_the_record_that_continues() -> None:
    history = sound()
    history.recorded_again = {2: "after other commands"}
    history.sightings.append(Sighting(2, 1, 2, "after other commands"))
    assert violations(history) == []
    history.recorded_again = {2: "others"}
    (found,) = violations(history)
    assert "another state of step 2 than was recorded" in found


def test_a_record_at_which_a_fault_was_directed_may_lack_its_end() -> None:
    history = sound()
    history.must_be_whole = False
    history.logged.clear()
    assert violations(history) == []
