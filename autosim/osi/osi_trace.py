"""OSI traces in MCAP: many channels in one file, by the rules of OSI 3.8 for trace files."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from google.protobuf import __version__ as protobuf_version
from google.protobuf import descriptor_pool
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.message import Message
from mcap.writer import CompressionType, Writer
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_hostvehicledata_pb2 import HostVehicleData
from osi3.osi_sensordata_pb2 import SensorData
from osi3.osi_sensorview_pb2 import SensorView
from osi3.osi_trafficupdate_pb2 import TrafficUpdate

from autosim.osi.osi_scene import OsiTopic
from autosim.osi.osi_values import version_text

MESSAGES: dict[str, type[Message]] = {
    "GroundTruth": GroundTruth,
    "SensorView": SensorView,
    "SensorData": SensorData,
    "HostVehicleData": HostVehicleData,
    "TrafficUpdate": TrafficUpdate,
}
"""Types of messages by their names."""

_TRACE = "net.asam.osi.trace"
"""Name of the metadata that make a file an OSI trace."""


def schema_of(kind: str) -> bytes:
    """The description of a type of messages with all that it imports (a `FileDescriptorSet`)."""
    found, described = FileDescriptorSet(), set[str]()

    def add(name: str) -> None:
        if name in described:
            return
        described.add(name)
        file = descriptor_pool.Default().FindFileByName(name)
        for each in file.dependencies:
            add(each.name)
        file.CopyToProto(found.file.add())

    add(MESSAGES[kind].DESCRIPTOR.file.name)
    return bytes(found.SerializeToString())


class OsiTrace:
    """A trace that is written. Use as a context manager.

    Args:
        path: of the file; it is replaced.
        description: of what is in it.
        zero_time: calendar time of the start of the simulation; None: none is stated.

    Raises:
        OSError: it cannot be written.
    """

    def __init__(self, path: Path, description: str, zero_time: datetime | None = None) -> None:
        self._file = path.open("wb")
        self._writer = Writer(self._file, compression=CompressionType.ZSTD)
        self._writer.start(profile="", library="autosim")
        version = version_text()
        texts = {
            "version": version,
            "min_osi_version": version,
            "max_osi_version": version,
            "min_protobuf_version": protobuf_version,
            "max_protobuf_version": protobuf_version,
            "creation_time": datetime.now(UTC).isoformat(),
            "description": description,
        }
        if zero_time is not None:
            texts["zero_time"] = zero_time.astimezone(UTC).isoformat()
        self._writer.add_metadata(_TRACE, texts)
        self._schemas: dict[str, int] = {}
        self._channels: dict[str, int] = {}
        self.messages = 0

    def add_topic(self, topic: OsiTopic, description: str = "") -> None:
        """Adds a channel."""
        if topic.kind not in self._schemas:
            name = f"osi3.{topic.kind}"
            self._schemas[topic.kind] = self._writer.register_schema(
                name, "protobuf", schema_of(topic.kind)
            )
        metadata = {
            "net.asam.osi.trace.channel.osi_version": version_text(),
            "net.asam.osi.trace.channel.protobuf_version": protobuf_version,
        }
        if description:
            metadata["net.asam.osi.trace.channel.description"] = description
        self._channels[topic.name] = self._writer.register_channel(
            topic.name, "protobuf", self._schemas[topic.kind], metadata
        )

    def write(self, topic: str, time: int, data: bytes) -> None:
        """Writes a message of a channel at a simulated time [ns]."""
        self._writer.add_message(self._channels[topic], log_time=time, data=data, publish_time=time)
        self.messages += 1

    def attach(self, name: str, media_type: str, data: bytes) -> None:
        """Adds a file, such as the map."""
        self._writer.add_attachment(0, 0, name, media_type, data)

    def close(self) -> None:
        """Completes the file."""
        self._writer.finish()  # type: ignore[no-untyped-call]
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
