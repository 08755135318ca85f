"""Reads a whole scenario: header, parameters, catalogs, entities, storyboard."""

from collections.abc import Mapping
from pathlib import Path

from lxml import etree

from autosim.config.diagnostics import ConfigError, Diagnostics, printable
from autosim.config.reading.sources import kind_of_text
from autosim.config.reading.xml_reader import UnreadableError, parse_xml, read_bytes
from autosim.openscenario.dsl.dsl_reader import read_dsl
from autosim.openscenario.dsl.file_names import is_dsl
from autosim.openscenario.reading.condition_reader import read_trigger
from autosim.openscenario.reading.entity_reader import read_entity, read_selection
from autosim.openscenario.reading.expressions import satisfies
from autosim.openscenario.reading.nearby_files import find_near
from autosim.openscenario.reading.storyboard_reader import read_init, read_story
from autosim.openscenario.reading.xosc_elements import (
    ElementError,
    Findings,
    Refusal,
    XoscElement,
    read_each,
)
from autosim.openscenario.records.storyboard_records import (
    SignalController,
    SignalPhase,
    XoscScenario,
)

VERSIONS = range(4)
"""Minor versions of OpenSCENARIO XML 1 that are read."""


def read_scenario(
    path: Path, values: Mapping[str, str] | None = None, search: Path | None = None
) -> tuple[XoscScenario | None, Findings]:
    """Reads a scenario of OpenSCENARIO XML or, by the end of its name, of OpenSCENARIO DSL.

    Args:
        path: of the file.
        values: of parameters, by name, instead of those that the file declares.
        search: folder in which catalogs are looked for that are not where the file states them.

    Returns:
        The scenario, or None where a fault leaves nothing to execute, and all refusals.

    Raises:
        ConfigError: the file cannot be read, or is not OpenSCENARIO at all.
    """
    if is_dsl(path):
        return read_dsl(path, dict(values or {}))
    root = read_root(path)
    findings = Findings(search=search)
    element = XoscElement(root, path, findings, {})
    try:
        return _read(element, dict(values or {})), findings
    except ElementError:
        return None, findings


def read_root(path: Path) -> etree._Element:
    """The root element of a file.

    Raises:
        ConfigError: the file cannot be read or has another root.
    """
    found = Diagnostics()
    try:
        data = read_bytes(path)
        if kind := kind_of_text(path, data):
            raise UnreadableError(
                f"is {kind}, not XML: expected a file of OpenSCENARIO XML (.xosc) or DSL (.osc)", 1
            )
        root = parse_xml(data)
    except UnreadableError as error:
        found.error(path, error.line, str(error))
        raise ConfigError(found.all) from error
    if root.tag != "OpenSCENARIO":
        name = printable(str(root.tag), 40)
        found.error(path, 1, f"expected the root element <OpenSCENARIO>, not <{name}>")
        raise ConfigError(found.all)
    return root


def is_scenario(root: etree._Element) -> bool:
    """Whether a file holds a scenario, not a catalog or a distribution of parameters."""
    return root.find("Storyboard") is not None


def _read(root: XoscElement, given: dict[str, str]) -> XoscScenario:
    header = root.need("FileHeader")
    version = header.whole("revMajor"), header.whole("revMinor")
    header.accept("License", "Properties")
    if version[0] != 1 or version[1] not in VERSIONS:
        root.skip()
        raise header.refuse(f"version {version[0]}.{version[1]}; 1.0 to 1.3 are read")
    if not is_scenario(root.node):
        root.skip()
        raise root.fail("has no <Storyboard>: it is a catalog or a distribution of parameters")
    values = _parameters(root, given)
    root = root.with_values(values)
    variables = {}
    declarations = root.child("VariableDeclarations")
    if declarations is not None:
        for each in declarations.children("VariableDeclaration"):
            variables[each.text("name")] = each.text("value", "")
    monitors = root.child("MonitorDeclarations")
    if monitors is not None:
        for each in monitors.children("MonitorDeclaration"):
            variables[each.text("name")] = each.text("value", "")
    _use_catalogs(root)
    network, map_name = root.child("RoadNetwork"), ""
    signals: tuple[SignalController, ...] = ()
    if network is not None:
        network.accept("SceneGraphFile", "UsedArea")
        logic = network.child("LogicFile")
        map_name = "" if logic is None else logic.text("filepath", "")
        group = network.child("TrafficSignals")
        if group is not None:
            signals = read_each(group.children("TrafficSignalController"), _signal_controller)
    entities, storyboard = root.need("Entities"), root.need("Storyboard")
    stop = storyboard.child("StopTrigger")
    scenario = XoscScenario(
        root.file,
        version,
        header.text("description", ""),
        map_name,
        tuple(values.items()),
        tuple(variables.items()),
        read_each(entities.children("ScenarioObject"), read_entity),
        read_each(entities.children("EntitySelection"), read_selection),
        signals,
        read_init(storyboard.need("Init")),
        read_each(storyboard.children("Story"), read_story),
        () if stop is None else read_trigger(stop),
    )
    root.refuse_unread()
    return scenario


def _parameters(root: XoscElement, given: dict[str, str]) -> dict[str, str]:
    """The values of the parameters that a file declares; each may use those before it."""
    values: dict[str, str] = {}
    declarations = root.child("ParameterDeclarations")
    if declarations is None:
        return values
    for each in declarations.children("ParameterDeclaration"):
        each.skip()
        scoped = each.with_values(values)
        name = scoped.reference("name")
        values[name] = given[name] if name in given else scoped.text("value", "")
    unknown = sorted(set(given) - set(values))
    if unknown:
        raise root.fail(f"declares no parameter {', '.join(unknown)}")
    for each in declarations.children("ParameterDeclaration"):
        # Limits may be those of any other parameter.
        name = each.reference("name")
        _check_constraints(each.with_values(values), name, values[name])
    return values


def _check_constraints(declaration: XoscElement, name: str, value: str) -> None:
    """Checks a value: all constraints of one of the groups have to hold."""
    groups = declaration.children("ConstraintGroup")
    for group in groups:
        rules = group.children("ValueConstraint")
        if all(satisfies(each.text("rule"), value, each.text("value")) for each in rules):
            return
    if groups:
        raise declaration.fail(f"{name} = {value} violates the constraints of the parameter")


def _use_catalogs(root: XoscElement) -> None:
    locations = root.child("CatalogLocations")
    if locations is None:
        return
    for node in locations.node:
        if not isinstance(node.tag, str):
            continue
        catalog = XoscElement(node, root.file, root.findings, root.values)
        place = catalog.need("Directory").text("path", ".")
        found = find_near(root.file, place, root.findings.search)
        if found is not None:
            root.findings.catalogs.places.append(found)


def _signal_controller(element: XoscElement) -> SignalController:
    phases = []
    for each in element.children("Phase"):
        states = [
            (state.text("trafficSignalId"), state.text("state"))
            for state in each.children("TrafficSignalState")
        ]
        each.accept("TrafficSignalGroupState")
        phases.append(SignalPhase(each.text("name"), each.number("duration"), tuple(states)))
    return SignalController(
        element.text("name"),
        element.number("delay", 0.0),
        element.text("reference", ""),
        tuple(phases),
    )


def faults_of(findings: Findings) -> tuple[Refusal, ...]:
    """The refusals in the order of files and lines."""
    return tuple(sorted(findings.refusals, key=lambda each: (str(each.file), each.line)))
