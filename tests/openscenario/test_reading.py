"""Reading of OpenSCENARIO: parameters, expressions, and elements that are refused."""

from pathlib import Path

import pytest

from autosim.openscenario.reading.expressions import ExpressionError, resolve
from autosim.openscenario.reading.scenario_reader import faults_of, read_scenario
from autosim.openscenario.records.action_records import SpeedChange
from tests.openscenario.scenario_texts import (
    after,
    event,
    scenario_text,
    speed_action,
    write_scenario,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$speed", "20"),
        ("${$speed / 3.6 * 3.6}", "20"),
        ("${round(2.5) + pow(2, 3)}", "11"),
        ("${not true or $speed > 10}", "true"),
        ("${5 % 3 - $speed}", "-18"),
        ("map_$name.xodr", "map_a.xodr"),
    ],
)
def test_parameters_and_expressions_are_replaced(text: str, expected: str) -> None:
    assert resolve(text, {"speed": "20", "name": "a"}) == expected


@pytest.mark.parametrize("text", ["$missing", "${__import__('os')}", "${1 / 0}", "${(1)}.x$y"])
def test_expressions_that_cannot_be_evaluated_are_faults(text: str) -> None:
    with pytest.raises(ExpressionError):
        resolve(text, {})


def test_an_element_that_is_not_executed_is_refused_by_name_and_line(tmp_path: Path) -> None:
    action = "<LongitudinalAction>\n<LevitationAction/></LongitudinalAction>"
    text = scenario_text(event("lifts", action, after(1.0)))
    line = text.count("\n", 0, text.index("<LevitationAction")) + 1

    scenario, findings = read_scenario(write_scenario(tmp_path, text))

    assert scenario is not None
    assert [(each.element, each.line) for each in faults_of(findings)] == [
        ("LevitationAction", line)
    ]


def test_an_unknown_child_of_a_known_element_is_refused(tmp_path: Path) -> None:
    action = speed_action(3.0).replace("<SpeedActionTarget>", "<Wish/><SpeedActionTarget>")
    text = scenario_text(event("brakes", action, after(1.0)))

    _, findings = read_scenario(write_scenario(tmp_path, text))

    assert [each.element for each in findings.refusals] == ["Wish"]


def test_parameters_are_given_from_outside(tmp_path: Path) -> None:
    declared = '<ParameterDeclaration name="v" parameterType="double" value="3"/>'
    action = speed_action(3.0).replace('value="3.0"', 'value="${2 * $v}"')
    text = scenario_text(event("e", action, after(1.0)), parameters=declared)

    scenario, _ = read_scenario(write_scenario(tmp_path, text), {"v": "7"})

    assert scenario is not None
    content = scenario.stories[0].acts[0].groups[0].maneuvers[0].events[0].actions[0].content
    assert isinstance(content, SpeedChange)
    assert content.target.value == 14.0


def test_a_version_that_is_not_known_is_refused(tmp_path: Path) -> None:
    scenario, findings = read_scenario(write_scenario(tmp_path, scenario_text("", minor=9)))

    assert scenario is None
    assert findings.refusals[0].element == "FileHeader"


def test_entries_of_catalogs_take_the_parameters_of_their_reference(tmp_path: Path) -> None:
    (tmp_path / "cars.xosc").write_text(
        '<OpenSCENARIO><FileHeader revMajor="1" revMinor="2"/><Catalog name="cars">'
        '<Vehicle name="van" vehicleCategory="van"><ParameterDeclarations><ParameterDeclaration '
        'name="top" parameterType="double" value="10"/></ParameterDeclarations>'
        '<Performance maxSpeed="$top" maxAcceleration="5" maxDeceleration="9"/>'
        "</Vehicle></Catalog></OpenSCENARIO>"
    )
    entity = (
        '<ScenarioObject name="Van"><CatalogReference catalogName="cars" entryName="van">'
        '<ParameterAssignments><ParameterAssignment parameterRef="top" value="33"/>'
        "</ParameterAssignments></CatalogReference></ScenarioObject>"
    )
    text = scenario_text("", others=entity).replace(
        "<CatalogLocations/>",
        '<CatalogLocations><VehicleCatalog><Directory path="."/></VehicleCatalog>'
        "</CatalogLocations>",
    )

    scenario, findings = read_scenario(write_scenario(tmp_path, text))

    assert scenario is not None
    assert not findings.refusals
    assert scenario.entities[1].performance.max_speed == 33.0
