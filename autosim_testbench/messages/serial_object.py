"""Messages declared as typed fields: the layout of the bytes is written once.

The same declaration makes the bytes in Python and the struct in C on a microcontroller, so the two
cannot differ:

    class Range(SerialObject):
        '''Distance to the nearest thing ahead.'''

        distance = MessageField("float32", unit="m", about="infinity where nothing is in reach")

Fields lie one behind the other in the order of the class, little-endian, without gaps.
"""

import zlib
from typing import TYPE_CHECKING, Any, ClassVar, overload

import numpy as np
import numpy.typing as npt

_NUMBERS = (
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64"),
)
"""Types of fields, besides text."""


class MessageError(ValueError):
    """Bytes that are not the message that was expected."""


class MessageField:
    """A field of a `SerialObject`: a number, an array of numbers, or text.

    Args:
        kind: the name of a NumPy number with its size, such as "float32", or "text".
        shape: of an array; () is a single number.
        length: of a text: the most bytes that it has in UTF-8; a longer one is an error.
        unit: SI, or "" for what has none.
        about: what the field means, where its name does not say it.
    """

    def __init__(
        self,
        kind: str,
        *,
        shape: tuple[int, ...] = (),
        length: int = 0,
        unit: str = "",
        about: str = "",
    ) -> None:
        if kind not in (*_NUMBERS, "text"):
            raise TypeError(f"a field holds text or one of {', '.join(_NUMBERS)}, not {kind!r}")
        if (kind == "text") != (length > 0):
            raise TypeError("a text needs its length in bytes, and nothing else has one")
        self.kind, self.shape, self.length = kind, shape, length
        self.unit, self.about = unit, about
        self.name = ""

    @property
    def dtype(self) -> np.dtype[np.generic]:
        """Type of the field in the bytes, without its shape."""
        return np.dtype(f"S{self.length}" if self.kind == "text" else self.kind).newbyteorder("<")

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, message: None, owner: type) -> "MessageField": ...
    @overload
    def __get__(self, message: "SerialObject", owner: type) -> Any: ...
    def __get__(self, message: "SerialObject | None", owner: type) -> Any:
        if message is None:
            return self
        value = message.record[self.name]
        if self.shape:
            return value
        return value.item().decode() if self.kind == "text" else value.item()

    def __set__(self, message: "SerialObject", value: object) -> None:
        if self.kind == "text":
            if not isinstance(value, str):
                raise TypeError(f"{type(message).__name__}.{self.name} is a text, not {value!r}")
            text = value.encode()
            if len(text) > self.length:
                raise ValueError(
                    f"{type(message).__name__}.{self.name} holds {self.length} bytes, "
                    f"not {len(text)}"
                )
            message.record[self.name] = text
        else:
            message.record[self.name] = value


class SerialObject:
    """Data of a topic; a kind of message is a subclass with `MessageField`s.

    The size is the same for every message of a class. `flagged` asks the node's loop to publish
    the object; it is reset once that has happened.

    Attributes:
        flagged: whether the topic is to publish the object.
        stamp_ns: time [ns] to which the data refer, on the bench's clock. None if the node has
        not set it: a message is then stamped with the time at which it is published. A node
            that works on what it received passes on the stamp that came with it.
        sequence: number of the newest message, counted by its publisher from 0.
        record: the values as they lie in the bytes: a NumPy array () of `DTYPE`.
    """

    VERSION: ClassVar[int] = 1
    """Raised when the meaning of a field changes; messages of another version are not read."""

    FIELDS: ClassVar[tuple[MessageField, ...]] = ()
    DTYPE: ClassVar[np.dtype[np.generic]] = np.dtype([])

    def __init__(self, **values: object) -> None:
        self.record: npt.NDArray[np.void] = np.zeros((), self.DTYPE)
        self.flagged = False
        self.stamp_ns: int | None = None
        self.sequence = 0
        for name, value in values.items():
            if name not in (self.DTYPE.names or ()):
                raise TypeError(
                    f"{type(self).__name__} has no field {name!r}; "
                    f"it has {', '.join(self.DTYPE.names or ())}"
                )
            setattr(self, name, value)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = tuple(each for each in vars(cls).values() if isinstance(each, MessageField))
        cls.FIELDS = (*cls.FIELDS, *own)
        cls.DTYPE = np.dtype([(each.name, each.dtype, each.shape) for each in cls.FIELDS])

    @classmethod
    def size(cls) -> int:
        """Number of bytes of a serialised message, without its envelope."""
        return cls.DTYPE.itemsize

    @classmethod
    def type_id(cls) -> int:
        """A number of 32 bits for the name, version and layout; both sides must have the same."""
        layout = ";".join(f"{f.name}:{f.dtype.str}{f.shape}[{f.unit}]" for f in cls.FIELDS)
        return zlib.crc32(f"{cls.__name__}/{cls.VERSION}/{layout}".encode())

    def serialize(self) -> bytes:
        """The values as bytes."""
        return self.record.tobytes()

    def deserialize(self, data: bytes) -> None:
        """Takes over the values of `data`.

        Raises:
            MessageError: the size is wrong; the old values stay.
        """
        if len(data) != self.size():
            raise MessageError(f"{type(self).__name__} has {self.size()} bytes, not {len(data)}")
        self.record[()] = np.frombuffer(data, self.DTYPE)[0]

    def copy_from(self, other: "SerialObject") -> None:
        """Takes over the values and the stamp of a message of the same class."""
        if type(other) is not type(self):
            raise TypeError(f"a {type(self).__name__} cannot hold a {type(other).__name__}")
        self.record[()] = other.record
        self.stamp_ns = other.stamp_ns

    def __repr__(self) -> str:
        values = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in self.FIELDS)
        return f"{type(self).__name__}({values})"

    def __eq__(self, other: object) -> bool:
        """Whether both hold the same values; stamps may differ."""
        if type(other) is not type(self):
            return NotImplemented
        return self.serialize() == other.serialize()

    __hash__ = None  # type: ignore[assignment]  # its values change


class DynamicMessage(SerialObject):
    """A kind of message whose fields only the program knows that runs: of a device, of a size."""

    def __getattr__(self, name: str) -> Any:
        """A field of the kind.

        Raises:
            AttributeError: the kind has no such field.
        """
        fields = ", ".join(each.name for each in self.FIELDS)
        raise AttributeError(f"{type(self).__name__} has no field {name!r}; it has {fields}")

    if TYPE_CHECKING:

        def __setattr__(self, name: str, value: object) -> None: ...
