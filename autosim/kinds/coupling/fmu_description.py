"""The description of an FMU, read without running anything of it.

Source: FMI 2.0.5, section 2.2, and FMI 3.0.2, section 2.4 (modelDescription.xml).
"""

import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from math import inf

from lxml import etree

from autosim.config.diagnostics import printable
from autosim.config.reading.xml_reader import UnreadableError, parse_xml
from autosim.config.schema import EVERYDAY, Interval
from autosim.errors import UserError

ENDING = ".fmu"
"""The ending of FMUs: no file of another ending is run as one."""

MAX_DESCRIPTION_BYTES = 8 * 2**20
"""Largest size [bytes] of a description."""

_NUMBERS_2 = ("Real", "Integer", "Boolean", "Enumeration")
_NUMBERS_3 = (
    *("Float64", "Float32", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64"),
    *("UInt64", "Boolean", "Enumeration"),
)

_TRUE = ("true", "1")


class FmuDescriptionError(UserError):
    """A file is not a co-simulation FMU; the message says why."""


@dataclass(frozen=True, slots=True)
class FmuVariable:
    """A scalar number of an FMU.

    `causality`: input, output, parameter, local, …; `start` is its value at the start; `limits`
    bound it.
    """

    name: str
    """Name of the variable."""
    causality: str
    unit: str = "1"
    """Unit as the FMU states it, "1" for none."""
    start: float = 0.0
    limits: Interval = EVERYDAY


@dataclass(frozen=True, slots=True)
class FmuDescription:
    """The scalar numbers of a co-simulation FMU; `can_save`: its state can be serialised."""

    model_name: str
    """Name of the model."""
    can_save: bool
    variables: Mapping[str, FmuVariable] = field(default_factory=dict)
    """Variables by their names."""


def read_description(content: bytes) -> FmuDescription:
    """The description in an FMU.

    Args:
        content: the bytes of the FMU.

    Raises:
        FmuDescriptionError: it is not an FMU of FMI 2.0 or 3.0 for co-simulation.
    """
    root = _root_of(content)
    version = str(root.get("fmiVersion") or "")
    simulation = root.find("CoSimulation")
    if root.tag != "fmiModelDescription":
        tag = printable(str(root.tag), 40)
        raise FmuDescriptionError(
            f"is not an FMU: its modelDescription.xml has the root element <{tag}>, "
            "expected <fmiModelDescription>"
        )
    if version[:1] not in ("2", "3"):
        shown = f"FMI {printable(version, 20)}" if version else "an unknown version of FMI"
        raise FmuDescriptionError(f"is of {shown}: expected FMI 2.0 or 3.0")
    if simulation is None:
        raise FmuDescriptionError("is not for co-simulation: export it as a co-simulation FMU")
    flag = "canSerializeFMUstate" if version[0] == "2" else "canSerializeFMUState"
    read = _variables_2 if version[0] == "2" else _variables_3
    return FmuDescription(
        str(root.get("modelName") or ""),
        simulation.get(flag) in _TRUE,
        {each.name: each for each in read(root)},
    )


def _root_of(content: bytes) -> etree._Element:
    try:
        with (
            zipfile.ZipFile(BytesIO(content)) as archive,
            archive.open("modelDescription.xml") as file,
        ):
            data = file.read(MAX_DESCRIPTION_BYTES + 1)
        if len(data) > MAX_DESCRIPTION_BYTES:
            raise FmuDescriptionError("has a modelDescription.xml larger than 8 MiB")
        return parse_xml(data)
    except (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError, EOFError) as error:
        raise FmuDescriptionError("is not an FMU: it holds no modelDescription.xml") from error
    except UnreadableError as error:
        raise FmuDescriptionError(f"has a modelDescription.xml that is {error}") from error


def _variables_2(root: etree._Element) -> Iterator[FmuVariable]:
    for node in root.iterfind("ModelVariables/ScalarVariable"):
        for kind in _NUMBERS_2:
            content = node.find(kind)
            if content is not None:
                yield _variable(node, content)


def _variables_3(root: etree._Element) -> Iterator[FmuVariable]:
    for kind in _NUMBERS_3:
        for node in root.iterfind(f"ModelVariables/{kind}"):
            if node.find("Dimension") is None:
                yield _variable(node, node)


def _variable(node: etree._Element, content: etree._Element) -> FmuVariable:
    low, high = _number(content.get("min"), -inf), _number(content.get("max"), inf)
    limits = Interval(max(low, EVERYDAY.low), min(high, EVERYDAY.high))
    return FmuVariable(
        name=str(node.get("name") or ""),
        causality=str(node.get("causality") or "local"),
        unit=str(content.get("unit") or "1"),
        start=_number(content.get("start"), 0.0),
        limits=limits if limits.low <= limits.high else EVERYDAY,
    )


def _number(text: str | None, default: float) -> float:
    if text is None:
        return default
    if text in ("true", "false"):
        return float(text == "true")
    try:
        return float(text)
    except ValueError:
        return default
