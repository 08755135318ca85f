"""Steps run when what they take is there: the same results in one process and in several."""

import os
import random
from functools import partial

import pytest

from autosim.world.pipeline.forked_helpers import WorkerLostError
from autosim.world.pipeline.scheduler import Step, StepError, run_steps

SHARED = partial(Step, is_shared=True)


def double(a):
    return 2 * a


def square(number, b):
    return b * number * number


def numbers(b):
    return [2, 0, 1]


def add(b, c):
    return b + sum(c)


def process_of(**_):
    return os.getpid()


def tuple_of(c):
    assert isinstance(c, tuple)
    return c


STEPS = (
    Step("add", "b, c -> d", add, 20),
    SHARED("square", "b -> c", square, 60, each=numbers),
    Step("double", "a -> b", double, 20),
)


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_steps_run_when_their_inputs_are_there_whatever_their_order(processes):
    for seed in range(6):
        steps = random.Random(seed).sample(STEPS, 3)
        assert run_steps(steps, {"a": 3}, processes=processes)["d"] == 6 + 6 * (0 + 1 + 4)


def test_results_of_parts_are_in_the_order_of_their_numbers():
    steps = [SHARED("square", "b -> c", square, each=numbers), Step("use", "c -> d", tuple_of)]
    assert run_steps(steps, {"b": 1}, processes=2)["d"] == (0, 1, 4)


def test_a_result_goes_after_the_last_step_that_takes_it():
    assert run_steps(STEPS, {"a": 1}) == {"d": 12}


def test_a_step_of_its_own_stays_here_while_shared_ones_are_begun_by_others():
    begun, tell = os.pipe()

    def tell_process(**_):
        os.write(tell, b".")
        return os.getpid()

    def wait_for_it(**_):
        os.read(begun, 1)
        return os.getpid()

    steps = [
        Step("own", "a -> own", wait_for_it),
        SHARED("other", "a -> other", tell_process),
        Step("end", "own, other -> both", lambda own, other: (own, other)),
    ]
    own, other = run_steps(steps, {"a": 0}, processes=2)["both"]
    assert own == os.getpid() != other
    for end in (begun, tell):
        os.close(end)


def test_one_process_needs_no_other():
    assert run_steps([SHARED("own", "a -> b", process_of)], {"a": 0}) == {"b": os.getpid()}


@pytest.mark.parametrize("processes", [1, 2])
def test_progress_comes_up_to_the_whole(processes):
    told = []
    run_steps(STEPS, {"a": 1}, processes=processes, told=lambda *each: told.append(each))
    assert sum(share for _, share in told) == pytest.approx(100.0)
    assert [name for name, share in told if share].count("square") == 3


def too_hard(**_):
    raise ValueError("too hard")


def hard_at_one(number, **_):
    if number == 1:
        raise ValueError("too hard")


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize(
    "step",
    [
        Step("fail", "a -> b", too_hard),
        SHARED("fail", "a -> b", too_hard),
        SHARED("fail", "a -> b", hard_at_one, each=lambda a: [0, 1, 2]),
        SHARED("fail", "a -> b", double, each=too_hard),
    ],
)
def test_a_step_that_fails_is_named_with_its_cause(step, processes):
    steps = [step, Step("idle", "a -> c", double)]
    with pytest.raises(StepError) as found:
        run_steps(steps, {"a": 1}, processes=processes)
    assert found.value.step is step
    assert str(found.value.__cause__) == "too hard"


def test_a_helper_that_dies_is_told_as_such():
    begun, tell = os.pipe()

    def die(**_):
        os.write(tell, b".")
        os._exit(3)

    steps = [SHARED("die", "a -> b", die), Step("own", "a -> c", lambda a: os.read(begun, 1))]
    with pytest.raises(WorkerLostError, match="ended by itself with code 3"):
        run_steps(steps, {"a": 1}, processes=2)
    for end in (begun, tell):
        os.close(end)


def test_what_no_step_gives_is_named():
    with pytest.raises(ValueError, match="no step gives x"):
        run_steps([Step("lost", "x -> y", double)], {})
