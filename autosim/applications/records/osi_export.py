"""Writes a record as an OSI trace."""

from collections.abc import Collection
from pathlib import Path

from autosim.applications.common.open_worlds import compile_with_progress
from autosim.applications.common.terminal import tell
from autosim.applications.records.recorded_world import recorded_world
from autosim.config.diagnostics import ConfigError
from autosim.model.state import State
from autosim.osi.osi_scene import OsiScene
from autosim.osi.osi_trace import OsiTrace
from autosim.osi.periods import Periods
from autosim.records.record_file import Record
from autosim.records.record_format import RecordError
from autosim.traffic.signals.exported_signals import opendrive_with_signals
from autosim.world.compiled.compiled_world import CompiledWorld

RATE_HZ = 50.0
"""Messages per second of simulated time of each channel, sensors excepted: those have their own."""


def export_osi(
    record: Record,
    file: Path,
    kinds: Collection[str] = (),
    *,
    world: CompiledWorld | None = None,
) -> int:
    """Writes an OSI trace; returns the number of its messages.

    Args:
        record: the run.
        file: the trace.
        kinds: types of messages, such as GroundTruth; none: all.
        world: the compiled map; None: that of the record. Where the record has no map, lanes,
            signals and buildings are left out, with a message.

    Raises:
        UserError: the record is damaged.
        OSError: it cannot be written.
    """
    compiled = world or _map_of(record)
    state = State(record.tree)
    every = max(round(1.0 / (RATE_HZ * record.about.step_seconds)), 1)
    scene: OsiScene | None = None
    periods: Periods | None = None
    with OsiTrace(file, f"Run of the world {record.about.world}") as trace:
        if compiled is not None:
            trace.attach("map.xodr", "application/xml", opendrive_with_signals(compiled))
        for step, data in record.states():
            if step % every:
                continue
            state.from_bitstream(data, digest=record.tree.digest)
            now = int(state.ints[1])
            is_first = scene is None
            if scene is None or periods is None:
                scene = OsiScene(state, compiled)
                chosen = [each for each in scene.topics() if not kinds or each.kind in kinds]
                periods = Periods(chosen)
                for topic in chosen:
                    trace.add_topic(topic)
            for topic in periods.due(now):
                message = scene.complete(topic, now) if is_first else topic.make(now)
                trace.write(topic.name, now, message)
        return trace.messages


def _map_of(record: Record) -> CompiledWorld | None:
    try:
        with recorded_world(record.path, is_simulated=False) as world:
            return compile_with_progress(world)
    except (RecordError, ConfigError) as error:
        tell(f"without lanes, signals and buildings, because the map is not there: {error}")
        return None
