"""Types of ROS 2 messages: their declarations, hashes and CDR bytes, by the rosbags library."""

from collections.abc import Mapping
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

_ACTION_FIELDS = {
    "SendGoal_Request": "unique_identifier_msgs/msg/UUID goal_id\n{name}_Goal goal",
    "SendGoal_Response": "bool accepted\nbuiltin_interfaces/msg/Time stamp",
    "GetResult_Request": "unique_identifier_msgs/msg/UUID goal_id",
    "GetResult_Response": "int8 status\n{name}_Result result",
    "FeedbackMessage": "unique_identifier_msgs/msg/UUID goal_id\n{name}_Feedback feedback",
}
"""Fields of the messages that each action adds to its goal, result and feedback (rosidl)."""

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
    declare(store, files("autosim.ros2").joinpath("interfaces.txt").read_text("utf-8"))
    return store


def declare(store: Typestore, declarations: str) -> None:
    """Adds the types of declarations in the form of `interfaces.txt`: "=== NAME", then the text."""
    for block in declarations.split("=== ")[1:]:
        name, _, text = block.partition("\n")
        parts = text.split("---\n")
        if "/srv/" in name:
            _register_service(store, name, name, *parts)
        elif "/action/" in name:
            for part, fields in zip(("Goal", "Result", "Feedback"), parts, strict=True):
                _register(store, f"{name}_{part}", fields, name)
            for part, fields in _ACTION_FIELDS.items():
                _register(store, f"{name}_{part}", fields.format(name=name), name)
            for part in ("SendGoal", "GetResult"):
                _register_service(store, f"{name}_{part}", name)
        else:
            _register(store, name, text, name)


def _register_service(store: Typestore, name: str, owner: str, *parts: str) -> None:
    """Adds the types of a service; its request and response, too, where `parts` are given."""
    for kind, text in zip((request_type(name), response_type(name)), parts, strict=False):
        _register(store, kind, text, owner)
    if "service_msgs/msg/ServiceEventInfo" in store.fielddefs:
        _register(store, f"{name}_Event", _EVENT_FIELDS.format(name=name), owner)
        _register(store, name, _SERVICE_FIELDS.format(name=name), owner)


def _register(store: Typestore, name: str, text: str, owner: str) -> None:
    """Adds a type; where the distribution has it with other fields, its own one stays.

    Args:
        store: of types.
        name: of the type.
        text: its declaration.
        owner: the message, service or action that it belongs to.
    """
    if name in store.fielddefs:
        return
    package, group, own = name.split("/")
    # The library reads the names of messages alone; the interfaces here name types of their package
    # in short, or those of services and actions in full.
    stand_in = f"{package}/msg/{own}"
    parsed = get_types_from_msg(text.replace(f"/{group}/", "/msg/"), stand_in)
    fields = parsed[stand_in]
    if group != "msg":
        fields = (fields[0], [(field, _owned(kind, owner)) for field, kind in fields[1]])
    store.register({name: fields})


def _owned(kind: Kind, owner: str) -> Kind:
    """The kind of a field, with types of this service or action under their own names again."""
    node, detail = kind
    if node == Nodetype.NAME:
        own = _own(detail)
        return (node, f"{owner}{own[len(_own(owner)) :]}" if _is_owned(own, owner) else detail)
    if node in (Nodetype.ARRAY, Nodetype.SEQUENCE):
        return (node, (_owned(detail[0], owner), detail[1]))
    return kind


def _is_owned(name: str, owner: str) -> bool:
    return name.startswith(f"{_own(owner)}_")


def _without_chars(kind: Kind) -> Kind:
    node, detail = kind
    if node == Nodetype.BASE:
        return (node, ("uint8", detail[1])) if detail[0] == "char" else kind
    if node in (Nodetype.ARRAY, Nodetype.SEQUENCE):
        return (node, (_without_chars(detail[0]), detail[1]))
    return kind


def _own(name: str) -> str:
    return name.rpartition("/")[2]
