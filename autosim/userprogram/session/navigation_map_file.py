"""Reads a navigation map from the file of a compiled world; imports what it needs then."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # slow to import, and only programs that navigate need it
    from autosim.userprogram.session.navigation_map import NavigationMap


def load_navigation_map(world_file: str) -> "NavigationMap":
    """The roads and the origin of a compiled world.

    Raises:
        FileNotFoundError: there is no such file; "" says that none is known.
    """
    if not world_file:
        raise FileNotFoundError("the server's world has no map on this machine to navigate by")
    from autosim.userprogram.session.navigation_map import NavigationMap
    from autosim.world.compiled.compiled_file import load_compiled_world

    return NavigationMap.of(load_compiled_world(Path(world_file)))
