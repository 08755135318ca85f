"""The declaration of a message in C, for microcontrollers."""

import re

import numpy as np

from autosim_testbench.messages.serial_object import MessageField, SerialObject

_C_NAMES = {"float32": "float", "float64": "double", "text": "char"}
"""Types whose names in C are not those of NumPy followed by `_t`."""


def c_struct(kind: type[SerialObject]) -> str:
    """A packed struct with the bytes of `kind`, its size and type as constants.

    On an AVR `double` has 32 bits: a message with a float64 has no declaration there.
    """
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", kind.__name__).lower()
    lines = [f"/* {(kind.__doc__ or kind.__name__).splitlines()[0]} */"]
    lines += ["typedef struct __attribute__((packed)) {"]
    lines += [f"    {_declaration(each)}" for each in kind.FIELDS]
    lines += [f"}} {name}_message;"]
    lines += [f"#define {name.upper()}_SIZE {kind.size()}"]
    lines += [f"#define {name.upper()}_TYPE 0x{kind.type_id():08x}UL"]
    return "\n".join(lines) + "\n"


def _declaration(field: MessageField) -> str:
    c_type = _C_NAMES.get(field.kind, f"{field.kind}_t")
    count = field.length if field.kind == "text" else int(np.prod(field.shape, dtype=int))
    is_array = bool(field.shape) or field.kind == "text"
    meaning = ", ".join(each for each in (field.unit and f"[{field.unit}]", field.about) if each)
    comment = f" /* {meaning} */" if meaning else ""
    return f"{c_type} {field.name}{f'[{count}]' if is_array else ''};{comment}"
