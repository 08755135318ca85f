"""Shaders (GLSL 1.20, which also Mesa and macOS run).

Light is computed in squares of the sRGB values, which is close to linear light and costs a
product where the exact curve costs a power. Whatever can be is computed per vertex: without a
GPU pixels are expensive, and unused features are left out of the program. The alpha of a
colour is its matness: what it lacks to 1 reflects the sky, more at a flat angle (after Schlick,
1994); only programs with reflections use it. In tunnels it is the share of daylight, and on
roads in the rain 0 where something shelters them.
"""

from dataclasses import dataclass

CONES = (2, 4)
"""Numbers of head lights that light the world in one picture: those of one car, or of two, as each
costs every pixel."""
TUNNEL_LIGHT = (0.26, 0.235, 0.18)
"""Of the lamps in tunnels, by day and by night; beside the light of the sky by day it is dark."""

_VERTEX = """
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelMatrix;
uniform mat4 p3d_ViewMatrixInverse;
uniform mat4 trans_model_to_clip_of_sun;
uniform vec3 sun_direction;
uniform vec3 sun_light;
uniform vec3 sky_light;
uniform vec3 ground_light;
#ifdef SNOW
uniform float snow_cover;
varying float snow;
#endif
attribute vec4 p3d_Vertex;
attribute vec3 p3d_Normal;
attribute vec4 p3d_Color;
attribute vec2 p3d_MultiTexCoord0;
varying vec3 in_shade;
varying vec3 by_sun;
varying vec3 in_shadow_map;
varying vec2 place;
varying vec4 normal_and_matness;
#ifdef HAZE_PER_VERTEX
uniform float haze;
uniform vec3 horizon;
varying vec3 by_haze;
#else
varying vec3 from_eye;
#endif
#if defined(CONES) || defined(LAMPS)
varying vec3 own_colour;
#endif
#ifdef LAMPS
uniform vec4 lamp_frame;
uniform vec4 lamp_light;
varying vec3 under_lamps;
#endif

void main() {
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
    vec3 normal = mat3(p3d_ModelMatrix) * p3d_Normal;
    vec3 base = p3d_Color.rgb * p3d_Color.rgb;
#ifdef SNOW
    /* It lies on what looks up, and not where something shelters a road. */
    snow = SNOW * snow_cover * smoothstep(0.2, 0.75, normal.z);
#ifdef WET
    snow *= p3d_Color.a;
#endif
    base = mix(base, vec3(0.80, 0.84, 0.90), snow);
#endif
    in_shade = base * mix(ground_light, sky_light, normal.z * 0.5 + 0.5);
    by_sun = base * sun_light * max(dot(normal, sun_direction), 0.0);
#ifdef TUNNEL
    /* Here alpha is the share of daylight; the rest is the light of lamps on the ceiling. */
    in_shade = mix(base * TUNNEL * (0.8 + 0.2 * normal.z), in_shade, p3d_Color.a);
    by_sun *= p3d_Color.a;
#endif
    vec3 in_world = (p3d_ModelMatrix * p3d_Vertex).xyz;
    vec3 frustum = in_world - p3d_ViewMatrixInverse[3].xyz;
#if defined(CONES) || defined(LAMPS)
    own_colour = base;
#endif
#ifdef LAMPS
    under_lamps = vec3((in_world.xy - lamp_frame.xy) * lamp_frame.z,
                       (in_world.z - lamp_frame.w) / lamp_light.w);
#endif
#ifdef HAZE_PER_VERTEX
    float clear = 1.0 / (1.0 + dot(frustum, frustum) * haze);
    clear *= clear;
    /* Haze takes from all light and adds its own: what is left of it is one sum for each pixel. */
    in_shade *= clear;
    by_sun *= clear;
#ifdef LAMPS
    own_colour *= clear;
#endif
    by_haze = horizon * (1.0 - clear);
#else
    from_eye = frustum;
#endif
    in_shadow_map = (trans_model_to_clip_of_sun * p3d_Vertex).xyz * 0.5 + 0.5;
    place = p3d_MultiTexCoord0;
    normal_and_matness = vec4(normal, p3d_Color.a);
}
"""

