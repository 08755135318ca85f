"""A node of the ROS 2 graph, with its topics and services, as rmw_zenoh puts them into zenoh.

A topic is the key DOMAIN/TOPIC/TYPE/HASH; a liveliness token tells the other nodes of each node,
publisher, subscription and service. Source: the design document of rmw_zenoh.
"""

import hashlib
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from itertools import count
from typing import Protocol

from autosim.errors import UserError
from autosim.ros2.message_types import (
    Message,
    MessageTypes,
    RosMessageError,
    dds_name,
    request_type,
    response_type,
)
from autosim.ros2.zenoh_session import Zenoh, import_zenoh

_ATTACHMENT = struct.Struct("<qqB16s")
"""Attachment of a message: its number, the time [ns], and the publisher (length, then bytes)."""

_GID_BYTES = 16
"""Number of bytes that identify a publisher."""

_GRAPH_SECONDS = 5.0
"""Longest time [s] for an answer about the graph."""


class Quality(Enum):
    """A quality of service, in the form of rmw_zenoh's liveliness tokens.

    The fields are reliability, durability, history and depth; the others have their defaults.
    """

    DEFAULT = "::,10:,:,:,,"
    """Reliable, volatile, the last ten."""
    SENSOR = "2::,5:,:,:,,"
    """Best effort, volatile, the last five: a late reader misses old values."""
    LATCHED = ":1:,1:,:,:,,"
    """Reliable, transient local, the last one: late subscribers get it, too."""


@dataclass(frozen=True, slots=True)
class _Token:
    """A liveliness token, and the 16 bytes that identify what it stands for."""

    token: Zenoh
    gid: bytes


class Sink(Protocol):
    """A publisher, of a node or into a bag."""

    @property
    def is_wanted(self) -> bool:
        """Whether messages are worth making."""

    @property
    def has_subscribers(self) -> bool:
        """Whether anything is known to subscribe."""

    def publish(self, message: Message) -> None:
        """Sends or writes a message."""


class GraphParticipant(Protocol):
    """A node, or a bag in its place: what publishes and subscribes."""

    types: MessageTypes

    def publisher(self, topic: str, kind: str, quality: Quality = ...) -> Sink:
        """A publisher of messages of the type `kind`."""

    def subscribe(
        self,
        topic: str,
        kind: str,
        take: Callable[[Message], None],
        *,
        quality: Quality = ...,
        reject: Callable[[str], None] = ...,
    ) -> None:
        """Calls `take` with each message of the type `kind`."""

    def close(self) -> None:
        """Ends its topics."""


