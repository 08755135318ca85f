"""The messages of the firmware in C: `python -m autosim_testbench.hardware.c_header`."""

from autosim_testbench.messages.c_layout import c_struct
from autosim_testbench.messages.kinds import Heading, Range, WheelCommand

_HEAD = """\
/* Written by python -m autosim_testbench.hardware.c_header: change the classes there, not this. */
#pragma once
#include <stdint.h>

"""


def header() -> str:
    """The header of `firmware/library`."""
    return _HEAD + "\n".join(c_struct(each) for each in (Range, Heading, WheelCommand))


if __name__ == "__main__":
    print(header(), end="")
