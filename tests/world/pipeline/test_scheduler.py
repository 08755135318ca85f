"""Steps run when what they take is there: the same results in one process and in several."""

import os
import random

import pytest

from autosim.world.pipeline.forked_helpers import WorkerLostError
from autosim.world.pipeline.recipe import Recipe, Results, promise
from autosim.world.pipeline.scheduler import StepError, run_steps

A = promise(int)


def given(a):
    results = Results()
    results.keep(A, a)
    return results


def double(a):
    return 2 * a


def square(number, b):
    return b * number * number


def numbers(b):
    return [2, 0, 1]


def add(b, c):
    return b + sum(c)


def process_of(a):
    return os.getpid()


def tuple_of(c):
    assert isinstance(c, tuple)
    return c


RECIPE = Recipe()
B = RECIPE.step("double", double, 20)(A)
C = RECIPE.in_parts("square", square, 60, numbers=numbers, of=B)(B)
D = RECIPE.step("add", add, 20)(B, c=C)


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_steps_run_when_their_inputs_are_there_whatever_their_order(processes):
    for seed in range(6):
        steps = random.Random(seed).sample(RECIPE.steps, 3)
        assert run_steps(steps, given(3), processes=processes).of(D) == 6 + 6 * (0 + 1 + 4)


def test_results_of_parts_are_in_the_order_of_their_numbers():
    recipe = Recipe()
    parts = recipe.in_parts("square", square, 0.0, numbers=numbers, of=A)(A)
    used = recipe.step("use", tuple_of)(parts)
    assert run_steps(recipe.steps, given(1), processes=2).of(used) == (0, 1, 4)


def test_a_result_goes_after_the_last_step_that_takes_it():
    results = run_steps(RECIPE.steps, given(1))
    assert (len(results), results.of(D)) == (1, 12)


def test_a_value_may_stand_where_a_promise_may():
    recipe = Recipe()
    result = recipe.step("add", add)(A, (1, 2))
    assert run_steps(recipe.steps, given(3)).of(result) == 6


def test_a_step_of_its_own_stays_here_while_shared_ones_are_begun_by_others():
    begun, tell = os.pipe()

    def tell_process(a):
        os.write(tell, b".")
        return os.getpid()

    def wait_for_it(a):
        os.read(begun, 1)
        return os.getpid()

    recipe = Recipe()
    own = recipe.step("own", wait_for_it)(A)
    other = recipe.shared("other", tell_process)(A)
    both = recipe.step("end", lambda own, other: (own, other))(own, other)
    first, second = run_steps(recipe.steps, given(0), processes=2).of(both)
    assert first == os.getpid() != second
    for end in (begun, tell):
        os.close(end)


def test_one_process_needs_no_other():
    recipe = Recipe()
    own = recipe.shared("own", process_of)(A)
    assert run_steps(recipe.steps, given(0)).of(own) == os.getpid()


@pytest.mark.parametrize("processes", [1, 2])
def test_progress_comes_up_to_the_whole(processes):
    told = []
    run_steps(RECIPE.steps, given(1), processes=processes, told=lambda *each: told.append(each))
    assert sum(share for _, share in told) == pytest.approx(100.0)
    assert [name for name, share in told if share].count("square") == 3


def too_hard(*_):
    raise ValueError("too hard")


def hard_at_one(number, a):
    if number == 1:
        raise ValueError("too hard")


FAILING = [
    lambda recipe: recipe.step("fail", too_hard),
    lambda recipe: recipe.shared("fail", too_hard),
    lambda recipe: recipe.in_parts("fail", hard_at_one, 0.0, numbers=lambda a: [0, 1, 2], of=A),
    lambda recipe: recipe.in_parts("fail", square, 0.0, numbers=too_hard, of=A),
]


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("failing", FAILING)
def test_a_step_that_fails_is_named_with_its_cause(failing, processes):
    recipe = Recipe()
    step = failing(recipe)(A)
    recipe.step("idle", double)(A)
    with pytest.raises(StepError) as found:
        run_steps(recipe.steps, given(1), processes=processes)
    assert found.value.step is step
    assert str(found.value.__cause__) == "too hard"


def test_a_helper_that_dies_is_told_as_such():
    begun, tell = os.pipe()

    def die(a):
        os.write(tell, b".")
        os._exit(3)

    recipe = Recipe()
    recipe.shared("die", die)(A)
    recipe.step("own", lambda a: os.read(begun, 1))(A)
    with pytest.raises(WorkerLostError, match="ended by itself with code 3"):
        run_steps(recipe.steps, given(1), processes=2)
    for end in (begun, tell):
        os.close(end)


def test_a_step_that_waits_in_vain_is_named():
    recipe = Recipe()
    recipe.step("lost", double)(A)
    with pytest.raises(ValueError, match="nothing gives what these steps take: 'lost'"):
        run_steps(recipe.steps, Results())
