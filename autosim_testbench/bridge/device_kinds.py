"""From a device of the simulation tree to a kind of message with the same fields and bytes."""

from collections.abc import Iterable

from autosim.errors import UserError
from autosim.model.tree import Field as TreeField
from autosim.model.tree import FieldType, TreeNode
from autosim_testbench.messages.serial_object import DynamicMessage, MessageField


def device_kind(device: TreeNode) -> type[DynamicMessage]:
    """The kind of message that holds the values of `device`, in the order of its fields.

    Its bytes are those of the device in the simulation's state.

    Raises:
        UserError: the device has a list, whose size is not fixed.
    """
    if any(each.is_list for each in device.fields):
        raise UserError(f"{device.name} is a list of any length: it cannot be a topic")
    return kind_with(device.kind, device.fields)


def kind_with(name: str, fields: Iterable[TreeField]) -> type[DynamicMessage]:
    """The kind of message of a kind of device: its name and its fields."""
    named = {each.name: _field(each) for each in fields}
    return type(name, (DynamicMessage,), {"__doc__": f"The values of a {name}.", **named})


def _field(field: TreeField) -> MessageField:
    unit = "" if field.unit == "1" else field.unit
    if field.type is FieldType.TEXT:
        return MessageField("text", length=field.size, unit=unit, about=field.meaning)
    return MessageField(field.type.value, shape=field.shape, unit=unit, about=field.meaning)
