"""Study files: what they say, and their faults, all at once."""

from pathlib import Path

import pytest

from autosim.config.diagnostics import ConfigError, Diagnostics
from autosim.config.studies import Measure, Parameter, Setting
from autosim.loading.checker import check_file
from autosim.loading.studies.study_file import load_study
from tests.paths import ROOT
from tests.worlds import ROOT as CHECKOUT

HEAD = "<World path='worlds/circle_town.xml'/>\n<Scenario path='scenarios/jay_walker.xml'/>\n"


def study(folder: Path, inside: str, attributes: str = "", head: str = HEAD) -> Path:
    file = folder / "s.xml"
    file.write_text(f"<Study name='s' {attributes}>\n{head}{inside}\n</Study>")
    return file


def faults(file: Path) -> list[str]:
    return [f"{each.line}: {each.level}: {each.message}" for each in check_file(file)]


def test_a_file_says_what_runs_with_what_and_how_often(tmp_path: Path):
    file = study(
        tmp_path,
        "<Parameter name='gap' from='10' to='20' count='2'/>"
        "<Parameter name='speed' values='1 2'/>"
        "<Seeds first='5' count='2'/>"
        "<Set at='steps onto the street/When/Gap/@max' to='{gap}'/>"
        "<Set at='steps onto the street/SetSpeed/@value' to='{speed}'/>"
        "<Measure name='top' of='impreza.chassis.velocimeter.velocity' take='max'/>",
        "limit='9' record='all'",
    )
    found, inputs = load_study(file)
    assert found.parameters == (
        Parameter("gap", low=10.0, high=20.0, count=2),
        Parameter("speed", ("1", "2")),
    )
    assert found.settings[0] == Setting("scenario", "steps onto the street/When/Gap/@max", "{gap}")
    assert found.measures == (Measure("top", "impreza.chassis.velocimeter.velocity", "max"),)
    assert (found.seeds, found.limit, found.record) == ((5, 6), 9.0, "all")
    assert {*inputs.files} == {"world", "scenario", "robots/impreza.xml"}
    assert inputs.scenario is not None
    assert inputs.scenario.name == "jay walker"


def test_the_shipped_study_has_no_fault():
    assert check_file(CHECKOUT / "studies" / "jay_walker.xml") == []


def test_all_typos_come_at_once_with_line_and_nearest_name(tmp_path: Path):
    file = study(
        tmp_path,
        "<Parameter name='gap' values='10 20'/>\n"
        "<Parameter name='speed' values='1 200'/>\n"
        "<Parameter name='unused' values='1'/>\n"
        "<Set at='steps onto the stret/When/Gap/@max' to='{gap}'/>\n"
        "<Set at='steps onto the street/When/Gap/@maxx' to='{gap}'/>\n"
        "<Set at='steps onto the street/SetSpeed/@value' to='{speed}'/>\n"
        "<Set file='wrld' at='Physics/Dynamics/Gravity' to='{gap}'/>\n"
        "<Set file='world' at='Physics/Dynamics/Gravity' to='{gpa}'/>\n",
    )
    found = faults(file)
    assert [each.split(":")[0] for each in found] == ["6", "7", "8", "9", "10", "11"]
    for line, text in zip(
        found,
        (
            "warning: parameter 'unused' changes nothing",
            "did you mean 'steps onto the street'?",
            "did you mean '@max'?",
            "expected a number in [0, 100] m/s, not 200",
            "did you mean 'world'?",
            "there is no parameter 'gpa'; did you mean 'gap'?",
        ),
        strict=True,
    ):
        assert text in line


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        ("<Parameter name='a'/>", "takes either 'values', or 'from' and 'to'"),
        ("<Parameter name='a' values='1' count='3'/>", "it takes no 'count'"),
        ("<Parameter name='a' from='2' to='1' count='2'/>", "goes from 2 to 1"),
        ("<Parameter name='a' from='0' to='1' count='2' scale='log'/>", "begins above 0"),
        ("<Parameter name='a' from='0' to='1'/>", "give it a 'count' of values to try"),
        ("<Parameter name='seed' values='1'/>", "'seed' is the seed of a run"),
        ("<Parameter name='a' values='1'/><Parameter name='a' values='2'/>", "already a 'a'"),
        (
            "<Mesure name='x' of='y'/>",
            "unknown element <Mesure> in <Study> 's'; did you mean 'Measure'?",
        ),
    ],
)
def test_what_a_parameter_may_not_be(tmp_path: Path, inside: str, said: str):
    file = study(tmp_path, inside)
    assert said in "\n".join(faults(file))
    with pytest.raises(ConfigError):
        load_study(file)


