"""How values are written: short, and of steady width, so that a running display does not jump."""

from math import degrees

import numpy as np

from autosim.applications.common.values import state_name
from autosim.simulation.state import Value, numbers_text, rows_text
from autosim.simulation.tree import Field, FieldType, Node


def value_text(value: Value, node: Node, field: Field) -> str:
    """A value of `field` of `node` for the eye, without its unit."""
    if field.unit == "ns":
        return f"{1e-9 * float(np.asarray(value)):.3f}"
    if node.kind == "Robot" and field.name == "device_state" and isinstance(value, int):
        return state_name(value)
    if field.is_list and isinstance(value, np.ndarray):
        return rows_text(value, field.capacity, write=number_text)
    if isinstance(value, np.ndarray):
        return numbers_text(value, write=number_text, separator="  ")
    if field.type is FieldType.FLOAT and isinstance(value, float):
        return number_text(value)
    return str(value)


def number_text(number: float) -> str:
    """Four decimals where they fit, else six digits; no minus before zero."""
    text = f"{number:.4f}" if abs(number) < 1e5 else f"{number:.6g}"
    return "0.0000" if text == "-0.0000" else text


def unit_text(field: Field) -> str:
    """The unit that `value_text` writes in, "" where there is none."""
    return {"1": "", "ns": "s"}.get(field.unit, field.unit)


def other_units(value: Value, field: Field) -> str:
    """The same value in the units of everyday life, "" where there are none."""
    if not isinstance(value, float):
        return ""
    match field.unit:
        case "rad":
            return f"{degrees(value):.1f}°"
        case "rad/s":
            return f"{degrees(value):.1f} °/s"
        case "m/s":
            return f"{3.6 * value:.1f} km/h"
    return ""
