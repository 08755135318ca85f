"""Nodes between a robot's software and its world: they choose or mix what is physical and virtual.

- `Combiner`: a physical and a virtual source make one output.
- `Splitter`: one input goes to a physical and a virtual destination.
- `SingleValued`: one input makes one output, converted.

The reality mode comes from the parameter `mode`, and changes while the bench runs by a `ModeSwitch`
on the topic `NODE/mode`. A combiner listens only to what its mode uses.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import Generic, TypeVar

from autosim.errors import UserError
from autosim_testbench.backends.backend import BackendConnection
from autosim_testbench.messages.envelope import seal
from autosim_testbench.messages.serial_object import MessageField, SerialObject
from autosim_testbench.nodes.node import Node

M = TypeVar("M", bound=SerialObject)
"""The kind of message of both sides."""

In = TypeVar("In", bound=SerialObject)
Out = TypeVar("Out", bound=SerialObject)


class RealityMode(IntEnum):
    """Reality that a node uses."""

    PHYSICAL = 0
    VIRTUAL = 1
    AUGMENTED = 2

    @property
    def uses_physical(self) -> bool:
        """Whether the physical side takes part."""
        return self is not RealityMode.VIRTUAL

    @property
    def uses_virtual(self) -> bool:
        """Whether the virtual side takes part."""
        return self is not RealityMode.PHYSICAL


class ModeSwitch(SerialObject):
    """The reality mode that a combiner or splitter is to take."""

    mode = MessageField("uint8", about="0 physical, 1 virtual, 2 augmented")


def mode_topic(node: str) -> str:
    """The topic over which the mode of a node is switched."""
    return f"{node}/mode"


def switch_mode(
    connection: BackendConnection, node: str, mode: RealityMode, *, now_ns: int
) -> None:
    """Has a combiner or splitter of a bench that runs take a mode.

    Args:
        connection: to the bench's backend; any.
        node: the name of the combiner or splitter.
        mode: that it is to take; it ignores one that it does not have.
        now_ns: the time [ns] on the bench's clock.
    """
    message = seal(ModeSwitch(mode=mode), publisher=0, sequence=0, now_ns=now_ns)
    connection.publish(mode_topic(node), message)


def _make_objects(node: "MixedReality | SingleValued[In, Out]", names: Sequence[str]) -> None:
    """Calls `create_objects`.

    Raises:
        UserError: it leaves an object out.
    """
    node.create_objects()
    missing = [each for each in names if not isinstance(getattr(node, each, None), SerialObject)]
    if missing:
        raise UserError(
            f"node {node.name}: create_objects() of {type(node).__name__} has to make "
            f"{', '.join(f'self.{each}' for each in names)}, each a message; it does not make "
            f"{', '.join(f'self.{each}' for each in missing)}"
        )


def _is_missing(node: Node, method: str) -> UserError:
    return UserError(f"node {node.name}: {type(node).__name__} needs a method {method}")


class MixedReality(Node):
    """Base of combiners and splitters: their mode, and its switching."""

    modes: tuple[RealityMode, ...] = tuple(RealityMode)
    """The modes that this kind of node has."""

    _needed: tuple[str, ...] = ()
    """The attributes that `create_objects` has to make."""

    def setup(self, arguments: Sequence[str]) -> None:
        """Makes objects and topics, sets the mode, and registers the core routine."""
        self.mode = self.modes[0]
        self._switch = ModeSwitch()
        _make_objects(self, self._needed)
        self.set_topic_names()
        self.set_mode(self._mode_of(self.parameters.get("mode", str(int(self.mode)))))
        self.subscribe(mode_topic(self.name), self._switch)
        self.register_input_function(mode_topic(self.name), self._take_switch)
        self.register_core_function(self.route)

    def create_objects(self) -> None:
        """Makes the objects for input and output."""
        raise _is_missing(self, "create_objects(self)")

    def set_topic_names(self) -> None:
        """Names, connects and registers the topics."""
        raise NotImplementedError

    def set_mode(self, mode: RealityMode) -> None:
        """Takes a mode, from this turn on."""
        self.mode = mode

    def route(self) -> None:
        """The core routine: makes output where the mode's input has come."""
        raise NotImplementedError

    def _mode_of(self, text: str) -> RealityMode:
        try:
            mode = RealityMode(int(text))
        except ValueError:
            mode = None
        if mode not in self.modes:
            known = ", ".join(f"{each.value} ({each.name.lower()})" for each in self.modes)
            raise UserError(f"node {self.name}: mode {text!r} is none of {known}")
        return mode

    def _take_switch(self) -> None:
        if self._switch.mode in self.modes:
            self.set_mode(RealityMode(self._switch.mode))