_FRAGMENT = """
uniform sampler2D p3d_Texture0;
uniform sampler2DShadow shadow_map;
#ifdef HAZE_PER_VERTEX
varying vec3 by_haze;
#else
uniform float haze;
uniform vec3 horizon;
varying vec3 from_eye;
#endif
varying vec3 in_shade;
varying vec3 by_sun;
varying vec3 in_shadow_map;
varying vec2 place;
#ifdef SNOW
varying float snow;
#endif
#if defined(GLOSSY) || defined(WET) || defined(CONES) || defined(LAMPS)
varying vec4 normal_and_matness;
#endif
#if defined(CONES) || defined(LAMPS)
varying vec3 own_colour;
#endif
#if defined(GLOSSY) || defined(WET)
uniform vec3 sun_direction;
uniform vec3 sun_light;
uniform vec3 ground_light;
uniform vec3 zenith;
uniform float wetness;
uniform vec2 windows;

vec3 with_reflection(vec3 result, float gloss, float lit, vec3 frustum, vec3 n) {
    vec3 mirrored = reflect(frustum, n);
    float flat_angle = 1.0 - max(dot(-frustum, n), 0.0);
    float grazing = flat_angle * flat_angle * flat_angle;
    vec3 above = mix(horizon, zenith, clamp(mirrored.z * 1.5, 0.0, 1.0));
#ifdef WET
    /* Water; and low in the sky there are houses and trees. */
    float fresnel = gloss * (0.03 + 0.97 * grazing * flat_angle);
    above *= mix(0.35, 1.0, smoothstep(0.0, 0.3, mirrored.z));
#else
    float fresnel = gloss * (0.15 + 0.85 * grazing);
#endif
    vec3 sky = mix(ground_light * 0.5, above, smoothstep(-0.05, 0.05, mirrored.z));
    float glint = max(dot(mirrored, sun_direction), 0.0);
    glint *= glint;
    glint *= glint;
    glint *= glint;
    glint *= glint;
    return mix(result, sky, fresnel) + sun_light * (glint * glint * gloss * lit);
}
#endif
#ifdef CONES
uniform vec4 cone_place[CONES];
uniform vec4 cone_axis[CONES];
uniform vec4 cone_light[CONES];

/* What the cones shed on a surface. Their places are relative to the eye; w is the range, the
   cosine of the edge. A surface that is lit at a flat angle gets more than Lambert's law says:
   head lights throw their light far. Above the axis it soon ends, as when they are dipped. */
vec3 by_cones(vec3 n) {
    vec3 sum = vec3(0.0);
    for (int i = 0; i < CONES; i++) {
        vec3 ray = from_eye - cone_place[i].xyz;
        float distance2 = dot(ray, ray) + 0.01;
        vec3 towards = ray * inversesqrt(distance2);
        float inside = clamp((dot(towards, cone_axis[i].xyz) - cone_axis[i].w)
                             / (1.0 - cone_axis[i].w), 0.0, 1.0);
        float left = max(1.0 - distance2 / (cone_place[i].w * cone_place[i].w), 0.0);
        float facing = max(-dot(towards, n), 0.0);
        float above = 1.0 - 0.85 * smoothstep(0.0, 0.09, towards.z - cone_axis[i].z);
        sum += cone_light[i].rgb * (inside * inside * left * above * (facing / (facing + 0.03))
                                    / (1.0 + distance2 * 0.002));
    }
    return sum;
}
#endif
#ifdef LAMPS
uniform sampler2D lamp_map;
uniform vec4 lamp_light;
varying vec3 under_lamps;

/* What street lamps shed on a surface: the map has how much comes, whence, and from how high. Above
   the lamps it soon ends, and far below them, under a bridge. Light that things around give back
   comes from all sides. */
vec3 by_lamps(vec3 n) {
    vec4 found = texture2D(lamp_map, under_lamps.xy);
    vec2 level = 2.0 * found.gb - 1.0;
    float facing = dot(n, vec3(level, sqrt(max(1.0 - dot(level, level), 0.0))));
    float height = (under_lamps.z - found.a) * lamp_light.w;
    float reaches = smoothstep(2.5, -2.0, height) * smoothstep(-20.0, -14.0, height);
    return lamp_light.rgb * (found.r * found.r * reaches * (0.15 + 0.85 * max(facing, 0.0)));
}
#endif

void main() {
#ifdef PLAIN
    vec3 result = in_shade + by_sun;
#else
    vec4 texel = texture2D(p3d_Texture0, place);
#ifdef MEADOW
    /* The same patches once more, nine times as broad: they hide that it repeats. */
    texel.rgb *= 1.9 * texture2D(p3d_Texture0, place.yx * 0.113, 4.5).rgb - 0.67;
#endif
#ifdef SNOW
    texel.rgb = mix(texel.rgb, vec3(0.55 + 0.45 * texel.g), snow);
#endif
    vec2 from_centre = abs(in_shadow_map.xy - 0.5);
    float outside = step(0.49, max(from_centre.x, from_centre.y));
    float depth = min(in_shadow_map.z, 1.0) - SHADOW_BIAS;
#ifdef SOFT_SHADOWS
    vec4 around = vec4(0.9, 0.4, -0.9, -0.4) * SOFT_SHADOWS;
    float lit = shadow2D(shadow_map, vec3(in_shadow_map.xy + around.xy, depth)).r;
    lit += shadow2D(shadow_map, vec3(in_shadow_map.xy + around.wx, depth)).r;
    lit += shadow2D(shadow_map, vec3(in_shadow_map.xy + around.zw, depth)).r;
    lit += shadow2D(shadow_map, vec3(in_shadow_map.xy + around.yz, depth)).r;
    lit *= 0.25;
    lit = max(lit, outside);
#else
    float lit = max(shadow2D(shadow_map, vec3(in_shadow_map.xy, depth)).r, outside);
#endif
    vec3 result = texel.rgb * texel.rgb * (in_shade + by_sun * lit);
#endif
#ifndef HAZE_PER_VERTEX
    float distance2 = dot(from_eye, from_eye);
#endif
#if defined(CONES) || defined(LAMPS)
    vec3 side = normalize(normal_and_matness.xyz);
    vec3 more = vec3(0.0);
#ifdef CONES
    more += by_cones(side);
#endif
#ifdef LAMPS
    more += by_lamps(side);
#endif
#ifdef PLAIN
    result += own_colour * more;
#else
    result += texel.rgb * texel.rgb * own_colour * more;
#endif
#ifdef LAMPS
    /* As a camera does by night: exposed for the street, with the bright walls below lamps kept
       short of white (after E. Reinhard and others, 2002). */
    result = result * (1.0 + 0.06 * result) / (1.0 + result);
#endif
#endif
#if defined(GLOSSY) || defined(WET)
#ifdef WET
    /* Water darkens the surface, and stands in puddles where that is level: the texture has their
       shape, too, when it is stretched. */
    float level = wetness * normal_and_matness.a * smoothstep(0.7, 0.95, normal_and_matness.z);
#ifdef SNOW
    level *= 1.0 - snow;
#endif
    result *= 1.0 - 0.5 * level;
    float stretched = texture2D(p3d_Texture0, place * 0.071).g;
    float puddle = smoothstep(0.88, 0.96, stretched + 0.1 * wetness - 0.06);
    float gloss = max(1.0 - texel.a, level * mix(0.5, 0.9, puddle));
#else
    float gloss = 1.0 - texel.a * normal_and_matness.a;
#endif
#ifdef WINDOWS
    /* Some of the windows are lit: which, and how, follows from their numbers, of which each wall
       has its own (a hash after D. Hoskins, "Hash without sine"). */
    vec3 hash = fract(floor(place).xyx * vec3(0.1031, 0.1030, 0.0973));
    hash += dot(hash, hash.yzx + 33.33);
    hash = fract((hash.xxy + hash.yzz) * hash.zyx);
    float is_lit = step(0.45, 1.0 - texel.a) * step(hash.x, windows.y);
    vec3 lamp = mix(vec3(0.72, 0.43, 0.16), vec3(0.60, 0.54, 0.42), hash.y * hash.y);
    /* Behind the pane, by shares of the bay that `textures` paints: a room that is brighter towards
       its lamp, furniture against its far wall, and curtains to the sides. */
    vec2 room = fract(place);
    float curtain = step(0.175 - 0.10 * fract(hash.x * 37.0), abs(room.x - 0.5));
    float shelf = 0.34 + 0.16 * hash.z * step(0.5, fract(room.x * 5.0 + hash.y * 7.0));
    lamp *= mix(1.0, 0.4, step(room.y, shelf) * (1.0 - curtain)) * (1.0 - 0.45 * curtain);
    lamp *= 0.55 + 0.75 * smoothstep(0.3, 0.8, room.y);
    result += lamp * (is_lit * windows.x * (0.25 + 0.75 * hash.z));
#endif
    vec3 frustum = from_eye * inversesqrt(distance2);
    result = with_reflection(result, gloss, lit, frustum, normalize(normal_and_matness.xyz));
#endif
#ifdef HAZE_PER_VERTEX
    result += by_haze;
#else
#ifdef FOG
    float clear = exp(-haze * sqrt(distance2));
#else
    float clear = 1.0 / (1.0 + distance2 * haze);
    clear *= clear;
#endif
    result = mix(horizon, result, clear);
#endif
#ifdef WET
    /* Pictures are opaque whatever is written here: it tells how much a surface mirrors lamps. */
    gl_FragColor = vec4(sqrt(result), 1.0 - level);
#else
    gl_FragColor = vec4(sqrt(result), 1.0);
#endif
}
"""


