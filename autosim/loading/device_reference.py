"""Writes the page of all devices from their kinds.

python -m autosim.loading.device_reference > docs/devices.md

`scripts/draw_devices.py` draws the pictures.
"""

from pathlib import Path

from autosim.kinds.kind import AnyDeviceKind
from autosim.kinds.registry import BUILT_IN
from autosim.loading.reference import row_of, tables_of
from autosim.model.tree import Access, Field, FieldType

DOCS = Path(__file__).resolve().parents[2] / "docs"
"""The folder of the page, whose pictures lie in `devices/`."""

_INTRODUCTION = """\
# Devices

Made from the descriptions in `autosim/kinds/` by `python -m autosim.loading.device_reference`; do \
not edit by hand. The curves are drawn by `python scripts/draw_devices.py`: they are what \
`robots/sensor_car.xml` says on its first seconds in the shipped town, where a program drives it. \
A `ContactSensor` is shown while that car pushes a crate; what it lacks, on [other \
robots](robots.md).

A device stands on a part of a robot. A user program reads its values by `get_data`, and sets \
those of actuators by `set_data`, in the order of the table. Values are in the axes of the part: \
x forward, y left, z up; the file's parameters are in those of the files: x right, y up, z \
forward. The marks of the parameters are those of [the configuration files](configuration.md); \
[noise](noise.md) has its own page.
"""

_ELSEWHERE = {"Camera": "cameras/rgb.jpg"}
"""Pictures that are not drawn for this page."""

_SETS = {
    Access.READ: "The simulation writes its values.",
    Access.SET: "Any program may set its values.",
    Access.DRIVE: "The program that drives the robot sets its values.",
}


def markdown() -> str:
    """The page, as Markdown."""
    names = ", ".join(f"[{kind.name}](#{kind.name.lower()})" for kind in BUILT_IN)
    return "\n".join([_INTRODUCTION, names + ".", "", *map(_section, BUILT_IN)])


def _section(kind: AnyDeviceKind) -> str:
    element = kind.element
    lines = [f"## {kind.name}", "", element.description, ""]
    picture = _ELSEWHERE.get(kind.name, f"devices/{kind.name}.svg")
    if (DOCS / picture).is_file():
        lines += [f"![What the {kind.name} says]({picture})", ""]
    fields = kind.fields_of(kind.record(kind.name, ""))
    if fields:
        lines += [_SETS[kind.access], "", "| value | type | unit | limits |", "|---|---|---|---|"]
        lines += [_value_row(each) for each in fields] + [""]
    tables = "\n".join(tables_of(element, 3))
    return "\n".join([*lines, tables.replace("(#noise)", "(configuration.md#noise)")])


def _value_row(field: Field) -> str:
    if field.is_list:
        columns = ", ".join(
            f"{each.name} [{each.unit}]" if each.unit != "1" else each.name
            for each in field.columns
        )
        return row_of(f"`{field.name}`", f"list of at most {field.capacity}: {columns}", "", "")
    count = " × ".join(map(str, field.shape))
    kinds = {FieldType.FLOAT: "real number", FieldType.INT: "whole number"}
    text = f"text of at most {count} bytes"
    written = text if field.type is FieldType.TEXT else kinds[field.type]
    if count and field.type is not FieldType.TEXT:
        written = f"{count} {written}s"
    unit = "" if field.unit == "1" else field.unit
    mark = " (may be left out)" if field.is_optional else ""
    return row_of(f"`{field.name}`{mark}", written, unit, str(field.limits or ""))


if __name__ == "__main__":
    print(markdown(), end="")
