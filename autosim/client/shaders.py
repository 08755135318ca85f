"""The two small programs that graphics cards run for us (GLSL 1.20: also Mesa, also macOS).

Light is computed in squares of the sRGB values, which is close to linear light and costs a
product where the exact curve costs a power. The alpha of a colour is its matness: what it lacks
to 1 reflects the sky, more at a flat angle (Schlick's approximation, 1994).
"""

WORLD_VERTEX = """#version 120
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelMatrix;
uniform mat4 p3d_ViewMatrixInverse;
uniform mat4 trans_model_to_clip_of_sun;
attribute vec4 p3d_Vertex;
attribute vec3 p3d_Normal;
attribute vec4 p3d_Color;
attribute vec2 p3d_MultiTexCoord0;
varying vec3 normal;
varying vec3 from_eye;
varying vec3 in_shadow_map;
varying vec4 colour;
varying vec2 place;

void main() {
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
    normal = mat3(p3d_ModelMatrix) * p3d_Normal;
    from_eye = (p3d_ModelMatrix * p3d_Vertex).xyz - p3d_ViewMatrixInverse[3].xyz;
    colour = p3d_Color;
    place = p3d_MultiTexCoord0;
    in_shadow_map = (trans_model_to_clip_of_sun * p3d_Vertex).xyz * 0.5 + 0.5;
}
"""

WORLD_FRAGMENT = """#version 120
uniform sampler2D p3d_Texture0;
uniform sampler2DShadow shadow_map;
uniform vec3 sun_direction;
uniform vec3 sun_light;
uniform vec3 sky_light;
uniform vec3 ground_light;
uniform vec3 horizon;
uniform vec3 zenith;
uniform float haze;
varying vec3 normal;
varying vec3 from_eye;
varying vec3 in_shadow_map;
varying vec4 colour;
varying vec2 place;

float lit() {
    vec2 edge = abs(in_shadow_map.xy - 0.5) * 2.0;
    float fade = smoothstep(0.85, 1.0, max(edge.x, edge.y));
    float depth = min(in_shadow_map.z, 1.0) - 0.0015;
    return max(shadow2D(shadow_map, vec3(in_shadow_map.xy, depth)).r, fade);
}

void main() {
    vec4 texel = texture2D(p3d_Texture0, place);
    vec3 base = texel.rgb * colour.rgb;
    base *= base;
    vec3 n = normalize(normal);
    float distance2 = dot(from_eye, from_eye);
    vec3 gaze = from_eye * inversesqrt(distance2);
    float facing_sun = max(dot(n, sun_direction), 0.0);
    float sun = facing_sun > 0.0 ? facing_sun * lit() : 0.0;
    vec3 light = mix(ground_light, sky_light, n.z * 0.5 + 0.5) + sun_light * sun;
    vec3 result = base * light;
    float gloss = 1.0 - texel.a * colour.a;
    if (gloss > 0.01) {
        vec3 mirrored = reflect(gaze, n);
        float flat_angle = 1.0 - max(dot(-gaze, n), 0.0);
        float fresnel = 0.15 + 0.85 * flat_angle * flat_angle * flat_angle;
        vec3 sky = mirrored.z > 0.0 ? mix(horizon, zenith, sqrt(mirrored.z)) : ground_light * 0.5;
        float glint = pow(max(dot(mirrored, sun_direction), 0.0), 60.0) * step(0.001, sun);
        result = mix(result, sky, gloss * fresnel) + sun_light * (glint * gloss);
    }
    result = mix(horizon, result, exp(-distance2 * haze));
    gl_FragColor = vec4(sqrt(result), 1.0);
}
"""
