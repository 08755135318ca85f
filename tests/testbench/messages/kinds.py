"""Kinds of messages for tests."""

from autosim.testbench.messages.serial_object import Field, SerialObject


class Sample(SerialObject):
    """One of each."""

    flag = Field("uint8")
    distance = Field("float32", unit="m", about="infinity where nothing is in reach")
    corners = Field("float64", shape=(2, 3), unit="m")
    name = Field("text", length=8)


class Number(SerialObject):
    """A number."""

    value = Field("int32")


class OtherNumber(SerialObject):
    """A number of another kind, with the same bytes."""

    value = Field("int32")


class Picture(SerialObject):
    """As large as a picture of 1 MB."""

    pixels = Field("uint8", shape=(1_000_000,))
