"""The maps of kinematic vehicles, found among the roots and read once."""

from collections.abc import Iterable

from autosim.config.descriptions import Device, PartFile
from autosim.config.files.lookup import PathError, Roots
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.kinds.kinematic import kinematic_vehicle
from autosim.kinds.kinematic.kinematic_vehicle import KinematicVehicle, with_maps
from autosim.kinds.kinematic.model_parameters import PARAMETERS
from autosim.loading.robots.part_files import found_file
from autosim.vehicle.kinematic.lookup_maps import MapError, read_map

_MAPS = {each.name for each in PARAMETERS if each.is_map}


def check_vehicle_maps(devices: Iterable[Block], roots: Roots, faults: Faults) -> None:
    """Notes each map of vehicles among `devices` whose file is not there or holds no map."""
    for vehicle in devices:
        if vehicle.tag != kinematic_vehicle.KIND.name:
            continue
        for each in vehicle.all(*_MAPS):
            name = str(each.get("path") or "")
            try:
                if name:
                    read_map(found_file(name, roots).content.decode("utf-8"))
            except MapError as error:
                faults.error(each, f"<{each.tag}> of {vehicle.title}: '{name}', {error}")
            except PathError as error:
                faults.error(each, f"<{each.tag}> of {vehicle.title}: {error}")
            except UnicodeDecodeError:
                message = f"<{each.tag}> of {vehicle.title}: '{name}': expected text in UTF-8"
                faults.error(each, message)


def with_vehicle_maps(device: Device, roots: Roots) -> Device:
    """`device` with its maps, which `check_vehicle_maps` has found without fault."""
    if not isinstance(device, KinematicVehicle) or not device.map_names:
        return device
    return with_maps(device, tuple(found_file(name, roots) for name in device.map_names))


def vehicle_maps_of(devices: Iterable[Device]) -> list[PartFile]:
    """The maps of `devices`, each once."""
    files = (file for each in devices if isinstance(each, KinematicVehicle) for file in each.maps)
    return list({file.name: file for file in files}.values())
