"""Why a client is refused that has another world: the first thing that differs, by its name."""

from dataclasses import replace

from autosim.config.descriptions import RobotDescription, UsedPlugin
from autosim.kinds.director import build_tree
from autosim.server.network.gateway import find_world_mismatch
from autosim.v1 import autosim_pb2 as pb
from autosim.v1.tree_pb2 import Plugin
from tests.worlds import impreza_world

MINE = UsedPlugin("our-boats", "2.1")
WORLD = impreza_world()
TREE = build_tree(WORLD)
for name, robot in list(TREE.descriptions.items()):
    TREE.descriptions[name] = replace(robot, plugins=(MINE,))


def difference(*plugins: Plugin, layout: str = TREE.digest) -> str:
    files = [pb.File(name=name, digest=digest) for name, digest in WORLD.files]
    request = pb.SubscribeRequest(layout_digest=layout, files=files, plugins=plugins)
    return find_world_mismatch(request, WORLD, TREE)


def test_the_same_version_is_no_difference():
    assert isinstance(robot, RobotDescription)
    assert difference(Plugin(name="our-boats", version="2.1")) == ""


def test_another_version_is_named_with_both():
    said = difference(Plugin(name="our-boats", version="2.0"))
    assert "'our-boats' is of version 2.1 on the server and of version 2.0 on the client" in said
    assert "have the same version on both" in said


def test_one_that_the_server_does_not_use_is_named():
    said = difference(Plugin(name="their-boats", version="1"))
    assert "'their-boats' is not in use on the server and of version 1 on the client" in said


def test_one_that_is_missing_is_named_where_the_layout_differs():
    assert "'our-boats' is of version 2.1 on the server and not in use" in difference(layout="0")
    assert difference() == ""


def requested(*files: tuple[str, str]) -> pb.SubscribeRequest:
    return pb.SubscribeRequest(
        layout_digest=TREE.digest,
        files=[pb.File(name=name, digest=digest) for name, digest in files],
    )


def test_a_world_file_of_another_name_and_the_same_content_is_the_same():
    """Graphics may differ, which the digest of a world file leaves out; so may its name."""
    world = replace(WORLD, files=(("worlds/a.xml", "11"), ("robots/r.xml", "22")))
    assert not find_world_mismatch(
        requested(("my/b.xml", "11"), ("robots/r.xml", "22")), world, TREE
    )
    said = find_world_mismatch(requested(("my/a.xml", "33"), ("robots/r.xml", "22")), world, TREE)
    assert "uses the file 'worlds/a.xml', which differs between server and client" in said
    assert "give the client no world file" in said
    said = find_world_mismatch(requested(("my/b.xml", "11"), ("robots/r.xml", "33")), world, TREE)
    assert "the file 'robots/r.xml' differs" in said


def test_a_client_with_another_world_is_told_both_worlds_and_what_to_do():
    world = replace(WORLD, name="town", files=(("worlds/town.xml", "11"), ("robots/r.xml", "22")))
    said = find_world_mismatch(requested(("yard.xml", "33")), world, TREE)
    assert said == (
        "the server simulates the world 'town' of the file 'worlds/town.xml', the client was given "
        "'yard.xml': give the client no world file, and it takes the server's, or load that world "
        "at the server"
    )
