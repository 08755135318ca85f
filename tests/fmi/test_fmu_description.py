"""Descriptions of FMUs that cannot be used."""

import io
import zipfile

import pytest

from autosim.kinds.coupling.fmu_description import FmuDescriptionError, read_description


def packed(text: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("modelDescription.xml", text)
    return data.getvalue()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no zip", "is not an FMU: it holds no modelDescription.xml"),
        (packed("<fmi"), "has a modelDescription.xml that is not well-formed XML"),
        (packed("<hello/>"), "root element <hello>, expected <fmiModelDescription>"),
        (packed("<fmiModelDescription/>"), "is of an unknown version of FMI: expected FMI 2.0"),
        (packed('<fmiModelDescription fmiVersion="1.0"/>'), "is of FMI 1.0: expected FMI 2.0"),
        (packed('<fmiModelDescription fmiVersion="3.0"/>'), "is not for co-simulation"),
    ],
)
def test_unusable_fmus_are_named(content: bytes, message: str) -> None:
    with pytest.raises(FmuDescriptionError, match=message):
        read_description(content)
