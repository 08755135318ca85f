"""The program that draws what a place is instead of how it looks (GLSL 1.20, as `shaders`).

Each pixel gets four floats: its depth [m] along the view axis (0 where there is nothing), its
normal, its semantic class, and the number of its instance. The normal, in the camera's frame
(x forward, y left, z up), is folded onto an octahedron (Meyer et al., 2010, On floating-point
normal vectors), of which two whole numbers of `NORMAL_STEPS` steps make one float.
"""

from autosim.client.panda.geometry import LABEL_COLUMN

NORMAL_STEPS = 4095
"""Number of steps along an axis of the octahedron: 0.04° at most, and both axes together are still
exact in a float of four bytes."""

THING_INPUT = "thing"
"""Name of the shader input with class and instance of a node, added to those of its vertices."""

VERTEX = f"""#version 120
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelViewMatrix;
uniform vec2 {THING_INPUT};
attribute vec4 p3d_Vertex;
attribute vec3 p3d_Normal;
attribute vec2 {LABEL_COLUMN};
varying float depth;
varying vec3 normal;
varying vec3 what;

void main() {{
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
    depth = -(p3d_ModelViewMatrix * p3d_Vertex).z;
    vec3 seen = mat3(p3d_ModelViewMatrix) * p3d_Normal;
    normal = vec3(-seen.z, -seen.x, seen.y);
    /* A number is the same at all corners of a triangle; in two halves it stays exact between. */
    vec2 all = {LABEL_COLUMN} + {THING_INPUT};
    float high = floor(all.y / 4096.0);
    what = vec3(all.x, high, all.y - 4096.0 * high);
}}
"""

FRAGMENT = f"""#version 120
varying float depth;
varying vec3 normal;
varying vec3 what;

void main() {{
    vec3 n = normal / max(abs(normal.x) + abs(normal.y) + abs(normal.z), 1e-9);
    vec2 folded = n.xy;
    if (n.z < 0.0) {{
        vec2 sides = vec2(n.x < 0.0 ? -1.0 : 1.0, n.y < 0.0 ? -1.0 : 1.0);
        folded = (1.0 - abs(n.yx)) * sides;
    }}
    vec2 steps = floor((folded * 0.5 + 0.5) * {NORMAL_STEPS}.0 + 0.5);
    vec3 whole = floor(what + 0.5);
    gl_FragColor = vec4(depth, steps.x * {NORMAL_STEPS + 1}.0 + steps.y,
                        whole.x, whole.y * 4096.0 + whole.z);
}}
"""
