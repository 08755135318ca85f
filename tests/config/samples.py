"""Small configuration files as text, and ways to write and to spoil them."""

from pathlib import Path

from autosim.config.diagnostics import Diagnostic
from autosim.loading.checker import check_file

ROBOT = """\
<?xml version="1.0"?>
<Robot name="cart">
  <Parts>
    <Box name="chassis">
      <Position x="0.0" y="0.0" z="0.0"/>
      <Size x="2.0" y="1.2" z="4.8"/>
      <Mass value="1400.0"/>
      <CenterOfMass x="0.1" y="0.3" z="-0.7"/>
    </Box>
    <Box name="trailer">
      <Position x="0.0" y="0.0" z="-10.0"/>
      <Size x="2.0" y="1.2" z="4.8"/>
      <Mass value="900.0"/>
    </Box>
    <SphericalLink name="towbar">
      <Parent name="chassis"/>
      <Child name="trailer"/>
      <Position x="0.0" y="0.0" z="-5.0"/>
    </SphericalLink>
  </Parts>
  <Devices>
    <DriveActuator name="drive">
      <Part name="chassis"/>
      <MotorForce value="5000.0"/>
      <BrakeForce value="10.0"/>
    </DriveActuator>
    <WheelDevice name="front_left">
      <Part name="chassis"/>
      <DriveActuator name="drive"/>
      <Position x="-0.8" y="-0.45" z="1.35"/>
      <Radius value="0.36"/>
      <Width value="0.245"/>
      <SuspensionRestLength value="0.1"/>
      <SuspensionKs value="200"/>
      <SuspensionKd value="23"/>
      <Powered value="true"/>
      <Steering value="1"/>
      <Brakes value="false"/>
    </WheelDevice>
    <Camera name="front_view">
      <Part name="chassis"/>
      <Type name="fixed"/>
      <Direction x="0.0" y="-0.25" z="1.0"/>
      <UpVector x="0.0" y="1.0" z="0.0"/>
    </Camera>
    <GyroscopeSensor name="gyro0">
      <Part name="chassis"/>
      <Axis x="2.0" y="0.0" z="0.0"/>
      <Alpha value="0.05"/>
      <WhiteGaussianNoise range="0.01" offset="0.5"/>
      <WhiteNoise range="0.02"/>
    </GyroscopeSensor>
  </Devices>
</Robot>
"""

SETUP = """\
<Setup name="town">
  <TerrainSetup>
    <OsmSetup name="town"><NodeOffset lat="-31.9728" lon="115.827"/></OsmSetup>
    <RoadDimensions name="town"><CurbHeight value="0.12"/></RoadDimensions>
    <HighwayDimensions name="town">
      <residential width="8.0" leftPavementWidth="1.5" rightPavementWidth="1.0"/>
      <service width="3.0"/>
    </HighwayDimensions>
    <TerrainDimensions name="town">
      <TileSize value="64.0"/>
      <LevelsOfDetail value="4.0"/>
      <HeightDataPerArea value="8.0"/>
    </TerrainDimensions>
  </TerrainSetup>
</Setup>
"""

HOUSES = """\
<houses version="0.01" generator="test">
  <residential>
    <house name="small"><File path="models/small" type="obj"/><BoxSize x="5" y="6" z="7"/></house>
    <house name="large"><File path="models/large"/><BoxSize x="8" y="9" z="10"/></house>
  </residential>
  <forest>
    <tree name="small"><File path="models/tree"/><BoxSize x="1" y="10" z="1"/></tree>
  </forest>
</houses>
"""

WORLD = """\
<World name="town">
  <Graphics>
    <View name="view"><Size width="320" height="200"/><Shadows value="false"/></View>
  </Graphics>
  <Physics>
    <Dynamics name="dynamics"><StepsPerSecond value="100"/></Dynamics>
  </Physics>
  <Terrain>
    <Map name="town">
      <Folder path="town"/>
      <DrivingSide value="left"/>
    </Map>
  </Terrain>
  <Objects>
    <Robot name="one">
      <File path="robots/cart.xml"/>
      <Position x="1.0" y="2.0" z="3.0"/>
      <RotY value="0.5"/>
      <UserProgram file="program.py" side="client" arguments="fast  12"/>
    </Robot>
    <Robot name="two">
      <File path="robots/cart.xml"/>
    </Robot>
  </Objects>
</World>
"""

OSM = """\
<osm version="0.6">
  <node id="1" lat="-31.97" lon="115.82"/>
</osm>
"""


def write(folder: Path, text: str, name: str = "file.xml") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def write_world(folder: Path, text: str = WORLD) -> Path:
    """A world with all its files; returns the world file."""
    write(folder, ROBOT, "robots/cart.xml")
    write(folder, SETUP, "town/setup.xml")
    write(folder, OSM, "town/town.osm")
    write(folder, "", "userprograms/program.py")
    return write(folder, text, "town.xml")


def spoiled(text: str, old: str, new: str) -> tuple[str, int]:
    """`text` with its first `old` replaced, and the line where that begins."""
    assert old in text
    return text.replace(old, new, 1), text[: text.index(old)].count("\n") + 1


def faults(folder: Path, text: str) -> list[Diagnostic]:
    return check_file(write(folder, text))