@dataclass(frozen=True, slots=True)
class Features:
    """Features of a shader.

    It can omit textures and shadows, reflect, be wet, turn white under snow (by a share of the
    sky's `snow_cover`), light windows, show fog (exponential), be lit by a number of `cones`, by
    street lamps, and by the lamps of a tunnel; haze can be computed per vertex if no other
    feature needs the position of each pixel.

    In clear air `haze` is in 1/m² and contrast falls with the square of the distance; in fog it is
    the extinction coefficient [1/m].

    Attributes:
        is_plain: without textures and shadows.
        is_glossy: reflects the sky.
        is_wet: wet surface.
        has_windows: lit windows at night.
        is_foggy: exponential fog in place of clear air.
        has_lamps: lit by street lamps.
        is_in_tunnel: lit by the tunnel's lamps, without sun.
        shadow_softness: distance, as a share of the edge of the shadow map, of the four places
            whose mean is the edge of a shadow; 0 for one place.
        is_meadow: broad patches over those of the texture.
        has_even_haze: haze may be computed per vertex.
    """

    is_plain: bool = False
    is_glossy: bool = False
    is_wet: bool = False
    snow: float = 0.0
    has_windows: bool = False
    is_foggy: bool = False
    cones: int = 0
    has_lamps: bool = False
    is_in_tunnel: bool = False
    is_meadow: bool = False
    shadow_softness: float = 0.0
    has_even_haze: bool = False

    @property
    def is_hazy_per_vertex(self) -> bool:
        """Whether haze is computed per vertex, and the place of a pixel is not known."""
        needs_place = self.is_glossy or self.is_wet or self.cones > 0
        return self.has_even_haze and not self.is_foggy and not needs_place


