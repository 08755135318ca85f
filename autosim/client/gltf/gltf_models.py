"""Models of robots, objects and traffic as glTF: a node for each piece that moves.

Frames of models, B (x forward, y left, z up), become glTF's as W does: x stays forward, z is right.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from autosim.arrays import Booleans, Floats, Floats32, Integers
from autosim.client.geometry.draw_mesh import DrawMesh
from autosim.client.gltf.document import Document
from autosim.client.gltf.material_values import Json, material_values
from autosim.client.materials.palette import Colour
from autosim.client.models.body_meshes import body_mesh
from autosim.client.models.model_files import Model, ModelPart
from autosim.client.models.model_library import ModelLibrary
from autosim.client.models.primitive_meshes import cylinder_mesh
from autosim.client.traffic.rigs import Dye, JointColumns, PieceMotion, RigPiece, dyes_of
from autosim.config.descriptions import (
    Device,
    ModelReference,
    Part,
    PlacedObject,
    RobotDescription,
    Vector3,
)
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.kinds.kind import body_of
from autosim.kinds.kinematic.kinematic_wheel import KinematicWheel

_J = JointColumns()

_DARK = 70
"""Brightest channel (0..255, without unit) up to which a face is dark: as glass before what is not
lit, or as rubber."""

_SMOOTH, _MATT = 130, 200
"""Matness (0..255, without unit) up to which dark faces are glass, and from which on they are
rubber or plastic. Paint is as smooth as glass, but hardly as dark."""

_SHAPE_MATNESS = 200
"""Matness (0..255, without unit) of bodies without a model, which shine a little: chosen by eye."""

_TYRE: Colour = (40, 40, 42, 255)
"""Colour (sRGB and matness, 0..255) of a wheel without a model: worn rubber."""


_MOVED_BY = {
    PieceMotion.LIMB: tuple(
        (name, getattr(_J, name)) for name in ("mean", "swing", "stride", "phase", "idle")
    ),
    PieceMotion.SHANK: tuple((name, getattr(_J, name)) for name in ("mean", "swing", "lift")),
}
"""The numbers by which limbs and shanks move, and their columns."""


def add_model(
    document: Document, parts: Sequence[ModelPart], name: str, *, has_dyes: bool = False
) -> int | None:
    """The mesh of a model in B, a primitive for each material; None where it has no triangles.

    With dyes, faces in the key colours of traffic's models get the material of their dye, in white.
    """
    primitives = []
    for part in parts:
        for material, mesh, roughness in _by_material(part.mesh, has_dyes=has_dyes):
            values = material_values(material, roughness=roughness)
            uvs = None
            if part.picture is not None:
                texture = {"index": document.texture(part.picture)}
                values["pbrMetallicRoughness"]["baseColorTexture"] = texture
                material = f"{material} {part.picture.name}"
                # glTF's first row of a picture is its upper one.
                uvs = (mesh.uvs * (1.0, -1.0) + (0.0, 1.0)).astype(np.float32)
            primitive = document.primitive(mesh, document.material(material, values), uvs=uvs)
            if primitive is not None:
                primitives.append(primitive)
    return document.mesh(name, primitives) if primitives else None


def _by_material(mesh: DrawMesh, *, has_dyes: bool) -> list[tuple[str, DrawMesh, float | None]]:
    """The mesh by material: name, mesh, and roughness where it is not the usual one."""
    first = mesh.triangles[:, 0]
    matness = mesh.colours[first, 3].astype(np.int64)
    dyes: Integers = np.zeros(len(first), dtype=np.int64)
    if has_dyes:
        dyes = dyes_of(mesh.colours, mesh.vertices[:, 1])[first].astype(np.int64)
    found: list[tuple[str, DrawMesh, float | None]] = []
    for dye in Dye:
        chosen = dyes == dye
        if not chosen.any():
            continue
        if dye is not Dye.NONE:
            own = mesh.select(mesh.triangles[chosen])
            found.append(
                (dye.name.lower(), replace(own, colours=np.full_like(own.colours, 255)), None)
            )
            continue
        is_dark = mesh.colours[first, :3].max(axis=1) <= _DARK
        is_glass, is_rubber = is_dark & (matness <= _SMOOTH), is_dark & (matness >= _MATT)
        for name, kept in (
            ("glass", is_glass),
            ("rubber", is_rubber),
            ("body", ~is_glass & ~is_rubber),
        ):
            found += _selected(mesh, name, chosen & kept, matness)
    return found


def _selected(
    mesh: DrawMesh, name: str, chosen: Booleans, matness: Integers
) -> list[tuple[str, DrawMesh, float | None]]:
    if not chosen.any():
        return []
    roughness = float(np.mean(matness[chosen])) / 255.0
    return [(name, mesh.select(mesh.triangles[chosen]), roughness)]


def traffic_model(pieces: Sequence[RigPiece], level: int) -> bytes | None:
    """One level of detail of a vehicle or person as a file; None where it has no meshes.

    Nodes are `body`, `wheel_N`, `limb_N` and `shank_N`, below its limb; their `extras` say how they
    move, as `autosim.client.traffic.rigs` has it.
    """
    document = Document()
    numbers: dict[int, int] = {}
    meshes: dict[int, int] = {}
    for row, piece in enumerate(pieces):
        mesh = piece.levels[level]
        if mesh is None:
            continue
        name = "body" if piece.motion is PieceMotion.FIXED else f"{piece.motion.name.lower()}_{row}"
        if id(mesh) not in meshes:
            number = add_model(document, [ModelPart(mesh)], name, has_dyes=True)
            if number is None:
                continue
            meshes[id(mesh)] = number
        parent = numbers.get(piece.parent)
        numbers[row] = document.node(
            name, _posed(piece) | {"mesh": meshes[id(mesh)]}, parent=parent
        )
    if not numbers:
        return None
    _animate_walk(document, pieces, numbers)
    return document.content()


def _posed(piece: RigPiece) -> Json:
    """The place, size and motion of a piece while it stands."""
    numbers = np.pad(np.array(piece.numbers, dtype=np.float64), (0, 11 - len(piece.numbers)))
    x, y, z = numbers[:3].tolist()
    length, width, height = numbers[3:6].tolist()
    node: Json = {"translation": [x, z, -y + 0.0], "scale": [length, height, width]}
    if piece.motion is PieceMotion.WHEEL:
        node["extras"] = {
            "motion": "wheel",
            "radius": numbers[_J.radius],
            "steers": bool(numbers[_J.steers]),
            "turned": bool(numbers[_J.turned]),
        }
        if numbers[_J.turned]:
            node["rotation"] = [0.0, 1.0, 0.0, 0.0]
    elif piece.motion in _MOVED_BY:
        extras: Json = {name: float(numbers[row]) for name, row in _MOVED_BY[piece.motion]}
        node["extras"] = {"motion": piece.motion.name.lower()} | extras
    return node


_WALK_FRAMES = 13
"""Number of key frames of a stride, the last equal to the first."""

_WALKING_SPEED = 1.35
"""Speed [m/s] of the animation `walk`: the usual one of people on foot."""


def _animate_walk(document: Document, pieces: Sequence[RigPiece], numbers: dict[int, int]) -> None:
    """Adds one stride of the limbs as the animation `walk`; nothing where there are no limbs."""
    phases = np.linspace(0.0, 2.0 * np.pi, _WALK_FRAMES)
    stride = 0.0
    rotations = {}
    for row, node in numbers.items():
        piece = pieces[row]
        joint = np.pad(np.array(piece.numbers, dtype=np.float64), (0, 11 - len(piece.numbers)))
        if piece.motion is PieceMotion.LIMB:
            stride = float(joint[_J.stride])
            angles = -(joint[_J.mean] + joint[_J.swing] * np.sin(phases + joint[_J.phase]))
        elif piece.motion is PieceMotion.SHANK:
            own = phases + pieces[piece.parent].numbers[_J.phase]
            angles = joint[_J.mean] + joint[_J.lift] * np.maximum(0.0, np.cos(own))
            angles = angles + joint[_J.swing] * np.sin(own)
        else:
            continue
        rotations[node] = _about_left(angles)
    if rotations:
        seconds = stride / _WALKING_SPEED
        times = np.linspace(0.0, seconds, _WALK_FRAMES).astype(np.float32)
        document.animation("walk", times, rotations)


def _about_left(angles: Floats) -> Floats32:
    """Quaternions (n, 4) of glTF for rotations [rad] about B's y axis, which is -z there."""
    halves = np.asarray(angles) / 2.0
    zeros = np.zeros(len(halves))
    return np.column_stack([zeros, zeros, -np.sin(halves), np.cos(halves)]).astype(np.float32)


