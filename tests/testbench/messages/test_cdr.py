"""Messages in CDR, and the hashes of their types."""

import struct

import pytest

from autosim_testbench.messages.cdr import dds_type, from_cdr, kind_hash, to_cdr, type_hash
from autosim_testbench.messages.envelope import seal
from autosim_testbench.messages.kinds import Transform
from autosim_testbench.messages.serial_object import MessageError, MessageField, SerialObject


class Mixed(SerialObject):
    """All that a field may be."""

    name = MessageField("text", length=5)
    matrix = MessageField("float64", shape=(2, 3))
    flag = MessageField("uint8")
    distance = MessageField("float32")


# What Cyclone DDS 11.0.1 makes of the same fields.
CYCLONE = bytes.fromhex(
    "00010000efbeadde070000000900000000000000fbffffffffffffff000000000000001068690000000000000000"
    "000000000000000000000000f03f000000000000004000000000000008400000000000001040000000000000144003"
    "0000000000c03f"
)


def test_fields_lie_as_another_implementation_lays_them() -> None:
    message = Mixed(name="hi", matrix=[[0, 1, 2], [3, 4, 5]], flag=3, distance=1.5)
    envelope = struct.pack("<IIIqq", 0xDEADBEEF, 7, 9, -5, 1 << 60)
    assert to_cdr(envelope + message.serialize(), Mixed) == CYCLONE
    assert from_cdr(CYCLONE, Mixed) == envelope + message.serialize()
    assert to_cdr(b"abc", None) == bytes.fromhex("0001000003000000616263")


@pytest.mark.parametrize("kind", [Mixed, Transform])
def test_a_message_comes_back_as_it_was(kind: type[SerialObject]) -> None:
    message = kind()
    message.record = message.record.copy()
    message.deserialize(bytes(range(kind.size())))
    data = seal(message, publisher=3, sequence=4, now_ns=5)
    assert from_cdr(to_cdr(data, kind), kind) == data
    assert from_cdr(to_cdr(data, kind) + b"\0\0\0", kind) == data, "what fills up is left aside"


def test_what_is_something_else_is_said() -> None:
    with pytest.raises(MessageError, match="Mixed has 96 bytes in CDR, not 6"):
        from_cdr(CYCLONE[:10], Mixed)
    with pytest.raises(MessageError, match="no message in little-endian CDR"):
        from_cdr(b"\0\0" + CYCLONE[2:], Mixed)


@pytest.mark.parametrize(
    ("name", "fields", "hashed"),
    [
        (
            "builtin_interfaces/msg/Time",
            [("int32", 0, "sec"), ("uint32", 0, "nanosec")],
            "b106235e25a4c5ed35098aa0a61a3ee9c9b18d197f398b0e4206cea9acf9c197",
        ),
        (
            "std_msgs/msg/String",
            [("string", 0, "data")],
            "df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18",
        ),
        (
            "unique_identifier_msgs/msg/UUID",
            [("uint8", 16, "uuid")],
            "1b8e8aca958cbea28fe6ef60bf6c19b683c97a9ef60bb34752067d0f2f7ab437",
        ),
    ],
)
def test_hashes_are_those_that_ros_has(
    name: str, fields: list[tuple[str, int, str]], hashed: str
) -> None:
    assert type_hash(name, fields) == f"RIHS01_{hashed}"


def test_names_and_hashes_tell_kinds_apart() -> None:
    assert dds_type(Mixed) == "autosim_msgs::msg::dds_::Mixed_"
    assert len({kind_hash(each) for each in (Mixed, Transform, None)}) == 3
