"""Short scenarios of OpenSCENARIO DSL for tests, and an engine that runs them."""

from pathlib import Path

from autosim.applications.openscenario.scenario_trial import load_roads
from autosim.openscenario.engine.scenario_engine import ScenarioEngine
from autosim.openscenario.reading.scenario_reader import faults_of, read_scenario
from tests.openscenario.scenario_texts import ROAD

STEP = 0.01

PHASES = """serial:
        first: parallel(duration: 2s):
            ego.drive() with:
                speed(36kph)
            npc.drive() with:
                speed(18kph)
                lane(2, at: start)
        pause: wait elapsed(1.5s)
        second: serial(duration: 3s):
            npc.drive() with:
                speed(36kph)
"""


def dsl_text(behavior: str, members: str = "", before: str = "") -> str:
    """A scenario with two cars on a road with two lanes in each direction of travel."""
    return f"""import osc.standard.all
{before}
scenario top:
    path: path
    path.set_map("road.xodr")
    ego: car
    npc: car
{members}
    do {behavior}
"""


def dsl_file(folder: Path, text: str) -> Path:
    """Writes a scenario and its map."""
    (folder / "road.xodr").write_text(ROAD)
    path = folder / "scenario.osc"
    path.write_text(text, encoding="utf-8")
    return path


def refusals_of(folder: Path, text: str, **values: str) -> list[str]:
    """The refusals of a scenario, without the name of its file."""
    path = dsl_file(folder, text)
    _, findings = read_scenario(path, values)
    return [str(each).replace(f"{path}:", "") for each in faults_of(findings)]


def dsl_engine(folder: Path, text: str, **values: str) -> ScenarioEngine:
    """The engine of a scenario after its first step."""
    scenario, findings = read_scenario(dsl_file(folder, text), values)
    assert not findings.refusals, [str(each) for each in findings.refusals]
    assert scenario is not None
    engine = ScenarioEngine(scenario, load_roads(scenario, None))
    engine.step(0.0)
    return engine


def run_until(engine: ScenarioEngine, seconds: float) -> None:
    """Executes steps until a time, or until the scenario is over."""
    while not engine.is_over and engine.world.time < seconds - 1e-9:
        engine.step(STEP)


def times_of(engine: ScenarioEngine, text: str) -> list[float]:
    """Times of the events that begin with a text."""
    return [time for time, each in engine.world.events if each.startswith(text)]
