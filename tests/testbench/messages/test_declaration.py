"""Kinds of messages as Python source."""

from autosim.model.tree import Field as TreeField
from autosim.model.tree import FieldType
from autosim_testbench.bridge.device_kinds import kind_with
from autosim_testbench.messages.declaration import python_declarations
from autosim_testbench.messages.kinds import Transform, scan_kind
from autosim_testbench.messages.serial_object import MessageField, SerialObject


class Said(SerialObject):
    """A text with "quotes"."""

    VERSION = 3
    text = MessageField("text", length=12, about='the "word"')


def test_a_declaration_is_the_same_kind_again() -> None:
    device = kind_with(
        "Device",
        [
            TreeField("rate", unit="rad/s"),
            TreeField("count", FieldType.INT, shape=(2,)),
            TreeField("sentence", FieldType.TEXT, shape=(16,)),
        ],
    )
    kinds = [Transform, scan_kind(7), device, Said]
    found: dict[str, type[SerialObject]] = {}
    exec(python_declarations(kinds), found)
    for kind in kinds:
        again = found[kind.__name__]
        assert again.type_id() == kind.type_id()
        assert [each.about for each in again.FIELDS] == [each.about for each in kind.FIELDS]
