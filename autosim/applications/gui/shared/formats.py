"""Formats of values: short, and of constant width, so that a running display does not jump."""

from math import asin, atan2, degrees

import numpy as np

from autosim.applications.common.tree_values import robot_state_name
from autosim.arrays import Floats
from autosim.model.bodies import rotation_matrices
from autosim.model.state import Value, numbers_text, rows_text
from autosim.model.tree import Field, FieldType, TreeNode


def value_text(value: Value, node: TreeNode, field: Field) -> str:
    """A value of `field` of `node` for the eye, without its unit."""
    if field.unit == "ns":
        return f"{1e-9 * float(np.asarray(value)):.3f}"
    if node.kind == "Robot" and field.name == "device_state" and isinstance(value, int):
        return robot_state_name(value)
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
    """The same value in the units of everyday life, "" where there are none.

    Degrees for angles and rates, km/h for speeds (of a velocity, its amount), and heading, pitch
    and roll for the quaternion of an orientation.
    """
    if isinstance(value, float):
        return _of_number(value, field.unit)
    if not isinstance(value, np.ndarray) or field.is_list or field.type is not FieldType.FLOAT:
        return ""
    if field.name == "orientation" and field.shape == (4,):
        return _of_quaternion(value.astype(np.float64))
    if field.shape != (3,):
        return ""
    match field.unit:
        case "rad" | "rad/s":
            rate = " °/s" if field.unit == "rad/s" else "°"
            return "  ".join(f"{_degrees(each)}" for each in value) + rate
        case "m/s":
            return f"{3.6 * float(np.linalg.norm(value)):.1f} km/h"
    return ""


def _of_number(value: float, unit: str) -> str:
    match unit:
        case "rad":
            return f"{_degrees(value)}°"
        case "rad/s":
            return f"{_degrees(value)} °/s"
        case "m/s":
            return f"{3.6 * value + 0.0:.1f} km/h"
    return ""


def _of_quaternion(quaternion: Floats) -> str:
    """Yaw, pitch and roll [°] of ISO 8855: the turns about z, then y, then x."""
    if not np.any(quaternion):
        return ""  # no state has come yet
    (rotation,) = rotation_matrices(quaternion[None])
    yaw = atan2(rotation[1, 0], rotation[0, 0])
    pitch = asin(min(1.0, max(-1.0, -rotation[2, 0])))
    roll = atan2(rotation[2, 1], rotation[2, 2])
    names = ("yaw", "pitch", "roll")
    angles = zip(names, (yaw, pitch, roll), strict=True)
    return "  ".join(f"{name} {_degrees(angle)}°" for name, angle in angles)


def _degrees(angle: float) -> str:
    text = f"{degrees(angle):.1f}"
    return "0.0" if text == "-0.0" else text
