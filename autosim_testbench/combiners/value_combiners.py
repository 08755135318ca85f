"""Numbers and poses of both sides."""

from collections.abc import Callable

import numpy as np
from scipy.spatial.transform import Rotation

from autosim_testbench.messages.kinds import Scalar, Transform
from autosim_testbench.nodes.parameters import choice_of
from autosim_testbench.nodes.reality import Combiner

_RULES: dict[str, Callable[[list[float]], float]] = {"sum": sum, "minimum": min, "maximum": max}


class ScalarCombiner(Combiner[Scalar]):
    """A number. Augmented, the parameter `rule` says how: sum, minimum or maximum of both."""

    def create_objects(self) -> None:
        """Makes the objects, and reads the rule."""
        self._rule = _RULES[choice_of(self, "rule", tuple(_RULES))]
        self.physical, self.virtual, self.output = Scalar(), Scalar(), Scalar()

    def combine(self, physical: Scalar | None, virtual: Scalar | None) -> None:
        """The value of one side, or of both by the rule."""
        self.output.value = self._rule([each.value for each in (physical, virtual) if each])


class TransformCombiner(Combiner[Transform]):
    """A pose. Augmented, the virtual pose is one in the physical frame: X_AC = X_AB X_BC."""

    def create_objects(self) -> None:
        """Makes the objects."""
        self.physical, self.virtual, self.output = Transform(), Transform(), Transform()

    def combine(self, physical: Transform | None, virtual: Transform | None) -> None:
        """The pose of one side, or the physical one followed by the virtual one."""
        poses = [each for each in (physical, virtual) if each]
        position, rotation = np.zeros(3), Rotation.identity()
        for each in poses:
            position = position + rotation.apply(each.position)
            rotation = rotation * Rotation.from_quat(each.orientation)
        self.output.position, self.output.orientation = position, rotation.as_quat()
