"""The declaration of a kind of message as Python source, to copy into a file of nodes."""

import json
from collections.abc import Iterable

from autosim_testbench.messages.serial_object import MessageField, SerialObject

IMPORT = "from autosim_testbench.messages.serial_object import MessageField, SerialObject\n"


def python_declarations(kinds: Iterable[type[SerialObject]]) -> str:
    """A module that declares kinds of messages, with the same bytes and the same type numbers."""
    return "\n\n".join([IMPORT, *map(_declaration, kinds)])


def _declaration(kind: type[SerialObject]) -> str:
    lines = [f"class {kind.__name__}(SerialObject):"]
    if kind.__doc__:
        lines += [f"    {_quoted(kind.__doc__.strip())}", ""]
    if kind.VERSION != SerialObject.VERSION:
        lines += [f"    VERSION = {kind.VERSION}"]
    lines += [
        f"    {each.name} = MessageField({', '.join(_arguments(each))})" for each in kind.FIELDS
    ]
    return "\n".join([*lines, ""])


def _quoted(text: str) -> str:
    return f'"""{text}"""' if '"' not in text and "\\" not in text else repr(text)


def _arguments(field: MessageField) -> list[str]:
    given = {"shape": field.shape, "length": field.length, "unit": field.unit, "about": field.about}
    found = [f"{name}={_literal(value)}" for name, value in given.items() if value]
    return [_literal(field.kind), *found]


def _literal(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
