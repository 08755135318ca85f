"""Models as glTF: nodes for what moves, where it is, in the colours of its dyes."""

import io

import numpy as np
import pytest
from PIL import Image

from autosim.client.gltf.document import Document
from autosim.client.gltf.gltf_models import add_model, object_model, robot_model, traffic_model
from autosim.client.models.model_library import ModelLibrary
from autosim.client.models.obj_models import model_of_obj
from autosim.client.traffic.drawn_models import FIGURES, VEHICLE_MODELS, vehicle_kind
from autosim.client.traffic.people_rigs import people_pieces
from autosim.client.traffic.rigs import PieceMotion, vehicle_pieces
from autosim.loading.loader import load_world
from autosim.traffic.vehicle_kinds import FLEET
from tests.client.gltf.glb import parsed
from tests.paths import ROOT


@pytest.fixture(scope="module")
def library():
    return ModelLibrary((ROOT,))


def extent(glb, node):
    corners = np.concatenate([each.reshape(-1, 3) for each in glb.triangles(node).values()])
    return np.ptp(corners, axis=0)


def test_a_robot_has_a_node_for_each_body_and_wheel(town, library):
    robot = town[0].robots[0].robot
    model = robot_model(robot, library)
    glb = parsed(model.content)
    assert model.bodies == {"chassis": "chassis"}
    assert len(model.wheels) == 4
    chassis = glb.node("chassis")
    assert extent(glb, chassis) == pytest.approx([4.4, 1.7, 1.4], abs=0.4)
    children = {glb.document["nodes"][k]["name"] for k in chassis["children"]}
    assert set(model.wheels) <= children
    for name, wheel in model.wheels.items():
        x, y, z = wheel["position"]
        assert glb.node(name)["translation"] == pytest.approx([x, z, -y])
        length, _, height = extent(glb, glb.node(name))
        assert max(length, height) == pytest.approx(2.0 * wheel["radius"], rel=0.1)


def test_paint_shines_and_is_not_glass(town, library):
    glb = parsed(robot_model(town[0].robots[0].robot, library).content)
    chassis = glb.triangles(glb.node("chassis"))
    assert set(chassis) == {"body", "glass", "rubber"}
    areas = {
        name: np.linalg.norm(np.cross(*np.moveaxis(np.diff(each, axis=1), 1, 0)), axis=1).sum()
        for name, each in chassis.items()
    }
    assert areas["body"] > 2.0 * areas["glass"] > 0.0
    # Windows are above the waist of a car.
    assert chassis["glass"][:, :, 2].mean() > chassis["body"][:, :, 2].mean()
    assert "rubber" in glb.triangles(glb.node("chassis.front_left"))


def test_bodies_without_a_model_are_their_shapes_in_their_colour(library):
    world = load_world(ROOT / "worlds" / "robots.xml")
    for placed in world.robots:
        model = robot_model(placed.robot, library)
        glb = parsed(model.content)
        assert set(model.bodies) == {part.name for part in placed.robot.parts}
        for name in model.bodies.values():
            assert glb.node(name)["name"] == name
    for thing in world.objects:
        assert parsed(object_model(thing, library)).node(thing.body.name)


def test_textures_are_in_the_file_the_right_way_up(tmp_path):
    Image.fromarray(np.array([[[255, 0, 0]], [[0, 0, 255]]], np.uint8)).save(tmp_path / "flag.png")
    (tmp_path / "model.mtl").write_text("newmtl flag\nmap_Kd flag.png\n")
    (tmp_path / "model.obj").write_text(
        "mtllib model.mtl\nusemtl flag\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
        "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3 4/4\n"
    )
    document = Document()
    mesh = add_model(document, model_of_obj(tmp_path / "model.obj").parts, "flag")
    document.node("flag", {"mesh": mesh})
    glb = parsed(document.content())
    [image] = glb.document["images"]
    view = glb.document["bufferViews"][image["bufferView"]]
    first, length = view["byteOffset"], view["byteLength"]
    picture = np.array(Image.open(io.BytesIO(glb.data[first : first + length])))
    [primitive] = glb.document["meshes"][mesh]["primitives"]
    points = glb.accessed(primitive["attributes"]["POSITION"])
    v = glb.accessed(primitive["attributes"]["TEXCOORD_0"])[:, 1]
    # What was up in the OBJ file is up, and shows the first row, which is red.
    up = points[:, 1] > 0.5
    assert v[up] == pytest.approx(0.0)
    assert v[~up] == pytest.approx(1.0)
    assert picture[:, 0].tolist() == [[255, 0, 0], [0, 0, 255]]


