"""The example that converts SUMO's floating car data into a table."""

import subprocess
import sys
from pathlib import Path

import pytest

from autosim.traffic.scenarios.scenario_file import load_scenario
from tests.paths import ROOT

FCD = """<fcd-export>
<timestep time="0.00"><vehicle id="a" x="10" y="0" angle="90" type="passenger"/></timestep>
<timestep time="1.00"><vehicle id="a" x="20" y="0" angle="90" type="passenger"/>
<person id="p" x="3" y="4" angle="0" type="ped"/></timestep>
</fcd-export>
"""


def test_floating_car_data_become_a_scenario(tmp_path: Path) -> None:
    (tmp_path / "fcd.xml").write_text(FCD)
    script = ROOT / "examples" / "recorded_traffic.py"
    words = [sys.executable, str(script), str(tmp_path / "fcd.xml"), str(tmp_path / "log.csv")]
    subprocess.run(words, check=True)
    actors = {each.name: each for each in load_scenario(tmp_path / "log.csv").actors}
    car, person = actors["vehicle_a"].track, actors["person_p"].track
    assert car is not None
    assert person is not None
    assert car.poses[1] == pytest.approx((17.5, 0.0, 0.0))
    assert person.poses[0][:2] == pytest.approx((3.0, 4.0))
