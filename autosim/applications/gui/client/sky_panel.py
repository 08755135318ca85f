"""Day time and weather of the pictures: a slider and a choice."""

from PyQt6.QtCore import QSignalBlocker, Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QSlider,
    QWidget,
)

from autosim.applications.gui.shared.skies import NOON, WEATHERS, SkyChoice
from autosim.config.world_settings import SkyDescription

STEPS_PER_HOUR = 6
"""Number of the slider's steps per hour: ten minutes each, in which the light hardly changes."""
WORLDS_OWN = "as in the world file"


class SkyPanel(QWidget):
    """Shows and changes a `SkyChoice`. Signal `chosen` (SkyChoice)."""

    chosen = pyqtSignal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.choice = SkyChoice()
        self._worlds = SkyDescription()
        self.time = QSlider(Qt.Orientation.Horizontal)
        self.time.setRange(0, 24 * STEPS_PER_HOUR - 1)
        self.time.setPageStep(STEPS_PER_HOUR)
        self.time.setAccessibleName("Day Time")
        self.time.setToolTip("Time of day of the pictures (T: an hour later, Shift+T: earlier)")
        self.clock = QLabel()
        self.weather = QComboBox()
        self.weather.addItems([WORLDS_OWN, *WEATHERS])
        self.weather.setAccessibleName("Weather")
        self.weather.setToolTip("Weather of the pictures (G: the next one)")
        self._lay_out()
        self.time.valueChanged.connect(self._take_time)
        self.weather.activated.connect(self._take_weather)
        self.show_choice(self.choice)

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.addWidget(self.time, 1)
        row.addWidget(self.clock)
        self.clock.setMinimumWidth(self.clock.fontMetrics().horizontalAdvance("00:00 "))
        form = QFormLayout(self)
        form.setContentsMargins(6, 4, 6, 4)
        form.setVerticalSpacing(3)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow("Da&y Time", row)
        form.addRow("&Weather", self.weather)
        label = form.labelForField(row)
        if isinstance(label, QLabel):
            label.setBuddy(self.time)

    def show_world(self, sky: SkyDescription) -> None:
        """Takes the sky of another world as its own; what was chosen stays."""
        self._worlds = sky
        self.show_choice(self.choice)

    def show_choice(self, choice: SkyChoice) -> None:
        """Shows a choice without a signal."""
        self.choice = choice
        hours = choice.of(self._worlds).hours
        with QSignalBlocker(self.time), QSignalBlocker(self.weather):
            self.time.setValue(round((NOON if hours is None else hours) * STEPS_PER_HOUR))
            self.weather.setCurrentText(choice.weather or WORLDS_OWN)
        self.clock.setText("–" if hours is None else clock_text(hours))

    def choose(self, choice: SkyChoice) -> None:
        """Shows a choice and emits the signal."""
        self.show_choice(choice)
        self.chosen.emit(choice)

    def add_hours(self, hours: float) -> None:
        """Advances the time of day by a number of hours."""
        self.choose(self.choice.later(hours, self._worlds))

    def choose_next_weather(self) -> None:
        """Switches to the next weather."""
        self.choose(self.choice.with_next_weather())

    def reset(self) -> None:
        """Goes back to what the world file says."""
        self.choose(SkyChoice())

    def _take_time(self, value: int) -> None:
        self.choose(SkyChoice(value / STEPS_PER_HOUR, self.choice.weather))

    def _take_weather(self, index: int) -> None:
        name = self.weather.itemText(index)
        self.choose(SkyChoice(self.choice.hours, None if name == WORLDS_OWN else name))


def clock_text(hours: float) -> str:
    """Hours and minutes of a time of day [h]."""
    minutes = round(60 * hours) % (24 * 60)
    return f"{minutes // 60:02}:{minutes % 60:02}"
