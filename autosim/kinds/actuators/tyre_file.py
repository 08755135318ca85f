"""Reads the coefficients of a Magic Formula from `.tir` files (tyre property files).

A section `[NAME]` holds lines `KEY = value`; what follows `$` or `!` is a comment. Keys that the
forces of a rolling tyre do not need are passed over, as are tables (`{…}`).
"""

from dataclasses import dataclass
from math import isfinite

from autosim.config.diagnostics import printable
from autosim.errors import UserError
from autosim.kinds.actuators.tyre import TyreModel
from autosim.kinds.actuators.tyre_coefficients import DEFAULTS, REQUIRED

_UNITS = {
    "LENGTH": ("meter", "metre", "m"),
    "FORCE": ("newton", "n"),
    "ANGLE": ("radians", "radian", "rad"),
    "MASS": ("kg", "kilogram"),
    "TIME": ("second", "sec", "s"),
    "PRESSURE": ("pascal", "pa", "n/m^2"),
}
"""Units that a file may state: those of the SI and radians, the usual name first."""

_FITS: dict[int, TyreModel] = {
    **dict.fromkeys((5, 6, 21, 51, 52), "magic_formula_5.2"),
    **dict.fromkeys((61, 62), "magic_formula_6.1"),
}
"""The model of each FITTYP. That of 62 adds to 6.1 nothing that is computed here."""

_FORMATS: dict[str, TyreModel] = dict.fromkeys(("MF_05", "MF-TYRE", "PAC2002"), "magic_formula_5.2")
"""The model of files without FITTYP, by PROPERTY_FILE_FORMAT."""


class TyreFileError(UserError):
    """A file is not a tyre property file; `faults` lists what is wrong, each with its line."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class TyreFile:
    """Content of a `.tir` file: which Magic Formula it is for, and its coefficients by name."""

    model: TyreModel
    """The Magic Formula that the file's format number states."""
    coefficients: dict[str, float]


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    section: str
    key: str
    text: str


def read_tyre_file(content: bytes) -> TyreFile:
    """The coefficients of a `.tir` file.

    Raises:
        TyreFileError: with all that is wrong.
    """
    faults: list[str] = []
    lines = _lines(content.decode(errors="replace"), faults)
    _check_units(lines, faults)
    coefficients: dict[str, float] = {}
    for line in lines:
        if line.key in DEFAULTS:
            _read_number(line, coefficients, faults)
    model = _model(lines, faults)
    missing = [name for name in REQUIRED if name not in {line.key for line in lines}]
    if missing:
        faults.append(f"it has no {', '.join(missing)}")
    if faults or model is None:
        raise TyreFileError(faults)
    return TyreFile(model, coefficients)


def _lines(text: str, faults: list[str]) -> list[_Line]:
    found, section, in_table = [], "", False
    for number, whole in enumerate(text.splitlines(), start=1):
        line = whole.split("$", 1)[0].split("!", 1)[0].strip()
        if line.startswith("["):
            if not line.endswith("]"):
                faults.append(
                    f"line {number}: '{printable(line)}' is not a section: ']' is missing"
                )
            section, in_table = line.strip("[] ").upper(), False
        elif line.startswith("{"):
            in_table = True
        elif line and not in_table:
            key, equals, value = line.partition("=")
            if not equals:
                faults.append(f"line {number}: expected KEY = value, not '{printable(line)}'")
            found.append(_Line(number, section, key.strip().upper(), value.strip().strip("'\"")))
    return found


def _check_units(lines: list[_Line], faults: list[str]) -> None:
    for line in lines:
        valid = _UNITS.get(line.key, ()) if line.section == "UNITS" else ()
        if valid and line.text.lower() not in valid:
            faults.append(
                f"line {line.number}: {line.key} has the unit '{printable(line.text)}': "
                f"expected '{valid[0]}'"
            )


def _read_number(line: _Line, coefficients: dict[str, float], faults: list[str]) -> None:
    try:
        number = float(line.text)
    except ValueError:
        number = float("nan")
    if not isfinite(number):
        faults.append(
            f"line {line.number}: {line.key} is '{printable(line.text)}': expected a number"
        )
    elif line.key in coefficients and coefficients[line.key] != number:
        faults.append(f"line {line.number}: {line.key} has another value in an earlier line")
    elif line.key == "FNOMIN" and number <= 0.0:
        faults.append(f"line {line.number}: FNOMIN is {number:g} N: expected a load above 0")
    else:
        coefficients[line.key] = number


def _model(lines: list[_Line], faults: list[str]) -> TyreModel | None:
    said = {line.key: line for line in lines if line.section == "MODEL"}
    if "FITTYP" in said:
        text = said["FITTYP"].text
        model = _FITS.get(int(text)) if text.isascii() and text.isdigit() else None
        if model is None:
            known = ", ".join(map(str, _FITS))
            faults.append(
                f"line {said['FITTYP'].number}: FITTYP is '{printable(text)}': expected one of "
                f"{known} (Magic Formula 5.2 or 6.1)"
            )
        return model
    form = said.get("PROPERTY_FILE_FORMAT")
    model = _FORMATS.get(form.text.upper()) if form else None
    if model is None:
        faults.append("[MODEL] has no FITTYP, which says which Magic Formula the file is for")
    return model