@dataclass(frozen=True, slots=True)
class RobotModel:
    """The file of a robot, and which of its nodes are which.

    Attributes:
        content: the file.
        bodies: the name of the node of each part.
        wheels: of each wheel by the name of its node: `body`, `name`, `position` [m] in B of the
            body, `hangs` (whether the length of its suspension lowers it) and `radius` [m].
    """

    content: bytes
    bodies: dict[str, str]
    wheels: dict[str, Json]


def robot_model(robot: RobotDescription, library: ModelLibrary) -> RobotModel:
    """A robot: each part with its model or shape, its wheels, and its devices that have a model."""
    document = Document()
    bodies: dict[str, str] = {}
    wheels: dict[str, Json] = {}
    numbers: dict[str, int] = {}
    for part in robot.parts:
        numbers[part.name] = _add_part(document, part, library, part.position)
        bodies[part.name] = part.name
    for device in robot.devices:
        parent = numbers.get(device.part)
        if parent is None:
            continue
        if isinstance(device, WheelDevice | KinematicWheel):
            name = f"{device.part}.{device.name}"
            mesh = _wheel_mesh(document, device, library, name)
            place = {"translation": _turned_point(device.position)}
            document.node(name, place | ({} if mesh is None else {"mesh": mesh}), parent=parent)
            wheels[name] = {
                "node": name,
                "name": device.name,
                "body": device.part,
                "position": list(device.position),
                "hangs": isinstance(device, WheelDevice),
                "radius": device.radius,
            }
        else:
            _add_device(document, device, library, parent)
    return RobotModel(document.content(), bodies, wheels)


