"""What a device is, in words and as JSON."""

from dataclasses import replace

from autosim.applications.common.explanations import explanation_record, explanation_text
from autosim.config.descriptions import PlacedRobot
from autosim.kinds.director import build_tree
from autosim.loading.loader import load_robot
from autosim.userprogram.session.node_explanations import explain
from tests.worlds import impreza_world

ROBOT = """<Robot name="r">
<Parts><Box name="b"><Size x="1" y="1" z="1"/><Mass value="9"/></Box></Parts>
<Devices><IMU name="imu"><Part name="b"/>
<WhiteGaussianNoise field="acceleration" range="0.4"/><Bias value="0.02"/>
</IMU></Devices></Robot>"""


def test_noises_are_named_with_what_they_are_given(tmp_path):
    file = tmp_path / "robot.xml"
    file.write_text(ROBOT, encoding="utf-8")
    robot = PlacedRobot("r", load_robot(file))
    explained = explain(build_tree(replace(impreza_world(), robots=(robot,))), "r.b.imu")
    words = " ".join(explanation_text(explained).split())
    assert "(WhiteGaussianNoise field acceleration range 0.4, Bias value 0.02)" in words
    noises = explanation_record(explained)["parameters"][-1]["value"]
    assert [each["kind"] for each in noises] == ["WhiteGaussianNoise", "Bias"]
    assert noises[0]["range"] == 0.4
