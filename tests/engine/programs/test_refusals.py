"""What is told of a program's refused commands."""

from autosim.engine.peer_limits import LIMITS
from autosim.engine.programs.refusals import Refusals
from autosim.model.commands import DeviceError, DeviceErrorCode


def refused(refusals: Refusals, number: int) -> None:
    for each in range(number):
        refusals.add(DeviceError(DeviceErrorCode.UNKNOWN_DEVICE, f"number {each}"))


def test_a_few_are_told_and_the_rest_is_counted() -> None:
    refusals = Refusals()
    refused(refusals, 1_000)
    texts = refusals.take(0)
    assert texts[0] == "command refused: UNKNOWN_DEVICE: number 0"
    assert texts[-1] == f"{1_000 - LIMITS.told_refusals} more commands refused"
    assert len(texts) == LIMITS.told_refusals + 1


def test_none_are_told_again_before_a_while_has_passed() -> None:
    refusals = Refusals()
    for step in range(LIMITS.refusal_steps):
        refused(refusals, 1)
        assert len(refusals.take(step)) == (1 if step == 0 else 0)
    assert sum("more" in text for text in refusals.take(LIMITS.refusal_steps)) == 1


def test_who_leaves_is_told_of_at_once() -> None:
    refusals = Refusals()
    refused(refusals, 1)
    assert refusals.take(0)
    refused(refusals, 1)
    assert not refusals.take(1)
    assert refusals.take(1, is_last=True)
