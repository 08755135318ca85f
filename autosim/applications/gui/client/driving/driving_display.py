"""The display of who drives: speed, gear and controls of a robot, painted over its picture."""

from dataclasses import dataclass

import numpy as np
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFont, QPainter

from autosim.applications.driving.driver_input import (
    Steering,
    forward_speed,
    gear_of,
    steering_limit,
    steering_of,
)
from autosim.applications.driving.kinematic_commands import wanted_of
from autosim.applications.driving.manual_driving import drive_of
from autosim.config.descriptions import WorldDescription
from autosim.model.state import State
from autosim.model.tree import WORD, SimulationTree, TreeNode

WIDTH, HEIGHT, MARGIN = 320.0, 84.0, 10.0
"""Of the display in units of the painter: pixels, in a window of the usual size."""

_PAPER = QColor(12, 14, 18, 190)
_INK = QColor(255, 255, 255)
_DIM = QColor(165, 172, 182)
_TRACK = QColor(255, 255, 255, 45)
_STEERING = QColor(90, 180, 255)
_THROTTLE = QColor(90, 210, 120)
_BRAKE = QColor(255, 95, 75)


@dataclass(frozen=True, slots=True)
class Reading:
    """Content of the display.

    `speed` forwards [m/s]; `gear` D, N or R; `steering` a share of the angle that the speed allows,
    -1 (right) to 1 (left); `throttle` and `brake` shares, 0 to 1.
    """

    speed: float
    gear: str
    steering: float
    throttle: float
    brake: float


class DrivingDisplay:
    """Reads the robots that can be driven out of any state.

    Args:
        world: the robots.
        tree: of the states.
    """

    def __init__(self, world: WorldDescription, tree: SimulationTree) -> None:
        self._drives: dict[str, tuple[TreeNode, Steering]] = {}
        for placed in world.robots:
            robot = tree.find(placed.name)
            assert robot is not None
            drive = drive_of(robot)
            if drive is not None:
                self._drives[placed.name] = drive, steering_of(placed.robot)

    def read(self, state: State, robot: str) -> Reading | None:
        """The display of `robot`, None if it cannot be driven."""
        if robot not in self._drives:
            return None
        drive, steering = self._drives[robot]
        part = drive.parent
        assert part is not None
        values = tuple(state.floats[drive.start // WORD :][:3].tolist())
        speed = _speed(state, part)
        is_kinematic = drive.kind == "KinematicVehicle"
        angle, acceleration, brake = wanted_of(values, speed=speed) if is_kinematic else values
        limit = steering_limit(steering, speed)
        return Reading(
            speed=speed,
            gear=gear_of(speed=speed, acceleration=acceleration),
            steering=max(-1.0, min(1.0, angle / limit)) if limit else 0.0,
            throttle=abs(acceleration),
            brake=brake,
        )


def _speed(state: State, part: TreeNode) -> float:
    fields = {each.name: each for each in part.fields}
    orientation, velocity = (
        np.array(state.value(part, fields[name])) for name in ("orientation", "velocity")
    )
    return forward_speed(orientation, velocity)


def paint_display(
    painter: QPainter, width: float, height: float, reading: Reading, *, hint: str
) -> None:
    """Paints the display at the lower edge of a picture of that size; `hint` is its last line."""
    scale = min(1.0, (width - 2.0 * MARGIN) / WIDTH, height / (3.0 * HEIGHT))
    if scale <= 0.2:
        return
    painter.save()
    painter.translate(width / 2.0, height - MARGIN)
    painter.scale(scale, scale)
    painter.translate(-WIDTH / 2.0, -HEIGHT)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(_PAPER)
    painter.drawRoundedRect(QRectF(0.0, 0.0, WIDTH, HEIGHT), 8.0, 8.0)
    _paint_speed(painter, reading)
    _paint_steering(painter, reading.steering)
    _paint_bar(painter, QPointF(150.0, 34.0), "throttle", reading.throttle, _THROTTLE)
    _paint_bar(painter, QPointF(150.0, 50.0), "brake", reading.brake, _BRAKE)
    _write(painter, QRectF(8.0, 64.0, WIDTH - 16.0, 16.0), hint, 11, _DIM)
    painter.restore()


def _paint_speed(painter: QPainter, reading: Reading) -> None:
    text = f"{3.6 * abs(reading.speed):.0f}"
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    _write(painter, QRectF(4.0, 8.0, 62.0, 40.0), text, 34, _INK, right)
    _write(painter, QRectF(66.0, 26.0, 40.0, 18.0), "km/h", 12, _DIM)
    _write(painter, QRectF(108.0, 8.0, 34.0, 40.0), reading.gear, 30, _INK)


def _paint_steering(painter: QPainter, share: float) -> None:
    """A bar from the middle to the side that the wheels point to; left is left."""
    _write(painter, QRectF(150.0, 8.0, 52.0, 16.0), "steering", 11, _DIM, _LEFT)
    track = QRectF(208.0, 12.0, 100.0, 8.0)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(_TRACK)
    painter.drawRect(track)
    middle, reach = track.center().x(), -share * track.width() / 2.0
    painter.setBrush(_STEERING)
    painter.drawRect(QRectF(min(middle, middle + reach), track.y(), abs(reach), track.height()))
    painter.setBrush(_INK)
    painter.drawRect(QRectF(middle - 0.75, track.y() - 3.0, 1.5, track.height() + 6.0))


def _paint_bar(painter: QPainter, corner: QPointF, name: str, share: float, colour: QColor) -> None:
    box = QRectF(corner.x(), corner.y() - 6.0, 52.0, 16.0)
    _write(painter, box, name, 11, _DIM, _LEFT)
    track = QRectF(208.0, corner.y() - 2.0, 100.0, 8.0)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(_TRACK)
    painter.drawRect(track)
    painter.setBrush(colour)
    painter.drawRect(QRectF(track.x(), track.y(), share * track.width(), track.height()))


_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


def _write(
    painter: QPainter,
    box: QRectF,
    text: str,
    pixels: int,
    colour: QColor,
    alignment: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignCenter,
) -> None:
    font = QFont(painter.font())
    font.setPixelSize(pixels)
    painter.save()
    painter.setFont(font)
    painter.setPen(colour)
    painter.drawText(box, int(alignment), text)
    painter.restore()
