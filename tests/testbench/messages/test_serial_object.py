"""Messages: typed fields, their bytes, their envelope, their declaration in C."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autosim_testbench.messages.c_layout import c_struct
from autosim_testbench.messages.envelope import publisher_id, read_envelope, seal, unseal
from autosim_testbench.messages.serial_object import MessageError, MessageField, SerialObject
from tests.testbench.messages.kinds import Number, OtherNumber, Sample


@given(
    flag=st.integers(0, 255),
    distance=st.floats(width=32, allow_nan=False),
    corners=st.lists(st.floats(allow_nan=False), min_size=6, max_size=6),
    name=st.text(st.characters(codec="ascii", exclude_characters="\0"), max_size=8),
)
def test_values_survive_bytes(flag: int, distance: float, corners: list[float], name: str) -> None:
    there = Sample(flag=flag, distance=distance, corners=np.reshape(corners, (2, 3)), name=name)
    back = Sample()
    back.deserialize(there.serialize())
    assert back == there
    assert (back.flag, back.distance, back.name) == (flag, distance, name)
    assert back.corners.tolist() == np.reshape(corners, (2, 3)).tolist()


def test_fields_lie_one_behind_the_other_and_little_endian() -> None:
    assert Sample.size() == 1 + 4 + 48 + 8
    assert Number(value=1).serialize() == b"\x01\0\0\0"


def test_a_subclass_adds_its_fields_behind_those_of_its_base() -> None:
    class Stamped(Number):
        """With a place."""

        place = MessageField("uint8")

    assert Stamped(value=1, place=2).serialize() == b"\x01\0\0\0\x02"


def test_a_message_of_the_wrong_size_changes_nothing() -> None:
    number = Number(value=5)
    with pytest.raises(MessageError, match="Number has 4 bytes, not 3"):
        number.deserialize(b"abc")
    assert number.value == 5


def test_an_unknown_field_and_a_text_that_is_too_long_are_errors() -> None:
    with pytest.raises(TypeError, match=r"Number has no field 'vlaue'; it has value"):
        Number(vlaue=3)
    with pytest.raises(ValueError, match="holds 8 bytes, not 9"):
        Sample(name="a" * 9)


def test_the_envelope_tells_number_and_times() -> None:
    message = Number(value=7)
    message.stamp_ns = -5
    data = seal(message, publisher=publisher_id("me"), sequence=2**32 + 3, now_ns=11)
    envelope = read_envelope(data)
    assert (envelope.sequence, envelope.stamp_ns, envelope.published_ns) == (3, -5, 11)
    assert envelope.publisher == publisher_id("me") != publisher_id("you")
    back = Number()
    unseal(data, back)
    assert (back.value, back.stamp_ns, back.sequence) == (7, -5, 3)


def test_what_has_no_stamp_is_stamped_when_it_is_published() -> None:
    assert read_envelope(seal(Number(), publisher=0, sequence=0, now_ns=11)).stamp_ns == 11


def test_another_type_version_or_size_is_refused_and_named() -> None:
    data = seal(Number(value=1), publisher=0, sequence=0, now_ns=0)
    with pytest.raises(MessageError, match="another type or version than OtherNumber 1"):
        unseal(data, OtherNumber())
    Version2 = type("Number", (SerialObject,), {"VERSION": 2, "value": MessageField("int32")})
    with pytest.raises(MessageError, match="another type or version than Number 2"):
        unseal(data, Version2())
    with pytest.raises(MessageError, match="Number has 4 bytes, not 3"):
        unseal(data[:-1], Number())
    with pytest.raises(MessageError, match="an envelope has 28 bytes, and only 5 came"):
        unseal(data[:5], Number())


def test_a_c_compiler_lays_the_struct_out_in_the_same_bytes(tmp_path) -> None:
    source = tmp_path / "layout.c"
    source.write_text(
        "#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n"
        + c_struct(Sample)
        + """
int main(void) {
    sample_message m;
    memset(&m, 0, sizeof m);
    m.flag = 3; m.distance = 1.5f; m.corners[5] = -2.25; memcpy(m.name, "front", 5);
    if (sizeof m != SAMPLE_SIZE) return 1;
    fwrite(&m, sizeof m, 1, stdout);
    return 0;
}
"""
    )
    program = tmp_path / "layout"
    compiled = subprocess.run(["cc", "-o", str(program), str(source)], capture_output=True)
    if compiled.returncode:  # pragma: no cover
        pytest.fail(compiled.stderr.decode(errors="replace"))
    sample = Sample()
    sample.deserialize(subprocess.run([str(program)], capture_output=True, check=True).stdout)
    assert (sample.flag, sample.distance, sample.name) == (3, 1.5, "front")
    assert sample.corners[1, 2] == -2.25
    assert sys.byteorder == "little"
