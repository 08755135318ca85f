import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autosim.kinds.nmea import KNOT, NmeaError, read_rmc, write_rmc


def sentence(latitude, longitude, speed=0.0, course=0.0, seconds=0.0) -> str:
    arrays = (np.array([value]) for value in (latitude, longitude, speed, course, seconds))
    latitude, longitude, speed, course, seconds = arrays
    text = write_rmc(latitude, longitude, speed=speed, course=course, seconds=seconds)
    return bytes(text[0]).decode()


def test_a_sentence_is_an_rmc_sentence_with_its_checksum():
    text = sentence(-31.9728, 115.827, speed=10 * KNOT, course=np.pi / 2, seconds=3661.25)
    assert text == "$GPRMC,010101.25,A,3158.368000,S,11549.620000,E,010.00,090.00,010108,,,A*4B"
    checksum = 0
    for character in text[1 : text.index("*")]:
        checksum ^= ord(character)
    assert text[-2:] == f"{checksum:02X}"
    assert len(text) + len("\r\n") <= 82


@given(
    st.floats(-89.9, 89.9),
    st.floats(-179.9, 179.9),
    st.floats(0, 200),
    st.floats(-7, 7),
    st.floats(0, 1e6),
)
def test_what_is_written_is_read(latitude, longitude, speed, course, seconds):
    fix = read_rmc(sentence(latitude, longitude, speed, course, seconds))
    assert abs(fix.latitude - latitude) < 1e-8
    assert abs(fix.longitude - longitude) < 1e-8
    assert abs(fix.speed - speed) < 0.003
    assert abs(np.angle(np.exp(1j * (fix.course - course)))) < 1e-4


@pytest.mark.parametrize(
    "text",
    [
        "",
        "$GPGGA,1",
        "$GPRMC,010101.25,A,3158.368000,S,11549.620000,E,010.00,090.00,010108,,,A*4A",
        "$GPRMC,010101.25,A,3158.368000,S,11549.620000,E,010.00,090.00,010108,,,A",
    ],
)
def test_a_sentence_that_is_not_whole_is_refused(text):
    with pytest.raises(NmeaError):
        read_rmc(text)