def test_measures_of_no_value_of_the_world_are_told_with_their_lines(tmp_path: Path):
    own = "<Measure name='slip' of='impreza.chassis.rear_left.slip_rato' take='max'/>"
    named = "'impreza.chassis.rear_left.slip_ratio'"
    assert faults(study(tmp_path, own)) == [
        "4: error: measure 'slip': there is no value 'impreza.chassis.rear_left.slip_rato'; did "
        f"you mean {named}?"
    ]


def test_a_study_without_a_scenario_says_how_long(tmp_path: Path):
    file = study(tmp_path, "", head="<World path='worlds/circle_town.xml'/>\n")
    assert "needs the attribute 'seconds'" in faults(file)[0]


def test_faults_of_the_world_and_of_the_scenario_are_told_too(tmp_path: Path):
    (tmp_path / "broken.xml").write_text("<Scenario name='b' seconds='x'/>")
    file = study(
        tmp_path, "", head="<World path='worlds/circle_town.xml'/><Scenario path='broken.xml'/>"
    )
    found = check_file(file)
    assert any(
        each.file.name == "broken.xml" and "expected a number" in each.message for each in found
    )


PROGRAM = """
from pathlib import Path
from autosim.config.studies import Setting, Study

study = Study(
    name="p",
    world=Path("worlds/circle_town.xml"),
    seconds=1.0,
    settings=(Setting("world", "Physics/Dynamics/Gravity", "{gravity}"),),
    cases=({"gravity": 9.0}, {"gravity": 10.0}),
)
"""


def test_a_study_may_be_a_program(tmp_path: Path):
    file = tmp_path / "p.py"
    file.write_text(PROGRAM)
    found, _ = load_study(file)
    assert (found.name, found.source, len(found.cases)) == ("p", file, 2)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("study = 3", 0, "a study in Python defines: study ="),
        ("import math\nmath.sqrt(-1)", 2, "ValueError: math domain error"),
        ("study = (", 1, "SyntaxError: '(' was never closed"),
        (PROGRAM.replace("10.0", "'x'"), 0, "expected a number [m/s²], not 'x'"),
    ],
)
def test_faults_of_a_program_are_told_with_their_lines(
    tmp_path: Path, text: str, line: int, said: str
):
    file = tmp_path / "p.py"
    file.write_text(text)
    found = Diagnostics()
    with pytest.raises(ConfigError):
        load_study(file, found)
    assert [(each.line, said in each.message) for each in found.errors] == [(line, True)]
    assert [(each.line, said in each.message) for each in check_file(file, is_trusted=True)] == [
        (line, True)
    ]


def test_a_program_without_faults_passes_the_check(tmp_path: Path):
    file = tmp_path / "p.py"
    file.write_text(PROGRAM)
    assert check_file(file, is_trusted=True) == []


def test_a_world_around_an_extract_can_be_changed_like_a_world_file(tmp_path: Path):
    extract = ROOT / "worlds" / "circle_town" / "circle_town.osm"
    file = study(
        tmp_path,
        "<Parameter name='n' values='3'/><Set file='world' at='Traffic/Vehicles/@count' to='{n}'/>",
        "seconds='1'",
        head=f"<World path='{extract.name}'/>",
    )
    (tmp_path / extract.name).write_bytes(extract.read_bytes())
    found, inputs = load_study(file)
    changed = inputs.changed(found.settings, {"n": "3"}, 0)
    assert changed["world"].find("Traffic/Vehicles").get("count") == "3"


@pytest.mark.parametrize("path", ["scenarios/jay_wlker.xml", "scenarios", "no/such.xosc"])
def test_a_scenario_that_is_not_there_is_named_with_its_line(tmp_path: Path, path: str):
    head = f"<World path='worlds/circle_town.xml'/>\n<Scenario path='{path}'/>"
    (fault,) = faults(study(tmp_path, "", head=head))
    assert fault.startswith("3: error: <Scenario>: ")
    program = tmp_path / "p.py"
    program.write_text(PROGRAM.replace("seconds=1.0", f"scenario=Path({path!r}), seconds=1.0"))
    (fault,) = [str(each) for each in check_file(program, is_trusted=True)]
    assert f"{program}: error: <Scenario>: " in fault
    with pytest.raises(ConfigError):
        load_study(program)
