"""The tyre of a wheel: which model computes its forces, and with which numbers."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from autosim.config.descriptions import PartFile
from autosim.config.reading.attribute_values import suggestion
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schema import Attribute, Element, Interval, Occurs, ValueType
from autosim.kinds.actuators.tyre_coefficients import DEFAULTS, REQUIRED

TyreModel = Literal["standard", "linear", "brush", "magic_formula_5.2", "magic_formula_6.1"]

MODELS: tuple[TyreModel, ...] = (
    "standard",
    "linear",
    "brush",
    "magic_formula_5.2",
    "magic_formula_6.1",
)
"""Every model, the default first."""

MAGIC_FORMULAS = MODELS[3:]
"""The tyre models that take coefficients and files."""

TAG = "Tyre"


@dataclass(frozen=True, slots=True)
class Tyre:
    """The tyre: the source of a wheel's forces on the ground.

    `cornering_stiffness` and `slip_stiffness` are those of a linear and of a brush tyre: force by
    the load, for each radian of slip angle and for each unit of slip ratio. `relaxation_length` [m]
    is of these too, and of a Magic Formula whose coefficients give none. `coefficients` are those
    of a Magic Formula that the robot file states; they replace those of `file`.

    `friction_load_sensitivity` and `stiffness_load_sensitivity`, s, apply to all other models:
    friction, and stiffness for each newton of load, are multiplied by 1 / (1 + s (F_z / F_0 - 1)),
    where F_0 is `nominal_load` [N]. With s = 0 neither depends on the load.
    """

    model: TyreModel = "standard"
    """Name of the model of forces."""
    cornering_stiffness: float = 20.9
    slip_stiffness: float = 21.2
    relaxation_length: float = 0.3
    file: PartFile | None = None
    coefficients: tuple[tuple[str, float], ...] = ()
    nominal_load: float = 0.0
    friction_load_sensitivity: float = 0.0
    stiffness_load_sensitivity: float = 0.0

    @property
    def is_magic_formula(self) -> bool:
        """Whether coefficients say what its forces are."""
        return self.model in MAGIC_FORMULAS


STANDARD = Tyre("standard")
"""The tyre of a wheel whose file names none."""

_STIFFNESS = Interval(0.1, 1000.0)
"""Bounds of a force for each newton of load: from a tyre of foam to one of steel."""

_SENSITIVITY = Interval(0.0, 0.9)
"""Bounds of a load sensitivity: below 1, so that a force grows with the load and stays finite."""

_SENSITIVITIES = ("frictionLoadSensitivity", "stiffnessLoadSensitivity")

ELEMENT = Element(
    TAG,
    "The model of its tyre. Without it, or with `standard`, a tyre with a peak and a slide that "
    "needs no numbers. docs/vehicles.md has the equations.",
    (
        Attribute("model", "", ValueType.TEXT, default=MODELS[0], allowed=MODELS),
        Attribute(
            "file",
            "A `.tir` file with the coefficients of a Magic Formula, such as "
            "`robots/tyres/passenger.tir`.",
            ValueType.PATH,
        ),
        Attribute(
            "corneringStiffness",
            "Of a linear or a brush tyre: lateral force for each newton of load and each radian.",
            unit="1/rad",
            default=20.9,
            interval=_STIFFNESS,
        ),
        Attribute(
            "slipStiffness",
            "Of a linear or a brush tyre: longitudinal force for each newton of load and each unit "
            "of slip ratio.",
            default=21.2,
            interval=_STIFFNESS,
        ),
        Attribute(
            "relaxationLength",
            "Way that it rolls until 63 % of a new force is there. Not of the standard tyre; of a "
            "Magic Formula only where its coefficients give none.",
            unit="m",
            default=0.3,
            interval=Interval(0.01, 10.0),
        ),
        Attribute(
            "nominalLoad",
            "Load at which the wheel's friction and the tyre's stiffness are those stated. Needed "
            "for the load sensitivities; not of a Magic Formula, whose coefficients have FNOMIN.",
            unit="N",
            default=0.0,
            interval=Interval(0.0, 1e6),
        ),
        Attribute(
            "frictionLoadSensitivity",
            "Share s of the friction that the tyre loses when the load doubles from the nominal "
            "one, to first order: the friction is divided by 1 + s (load / nominalLoad - 1). "
            "0.1 to 0.2 for a tyre of a car.",
            default=0.0,
            interval=_SENSITIVITY,
        ),
        Attribute(
            "stiffnessLoadSensitivity",
            "The same for the cornering and slip stiffness for each newton of load. About 0.35 for "
            "a tyre of a car.",
            default=0.0,
            interval=_SENSITIVITY,
        ),
    ),
    (
        Element(
            "Coefficient",
            "One coefficient of a Magic Formula, by its name in `.tir` files; it replaces that of "
            "the file.",
            (
                Attribute("name", "", ValueType.NAME, required=True),
                Attribute("value", "In SI units and radians.", required=True),
            ),
            occurs=Occurs.ANY,
        ),
    ),
)


def read_tyre(wheel: Block, tag: str) -> Tyre:
    """The tyre of a wheel without errors; the content of its file is not read yet."""
    block = wheel.section(tag)
    name = str(block.get("file") or "")
    return Tyre(
        model=cast(TyreModel, block.get("model")),
        cornering_stiffness=block.own_real("corneringStiffness"),
        slip_stiffness=block.own_real("slipStiffness"),
        relaxation_length=block.own_real("relaxationLength"),
        file=PartFile(name, Path(name)) if name else None,
        coefficients=tuple((each.name, each.own_real("value")) for each in block.children),
        nominal_load=block.own_real("nominalLoad"),
        friction_load_sensitivity=block.own_real("frictionLoadSensitivity"),
        stiffness_load_sensitivity=block.own_real("stiffnessLoadSensitivity"),
    )


def check_tyre(wheel: Block, faults: Faults) -> None:
    """Notes coefficients that no Magic Formula has or that it lacks, and loads that are missing."""
    block = wheel.section(TAG)
    model, file = block.get("model"), block.get("file")
    title = f"<{TAG}> of {wheel.title}"
    _check_load(block, title, faults)
    if model not in MAGIC_FORMULAS:
        if file or block.children:
            message = f"{title} has coefficients, but the model '{model}' takes none: expected "
            faults.error(block, message + " or ".join(f"'{each}'" for each in MAGIC_FORMULAS))
        return
    for each in block.children:
        if each.name not in DEFAULTS:
            message = f"{title} has no coefficient '{each.name}'{suggestion(each.name, DEFAULTS)}"
            faults.error(each, message)
    missing = [name for name in REQUIRED if name not in {each.name for each in block.children}]
    if missing and not file:
        message = f"{title} needs a file, or the coefficients {', '.join(missing)}"
        faults.error(block, message)


def _check_load(block: Block, title: str, faults: Faults) -> None:
    sensitive = [name for name in _SENSITIVITIES if block.get(name)]
    if not sensitive:
        return
    if block.get("model") in MAGIC_FORMULAS:
        message = f"{title} has {' and '.join(sensitive)}, but a Magic Formula takes these from "
        faults.error(block, message + "its coefficients PDX2, PDY2, PKX2 and PKY2")
    elif not block.get("nominalLoad"):
        message = f"{title} has {' and '.join(sensitive)} without nominalLoad: "
        faults.error(block, message + "add the load [N] that the wheel bears at rest")
