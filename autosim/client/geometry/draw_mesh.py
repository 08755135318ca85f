"""Meshes as graphics cards want them, as NumPy arrays without an engine."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from autosim.arrays import Bytes, Floats32, Integers32
from autosim.world.geometry.renumbering import renumbered


def no_labels() -> Floats32:
    """The labels of a mesh that has none: its node says what it is."""
    return np.zeros((0, 2), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class DrawMesh:
    """Triangles as a graphics card wants them: everything per vertex.

    vertices, normals: (n, 3) float32, W or the model's frame, [m]; colours: (n, 4) uint8, sRGB
    and matness (255 is matt, less reflects the sky); uvs: (n, 2) float32 in texture widths;
    triangles: (m, 3) int32, counter-clockwise seen from outside; labels: (n, 2) float32, the number
    of the semantic class and that of the instance, or none.
    """

    vertices: Floats32
    normals: Floats32
    colours: Bytes
    uvs: Floats32
    triangles: Integers32
    labels: Floats32 = field(default_factory=no_labels)

    @property
    def all_labels(self) -> Floats32:
        """The labels (n, 2); zeros where there are none."""
        if len(self.labels):
            return self.labels
        return np.zeros((len(self.vertices), 2), dtype=np.float32)

    def raised(self, height: float) -> "DrawMesh":
        """The mesh higher by `height` [m]."""
        return replace(self, vertices=self.vertices + np.array([0.0, 0.0, height], np.float32))

    def select(self, triangles: Integers32) -> "DrawMesh":
        """The mesh of these of its triangles (k, 3) alone, without unused vertices."""
        used, numbered = renumbered(triangles)
        return DrawMesh(
            self.vertices[used],
            self.normals[used],
            self.colours[used],
            self.uvs[used],
            numbered,
            self.labels[used] if len(self.labels) else self.labels,
        )


def joined(meshes: Sequence[DrawMesh]) -> DrawMesh:
    """Several meshes, at least one, as one."""
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    return DrawMesh(
        vertices=np.vstack([mesh.vertices for mesh in meshes]),
        normals=np.vstack([mesh.normals for mesh in meshes]),
        colours=np.vstack([mesh.colours for mesh in meshes]),
        uvs=np.vstack([mesh.uvs for mesh in meshes]),
        triangles=np.vstack(
            [mesh.triangles + np.int32(k) for mesh, k in zip(meshes, starts, strict=False)]
        ),
        labels=np.vstack([mesh.all_labels for mesh in meshes]),
    )


def labelled(mesh: DrawMesh, number: int) -> DrawMesh:
    """The mesh as a thing of the semantic class `number`, without instances."""
    labels = np.zeros((len(mesh.vertices), 2), dtype=np.float32)
    labels[:, 0] = number
    return replace(mesh, labels=labels)
