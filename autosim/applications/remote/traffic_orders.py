"""What `autosim ctl traffic` does."""

import json

from autosim.applications.remote.server_orders import open_mirror
from autosim.errors import UserError
from autosim.simulation.commands import command_for
from autosim.traffic.node import NAME, WANTED, arrays_of, counters_of


def traffic(address: str, *, vehicles: int | None, as_json: bool) -> str:
    """What is counted of traffic; sets how many vehicles there shall be, where that is given.

    Raises:
        UserError: the server cannot be reached, or its world has no traffic or too little room.
    """
    with open_mirror(address) as mirror:
        arrays = arrays_of(mirror.state)
        if arrays is None:
            raise UserError("this world has no traffic: add <Traffic> to its file")
        room = len(arrays.vehicles)
        if vehicles is not None:
            if vehicles > room:
                raise UserError(
                    f"this world has room for {room} vehicles: raise <Vehicles count> in its file"
                )
            order = command_for(mirror.tree, f"{NAME}.{WANTED}", [[float(vehicles)]])
            mirror.connection.set_data_now([order])
        wanted = arrays.wanted() if vehicles is None else vehicles
        numbers = {"vehicles_wanted": wanted, "vehicles_most": room, **counters_of(mirror.state)}
    if as_json:
        return json.dumps(numbers)
    return "\n".join(f"{name.replace('_', ' '):24}{value}" for name, value in numbers.items())
