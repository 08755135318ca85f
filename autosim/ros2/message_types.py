"""Types of ROS 2 messages: their declarations, hashes and CDR bytes, by the rosbags library."""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from rosbags.interfaces import Nodetype
from rosbags.serde import SerdeError
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosbags.typesys.store import Typestore

from autosim.errors import UserError

DISTRIBUTIONS = {
    "humble": Stores.ROS2_HUMBLE,
    "jazzy": Stores.ROS2_JAZZY,
    "kilted": Stores.ROS2_KILTED,
}
"""Distributions of ROS 2 whose declarations are known, by name."""

NO_HASH = "TypeHashNotSupported"
"""Type hash in the keys of distributions that have none."""

Message = Any
"""A message: an object with an attribute for each field."""

Fields = Mapping[str, object]
"""The fields of a message that is to be made, by their names."""

Kind = Message
"""The type of a field as the library has it: a pair of its sort and the details."""

_EVENT_FIELDS = (
    "service_msgs/msg/ServiceEventInfo info\n{name}_Request[<=1] request\n"
    "{name}_Response[<=1] response"
)
_SERVICE_FIELDS = (
    "{name}_Request request_message\n{name}_Response response_message\n{name}_Event event_message"
)


class RosMessageError(UserError):
    """Bytes are not the message that they should be, or a type is not known."""


class MessageTypes:
    """The message and service types of one distribution.

    Args:
        distribution: a key of `DISTRIBUTIONS`.
    """

    def __init__(self, distribution: str = "jazzy") -> None:
        self.distribution = distribution
        self._store = _store_of(distribution)

    def build(self, name: str, values: Fields | None = None) -> Message:
        """A message of type `name` ("sensor_msgs/msg/Imu").

        Args:
            name: of the type.
            values: of its fields: numbers, texts, arrays, mappings for messages within it, lists of
                those. Fields that are left out are zero or empty.

        Raises:
            RosMessageError: there is no such type, or it has no such field.
        """
        given = values or {}
        try:
            fields = self._store.fielddefs[name][1]
        except KeyError:
            raise RosMessageError(f"there is no message type {name}") from None
        if unknown := given.keys() - {field for field, _ in fields}:
            raise RosMessageError(f"{name} has no field {min(unknown)}")
        made: dict[str, Message] = {
            field: self._value(kind, given[field]) if field in given else self._zero(kind)
            for field, kind in fields
        }
        return self._store.types[name](**made)

    def to_cdr(self, message: Message) -> bytes:
        """The bytes of a message: XCDR1 with its head, little-endian."""
        return bytes(self._store.serialize_cdr(message, message.__msgtype__, little_endian=True))

    def from_cdr(self, data: bytes, name: str) -> Message:
        """The message of type `name` in these bytes.

        Raises:
            RosMessageError: they are not one.
        """
        try:
            return self._store.deserialize_cdr(data, name)
        except (SerdeError, KeyError, IndexError, AssertionError) as error:
            raise RosMessageError(f"no {name} in {len(data)} bytes: {error}") from None

    def hash_of(self, name: str) -> str:
        """The type hash (RIHS01) of a message or, by "package/srv/Name", of a service.

        By REP 2011, it is the SHA-256 of the type's description; Humble has none.
        """
        if self.distribution == "humble":
            return NO_HASH
        return str(self._store.hash_rihs01(name))

    def declaration(self, name: str) -> str:
        """The text of the declaration of a message type and of all types within it, for bags."""
        return str(self._store.generate_msgdef(name, ros_version=2)[0])

    @property
    def store(self) -> Typestore:
        """The library's store, which writers of bags take."""
        return self._store

    def _value(self, kind: Kind, value: Message) -> object:
        node, detail = kind
        if node == Nodetype.NAME:
            return self.build(detail, value) if isinstance(value, Mapping) else value
        if node in (Nodetype.ARRAY, Nodetype.SEQUENCE):
            inner = detail[0]
            if inner[0] == Nodetype.BASE and inner[1][0] != "string":
                return np.ascontiguousarray(value, _dtype(inner[1][0])).ravel()
            return [self._value(inner, each) for each in value]
        return value

    def _zero(self, kind: Kind) -> object:
        node, detail = kind
        if node == Nodetype.NAME:
            return self.build(detail)
        if node in (Nodetype.ARRAY, Nodetype.SEQUENCE):
            inner, count = detail
            length = count if node == Nodetype.ARRAY else 0
            if inner[0] == Nodetype.BASE and inner[1][0] != "string":
                return np.zeros(length, _dtype(inner[1][0]))
            return [self._zero(inner) for _ in range(length)]
        base = detail[0]
        return "" if base == "string" else False if base == "bool" else _dtype(base).type(0).item()