class RosNode:
    """A node of the graph.

    Callbacks of its subscriptions are called in the thread in which zenoh receives, those of its
    services in one for each service.

    Args:
        session: of zenoh.
        types: of messages.
        name: of the node.
        domain: ROS_DOMAIN_ID.
        is_lossless: whether nothing is dropped for subscribers that are slow: its publishers wait
            for them.

    Raises:
        UserError: ROS allows no node of this name.
    """

    def __init__(
        self,
        session: Zenoh,
        types: MessageTypes,
        *,
        name: str,
        domain: int = 0,
        is_lossless: bool = False,
    ) -> None:
        check_name(name)
        self.types = types
        self._zenoh = import_zenoh()
        self._session = session
        self._name, self._domain, self._is_lossless = name, domain, is_lossless
        self._numbers = count()
        self._node = next(self._numbers)
        self._entities: list[Zenoh] = [self._announce("NN", self._node).token]

    def publisher(
        self, topic: str, kind: str, quality: Quality = Quality.DEFAULT
    ) -> "RosPublisher":
        """A publisher of messages of the type `kind` on `topic`.

        Raises:
            UserError: ROS allows no topic of this name.
        """
        key = self._key(topic, kind)
        is_droppable = quality is Quality.SENSOR and not self._is_lossless
        control = self._zenoh.CongestionControl
        settings = {"congestion_control": control.DROP if is_droppable else control.BLOCK}
        if quality is Quality.LATCHED:
            extension = self._zenoh.ext
            declared = extension.declare_advanced_publisher(
                self._session,
                key,
                cache=extension.CacheConfig(max_samples=1),
                publisher_detection=True,
                **settings,
            )
        else:
            declared = self._session.declare_publisher(key, **settings)
        token = self._announce("MP", next(self._numbers), topic, kind, quality)
        self._entities += [token.token, declared]
        return RosPublisher(declared, self.types, kind, token.gid, is_lossless=self._is_lossless)

    def subscribe(
        self,
        topic: str,
        kind: str,
        take: Callable[[Message], None],
        *,
        quality: Quality = Quality.DEFAULT,
        reject: Callable[[str], None] = lambda reason: None,
    ) -> None:
        """Calls `take` with each message of the type `kind` on `topic`.

        Args:
            topic: its name.
            kind: type of its messages.
            take: called with each.
            quality: of the subscription.
            reject: called with the reason where bytes are not such a message.

        Raises:
            UserError: ROS allows no topic of this name.
        """

        def receive(sample: Zenoh) -> None:
            try:
                message = self.types.from_cdr(sample.payload.to_bytes(), kind)
            except RosMessageError as error:
                reject(f"{topic}: {error}")
                return
            take(message)

        key = self._key(topic, kind)
        # Called in the thread that receives: so messages on several topics come in their order.
        handler = self._zenoh.handlers.Callback(receive, indirect=False)
        if quality is Quality.LATCHED:
            extension = self._zenoh.ext
            declared = extension.declare_advanced_subscriber(
                self._session,
                key,
                handler,
                history=extension.HistoryConfig(detect_late_publishers=True, max_samples=1),
            )
        else:
            declared = self._session.declare_subscriber(key, handler)
        token = self._announce("MS", next(self._numbers), topic, kind, quality)
        self._entities += [token.token, declared]

    def serve(self, name: str, kind: str, answer: Callable[[Message], Message]) -> None:
        """Answers the calls of the service `name` of the type `kind` ("package/srv/Name").

        `answer` is called with each request in a thread of zenoh, one call after the other.

        Raises:
            UserError: ROS allows no service of this name.
        """
        self.serve_later(name, kind, lambda request, reply: reply(answer(request)))

    def serve_later(
        self, name: str, kind: str, answer: Callable[[Message, Callable[[Message], None]], None]
    ) -> None:
        """Answers the calls of a service when the answer is known.

        `answer` is called as that of `serve`, with each request and a function that sends its
        response. It may be called later, once, from any thread.

        Raises:
            UserError: ROS allows no service of this name.
        """
        key = self._key(name, kind)
        declared = self._session.declare_queryable(
            key, partial(self._receive_query, kind, answer, key), complete=True
        )
        token = self._announce("SS", next(self._numbers), name, kind, Quality.DEFAULT)
        self._entities += [token.token, declared]

    def count_publishers(self, topic: str) -> int:
        """The number of publishers of a topic in the whole graph."""
        return self._count("MP", topic)

    def count_subscriptions(self, topic: str) -> int:
        """The number of subscriptions of a topic in the whole graph."""
        return self._count("MS", topic)

    def close(self) -> None:
        """Ends its topics and services; the session stays."""
        for each in reversed(self._entities):
            each.undeclare()
        self._entities.clear()

    def _receive_query(
        self,
        kind: str,
        answer: Callable[[Message, Callable[[Message], None]], None],
        key: str,
        query: Zenoh,
    ) -> None:
        payload, attachment = query.payload, query.attachment
        try:
            if payload is None or attachment is None:
                raise RosMessageError("a request needs a payload and an attachment")
            request = self.types.from_cdr(payload.to_bytes(), request_type(kind))
            number, _, _, gid = _ATTACHMENT.unpack(attachment.to_bytes())
        except (RosMessageError, struct.error) as error:
            with query:
                query.reply_err(str(error).encode())
            return

        def reply(response: Message) -> None:
            assert response.__msgtype__ == response_type(kind)
            with query:
                query.reply(
                    key,
                    self.types.to_cdr(response),
                    attachment=_ATTACHMENT.pack(number, time.time_ns(), _GID_BYTES, gid),
                )

        answer(request, reply)

    def _count(self, what: str, topic: str) -> int:
        key = f"@ros2_lv/{self._domain}/*/*/*/{what}/*/*/*/{_mangled(topic)}/**"
        found = self._session.liveliness().get(key, timeout=_GRAPH_SECONDS)
        return len({str(each.ok.key_expr) for each in found if each.ok is not None})

    def _key(self, name: str, kind: str) -> str:
        check_name(name.strip("/"))
        return f"{self._domain}/{name.strip('/')}/{dds_name(kind)}/{self.types.hash_of(kind)}"

    def _announce(
        self,
        what: str,
        number: int,
        name: str = "",
        kind: str = "",
        quality: Quality = Quality.DEFAULT,
    ) -> _Token:
        """Announces the node (NN), a publisher (MP), a subscription (MS) or a service (SS)."""
        session = self._session.info.zid()
        key = f"@ros2_lv/{self._domain}/{session}/{self._node}/{number}/{what}/%/%/{self._name}"
        if name:
            key += f"/{_mangled(name)}/{dds_name(kind)}/{self.types.hash_of(kind)}/{quality.value}"
        token = self._session.liveliness().declare_token(key)
        return _Token(token, hashlib.md5(key.encode(), usedforsecurity=False).digest())


