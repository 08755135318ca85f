"""All that an agent sees: its numbers in one array, and its pictures beside them."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from autosim.environments.observations import (
    CameraPicture,
    Observation,
    ObservationSource,
    RasterObservation,
)
from autosim.model.state import State

NUMBERS = "numbers"
"""Under which name the numbers are seen where there are pictures, too."""

Seen = npt.NDArray[Any] | dict[str, npt.NDArray[Any]]
"""An observation: float32 numbers, a picture, or both by their names."""

Draw = Callable[[str, str, State], npt.NDArray[Any]]
"""Draws a camera's picture of a kind, in a state."""


class AgentView:
    """Observation of one robot.

    Without pictures it is one array of numbers, with one picture and nothing else that picture;
    else a dict of both, the pictures by the names of their cameras, as `chassis.front_view`, with
    the kind where it is not `rgb`: `chassis.front_view.depth`.

    Args:
        observations: in their order.
        layout: any state of the world.
        robot: whose devices they are.
        draw: draws pictures.

    Raises:
        DeviceError: there is no such device.
        ValueError: there are no observations, or one occurs twice.
    """

    def __init__(
        self, observations: Sequence[Observation], layout: State, robot: str, *, draw: Draw
    ) -> None:
        self._robot, self._draw = robot, draw
        pictures = [
            each for each in observations if isinstance(each, CameraPicture | RasterObservation)
        ]
        self._told = [
            each for each in observations if not isinstance(each, CameraPicture | RasterObservation)
        ]
        self._pictures = {each.name: each for each in pictures}
        if not observations or len(self._pictures) < len(pictures):
            raise ValueError("expected one observation or more, and each picture once")
        spaces: dict[str, gymnasium.Space[Any]] = {
            each.name: each.space(layout.tree, robot) for each in pictures
        }
        self._slices: list[slice] = []
        if self._told:
            spaces = {NUMBERS: self._space_of_numbers(layout), **spaces}
        self._is_plain = len(spaces) == 1
        self.space: gymnasium.Space[Any] = (
            next(iter(spaces.values())) if self._is_plain else gymnasium.spaces.Dict(spaces)
        )

    def begin(self, state: State) -> None:
        """Reads this state from now on."""
        self._readers = [each.reader(state, self._robot) for each in self._told]

    def read(self, look: ObservationSource) -> Seen:
        """The current observation: new arrays."""
        seen: dict[str, npt.NDArray[np.generic]] = {}
        if self._told:
            seen[NUMBERS] = self._numbers(look)
        for name, picture in self._pictures.items():
            if not isinstance(picture, CameraPicture):
                seen[name] = picture.raster(look)
                continue
            camera = f"{self._robot}.{picture.device}"
            seen[name] = picture.shown(self._draw(camera, picture.kind, look.state))
        return next(iter(seen.values())) if self._is_plain else seen

    def _numbers(self, look: ObservationSource) -> npt.NDArray[np.float32]:
        out: npt.NDArray[np.float32] = np.empty(self._count, dtype=np.float32)
        for read, place in zip(self._readers, self._slices, strict=True):
            read(look, out[place])
        return out

    def _space_of_numbers(self, layout: State) -> gymnasium.spaces.Box:
        bounds = [each.bounds(layout, self._robot) for each in self._told]
        ends = np.cumsum([0, *(len(low) for low, _ in bounds)]).tolist()
        self._slices, self._count = [slice(a, b) for a, b in pairwise(ends)], ends[-1]
        return gymnasium.spaces.Box(
            np.concatenate([low for low, _ in bounds]), np.concatenate([high for _, high in bounds])
        )
