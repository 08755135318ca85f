"""Records of worlds with files, written without a simulation, and forged ones."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from mcap.records import Attachment, Channel, Message, Metadata, Schema
from mcap.stream_reader import StreamReader
from mcap.writer import CompressionType, Writer

from autosim.config.descriptions import WorldDescription
from autosim.kinds.director import build_tree
from autosim.records.events import Event
from autosim.records.record_format import PROFILE, RunMetadata
from autosim.records.record_writer import RecordWriter
from autosim.server.worlds.recorded_files import make_record_order


def write_record(
    path: Path,
    world: WorldDescription,
    states: Iterable[bytes] = (),
    events: Iterable[Event] = (),
) -> Path:
    """A record of `states` of `world` (none: its first), with the files that a server records."""
    order, tree = make_record_order(path, world), build_tree(world)
    files = [each for each in order.files if not each.is_program]
    about = RunMetadata(
        version="0",
        world=world.name,
        world_file=order.world_file,
        seed=0,
        step_seconds=world.physics.step_seconds,
        layout_digest=tree.digest,
        world_digest="",
        first_step=0,
        has_log=True,
        files=tuple((each.name, each.digest) for each in files),
        programs=tuple((each.name, each.digest) for each in order.files if each.is_program),
    )
    with path.open("wb") as file:
        writer = RecordWriter(file, tree, about, files)
        for state in tuple(states) or (bytes(tree.stop),):
            writer.add_state(state)
        for event in events:
            writer.add_event(event)
        writer.finish({})
    return path


def forge(
    source: Path,
    target: Path,
    *,
    added: Mapping[str, bytes] | None = None,
    left_out: tuple[str, ...] = (),
    about: Mapping[str, str] | None = None,
    message: bytes | None = None,
) -> Path:
    """Copies a record with other attachments, texts about its run, or content of all messages."""
    numbers: dict[str, dict[int, int]] = {"schemas": {}, "channels": {}}
    with source.open("rb") as old, target.open("wb") as new:
        writer = Writer(new, compression=CompressionType.ZSTD)
        writer.start(profile=PROFILE)
        for each in StreamReader(old).records:
            if isinstance(each, Attachment) and each.name not in left_out:
                writer.add_attachment(0, 0, each.name, each.media_type, each.data)
            elif isinstance(each, Metadata):
                writer.add_metadata(each.name, {**each.metadata, **(about or {})})
            else:
                if isinstance(each, Message) and message is not None:
                    each.data = message
                _copy(each, writer, numbers)
        for name, data in (added or {}).items():
            writer.add_attachment(0, 0, name, "", data)
        writer.finish()
    return target


def _copy(each: object, writer: Writer, numbers: dict[str, dict[int, int]]) -> None:
    schemas, channels = numbers["schemas"], numbers["channels"]
    if isinstance(each, Schema) and each.id not in schemas:
        schemas[each.id] = writer.register_schema(each.name, each.encoding, each.data)
    elif isinstance(each, Channel) and each.id not in channels:
        schema = schemas[each.schema_id]
        channels[each.id] = writer.register_channel(each.topic, each.message_encoding, schema)
    elif isinstance(each, Message):
        writer.add_message(channels[each.channel_id], each.log_time, each.data, each.publish_time)
