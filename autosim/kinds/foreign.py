"""Devices of kinds that are not known here: what is told of them is all that there is.

User programs and other processes get a robot's description without the plug-ins that made it. Code
is never sent along; names and values are.
"""

from dataclasses import dataclass

from autosim.config.descriptions import Device


@dataclass(frozen=True)
class ForeignDevice(Device):
    """A device of a kind that this process has no code for.

    `record` names its kind's record; `values` are the fields of that record, which can also be read
    as attributes: `device.max_thrust`.
    """

    record: str = ""
    values: tuple[tuple[str, object], ...] = ()

    def __getattr__(self, name: str) -> object:
        """The field of the record that is called `name`."""
        for own, value in object.__getattribute__(self, "values"):
            if own == name:
                return value
        known = ", ".join(own for own, _ in object.__getattribute__(self, "values"))
        raise AttributeError(f"a {self.record} has no '{name}'; it has {known or 'nothing more'}")
