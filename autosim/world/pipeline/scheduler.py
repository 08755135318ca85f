"""Runs steps as soon as what they take is there, in this process or in several.

A step (`recipe.py`) is a pure function with promises of what it takes. The scheduler knows nothing
else of it. Steps that need this process run here, in the order of their list; the others are shared
with helpers (`forked_helpers.py`), which are forked when such a step is ready and so see all that
it takes. Which process runs a step and when does not show in its result, so any number of processes
gives the same results.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import cast

from autosim.world.geometry.overlays import Fault, collected_faults
from autosim.world.pipeline.forked_helpers import TaskError, WorkQueue, trim_memory
from autosim.world.pipeline.recipe import Call, Results, Step

ProgressCallback = Callable[[str, float], None]
"""Called with the name of a step of which a part is done, and the share [%] that it was."""

Noted = Callable[[str, Sequence[Fault]], None]
"""Called with the name of a step and the elements that overlay operations left out in it."""


class StepError(Exception):
    """A step has failed; the cause is what it raised."""

    def __init__(self, step: Step) -> None:
        super().__init__(step.name)
        self.step = step


def run_steps(
    steps: Sequence[Step],
    given: Results,
    *,
    processes: int = 1,
    told: ProgressCallback = lambda name, share: None,
    made: Callable[[object], None] = lambda result: None,
    noted: Noted = lambda name, faults: None,
) -> Results:
    """Runs all steps.

    Args:
        steps: in the order in which they are preferred where several are ready.
        given: the inputs of the recipe; the results of the steps are added.
        processes: number of parallel processes, including this one.
        told: called with the progress.
        made: called with each result as soon as this process has it.
        noted: receives the elements that the overlay operations of a step leave out.

    Returns:
        `given` with what no step takes: the last results. Others are dropped after the last step
        that takes them.

    Raises:
        StepError: a step failed.
        WorkerLostError: a helper died.
        ValueError: a step takes what neither a step nor `given` keeps.
    """
    run = _Run(list(steps), given, processes, told, made, noted)
    with run.open_work:
        while run.waiting or run.batches:
            if not run.advance():
                names = ", ".join(f"'{step.name}'" for step in run.waiting)
                raise ValueError(f"nothing gives what these steps take: {names}")
    return given


@dataclass(slots=True)
class _Part:
    """Work unit of one process: a part of a step, or the whole of it."""

    step: Step
    number: int | None
    share: float


@dataclass(slots=True)
class _Batch:
    """Parts of the shared steps that were ready at the same time."""

    steps: Sequence[Step]
    parts: Sequence[_Part]
    work: WorkQueue
    told: set[int] = field(default_factory=set)


@dataclass(slots=True)
class _Run:
    """Progress of the steps. `batches` are shared, oldest first; `waiting` is not begun."""

    waiting: list[Step]
    results: Results
    processes: int
    told: ProgressCallback
    made: Callable[[object], None]
    noted: Noted
    batches: list[_Batch] = field(default_factory=list)
    open_work: ExitStack = field(default_factory=ExitStack)

    def advance(self) -> bool:
        """Does the most urgent thing that can be done; False where a step waits in vain."""
        self._collect_finished()
        ready = [step for step in self.waiting if self.results.has(step.takes)]
        shared = [step for step in ready if step.is_shared]
        own = [step for step in ready if not step.is_shared]
        if shared and all(batch.work.is_all_taken for batch in self.batches):
            self._share(shared, has_more=bool(own))
        elif own:
            self._run_here(own[0])
        elif untaken := [batch for batch in self.batches if not batch.work.is_all_taken]:
            self._help(untaken[0])
        elif self.batches:
            self._collect(self.batches[0])
        else:
            return not self.waiting
        return True

    def _run_here(self, step: Step) -> None:
        self.told(step.name, 0.0)
        self.waiting.remove(step)
        try:
            done = _run_part(_Part(step, None, step.share), self.results.call(step))
        except Exception as error:
            raise StepError(step) from error
        self._keep(step, done.result)
        self.noted(step.name, done.faults)
        self.told(step.name, step.share)

    def _share(self, steps: Sequence[Step], *, has_more: bool) -> None:
        """Begins shared steps; `has_more`: this process has its own step to run meanwhile."""
        parts: list[_Part] = []
        for step in steps:
            own = list(self._parts(step))
            self.told(step.name, 0.0 if own else step.share)
            self.waiting.remove(step)
            parts += own
        # What is shared with helpers had better be tidy: they would keep holes, too.
        trim_memory()
        most = len(parts) if has_more else len(parts) - 1
        helpers = max(0, min(self.processes - 1, most))
        tasks = [partial(_run_part, part, self.results.call(part.step)) for part in parts]
        work = self.open_work.enter_context(WorkQueue(tasks, helpers=helpers))
        self.batches.append(_Batch(steps, parts, work))

    def _parts(self, step: Step) -> Iterator[_Part]:
        if step.parts is None:
            yield _Part(step, None, step.share)
            return
        try:
            numbers = self.results.numbers(step.parts)
        except Exception as error:
            raise StepError(step) from error
        for number in numbers:
            yield _Part(step, number, step.share / len(numbers))

    def _help(self, batch: _Batch) -> None:
        """Does a part of a batch, if no helper has been faster."""
        try:
            number = batch.work.work()
        except TaskError as error:
            raise StepError(batch.parts[error.task].step) from error.__cause__
        if number is None:
            return
        batch.told.add(number)
        self.told(batch.parts[number].step.name, batch.parts[number].share)

    def _collect_finished(self) -> None:
        for batch in list(self.batches):
            if batch.work.is_all_taken and batch.work.is_done:
                self._collect(batch)

    def _collect(self, batch: _Batch) -> None:
        """Takes the results of a batch, and ends its helpers."""
        try:
            done = batch.work.collect()
        except TaskError as error:
            raise StepError(batch.parts[error.task].step) from error.__cause__
        batch.work.close()
        self.batches.remove(batch)
        for number, part in enumerate(batch.parts):
            if number not in batch.told:
                self.told(part.step.name, part.share)
        for step in batch.steps:
            own = [k for k, part in enumerate(batch.parts) if part.step is step]
            own.sort(key=lambda k: batch.parts[k].number or 0)
            parts = cast(list[_Done], [done[k] for k in own])
            self._keep(step, parts[0].result if step.parts is None else _results(parts))
            self.noted(step.name, [fault for part in parts for fault in part.faults])

    def _keep(self, step: Step, result: object) -> None:
        """Stores a result, and drops those that no further step needs."""
        self.results.keep(step, result)
        self.made(result)
        begun = [each for batch in self.batches for each in batch.steps]
        taken = {promise for each in (*self.waiting, *begun) for promise in each.takes}
        self.results.drop(step.takes - taken)


@dataclass(frozen=True, slots=True)
class _Done:
    """The result of a part, and the elements that overlay operations left out."""

    result: object
    faults: list[Fault]


def _run_part(part: _Part, call: Call) -> _Done:
    with collected_faults() as faults:
        return _Done(call() if part.number is None else call(part.number), faults)


def _results(parts: Sequence[_Done]) -> tuple[object, ...]:
    return tuple(part.result for part in parts)