def world_shader(features: Features, *, shadow_bias: float) -> tuple[str, str]:
    """Sources of the vertex and fragment program for what stands in the sun.

    Args:
        features: what it can do.
        shadow_bias: depth in the shadow map, 0..1, by which a surface may lie behind itself.
    """
    wanted = {
        "PLAIN": features.is_plain,
        "GLOSSY": features.is_glossy,
        "WET": features.is_wet,
        "WINDOWS": features.has_windows,
        "MEADOW": features.is_meadow,
        "FOG": features.is_foggy,
        "LAMPS": features.has_lamps,
        "HAZE_PER_VERTEX": features.is_hazy_per_vertex,
    }
    lines = ["#version 120", f"#define SHADOW_BIAS {shadow_bias:.6f}"]
    lines += [f"#define {name}" for name, is_wanted in wanted.items() if is_wanted]
    lines += [f"#define SNOW {features.snow:.3f}"] if features.snow else []
    softness = features.shadow_softness
    lines += [f"#define SOFT_SHADOWS {softness:.7f}"] if softness else []
    lines += [f"#define CONES {features.cones}"] if features.cones else []
    lines += [f"#define TUNNEL vec3{TUNNEL_LIGHT}"] if features.is_in_tunnel else []
    head = "\n".join(lines)
    return head + _VERTEX, head + _FRAGMENT
