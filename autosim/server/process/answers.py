"""Immediate answers to the front: the status of a run and its records."""

from functools import partial

from autosim.records.contents import RecordError
from autosim.records.recorder import Outlets, RecordStatus
from autosim.server.process.messages import (
    Answered,
    Question,
    SaveMoment,
    StartRecord,
    StopRecord,
    Times,
    WantFigures,
    WantPrograms,
    WantSnapshot,
    WantTimes,
    WantTrack,
)
from autosim.server.process.recording import Recording
from autosim.server.process.steppable import Steppable
from autosim.server.step.record import RunRecord
from autosim.server.step.replay import Replay


class Answers:
    """Answers to questions on one run, and to orders to record it.

    Args:
        simulation: that is asked.
        figures: of its run.
        recording: of the simulation; None: it cannot be recorded.
    """

    def __init__(
        self, simulation: Steppable, figures: RunRecord, recording: Recording | None
    ) -> None:
        self._simulation, self._figures, self._recording = simulation, figures, recording

    def to(self, question: Question) -> Answered:
        """The answer to a question."""
        match question:
            case WantTrack():
                return self._figures.track.part(question.samples, question.interval)
            case WantSnapshot():
                return self._simulation.snapshot()
            case WantPrograms():
                return self._simulation.programs.reports()
            case WantFigures():
                return self._figures.figures()
            case WantTimes():
                return self._times()
        raise TypeError(f"{type(question).__name__} is no question that has an answer")

    def _times(self) -> Times:
        run = self._simulation
        return Times(
            record=None if self._recording is None else self._recording.status,
            replayed=(run.first_step, run.last_step) if isinstance(run, Replay) else None,
            state_digest=self._figures.state_digest(),
        )

    def record(
        self, order: StartRecord | StopRecord, descriptors: tuple[int, ...]
    ) -> RecordStatus | RecordError:
        """Begins or ends a record, or writes a whole one.

        What was noted while programs compute comes after its state.
        """
        if self._recording is None:
            return RecordError("this simulation cannot be recorded")
        try:
            if isinstance(order, StopRecord):
                return self._recording.stop(self._figures.state_digest())
            write = self._recording.start
            if isinstance(order, SaveMoment):
                write = partial(self._recording.save, digest=self._figures.state_digest())
            return write(order.path, Outlets.open(descriptors), order.world_file)
        except RecordError as error:
            return error
