"""Checks the noise of devices against what the devices measure, and how often."""

from collections.abc import Iterable, Iterator, Mapping

from autosim.config.descriptions import Device
from autosim.config.noise_records import Hold
from autosim.config.reading.attribute_values import suggestion
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schemas.noises import ELEMENTS
from autosim.kinds.kind import AnyDeviceKind

_ANY_STEP = 0.01
"""Length of a step [s] where none is known: what the values are called does not depend on it."""

_MOST_LISTED = 8
"""Number of values that a message lists, on one line."""

_ROUNDING = 1.0 + 1e-9
"""Ratio of a rate to that of the steps up to which both are the same."""


def check_noise(block: Block, kinds: Mapping[str, AnyDeviceKind], faults: Faults) -> None:
    """Notes sources of noise on values that their devices do not have, and limits that cross.

    `block` is that of a robot without errors.
    """
    for device in block.section("Devices").children:
        for limits in device.all("Saturation"):
            _check_limits(limits, device, faults)
        named = [each for each in device.children if each.element in ELEMENTS and each.get("field")]
        if named:
            own = _values_of(kinds[device.tag], device)
            for each in named:
                _check_field(each, device, own, faults)


def _check_limits(saturation: Block, device: Block, faults: Faults) -> None:
    lower, upper = saturation.own_real("lower"), saturation.own_real("upper")
    if lower > upper:
        message = f"<Saturation> of {device.title}: lower, {lower:g}, is above upper, {upper:g}"
        faults.error(saturation, message)


def _check_field(noise: Block, device: Block, own: list[str], faults: Faults) -> None:
    field = str(noise.get("field"))
    if field in own:
        return
    message = f"<{noise.tag}> of {device.title} acts on '{field}', "
    if not own:
        faults.error(noise, message + "but the device has a single value: leave 'field' out")
        return
    listed = ", ".join(own[:_MOST_LISTED]) + (", …" if len(own) > _MOST_LISTED else "")
    faults.error(noise, f"{message}which is none of {listed}{suggestion(field, own)}")


def _values_of(kind: AnyDeviceKind, device: Block) -> list[str]:
    """The values of a device that noise may name, in their order."""
    record = kind.read(device)
    channels = kind.channels(record, _ANY_STEP)
    return list(dict.fromkeys(each.split(".")[1] for each in channels if each))


def too_fast(devices: Iterable[Device], step_seconds: float) -> Iterator[tuple[str, float]]:
    """Names of devices that would have more than one new value in a step, with their rates [Hz]."""
    for device in devices:
        rates = [each.rate for each in device.noises if isinstance(each, Hold)]
        if rates and max(rates) * step_seconds > _ROUNDING:
            yield f"{device.part}.{device.name}", max(rates)