class RosPublisher:
    """A publisher of messages of one type.

    Args:
        publisher: of zenoh.
        types: of messages.
        kind: their type.
        gid: the 16 bytes that identify the publisher.
        is_lossless: whether it publishes also before it knows of a subscription.
    """

    def __init__(
        self, publisher: Zenoh, types: MessageTypes, kind: str, gid: bytes, *, is_lossless: bool
    ) -> None:
        self.kind = kind
        self._is_lossless = is_lossless
        self._publisher, self._types, self._gid = publisher, types, gid
        self._sent = 0

    @property
    def is_wanted(self) -> bool:
        """Whether messages are worth making: something subscribes, or nothing may be lost."""
        return self._is_lossless or self.has_subscribers

    @property
    def has_subscribers(self) -> bool:
        """Whether anything is known to subscribe to the topic."""
        status = getattr(self._publisher, "matching_status", None)  # latched ones have none
        return status is None or bool(status.matching)

    def publish(self, message: Message) -> None:
        """Sends a message of the publisher's type."""
        self.publish_cdr(self._types.to_cdr(message))

    def publish_cdr(self, data: bytes) -> None:
        """Sends the bytes of such a message."""
        self._sent += 1
        attachment = _ATTACHMENT.pack(self._sent, time.time_ns(), _GID_BYTES, self._gid)
        self._publisher.put(data, attachment=attachment)


def check_name(name: str) -> None:
    """Checks that ROS allows a node or topic of that name, without a slash at its start.

    Raises:
        UserError: ROS does not allow it.
    """
    parts = name.split("/")
    if not all(part.isascii() and part.isidentifier() for part in parts):
        raise UserError(
            f"{name!r} is not a valid name in ROS: letters, digits and _, with / between "
            "the parts, and no digit first"
        )


def _mangled(name: str) -> str:
    """A name in a liveliness token: with % in place of each slash, and one at its start."""
    return f"/{name.strip('/')}".replace("/", "%")


def ros_name(text: str) -> str:
    """`text` as a part of a name in ROS: other characters than letters, digits and _ become _."""
    name = "".join(each if each.isascii() and each.isalnum() else "_" for each in text)
    return f"_{name}" if not name or name[0].isdigit() else name
