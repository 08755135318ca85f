"""Draws curvilinear tables with OpenGL: on a graphics card, or by Mesa where there is none.

What it draws is data (`autosim.tracks.ribbon`), and the compiled rasteriser draws the same within a
texel. It pays where a graphics card has nothing else to do.
"""

import numpy as np

from autosim.arrays import Floats32
from autosim.client.panda.panda_imports import core
from autosim.client.panda.readback import read_floats
from autosim.client.panda.renderer import Renderer
from autosim.tracks.rasteriser import Square
from autosim.tracks.ribbon import Ribbon

_VALUES = "table_values"
"""Name of the vertices' column with the four values."""

_VERTEX = f"""#version 120
attribute vec4 p3d_Vertex;
attribute vec4 {_VALUES};
varying vec4 values;
void main() {{
    values = {_VALUES};
    gl_Position = vec4(p3d_Vertex.xyz, 1.0);
}}
"""
"""The vertices come in the square's own coordinates, -1 to 1, with the depth as the third."""

_FRAGMENT = """#version 120
varying vec4 values;
void main() {
    gl_FragColor = values;
}
"""

_ROW = np.dtype([("vertex", "<f4", 3), ("values", "<f4", 4)])


class TableRenderer:
    """Draws ribbons into tables; its `draw` is one for `CurvilinearTable.of`.

    Args:
        renderer: an open one, with shaders and buffers of floats.
        size: number of texels of each side of its tables.

    Raises:
        RendererError: the renderer has no buffer of floats of that size.
    """

    def __init__(self, renderer: Renderer, size: int) -> None:
        self._renderer = renderer
        self._output = renderer.make_buffer("table", size, size, has_floats=True)
        self._texture = core.Texture("table")
        self._texture.setFormat(core.Texture.FRgba32)
        self._texture.setComponentType(core.Texture.TFloat)
        self._output.addRenderTexture(self._texture, core.GraphicsOutput.RTMCopyRam)
        self._output.setClearColorActive(True)
        self._output.setClearColor(core.LColor(0.0, 0.0, 0.0, 0.0))
        self._node = core.GeomNode("ribbon")
        self._node.setBounds(core.OmniBoundingVolume())
        self._node.setFinal(True)
        self._format = _vertex_format()
        scene = core.NodePath("table")
        drawn = scene.attachNewNode(self._node)
        drawn.setShader(core.Shader.make(core.Shader.SLGLSL, _VERTEX, _FRAGMENT))
        drawn.setTwoSided(True)
        drawn.setDepthTest(True)
        drawn.setDepthWrite(True)
        camera = scene.attachNewNode(core.Camera("table", core.OrthographicLens()))
        self._output.makeDisplayRegion().setCamera(camera)
        self._scene = scene

    def draw(self, ribbon: Ribbon, square: Square, values: Floats32) -> None:
        """As `autosim.tracks.rasteriser.draw`.

        Raises:
            RendererError: the driver gives no floats.
            ValueError: the table has another size than this draws.
        """
        size = self._output.getXSize()
        if values.shape[0] != size:
            raise ValueError(f"this draws tables of {size} texels, not {values.shape[0]}")
        self._node.removeAllGeoms()
        self._node.addGeom(self._geom(ribbon, square, size))
        self._renderer.engine.renderFrame()
        # The table's first row is the southernmost, a picture's the uppermost.
        values[..., :4] = read_floats(self._texture)[::-1]
        # A heading has a length, but where nothing was drawn.
        drawn = (values[..., 2] != 0.0) | (values[..., 3] != 0.0)
        values[..., 4] = np.where(drawn, 1.0, -1.0)

    def close(self) -> None:
        """Gives its buffer back to the renderer."""
        self._renderer.remove(self._output)
        self._scene.removeNode()

    def _geom(self, ribbon: Ribbon, square: Square, size: int) -> core.Geom:
        rows = np.empty(len(ribbon.corners), dtype=_ROW)
        low = np.array([square.west, square.south])
        rows["vertex"][:, :2] = (ribbon.corners - low) * (2.0 * square.per_metre / size) - 1.0
        depth = np.abs(ribbon.values[:, 1])
        rows["vertex"][:, 2] = depth / max(float(depth.max()), 1e-9) * 1.8 - 0.9
        rows["values"] = ribbon.values
        data = core.GeomVertexData("ribbon", self._format, core.Geom.UHStream)
        data.uncleanSetNumRows(len(rows))
        memoryview(data.modifyArray(0)).cast("B")[:] = rows.tobytes()
        primitive = core.GeomTriangles(core.Geom.UHStream)
        primitive.setIndexType(core.Geom.NTUint32)
        indices = primitive.modifyVertices()
        indices.uncleanSetNumRows(ribbon.triangles.size)
        triangles = np.ascontiguousarray(ribbon.triangles, dtype=np.uint32)
        memoryview(indices).cast("B")[:] = triangles.tobytes()
        geom = core.Geom(data)
        geom.addPrimitive(primitive)
        return geom


def _vertex_format() -> core.GeomVertexFormat:
    layout = core.GeomVertexArrayFormat()
    name = core.InternalName
    layout.addColumn(name.getVertex(), 3, core.Geom.NTFloat32, core.Geom.CPoint)
    layout.addColumn(name.make(_VALUES), 4, core.Geom.NTFloat32, core.Geom.COther)
    return core.GeomVertexFormat.registerFormat(core.GeomVertexFormat(layout))
