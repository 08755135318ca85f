"""Objects of a world without drive, as moving objects of OSI: they may be pushed."""

import numpy as np
from osi3.osi_object_pb2 import MovingObject

from autosim.arrays import Floats
from autosim.kinds.kind import body_of
from autosim.model.belief import ORIENTATION, POSITION
from autosim.model.state import State
from autosim.model.tree import WORD
from autosim.osi.osi_objects.robot_messages import pose_of
from autosim.osi.osi_values import IdKind, dimensions, identifier


class PassiveObjects:
    """Makes the messages of all objects of a world.

    Args:
        state: whose buffer holds the values.
    """

    def __init__(self, state: State) -> None:
        self._objects: list[tuple[Floats, MovingObject, Floats]] = []
        self.ids: dict[int, str] = {}
        for number, (name, part) in enumerate(state.tree.objects.items()):
            node = state.tree.find(name)
            assert node is not None
            words = state.floats[node.start // WORD : node.own_stop // WORD]
            body, found = body_of(part), MovingObject()
            low, high = np.array(body.low), np.array(body.high)
            found.id.value = identifier(IdKind.OBJECT, number)
            found.type = MovingObject.TYPE_OTHER
            found.base.dimension.CopyFrom(dimensions(high - low))
            reference = found.source_reference.add()
            reference.type, reference.identifier[:] = "net.autosim.object", [name]
            self._objects.append((words, found, (low + high) / 2.0))
            self.ids[found.id.value] = name

    def messages(self) -> list[MovingObject]:
        """All objects in the present state."""
        for words, found, centre in self._objects:
            # Time, position, orientation, velocities; accelerations are not in the state.
            motion = np.zeros(17)
            motion[POSITION:ORIENTATION] = words[:3]
            motion[ORIENTATION:14] = words[3:13]
            pose_of(found, motion, centre)
            found.base.ClearField("acceleration")
        return [found for _, found, _ in self._objects]
