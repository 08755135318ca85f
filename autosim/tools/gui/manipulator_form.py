"""The fields of the OSM Manipulator's window, and the request that they make."""

from dataclasses import dataclass
from pathlib import Path

from PyQt6.QtWidgets import QCheckBox, QDoubleSpinBox, QFormLayout, QSpinBox, QWidget

from autosim.tools.gui.file_field import FileField
from autosim.tools.osm_manipulator.furnish_options import MAX_DISTANCE, FurnishRequest, Spacing
from autosim.tools.osm_manipulator.manipulator_errors import ManipulatorError

MAPS = "OpenStreetMap (*.osm *.osm.gz *.osm.bz2 *.osm.pbf *.pbf)"
_XML = "XML (*.xml)"
_LARGEST_SEED = 2**31 - 1
"""Largest seed: the largest number that a spin box of Qt holds."""


@dataclass(frozen=True, slots=True)
class _Files:
    original: FileField
    target: FileField
    setup: FileField
    houses: FileField


class ManipulatorForm(QWidget):
    """Original and target file, set-up, house list, the two distances and the seed."""

    def __init__(self) -> None:
        super().__init__()
        self.files = _Files(
            original=FileField("Original File", MAPS),
            target=FileField("Target File", MAPS, is_target=True),
            setup=FileField("Map Setup File", _XML),
            houses=FileField("House File List", _XML),
        )
        self.files.setup.line.setPlaceholderText("built-in street widths")
        self.to_street = _distance("From the centre of a house to the edge of the street.")
        self.between = _distance("Free space between neighbouring houses.")
        self.seed = QSpinBox()
        self.seed.setRange(0, _LARGEST_SEED)
        self.seed.setToolTip("Another number chooses other houses.")
        self.is_filled = QCheckBox("Rows of houses along the streets")
        self.is_filled.setToolTip(
            "Without this the map keeps its houses, and you set more by hand."
        )
        rows = QFormLayout(self)
        rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        rows.addRow("Original File", self.files.original)
        rows.addRow("Target File", self.files.target)
        rows.addRow("Map Setup File", self.files.setup)
        rows.addRow("House File List", self.files.houses)
        rows.addRow("", self.is_filled)
        rows.addRow("Distance to Street", self.to_street)
        rows.addRow("Distance between Houses", self.between)
        rows.addRow("Seed", self.seed)

    def fill(self, request: FurnishRequest, target: Path | None) -> None:
        """Puts a request into the fields."""
        self.files.original.path = None if request.original == Path() else request.original
        self.files.target.path = target
        self.files.setup.path = request.setup
        self.files.houses.path = request.houses
        self.to_street.setValue(request.spacing.to_street)
        self.between.setValue(request.spacing.between)
        self.is_filled.setChecked(request.is_filled)
        self.seed.setValue(min(request.seed, _LARGEST_SEED))

    def request(self) -> FurnishRequest:
        """The request that the fields make.

        Raises:
            ManipulatorError: a file that is needed is not named.
        """
        return FurnishRequest(
            original=_needed(self.files.original, "original file"),
            houses=_needed(self.files.houses, "house file list"),
            setup=self.files.setup.path,
            spacing=Spacing(self.to_street.value(), self.between.value()),
            seed=self.seed.value(),
            is_filled=self.is_filled.isChecked(),
        )

    def target(self) -> Path:
        """The file to write.

        Raises:
            ManipulatorError: the field is empty.
        """
        return _needed(self.files.target, "target file")


def _distance(hint: str) -> QDoubleSpinBox:
    box = QDoubleSpinBox()
    box.setRange(0.0, MAX_DISTANCE)
    box.setDecimals(1)
    box.setSingleStep(0.5)
    box.setSuffix(" m")
    box.setToolTip(hint)
    return box


def _needed(field: FileField, name: str) -> Path:
    if field.path is None:
        raise ManipulatorError(f"choose the {name}")
    return field.path
