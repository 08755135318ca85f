"""Distances of both sides: the nearer thing hides the farther one."""

import math

import numpy as np
import numpy.typing as npt

from autosim.arrays import Floats
from autosim_testbench.messages.kinds import Range, scan_kind
from autosim_testbench.messages.serial_object import DynamicMessage
from autosim_testbench.nodes.parameters import number_of, whole_number_of
from autosim_testbench.nodes.reality import Combiner, M

_FARTHEST = 4.0
"""Range [m] of an HC-SR04, the sensor of the demonstration, where no `maximum` is set."""


class _Distances(Combiner[M]):
    """Takes the smaller of two distances; one outside the sensor's limits counts as nothing."""

    def create_objects(self) -> None:
        """Makes the objects, and reads the limits `minimum` and `maximum` [m]."""
        self._minimum = number_of(self, "minimum", 0.0)
        self._maximum = number_of(self, "maximum", _FARTHEST)
        self.physical, self.virtual, self.output = (self.make() for _ in range(3))

    def make(self) -> M:
        """One object."""
        raise NotImplementedError

    def combined(self, *sides: npt.ArrayLike) -> Floats:
        """The smallest of all sides, with infinity for what the sensor could not have seen."""
        limited = [
            np.where(
                (np.less(each, self._minimum)) | (np.greater(each, self._maximum)), np.inf, each
            )
            for each in sides
        ]
        smallest: Floats = np.minimum.reduce(limited)
        return smallest


class RangeCombiner(_Distances[Range]):
    """One distance, as of an ultrasonic sensor. Parameters: `minimum`, `maximum` [m], topics."""

    def make(self) -> Range:
        """A `Range`."""
        return Range(distance=math.inf)

    def combine(self, physical: Range | None, virtual: Range | None) -> None:
        """The smaller distance of those that lie between the limits."""
        self.output.distance = self.combined(
            *(each.distance for each in (physical, virtual) if each)
        )


class LidarCombiner(_Distances[DynamicMessage]):
    """A lidar's distances, ray by ray. Parameters: `rays`, `minimum`, `maximum` [m], topics."""

    def make(self) -> DynamicMessage:
        """A scan with as many rays as the parameter `rays` says."""
        return scan_kind(whole_number_of(self, "rays"))()

    def combine(self, physical: DynamicMessage | None, virtual: DynamicMessage | None) -> None:
        """The smaller distance along each ray."""
        self.output.ranges = self.combined(*(each.ranges for each in (physical, virtual) if each))