def test_vehicles_have_the_sizes_of_their_kinds_and_wheels_that_turn(library):
    for model, pieces in enumerate(vehicle_pieces(library)):
        kind = FLEET[vehicle_kind(model)]
        glb = parsed(traffic_model(pieces, 0))
        body = extent(glb, glb.node("body"))
        assert body[0] == pytest.approx(kind.length, rel=0.01), VEHICLE_MODELS[model]
        wheels = [n for n in glb.document["nodes"] if n["name"].startswith("wheel_")]
        assert len(wheels) == sum(piece.motion is PieceMotion.WHEEL for piece in pieces)
        for wheel in wheels:
            assert wheel["extras"]["radius"] == kind.axles.wheel_radius
            assert wheel["translation"][1] == pytest.approx(kind.axles.wheel_radius)
        assert any(wheel["extras"]["steers"] for wheel in wheels)


def test_lights_and_paint_have_materials_of_their_own(library):
    glb = parsed(traffic_model(vehicle_pieces(library)[0], 0))
    names = {each["name"] for each in glb.document["materials"]}
    assert {"first", "rear_light", "left_indicator", "right_indicator", "head_light"} <= names
    # Left is -z in glTF, and y in W.
    triangles = glb.triangles(glb.node("body"))
    assert (triangles["left_indicator"][:, :, 1] > 0.0).all()
    assert (triangles["right_indicator"][:, :, 1] < 0.0).all()
    assert triangles["head_light"][:, :, 0].mean() > triangles["rear_light"][:, :, 0].mean()


def test_levels_of_detail_have_fewer_triangles(library):
    pieces = vehicle_pieces(library)[0]
    contents = [parsed(traffic_model(pieces, level)) for level in range(4)]
    counts = [
        sum(len(each) for n in glb.document["nodes"] for each in glb.triangles(n).values())
        for glb in contents
    ]
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] < counts[0] / 10


def test_people_walk(library):
    for pieces in people_pieces(library)[:FIGURES]:
        glb = parsed(traffic_model(pieces, 0))
        limbs = [n for n in glb.document["nodes"] if n["name"].startswith("limb_")]
        shanks = [k for k, n in enumerate(glb.document["nodes"]) if n["name"].startswith("shank_")]
        assert (len(limbs), len(shanks)) == (4, 2)
        assert {k for limb in limbs for k in limb.get("children", [])} == set(shanks)
        [walk] = glb.document["animations"]
        assert walk["name"] == "walk"
        moved = {channel["target"]["node"] for channel in walk["channels"]}
        assert len(moved) == 6
        for sampler in walk["samplers"]:
            turns = glb.accessed(sampler["output"])
            assert np.linalg.norm(turns, axis=1) == pytest.approx(1.0, abs=1e-6)
            # About the left, which is -z: a stride ends as it began.
            assert np.abs(turns[:, :2]).max() == 0.0
            assert turns[0] == pytest.approx(turns[-1], abs=1e-6)
            assert np.ptp(turns[:, 2]) > 0.01


def test_a_limb_that_swings_forward_has_its_foot_ahead(library):
    glb = parsed(traffic_model(people_pieces(library)[0], 0))
    [walk] = glb.document["animations"]
    leg = next(n for n in glb.document["nodes"] if "shank_" in str(n) or n.get("children"))
    number = glb.document["nodes"].index(leg)
    channel = next(c for c in walk["channels"] if c["target"]["node"] == number)
    turns = glb.accessed(walk["samplers"][channel["sampler"]]["output"])
    angles = 2.0 * np.arctan2(turns[:, 2], turns[:, 3])
    # A foot below its hip, turned about z (to the right), is where sin is: ahead is +x.
    extras = leg["extras"]
    forward = extras["mean"] + extras["swing"] * np.sin(
        np.linspace(0.0, 2.0 * np.pi, len(angles)) + extras["phase"]
    )
    foot = np.column_stack([np.sin(angles), -np.cos(angles)])
    assert foot[:, 0] == pytest.approx(np.sin(forward), abs=1e-6)
