"""The `.tir` files of wheels, found among the roots and read once."""

from collections.abc import Iterable
from dataclasses import replace

from autosim.config.descriptions import Device, PartFile
from autosim.config.files.lookup import PathError, Roots
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.kinds.actuators import wheel
from autosim.kinds.actuators.tyre import MAGIC_FORMULAS, TAG, Tyre
from autosim.kinds.actuators.tyre_file import TyreFileError, read_tyre_file
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.loading.robots.part_files import found_file


def check_tyre_files(devices: Iterable[Block], roots: Roots, faults: Faults) -> None:
    """Notes each wheel among `devices` whose `.tir` file is not there, broken, or for another tyre.

    A fault in a file is reported once, at the first wheel that names it.
    """
    seen: set[str] = set()
    for each in devices:
        tyre = each.section(TAG) if each.tag == wheel.KIND.name else None
        name = str(tyre.get("file") or "") if tyre else ""
        if not tyre or not name or tyre.get("model") not in MAGIC_FORMULAS:
            continue
        title, is_first = f"<{TAG}> of {each.title}", name not in seen
        seen.add(name)
        try:
            file = read_tyre_file(found_file(name, roots).content)
        except TyreFileError as error:
            for fault in error.faults if is_first else ():
                faults.error(tyre, f"{title}: '{name}', {fault}")
        except PathError as error:
            faults.error(tyre, f"{title}: {error}")
        else:
            if file.model != tyre.get("model"):
                message = f"{title}: '{name}' is for the model '{file.model}'"
                faults.error(tyre, message + f", not '{tyre.get('model')}'")


def with_tyre_file(device: Device, roots: Roots) -> Device:
    """`device` with what its `.tir` file says, which `check_tyre_files` has found without fault."""
    if not isinstance(device, WheelDevice) or device.tyre.file is None:
        return device
    file = found_file(device.tyre.file.name, roots)
    stated = {**read_tyre_file(file.content).coefficients, **dict(device.tyre.coefficients)}
    return replace(device, tyre=_with(device.tyre, file, stated))


def tyre_files_of(devices: Iterable[Device]) -> list[PartFile]:
    """The files of the tyres of `devices`, each once."""
    tyres = (each.tyre for each in devices if isinstance(each, WheelDevice))
    return list({tyre.file.name: tyre.file for tyre in tyres if tyre.file}.values())


def _with(tyre: Tyre, file: PartFile, stated: dict[str, float]) -> Tyre:
    return replace(tyre, file=file, coefficients=tuple(stated.items()))
