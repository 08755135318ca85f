"""Parts and objects of all shapes: read, written, sent, and their faults."""

import re
from dataclasses import replace
from math import cos, pi, sin
from pathlib import Path

import pytest

from autosim.config.descriptions import Part, PlacedObject
from autosim.kinds.kind import body_of
from autosim.kinds.registry import PARTS
from autosim.loading.checker import check_file
from autosim.loading.loader import load_robot, load_world
from autosim.model.rigid_bodies.shapes import Box, Capsule, Cylinder, MeshShape, Sphere
from autosim.userprogram.codec.robot_codec import robot_from_record, robot_to_record
from tests.config.samples import WORLD, write, write_world
from tests.loading.round_trip import written_and_read

TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 2\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n"

SHAPES = {
    "Box": '<Size x="1" y="2" z="3"/>',
    "Sphere": '<Radius value="0.5"/>',
    "Capsule": '<Radius value="0.5"/><Length value="1.5"/><Axis x="1" y="0" z="1"/>',
    "Cylinder": '<Radius value="0.5"/><Length value="1.5"/>',
    "Compound": """<Shapes>
        <Box><Position x="1" y="2" z="3"/><Size x="1" y="2" z="3"/>
          <Direction x="1" y="0" z="1"/><UpVector x="0" y="1" z="0"/></Box>
        <Sphere><Position x="0" y="1" z="0"/><Radius value="0.25"/></Sphere>
        <Capsule><Radius value="0.25"/><Length value="1"/><Axis x="1" y="0" z="0"/></Capsule>
        <Cylinder><Radius value="0.25"/><Length value="1"/><Axis x="0" y="0.6" z="0.8"/></Cylinder>
      </Shapes>""",
    "Mesh": '<File path="rock.obj"/>',
}
MASS = '<Mass value="7"/><Friction value="0.9"/><Restitution value="0.25"/>'
MORE = MASS + '<CenterOfMass x="1" y="2" z="3"/><Inertia x="1" y="2" z="2.5"/>'


def robot_with(*parts: str) -> str:
    return f'<Robot name="r"><Parts>{"".join(parts)}</Parts></Robot>'


def part(tag: str, more: str = MASS) -> str:
    return f'<{tag} name="it">{SHAPES[tag]}{more}</{tag}>'


def read(folder: Path, tag: str, more: str = MASS) -> Part:
    (folder / "rock.obj").write_text(TETRAHEDRON)
    (found,) = load_robot(write(folder, robot_with(part(tag, more)))).parts
    return found


@pytest.mark.parametrize("tag", SHAPES)
def test_a_part_of_every_kind_is_read(tmp_path: Path, tag: str):
    found = read(tmp_path, tag, MORE)
    assert found.kind.name == tag
    assert (found.mass, found.friction, found.restitution) == (7.0, 0.9, 0.25)
    assert found.centre_of_mass == (3.0, -1.0, 2.0)
    assert found.inertia == (2.5, 1.0, 2.0)
    body = body_of(found)
    assert (body.mass, body.centre_of_mass) == (7.0, (3.0, -1.0, 2.0))
    assert (body.moments, body.restitution) == ((2.5, 1.0, 2.0), 0.25)


def test_every_kind_of_part_is_among_these():
    assert {kind.name for kind in PARTS} == set(SHAPES)


def test_an_axis_is_along_y_of_the_file_unless_it_says_otherwise(tmp_path: Path):
    upright, lying = body_of(read(tmp_path, "Cylinder")), body_of(read(tmp_path, "Capsule"))
    assert upright.shapes[0].shape == Cylinder(0.5, 1.5)
    assert upright.high == pytest.approx((0.5, 0.5, 0.75))
    assert lying.shapes[0].shape == Capsule(0.5, 1.5)
    assert lying.high == pytest.approx((0.75 * 0.5**0.5 + 0.5, 0.75 * 0.5**0.5 + 0.5, 0.5))


def test_the_shapes_of_a_compound_are_in_their_places(tmp_path: Path):
    shapes = body_of(read(tmp_path, "Compound")).shapes
    assert [type(each.shape) for each in shapes] == [Box, Sphere, Capsule, Cylinder]
    assert shapes[0].position == (3.0, -1.0, 2.0)
    assert shapes[0].shape == Box((3.0, 1.0, 2.0))
    # Its z axis, forward, points half to the right: a turn by 45° to the right, about up.
    assert shapes[0].orientation == pytest.approx((0.0, 0.0, -sin(pi / 8), cos(pi / 8)))


