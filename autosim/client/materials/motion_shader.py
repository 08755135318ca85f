"""The program that draws how far each place has moved since another state (GLSL 1.20).

Each pixel gets where its place was then, less where it is now [m], along the camera's axes of now
(forward, left, up).
"""

CHANGE_INPUT = "change"
"""Name of the shader input with a node's matrix of then less that of now: small numbers, which stay
exact far from the origin."""

SHIFT_INPUT = "shift_share"
"""Name of the shader input that is 1 for nodes whose vertices have, as their normals, how far each
has moved [m in W], and 0 for all others."""

VERTEX = f"""#version 120
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ViewMatrix;
uniform mat4 {CHANGE_INPUT};
uniform float {SHIFT_INPUT};
attribute vec4 p3d_Vertex;
attribute vec3 p3d_Normal;
varying vec3 moved;

void main() {{
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
    vec3 change = ({CHANGE_INPUT} * p3d_Vertex).xyz + {SHIFT_INPUT} * p3d_Normal;
    vec3 seen = mat3(p3d_ViewMatrix) * change;
    moved = vec3(-seen.z, -seen.x, seen.y);
}}
"""

FRAGMENT = """#version 120
varying vec3 moved;

void main() {
    gl_FragColor = vec4(moved, 1.0);
}
"""
