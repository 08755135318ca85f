"""Kinds of messages for tests."""

from autosim_testbench.messages.serial_object import MessageField, SerialObject


class Sample(SerialObject):
    """One of each."""

    flag = MessageField("uint8")
    distance = MessageField("float32", unit="m", about="infinity where nothing is in reach")
    corners = MessageField("float64", shape=(2, 3), unit="m")
    name = MessageField("text", length=8)


class Number(SerialObject):
    """A number."""

    value = MessageField("int32")


class OtherNumber(SerialObject):
    """A number of another kind, with the same bytes."""

    value = MessageField("int32")


class Picture(SerialObject):
    """As large as a picture of 1 MB."""

    pixels = MessageField("uint8", shape=(1_000_000,))
