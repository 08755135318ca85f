"""Pictures of a world's cameras, rendered by a separate process."""

import select

import numpy as np

from autosim.engine.programs.picture_scheduler import PictureScheduler
from autosim.engine.step.simulation import Simulation
from autosim.errors import UserError
from autosim.kinds.sensors.perception.camera import picture_size
from autosim.model.commands import DeviceError
from autosim.userprogram.ipc.camera_images import ImageSlot, PictureRequest
from autosim.userprogram.session.node_records import find_camera
from autosim_testbench.messages.kinds import picture_kind
from autosim_testbench.messages.serial_object import SerialObject

_MILLISECONDS = 1000.0
"""Milliseconds in a second [ms/s]: the unit of the system's timeouts."""

_COLOURS, _DEPTH = "rgb", "depth"


class CameraPictures:
    """Renders the cameras of a simulation on request.

    Args:
        simulation: whose cameras.
        seed: of the noise of cameras.

    Raises:
        UserError: it has no cameras.
    """

    def __init__(self, simulation: Simulation, seed: int) -> None:
        desk = PictureScheduler.over(
            simulation.world,
            simulation.compiled,
            simulation.tree,
            memory=simulation.state.buffer,
            seed=seed,
        )
        images = desk.new_images() if desk else None
        if desk is None or images is None:
            raise UserError("the world has no cameras")
        self._desk, self._images = desk, images
        self._tree = simulation.tree
        self._wanted: list[tuple[PictureRequest, SerialObject]] = []

    def add(self, name: str) -> SerialObject:
        """The message that is to hold the pictures of a camera, `robot.part.camera`.

        Raises:
            UserError: it is not a camera, or makes no picture in colours.
        """
        try:
            camera = find_camera(self._tree, name)
        except DeviceError as error:
            raise UserError(str(error.reason)) from None
        if _COLOURS not in camera.kinds:
            raise UserError(f"{name} makes no picture in colours (<Kind> {_COLOURS})")
        message = picture_kind(*picture_size(camera, self._desk.size))()
        message.record["depths"] = np.inf
        self._wanted += [
            (PictureRequest(name, kind), message)
            for kind in (_COLOURS, _DEPTH)
            if kind in camera.kinds
        ]
        return message

    def draw(self) -> None:
        """Fills all messages with what their cameras see now.

        Raises:
            UserError: the pictures cannot be drawn.
        """
        wishes = [wish for wish, _ in self._wanted]
        for (wish, message), place in zip(self._wanted, self._places(wishes), strict=True):
            image = self._images.picture(wish.kind, place)
            if wish.kind == _COLOURS:
                message.record["colours"] = image[..., :3]
            else:
                message.record["depths"] = image

    def close(self) -> None:
        """Ends the process that draws."""
        self._desk.close()
        self._images.close()

    def _places(self, wishes: list[PictureRequest]) -> tuple[ImageSlot, ...]:
        number = self._desk.order(0, self._images, wishes)
        while (drawn := self._desk.answer(number)) is None:
            poll = select.poll()
            poll.register(self._desk.fileno(), select.POLLIN)
            poll.poll(_MILLISECONDS * self._desk.seconds_left())
        if drawn.failure:
            raise UserError(f"no pictures: {drawn.failure}")
        return tuple(drawn.places)
