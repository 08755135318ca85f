"""A window of its own: what the robot's cameras see, its lights, and buttons to drive it.

The window belongs to the program's process; its loop lets Qt work between two waits. Cameras are
drawn by clients: run it there. docs/tutorials/demo_user_program.md explains it.

    autosim client --program userprograms/demo_user_program.py --robot impreza

It needs PyQt6: pip install autosim[gui].
"""

import sys

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QImage, QKeySequence, QPixmap, QShortcut
from PyQt6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QGridLayout,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from autosim.userprogram import (
    DeviceError,
    describe,
    get_data,
    get_image,
    get_vehicle_info,
    set_data,
    unlock_image,
    wait,
)

PERIOD = 0.05  # s of simulated time between two looks at the buttons
PUSH = 0.5  # share of the motor's force
STEERING_RATE = 1.0  # largest angles a second
KEYS = {
    Qt.Key.Key_Up: "Forwards",
    Qt.Key.Key_Down: "Backwards",
    Qt.Key.Key_Left: "Left",
    Qt.Key.Key_Right: "Right",
    Qt.Key.Key_Space: "Brake",
}
KINDS_OF_LIGHTS = ("LightDevice", "HeadLightDevice")


def devices(robot, *kinds):
    """The full names of the robot's devices of these kinds."""
    described = describe(robot).devices
    return [
        f"{robot}.{each.part}.{each.name}" for each in described if type(each).__name__ in kinds
    ]


class Picture(QLabel):
    """What the chosen camera sees."""

    def __init__(self):
        super().__init__()
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.setMinimumSize(QSize(320, 240))
        self.setWordWrap(True)

    def look(self, camera):
        """Shows what `camera` sees now."""
        try:
            pixels = get_image(camera)
        except DeviceError as error:  # on a server nobody draws
            self.setText(error.reason)
            return
        height, width, _ = pixels.shape
        image = QImage(pixels.tobytes(), width, height, QImage.Format.Format_RGBA8888)
        unlock_image()
        keep = Qt.AspectRatioMode.KeepAspectRatio
        self.setPixmap(QPixmap.fromImage(image).scaled(self.size(), keep))


class Pedals(QGroupBox):
    """Buttons that drive while they are held; the arrow keys hold them, too."""

    def __init__(self, vehicle):
        super().__init__("Drive")
        self._vehicle = vehicle
        self._steering = 0.0
        places = {"&Forwards": (0, 1), "&Left": (1, 0), "Br&ake": (1, 1), "&Right": (1, 2)}
        places["&Backwards"] = (2, 1)
        self.buttons = {text.replace("&", ""): QPushButton(text) for text in places}
        grid = QGridLayout(self)
        for button, place in zip(self.buttons.values(), places.values(), strict=True):
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            grid.addWidget(button, *place)

    def hold(self, name, is_held):
        """A key is pressed or let go."""
        self.buttons[name].setDown(is_held)

    def values(self):
        """Steering [rad], acceleration and brake after `PERIOD` with what is held now."""
        held = {name for name, button in self.buttons.items() if button.isDown()}
        wanted = ("Left" in held) - ("Right" in held)
        most = STEERING_RATE * PERIOD
        self._steering += min(max(wanted - self._steering, -most), most)
        push = PUSH * (("Forwards" in held) - ("Backwards" in held))
        angle = self._vehicle.max_steering_angle * self._steering
        return [angle, push, 1.0 if "Brake" in held else 0.0]


class Window(QWidget):
    """The window: a picture on the left; speed, lights and pedals on the right."""

    def __init__(self, robot):
        super().__init__()
        self.setWindowTitle(f"AutoSim demo: {robot}")
        vehicle = get_vehicle_info(robot)
        self._part = f"{robot}.{vehicle.part}"
        self._drive = f"{self._part}.{vehicle.actuator}"
        self.picture = Picture()
        self.camera = QComboBox()
        self.camera.addItems(devices(robot, "Camera"))
        self.speed = QLabel()
        self.pedals = Pedals(vehicle)
        self.lights = {
            name: QCheckBox(name.split(".")[-1]) for name in devices(robot, *KINDS_OF_LIGHTS)
        }
        for name, box in self.lights.items():
            box.toggled.connect(lambda is_on, name=name: set_data(name, float(is_on)))
        self._arrange()
        QShortcut(QKeySequence.StandardKey.Cancel, self, self.close)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFocus()

    def _arrange(self):
        switches = QGroupBox("Lights")
        grid = QGridLayout(switches)
        for number, box in enumerate(self.lights.values()):
            grid.addWidget(box, number // 2, number % 2)
        switches.setVisible(bool(self.lights))
        side = QVBoxLayout()
        for widget in (self.camera, self.speed, switches, self.pedals):
            side.addWidget(widget)
        side.addStretch()
        row = QHBoxLayout(self)
        row.addWidget(self.picture, stretch=1)
        row.addLayout(side)

    def work(self):
        """Reads the robot, and sets what is switched on."""
        set_data(self._drive, self.pedals.values())
        self.speed.setText(f"{3.6 * get_data(f'{self._part}.velocimeter'):.1f} km/h")
        self.picture.look(self.camera.currentText())

    def keyPressEvent(self, event):  # noqa: N802
        """An arrow is held (a key that is held repeats itself)."""
        self._hold(event, True)

    def keyReleaseEvent(self, event):  # noqa: N802
        """An arrow is let go."""
        self._hold(event, False)

    def _hold(self, event, is_held):
        if event.key() in KEYS and not event.isAutoRepeat():
            self.pedals.hold(KEYS[event.key()], is_held)


def main(argv):
    """Shows the window of the robot `argv[0]` until it is closed."""
    application = QApplication(sys.argv[:1])
    window = Window(argv[0])
    window.resize(900, 480)
    window.show()
    while window.isVisible():
        application.processEvents()
        window.work()
        wait(PERIOD)