def object_model(thing: PlacedObject, library: ModelLibrary) -> bytes:
    """An object with its model or shape, in the frame of its body."""
    document = Document()
    _add_part(document, thing.body, library, (0.0, 0.0, 0.0))
    return document.content()


def _add_part(document: Document, part: Part, library: ModelLibrary, position: Vector3) -> int:
    paint = (*(round(255 * share) for share in part.colour), _SHAPE_MATNESS)
    red, green, blue, matness = paint
    model = _model(part.model, library)
    parts = model.parts if model is not None else None
    if parts is None:
        parts = (ModelPart(body_mesh(body_of(part), (red, green, blue, matness))),)
    mesh = add_model(document, parts, part.name)
    place: Json = {"translation": _turned_point(position)}
    return document.node(part.name, place | ({} if mesh is None else {"mesh": mesh}))


def _wheel_mesh(
    document: Document, wheel: WheelDevice | KinematicWheel, library: ModelLibrary, name: str
) -> int | None:
    model = _model(wheel.model, library)
    if model is not None:
        return add_model(document, model.parts, name)
    return add_model(document, [ModelPart(cylinder_mesh(wheel.radius, wheel.width, _TYRE))], name)


def _add_device(document: Document, device: Device, library: ModelLibrary, parent: int) -> None:
    """Adds the model of a device that has one, at its place on its part."""
    reference = getattr(device, "model", None)
    if not isinstance(reference, ModelReference):
        return
    model = _model(reference, library)
    mesh = add_model(document, model.parts, device.name) if model is not None else None
    if mesh is not None:
        position = getattr(device, "position", (0.0, 0.0, 0.0))
        place = {"translation": _turned_point(position), "mesh": mesh}
        document.node(f"{device.part}.{device.name}", place, parent=parent)


def _model(reference: ModelReference | None, library: ModelLibrary) -> Model | None:
    levels = library.levels(reference.path) if reference is not None else ()
    return levels[0] if levels else None


def _turned_point(point: Vector3) -> list[float]:
    x, y, z = point
    return [float(x), float(z), -float(y) + 0.0]