def dds_name(name: str) -> str:
    """The name of a type in DDS and in zenoh's keys: "sensor_msgs::msg::dds_::Imu_"."""
    package, group, own = name.split("/")
    return f"{package}::{group}::dds_::{own}_"


def request_type(service: str) -> str:
    """The type of requests to a service type ("package/srv/Name")."""
    return f"{service}_Request"


def response_type(service: str) -> str:
    """The type of responses of a service type."""
    return f"{service}_Response"


def _dtype(base: str) -> "np.dtype[np.generic]":
    return np.dtype({"byte": "uint8", "char": "uint8", "octet": "uint8"}.get(base, base))


@cache
def _store_of(distribution: str) -> Typestore:
    store = get_typestore(DISTRIBUTIONS[distribution])
    for name, (constants, fields) in list(store.fielddefs.items()):
        # In declarations, char is another word for uint8, which counts for hashes.
        changed = [(field, _without_chars(kind)) for field, kind in fields]
        if changed != fields:
            store.fielddefs[name] = (constants, changed)
    for name, text in _own_declarations():
        if "/srv/" in name:
            request, _, response = text.partition("---\n")
            _register(store, request_type(name), request)
            _register(store, response_type(name), response)
            if "service_msgs/msg/ServiceEventInfo" in store.fielddefs:
                _register(store, f"{name}_Event", _EVENT_FIELDS.format(name=name))
                _register(store, name, _SERVICE_FIELDS.format(name=name))
        else:
            _register(store, name, text)
    return store


def _own_declarations() -> Iterator[tuple[str, str]]:
    """Name and text of each interface of `interfaces.txt`."""
    text = files("autosim.ros2").joinpath("interfaces.txt").read_text("utf-8")
    for block in text.split("=== ")[1:]:
        name, _, fields = block.partition("\n")
        yield name, fields


def _register(store: Typestore, name: str, text: str) -> None:
    """Adds a type; where the distribution has it with other fields, its own one stays."""
    if name in store.fielddefs:
        return
    package, group, own = name.split("/")
    # The library reads the names of messages alone; the interfaces here name types of their package
    # in short, or those of services in full.
    stand_in = f"{package}/msg/{own}"
    parsed = get_types_from_msg(text.replace("/srv/", "/msg/"), stand_in)
    fields = parsed[stand_in]
    if group == "srv":
        fields = (fields[0], [(field, _of_services(kind, name)) for field, kind in fields[1]])
    store.register({name: fields})


def _of_services(kind: Kind, service: str) -> Kind:
    """The kind of a field, with types of this service under their own names again."""
    node, detail = kind
    if node == Nodetype.NAME:
        base = service.removesuffix("_Event")
        package, _, own = detail.split("/")
        return (node, f"{package}/srv/{own}" if own.startswith(f"{_own(base)}_") else detail)
    if node in (Nodetype.ARRAY, Nodetype.SEQUENCE):
        return (node, (_of_services(detail[0], service), detail[1]))
    return kind


def _without_chars(kind: Kind) -> Kind:
    node, detail = kind
    if node == Nodetype.BASE:
        return (node, ("uint8", detail[1])) if detail[0] == "char" else kind
    if node in (Nodetype.ARRAY, Nodetype.SEQUENCE):
        return (node, (_without_chars(detail[0]), detail[1]))
    return kind


def _own(name: str) -> str:
    return name.rpartition("/")[2]
