"""The small programs that graphics cards run for us (GLSL 1.20: also Mesa, also macOS).

Light is computed in squares of the sRGB values, which is close to linear light and costs a
product where the exact curve costs a power. Whatever can be is computed per vertex: without a
GPU pixels are dear. The alpha of a colour is its matness: what it lacks to 1 reflects the sky,
more at a flat angle (after Schlick, 1994); only the glossy program looks at it.
"""

_VERTEX = """#version 120
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelMatrix;
uniform mat4 p3d_ViewMatrixInverse;
uniform mat4 trans_model_to_clip_of_sun;
uniform vec3 sun_direction;
uniform vec3 sun_light;
uniform vec3 sky_light;
uniform vec3 ground_light;
attribute vec4 p3d_Vertex;
attribute vec3 p3d_Normal;
attribute vec4 p3d_Color;
attribute vec2 p3d_MultiTexCoord0;
varying vec3 in_shade;
varying vec3 by_sun;
varying vec3 from_eye;
varying vec3 in_shadow_map;
varying vec2 place;
varying vec4 normal_and_matness;

void main() {
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
    vec3 normal = mat3(p3d_ModelMatrix) * p3d_Normal;
    vec3 base = p3d_Color.rgb * p3d_Color.rgb;
    in_shade = base * mix(ground_light, sky_light, normal.z * 0.5 + 0.5);
    by_sun = base * sun_light * max(dot(normal, sun_direction), 0.0);
    from_eye = (p3d_ModelMatrix * p3d_Vertex).xyz - p3d_ViewMatrixInverse[3].xyz;
    in_shadow_map = (trans_model_to_clip_of_sun * p3d_Vertex).xyz * 0.5 + 0.5;
    place = p3d_MultiTexCoord0;
    normal_and_matness = vec4(normal, p3d_Color.a);
}
"""

_FRAGMENT = """
uniform sampler2D p3d_Texture0;
uniform sampler2DShadow shadow_map;
uniform vec3 horizon;
uniform float haze;
varying vec3 in_shade;
varying vec3 by_sun;
varying vec3 from_eye;
varying vec3 in_shadow_map;
varying vec2 place;
#ifdef GLOSSY
uniform vec3 sun_direction;
uniform vec3 sun_light;
uniform vec3 ground_light;
uniform vec3 zenith;
varying vec4 normal_and_matness;

vec3 with_reflection(vec3 result, float gloss, float lit, vec3 gaze, vec3 n) {
    vec3 mirrored = reflect(gaze, n);
    float flat_angle = 1.0 - max(dot(-gaze, n), 0.0);
    float fresnel = gloss * (0.15 + 0.85 * flat_angle * flat_angle * flat_angle);
    vec3 above = mix(horizon, zenith, clamp(mirrored.z * 1.5, 0.0, 1.0));
    vec3 sky = mix(ground_light * 0.5, above, smoothstep(-0.05, 0.05, mirrored.z));
    float glint = max(dot(mirrored, sun_direction), 0.0);
    glint *= glint;
    glint *= glint;
    glint *= glint;
    glint *= glint;
    return mix(result, sky, fresnel) + sun_light * (glint * glint * gloss * lit);
}
#endif

void main() {
    vec4 texel = texture2D(p3d_Texture0, place);
    vec2 from_centre = abs(in_shadow_map.xy - 0.5);
    float outside = step(0.49, max(from_centre.x, from_centre.y));
    float depth = min(in_shadow_map.z, 1.0) - SHADOW_BIAS;
    float lit = max(shadow2D(shadow_map, vec3(in_shadow_map.xy, depth)).r, outside);
    vec3 result = texel.rgb * texel.rgb * (in_shade + by_sun * lit);
    float distance2 = dot(from_eye, from_eye);
#ifdef GLOSSY
    float gloss = 1.0 - texel.a * normal_and_matness.a;
    vec3 gaze = from_eye * inversesqrt(distance2);
    result = with_reflection(result, gloss, lit, gaze, normalize(normal_and_matness.xyz));
#endif
    float clear = 1.0 / (1.0 + distance2 * haze);
    gl_FragColor = vec4(sqrt(mix(horizon, result, clear * clear)), 1.0);
}
"""


def world_shader(*, is_glossy: bool, shadow_bias: float) -> tuple[str, str]:
    """Sources of the vertex and fragment program for what stands in the sun.

    Args:
        is_glossy: with reflections of the sky and the sun.
        shadow_bias: depth in the shadow map, 0..1, by which a surface may lie behind itself.
    """
    gloss = "#define GLOSSY\n" if is_glossy else ""
    head = f"#version 120\n#define SHADOW_BIAS {shadow_bias:.6f}\n{gloss}"
    return _VERTEX, head + _FRAGMENT
