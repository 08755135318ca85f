"""Boards as nodes: their sensors are published, their actuators are set.

The parameter `port` names the serial port of a real board, such as `/dev/ttyACM0`. Without it the
board is emulated: it runs the same firmware, in step with the bench.
"""

import math
from collections.abc import Sequence
from pathlib import Path

from autosim_testbench.hardware.board_frames import BoardMessage, pack_frame, unpack_frame
from autosim_testbench.hardware.emulated_board import EmulatedBoard, Pins
from autosim_testbench.hardware.framing import Decoder, encode
from autosim_testbench.hardware.serial_port import SerialPort, require_port
from autosim_testbench.messages.kinds import Heading, Range, WheelCommand
from autosim_testbench.messages.serial_object import MessageError, SerialObject
from autosim_testbench.nodes.clock import NANOSECONDS
from autosim_testbench.nodes.node import Node
from autosim_testbench.nodes.parameters import file_of, number_of
from autosim_testbench.obstacle_avoidance.motor_controller import SabertoothBytes
from autosim_testbench.range_finding.plane_shapes import distance
from autosim_testbench.range_finding.scene_file import load_scene

_HEADING, _RANGE = 0, 1
"""Numbers of the topics in `firmware/range_finder`."""

_WHEELS = 0
"""Number of the topic in `firmware/rover`."""

_MICROSECOND = 1000
"""Nanoseconds in a microsecond [ns/µs], the unit of a board's clock."""

_WRAP = 1 << 32
"""[µs] after which a board's clock wraps around."""

_KEEP_ALIVE_NS = NANOSECONDS // 4
"""Time [ns] between two commands to a rover, which stops by itself after a second without one."""


class _Board(Node):
    """Base of boards: the serial line, frames, and the board's clock."""

    firmware: str
    """Firmware of an emulated board."""

    def setup(self, arguments: Sequence[str]) -> None:
        """Opens the port, or starts an emulated board."""
        port = self.parameters.get("port", "")
        if port:
            require_port(Path(port))
        self._port = SerialPort(Path(port)) if port else None
        self._emulated = None if port else EmulatedBoard(self.firmware)
        self._decoder = Decoder()
        self._refused: dict[str, int] = {}
        self._board_ns = self.now_ns()
        self._offset_ns: int | None = self._board_ns if self._emulated else None
        self._newest_us = self._turns = 0
        self._to_board = b""
        self.connect_board()
        self.register_core_function(self._exchange)
        self.register_exit_function(self._close)

    def connect_board(self) -> None:
        """Names, connects and registers the topics."""
        raise NotImplementedError

    def pins(self) -> Pins:
        """Current input of the sensors of an emulated board."""
        return Pins()

    def take(self, message: BoardMessage, stamp_ns: int) -> None:
        """Takes a message of the board; of what is measured at `stamp_ns`."""

    def drive_motors(self, data: bytes) -> None:
        """Takes what an emulated board has sent to its motor controller."""

    def send(self, topic: int, message: SerialObject) -> None:
        """Has the board receive a message."""
        self._to_board += encode(pack_frame(topic, message))

    def report(self) -> dict[str, object]:
        """Numbers of invalid pieces of the stream, of wrong frames, and of lost ports."""
        found: dict[str, object] = {"pieces_rejected": self._decoder.rejected}
        if self._refused:
            found["frames_refused"] = self._refused
        if self._port:
            found["port_lost"] = self._port.times_lost
        return found

    def _exchange(self) -> None:
        sent, self._to_board = self._to_board, b""
        if self._emulated:
            seconds = (self.now_ns() - self._board_ns) / NANOSECONDS
            self._board_ns = self.now_ns()
            said = self._emulated.run(seconds, self.pins(), sent)
            received = said.serial
            if said.motors:
                self.drive_motors(said.motors)
        else:
            assert self._port is not None
            if sent:
                self._port.write(sent)
            received = self._port.read()
        for payload in self._decoder.add(received):
            try:
                message = unpack_frame(payload)
                self.take(message, self._stamp_of(message.time_us))
            except MessageError as error:
                self._refused[str(error)] = self._refused.get(str(error), 0) + 1

    def _stamp_of(self, time_us: int) -> int:
        """The bench's time of a board's time; of a real board from its first message on."""
        if time_us < self._newest_us - _WRAP // 2:
            self._turns += 1
        elif time_us < self._newest_us:  # the board has started again
            self._offset_ns = None if self._port else self._offset_ns
        self._newest_us = time_us
        board_ns = (time_us + self._turns * _WRAP) * _MICROSECOND
        if self._offset_ns is None:
            self._offset_ns = self.now_ns() - board_ns
        return self._offset_ns + board_ns

    def _close(self) -> None:
        for each in (self._port, self._emulated):
            if each:
                each.close()


class RangeFinderBoard(_Board):
    """A board with a range finder and a compass on a turntable.

    Parameters: `heading` and `range` (topics); `port`; for an emulated board `scene` (file: what is
    really there) and `turn_rate` [rad/s, clockwise] of the turntable.
    """

    firmware = "range_finder"

    def connect_board(self) -> None:
        """Advertises both sensors."""
        self._shapes = load_scene(file_of(self, "scene")) if self._emulated else ()
        self._turn_rate = number_of(self, "turn_rate", 0.35)
        self._begun_ns = self.now_ns()
        self.heading, self.range = Heading(), Range()
        self.advertise(self.find_topic_name("heading"), self.heading)
        self.advertise(self.find_topic_name("range"), self.range)

    def pins(self) -> Pins:
        """Distance in the turntable's direction."""
        turned_ns = self.now_ns() - self._begun_ns
        heading = math.fmod(self._turn_rate * turned_ns / NANOSECONDS, math.tau)
        return Pins(distance(self._shapes, math.pi / 2 - heading), heading)

    def take(self, message: BoardMessage, stamp_ns: int) -> None:
        """Publishes a measurement."""
        target = {_HEADING: self.heading, _RANGE: self.range}.get(message.topic)
        if target is None:
            raise MessageError(f"the board has no topic {message.topic}")
        message.fill(target)
        target.stamp_ns, target.flagged = stamp_ns, True


class RoverBoard(_Board):
    """A board that drives a rover's motors.

    Parameters: `wheels` (topic, a `WheelCommand`); `motors` (topic: what an emulated board has told
    its motor controller); `port`.
    """

    firmware = "rover"

    def connect_board(self) -> None:
        """Listens to commands for the wheels."""
        self.wheels, self.motors = WheelCommand(), SabertoothBytes()
        self._sent_ns = 0
        name = self.find_topic_name("wheels")
        self.subscribe(name, self.wheels)
        self.advertise(self.find_topic_name("motors"), self.motors)
        self.register_input_function(name, self._command)
        self.register_core_function(self._keep_alive)

    def drive_motors(self, data: bytes) -> None:
        """Publishes the newest byte for each motor; its upper bit selects the motor."""
        for byte in data:
            self.motors.motors[byte >> 7] = byte
        self.motors.flagged = True

    def _command(self) -> None:
        self._sent_ns = self.now_ns()
        self.send(_WHEELS, self.wheels)

    def _keep_alive(self) -> None:
        if self.now_ns() >= self._sent_ns + _KEEP_ALIVE_NS:
            self._command()
