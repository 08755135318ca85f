"""What happened in a trial, and the checker that decides whether the promises were kept.

The promises are those of docs/reliability.md.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise


class Outcome(Enum):
    """What a client knows of a command that it sent."""

    ACKNOWLEDGED = "acknowledged"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Sighting:
    """A state that a client received.

    `epoch`: the times that the client has connected. `course` counts the orders that let time go
    back: states of one course belong to one run. `digest`: of the state's bytes.
    """

    epoch: int
    course: int
    step: int
    digest: str


@dataclass(slots=True)
class History:
    """All that a trial observed.

    `sightings`: in the order of their arrival. `sent`: outcomes by the value of each command, in
    the order of sending; all are different and to one device. `logged`: values in the record, in
    its order. `recorded`: digests of the recorded states by their steps; `record_steps` those steps
    in the order of the file. `recorded_again`: as `recorded`, of the record that continues after
    going back, if there is one. `resimulated`: digests of the same steps, simulated again from the
    log without a fault. `must_be_whole`: whether no fault was directed at the record. `kept_step`:
    the last one that was on the disk before the fault. `wrong`: whatever the trial itself saw go
    wrong: an order of another peer that failed, an unexplained error, a server that did not
    continue.
    `left_behind`: processes and files that remain after the end.
    """

    sightings: list[Sighting] = field(default_factory=list)
    sent: dict[float, Outcome] = field(default_factory=dict)
    logged: list[float] = field(default_factory=list)
    recorded: dict[int, str] = field(default_factory=dict)
    recorded_again: dict[int, str] = field(default_factory=dict)
    record_steps: list[int] = field(default_factory=list)
    resimulated: dict[int, str] = field(default_factory=dict)
    must_be_whole: bool = True
    kept_step: int = 0
    wrong: list[str] = field(default_factory=list)
    left_behind: list[str] = field(default_factory=list)


def violations(history: History) -> list[str]:
    """The promises that a history breaks, in words; empty where all were kept."""
    return [
        *history.wrong,
        *(f"left behind: {each}" for each in history.left_behind),
        *_steps_go_forward(history.sightings),
        *_states_agree(history),
        *_commands_are_logged(history),
        *_record_is_whole(history),
        *_undisturbed_run_agrees(history),
    ]


def _steps_go_forward(sightings: Iterable[Sighting]) -> Iterator[str]:
    """Promise 1: no client sees time go back unless it was ordered to."""
    last: Sighting | None = None
    for each in sightings:
        if last is not None and each.course == last.course and each.step < last.step:
            yield f"step {each.step} came after step {last.step} without an order to go back"
        last = each


def _states_agree(history: History) -> Iterator[str]:
    """Promise 1: a step is never repeated otherwise: two states of one step are one state."""
    seen: dict[tuple[int, int], str] = {}
    last_course = max((each.course for each in history.sightings), default=0)
    for each in history.sightings:
        if seen.setdefault((each.course, each.step), each.digest) != each.digest:
            yield f"a client has seen two states of step {each.step}"
        record = history.recorded
        if history.recorded_again and each.course == last_course > 0:
            record = history.recorded_again
        elif each.course != last_course and not history.recorded_again:
            continue
        if record.get(each.step) not in (None, each.digest):
            yield f"a client has seen another state of step {each.step} than was recorded"


def _commands_are_logged(history: History) -> Iterator[str]:
    """Promise 2: acknowledged exactly once, else at most once, in the order of sending.

    A command that no step had taken yet gives way to a newer one to the same device.
    """
    place = {value: number for number, value in enumerate(history.sent)}
    times = Counter(history.logged)
    for value, count in times.items():
        if value not in place:
            yield f"command {value} was applied and never sent"
        if count > 1:
            yield f"command {value} was applied {count} times"
    applied = [place[value] for value in history.logged if value in place]
    if any(after < before for before, after in pairwise(applied)):
        yield "commands were applied in another order than they were sent in"
    newest = max(applied, default=-1)
    for value, outcome in history.sent.items():
        is_lost = outcome is Outcome.ACKNOWLEDGED and place[value] > newest
        if is_lost and history.must_be_whole:
            yield f"command {value} was acknowledged, and neither it nor a newer one is in the log"


def _record_is_whole(history: History) -> Iterator[str]:
    """Promise 4: a record has each step once, in order."""
    steps = history.record_steps
    for before, after in pairwise(steps):
        if after != before + 1:
            yield f"the record goes from step {before} to step {after}"
    if max(steps, default=-1) < history.kept_step:
        yield f"step {history.kept_step} was on the disk and is not in the record"


def _undisturbed_run_agrees(history: History) -> Iterator[str]:
    """Promise 3: the same commands without the fault give the same bytes."""
    for step, digest in history.recorded.items():
        if history.resimulated and history.resimulated.get(step) != digest:
            yield f"without the fault, the state of step {step} is another one"
            return