class Combiner(MixedReality, Generic[M]):
    """A physical and a virtual source make one output.

    A kind of combiner makes `physical`, `virtual` and `output` in `create_objects`, and fills
    `output` in `combine`. The parameters `physical`, `virtual` and `output` name the topics.
    """

    _needed = ("physical", "virtual", "output")
    physical: M
    virtual: M
    output: M

    def set_topic_names(self) -> None:
        """Takes the topics' names from the parameters `physical`, `virtual` and `output`."""
        if type(self).combine is Combiner.combine:
            raise _is_missing(self, "combine(self, physical, virtual)")
        self._has_physical = self._has_virtual = False
        self._physical_name = self.find_topic_name("physical")
        self._virtual_name = self.find_topic_name("virtual")
        self.advertise(self.find_topic_name("output"), self.output)
        self.register_input_function(self._physical_name, self._physical_came)
        self.register_input_function(self._virtual_name, self._virtual_came)

    def set_mode(self, mode: RealityMode) -> None:
        """Takes a mode, and listens to what it uses and to nothing else."""
        super().set_mode(mode)
        self._listen(self._physical_name, self.physical, mode.uses_physical)
        self._listen(self._virtual_name, self.virtual, mode.uses_virtual)
        self._has_physical = self._has_physical and mode.uses_physical
        self._has_virtual = self._has_virtual and mode.uses_virtual

    def combine(self, physical: M | None, virtual: M | None) -> None:
        """Fills `output` from what the mode uses; the other side is None."""
        raise _is_missing(self, "combine(self, physical, virtual)")

    def route(self) -> None:
        """Combines once everything that the mode uses has come since the last time."""
        uses_physical, uses_virtual = self.mode.uses_physical, self.mode.uses_virtual
        if self._has_physical < uses_physical or self._has_virtual < uses_virtual:
            return
        sources = (
            self.physical if uses_physical else None,
            self.virtual if uses_virtual else None,
        )
        stamps = [each.stamp_ns for each in sources if each and each.stamp_ns is not None]
        self.output.stamp_ns = min(stamps, default=None)  # that of the oldest input
        self.combine(*sources)
        self.output.flagged = True
        self._has_physical = self._has_virtual = False

    def _listen(self, name: str, topic_object: SerialObject, is_used: bool) -> None:
        if is_used and name not in self.subscribed:
            self.subscribe(name, topic_object)
        elif not is_used:
            self.unsubscribe(name)

    def _physical_came(self) -> None:
        self._has_physical = True

    def _virtual_came(self) -> None:
        self._has_virtual = True


class Splitter(MixedReality, Generic[M]):
    """One input goes to a physical destination, a virtual one, or both (augmented).

    A kind of splitter makes `input`, `physical` and `virtual` in `create_objects`, and fills the
    outputs in `split`. The parameters `input`, `physical` and `virtual` name the topics.
    """

    _needed = ("input", "physical", "virtual")
    input: M
    physical: M
    virtual: M

    def set_topic_names(self) -> None:
        """Takes the topics' names from the parameters `input`, `physical` and `virtual`."""
        self._has_input = False
        name = self.find_topic_name("input")
        self.subscribe(name, self.input)
        self.register_input_function(name, self._input_came)
        self.advertise(self.find_topic_name("physical"), self.physical)
        self.advertise(self.find_topic_name("virtual"), self.virtual)

    def split(self, physical: M | None, virtual: M | None) -> None:
        """Fills the outputs that the mode uses from `input`; the other is None.

        By default, a splitter relays its input unchanged.
        """
        for each in (physical, virtual):
            if each:
                each.copy_from(self.input)

    def route(self) -> None:
        """Splits an input that has come since the last time."""
        if not self._has_input:
            return
        self._has_input = False
        physical = self.physical if self.mode.uses_physical else None
        virtual = self.virtual if self.mode.uses_virtual else None
        for each in (physical, virtual):
            if each:
                each.stamp_ns, each.flagged = self.input.stamp_ns, True
        self.split(physical, virtual)

    def _input_came(self) -> None:
        self._has_input = True


class SingleValued(Node, Generic[In, Out]):
    """One input makes one output.

    A kind makes `input` and `output` in `create_objects`, and fills `output` in `convert`. The
    parameters `input` and `output` name the topics.
    """

    input: In
    output: Out

    def setup(self, arguments: Sequence[str]) -> None:
        """Makes objects and topics."""
        _make_objects(self, ("input", "output"))
        name = self.find_topic_name("input")
        self.subscribe(name, self.input)
        self.advertise(self.find_topic_name("output"), self.output)
        self.register_input_function(name, self._pass_on)

    def create_objects(self) -> None:
        """Makes `input` and `output`."""
        raise _is_missing(self, "create_objects(self)")

    def convert(self) -> None:
        """Fills `output` from `input`; by default, with the same values."""
        self.output.copy_from(self.input)

    def _pass_on(self) -> None:
        self.output.stamp_ns = self.input.stamp_ns
        self.convert()
        self.output.flagged = True
