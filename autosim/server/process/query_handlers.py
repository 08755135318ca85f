"""Immediate answers to the front: the status of a run and its records."""

from functools import partial

from autosim.engine.engine_errors import SnapshotError
from autosim.engine.step.replay import Replay
from autosim.engine.step.run_monitor import RunMonitor
from autosim.orders.programs import GetPrograms
from autosim.records.record_format import RecordError
from autosim.records.recorder import RecordingChannels, RecordStatus
from autosim.server.process.process_messages import (
    GetFigures,
    GetSnapshot,
    GetTimeReport,
    GetTrajectory,
    Query,
    SaveSnapshot,
    StartRecord,
    StopRecord,
    TimeReport,
)
from autosim.server.process.run_recording import RunRecording
from autosim.server.process.steppable import Steppable


class QueryHandlers:
    """Answers to questions on one run, and to orders to record it.

    Args:
        simulation: that is asked.
        figures: of its run.
        recording: of the simulation; None: it cannot be recorded.
    """

    def __init__(
        self, simulation: Steppable, figures: RunMonitor, recording: RunRecording | None
    ) -> None:
        self._simulation, self._figures, self._recording = simulation, figures, recording

    def to(self, question: Query) -> object:
        """The answer to a question."""
        match question:
            case GetTrajectory():
                return self._figures.track.part(question.samples, question.interval)
            case GetSnapshot():
                try:
                    return self._simulation.snapshot(is_continued=question.is_continued)
                except SnapshotError as error:
                    return error
            case GetPrograms():
                return self._simulation.programs.reports()
            case GetFigures():
                return self._figures.figures()
            case GetTimeReport():
                return self._times()

    def _times(self) -> TimeReport:
        run = self._simulation
        return TimeReport(
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
            if isinstance(order, SaveSnapshot):
                write = partial(self._recording.save, digest=self._figures.state_digest())
            return write(order.path, RecordingChannels.open(descriptors), order.world_file)
        except RecordError as error:
            return error