def test_a_mesh_has_the_axes_of_models(tmp_path: Path):
    body = body_of(read(tmp_path, "Mesh"))
    assert isinstance(body.shapes[0].shape, MeshShape)
    assert (body.low, body.high) == ((0.0, 0.0, 0.0), (2.0, 1.0, 1.0))
    assert body.centre_of_mass == pytest.approx((0.5, 0.25, 0.25))


@pytest.mark.parametrize("tag", SHAPES)
def test_a_part_is_told_to_programs(tmp_path: Path, tag: str):
    (tmp_path / "rock.obj").write_text(TETRAHEDRON)
    robot = load_robot(write(tmp_path, robot_with(part(tag))))
    (told,) = robot_from_record(robot_to_record(robot)).parts
    assert body_of(told).mass_properties == body_of(robot.parts[0]).mass_properties
    assert type(told) is type(robot.parts[0])


@pytest.mark.parametrize("tag", SHAPES)
def test_an_object_of_every_kind_is_read_and_written(tmp_path: Path, tag: str):
    (tmp_path / "rock.obj").write_text(TETRAHEDRON)
    text = f'<{tag} name="it"><Position x="1" z="2"/><RotY value="0.5"/>{SHAPES[tag]}{MORE}</{tag}>'
    world = load_world(write_world(tmp_path, WORLD.replace("</Objects>", f"{text}</Objects>")))
    (thing,) = world.objects
    assert thing.position == (1.0, 2.0, None)
    (again,) = written_and_read(world, tmp_path).objects
    assert _rounded(again) == _rounded(thing)
    if tag == "Mesh":
        assert "rock.obj" in dict(world.files)


def _rounded(thing: PlacedObject) -> str:
    """What a thing is, with directions rounded: they are normalised when they are read."""
    body = replace(thing, yaw=0.0)
    return re.sub(r"\d+\.\d+(e-\d+)?", lambda number: f"{float(number[0]):.9f}", repr(body))


def fault(folder: Path, text: str) -> str:
    (folder / "rock.obj").write_text(TETRAHEDRON)
    found = check_file(write(folder, text))
    assert len(found) == 1, found
    return found[0].message


@pytest.mark.parametrize(
    ("tag", "old", "new", "message"),
    [
        ("Sphere", '<Radius value="0.5"/>', '<Radius value="0"/>', "Radius"),
        ("Sphere", '<Radius value="0.5"/>', "", "<Sphere> 'it' needs <Radius>"),
        ("Cylinder", '<Length value="1.5"/>', '<Length value="-1"/>', "Length"),
        ("Capsule", 'x="1" y="0" z="1"', 'x="0" y="0" z="0"', "must not be the zero vector"),
        ("Sphere", '<Mass value="7"/>', '<Mass value="-7"/>', "Mass"),
        ("Box", '<Restitution value="0.25"/>', '<Restitution value="2"/>', "Restitution"),
        ("Sphere", "</Sphere>", '<Inertia x="1" y="1" z="9"/></Sphere>', "is that of no body"),
        ("Compound", "<Sphere>", "<Torus>", "unknown element <Torus>"),
        ("Compound", '<Radius value="0.25"/></Sphere>', "</Sphere>", "<Sphere> needs <Radius>"),
        ("Mesh", "rock.obj", "stone.obj", "stone.obj"),
        ("Mesh", "</Mesh>", '<Convex value="false"/></Mesh>', "expected a static one"),
    ],
)
def test_faults_of_parts_are_said(tmp_path: Path, tag: str, old: str, new: str, message: str):
    text = robot_with(part(tag)).replace(old, new, 1)
    if new == "<Torus>":
        text = text.replace("</Sphere>", "</Torus>")
    assert message in fault(tmp_path, text)


def test_a_compound_without_shapes_is_refused(tmp_path: Path):
    text = robot_with(f'<Compound name="it"><Shapes/>{MASS}</Compound>')
    assert "has 0 shapes: expected 1 to 64" in fault(tmp_path, text)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("v 0 0 0\n", "holds no faces"),
        ("v 0 0 x\n", "line 1: "),
        ("v 0 0 0\nf 1 2 3\n", "line 2: there is no vertex 2"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "lie in a plane"),
    ],
)
def test_faults_of_mesh_files_are_said(tmp_path: Path, content: str, message: str):
    path = write(tmp_path, robot_with(part("Mesh")))
    (tmp_path / "rock.obj").write_text(content)
    (found,) = check_file(path)
    assert message in found.message
    assert "rock.obj" in found.message
