"""The command `autosim ctl traffic`."""

import json

from autosim.applications.remote.value_orders import open_mirror
from autosim.errors import UserError
from autosim.model.commands import command_for
from autosim.traffic.traffic_node import (
    NAME,
    TARGET_PEOPLE,
    TARGET_VEHICLES,
    counters_of,
    traffic_arrays_of,
)


def traffic(
    address: str, *, vehicles: int | None = None, people: int | None = None, as_json: bool
) -> str:
    """The counters of traffic; sets the target numbers of vehicles and people, if given.

    Raises:
        UserError: the server cannot be reached, or its world has no traffic or too little room.
    """
    with open_mirror(address) as mirror:
        arrays = traffic_arrays_of(mirror.state)
        if arrays is None:
            raise UserError("this world has no traffic: add <Traffic> to its file")
        now = arrays.wanted_people()
        numbers, orders = {}, []
        for name, whom, most, before, given in (
            (TARGET_VEHICLES, "vehicles", len(arrays.vehicles), arrays.wanted(), vehicles),
            (TARGET_PEOPLE, "people", len(arrays.people), now, people),
        ):
            if given is not None:
                if given > most:
                    element = whom.capitalize()
                    raise UserError(
                        f"this world has room for {most} {whom}: raise <{element} count> in its "
                        "file"
                    )
                orders.append(command_for(mirror.tree, f"{NAME}.{name}", [[float(given)]]))
            wanted = before if given is None else given
            numbers[f"{whom}_wanted"] = most if wanted is None else wanted
            numbers[f"{whom}_most"] = most
        if orders:
            mirror.connection.set_data_now(orders)
        numbers |= counters_of(mirror.state)
    if as_json:
        return json.dumps(numbers)
    return "\n".join(f"{name.replace('_', ' '):24}{value}" for name, value in numbers.items())
