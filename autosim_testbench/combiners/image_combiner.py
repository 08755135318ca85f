"""Pictures of both sides: virtual things are drawn into a camera's picture by their depth."""

import numpy as np

from autosim_testbench.messages.kinds import picture_kind
from autosim_testbench.messages.serial_object import DynamicMessage
from autosim_testbench.nodes.parameters import whole_number_of
from autosim_testbench.nodes.reality import Combiner


class ImageCombiner(Combiner[DynamicMessage]):
    """Pictures with depth. Parameters: `width` and `height` [pixels], topics.

    Augmented, each pixel is that of the nearer side. A camera that measures no depth sends
    infinity: virtual things then lie before all that it sees. Where the virtual picture has
    nothing, its depth is infinite.
    """

    def create_objects(self) -> None:
        """Makes the objects, of the size that the parameters say."""
        kind = picture_kind(whole_number_of(self, "width"), whole_number_of(self, "height"))
        self.physical, self.virtual, self.output = kind(), kind(), kind()

    def combine(self, physical: DynamicMessage | None, virtual: DynamicMessage | None) -> None:
        """The picture of one side, or of the nearer one pixel by pixel."""
        first, *others = (each for each in (physical, virtual) if each)
        self.output.colours, self.output.depths = first.colours, first.depths
        for other in others:
            is_nearer = other.depths < first.depths
            self.output.colours = np.where(is_nearer[..., None], other.colours, first.colours)
            self.output.depths = np.minimum(other.depths, first.depths)
