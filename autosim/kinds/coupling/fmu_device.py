"""FMUs in robot files: parts, actuators, controllers and sensors that another tool has made."""

import re

from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schema import Attribute, Element, Interval, Occurs, ValueType
from autosim.config.schemas.common import name_of, reference, vector
from autosim.config.xml_axes import body_vector
from autosim.kinds.checks import RobotBlocks
from autosim.kinds.coupling.fmu_bank import FmuBank
from autosim.kinds.coupling.fmu_record import PUSHES, TURNS, FmuDevice, FmuPort
from autosim.kinds.elements import ORIGIN
from autosim.kinds.kind import DeviceKind, Rest
from autosim.model.tree import Access, Field, TreeNode


class FmuKind(DeviceKind[FmuDevice]):
    """Reads blocks whose values depend on their connections."""

    def read(self, block: Block) -> FmuDevice:
        """The record of a block without errors; nothing of its file is known yet."""
        return FmuDevice(
            block.name,
            block.text("Part"),
            file=str(block.get("file") or ""),
            position=body_vector(block.vector("Position")),
            inputs=tuple(_port(each, "from") for each in block.all("Input")),
            outputs=tuple(_port(each, "to") for each in block.all("Output")),
            parameters=tuple(
                (str(each.get("variable")), each.own_real("value"))
                for each in block.all("Parameter")
            ),
        )

    def node(self, name: str, record: FmuDevice) -> TreeNode:
        """The node of `record`; it can be set where commands are inputs of the FMU."""
        access = Access.DRIVE if record.is_commanded else Access.READ
        fields = self.fields_of(record)
        return TreeNode(name, self.name, fields, access=access, schema=self.schema)


def _port(block: Block, attribute: str) -> FmuPort:
    variable = str(block.get("variable") or "")
    name = block.name or re.sub(r"\W+", "_", variable).strip("_")
    return FmuPort(variable, str(block.get(attribute) or ""), name)


def _fields(device: FmuDevice) -> tuple[Field, ...]:
    return tuple(
        Field(
            each.name,
            unit=each.unit,
            limits=Interval(*each.limits) if device.is_commanded else None,
            meaning=f"{'Input' if each in device.inputs else 'Output'} {each.variable} of the FMU.",
        )
        for each in device.own_ports
    )


def _rest(device: FmuDevice) -> Rest:
    if not device.is_commanded:
        return ()
    starts = dict(device.parameters)
    return tuple(
        starts.get(each.variable, each.start) if each in device.inputs else None
        for each in device.own_ports
    )


def _check(device: Block, robot: RobotBlocks, faults: Faults) -> None:
    names: set[str] = set()
    for each in device.all("Input", "Output"):
        port = _port(each, "from" if each.tag == "Input" else "to")
        if port.is_own and port.name in names:
            message = f"<{each.tag}> of {device.title}: there is already a value '{port.name}'"
            faults.error(each, f"{message}; give it another name by name=")
        if port.is_own:
            names.add(port.name)
    _refuse_twice(device, "Input", "variable", faults)
    _refuse_twice(device, "Output", "to", faults)


def _refuse_twice(device: Block, tag: str, attribute: str, faults: Faults) -> None:
    seen: set[str] = set()
    for each in device.all(tag):
        text = str(each.get(attribute) or "")
        if text and text in seen:
            message = f"<{tag}> of {device.title}: {attribute}='{text}' occurs twice"
            faults.error(each, message)
        seen.add(text)


def _connection(name: str, description: str, connected: Attribute) -> Element:
    own = "Name of the value where it is one of this device; by default that of the variable."
    return Element(
        name,
        description,
        (
            Attribute("variable", "Its name in the FMU.", ValueType.TEXT, required=True),
            connected,
            Attribute("name", own, ValueType.NAME),
        ),
        occurs=Occurs.ANY,
    )


_INPUT = _connection(
    "Input",
    "A variable of the FMU that is set before each step.",
    Attribute(
        "from",
        "Value of the robot that it gets: `PART.DEVICE`, `PART.DEVICE.FIELD`, "
        "`PART.DEVICE.NUMBER`, `PART.velocity.0`, `LINK.FIELD`. Without it, a command to "
        "this device.",
        ValueType.TEXT,
        default="",
    ),
)

_OUTPUT = _connection(
    "Output",
    "A variable of the FMU that is read after each step.",
    Attribute(
        "to",
        "Where it goes: a number of another actuator, as in `from`; or "
        f"{', '.join(f'`{each}`' for each in (*PUSHES, *TURNS))} [N], [N m] on the part, along and "
        "about its axes. Without it, a value of this device.",
        ValueType.TEXT,
        default="",
    ),
)

_PARAMETER = Element(
    "Parameter",
    "Value of a parameter or an input of the FMU at the start.",
    (
        Attribute("variable", "Its name in the FMU.", ValueType.TEXT, required=True),
        Attribute("value", "Its value, in the unit of the FMU.", required=True),
    ),
    occurs=Occurs.ANY,
)

KIND = FmuKind(
    record=FmuDevice,
    element=Element(
        "FMU",
        "A Functional Mock-up Unit (FMI 2.0 or 3.0, co-simulation), stepped with the simulation "
        "in its own process: an actuator, a part that pushes, a controller or a sensor, by its "
        "connections. [FMI](fmi.md) has examples.",
        (
            name_of("the device"),
            Attribute("file", "The FMU, `*.fmu`.", ValueType.PATH, required=True),
        ),
        (
            reference("Part", "The part that carries the device."),
            vector("Position", "Where its forces act, from the part's centre.", default=ORIGIN),
            _INPUT,
            _OUTPUT,
            _PARAMETER,
        ),
        occurs=Occurs.ANY,
    ),
    names={"Input": "inputs", "Output": "outputs", "Parameter": "parameters"},
    fields=_fields,
    rest=_rest,
    make_bank=FmuBank,
    check=_check,
)
"""Read-only where no command is an input."""
