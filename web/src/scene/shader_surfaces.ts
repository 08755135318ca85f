/**
 * GLSL of what surfaces look like from near, by the name of their material.
 *
 * Each snippet changes `base` (albedo), `rough`, `glow` (radiance), `gloss` (share that mirrors at
 * right angles; 0: matt), `bare` (share on which no snow stays), `tilt` (in W, added to the normal) and `drain` (1: water stands on it).
 * It may read `place` and `side` (y up), `toEye`, `fine` (1 near, 0 where detail is below a pixel).
 */

import { FACADE } from "./shader_facades";

const GRASS = /* glsl */ `
/* Three scales, turned against each other, the widest of which does not repeat within the view. */
vec4 vast = texture2D(uNoise, (place.xz * 0.8 + place.zx * vec2(0.6, -0.6)) * 0.00083);
vec4 wide = texture2D(uNoise, place.xz * 0.0071 + vast.ra * 0.9);
vec4 mid = texture2D(uNoise, place.zx * 0.047 + wide.a * 0.3);
vec4 near = texture2D(uNoise, (place.xz + 0.37 * place.zx) * 0.63);
float seen = 1.0 - smoothstep(150.0, 900.0, eyeDistance);
float tone = mix(0.5, wide.r, 0.25 + 0.75 * seen);
base *= 0.66 + 0.34 * mix(0.5, mid.r, seen) + 0.16 * (tone - 0.5) + 0.2 * (vast.r - 0.3);
base = mix(base, base * vec3(1.22, 1.06, 0.70), smoothstep(0.45, 0.85, tone * 0.55 + mid.a * 0.25 * seen + vast.a * 0.25));
base = mix(base, base * vec3(0.72, 0.94, 0.66), seen * smoothstep(0.5, 0.8, mid.a));
base *= mix(1.0, 0.58 + 0.9 * near.g, fine);
tilt += fine * vec3(near.r - 0.5, 0.0, near.a - 0.5) * 0.5;
drain = 0.15;
`;

const ASPHALT = /* glsl */ `
vec4 wide = texture2D(uNoise, place.xz * 0.013);
vec4 mid = texture2D(uNoise, (place.xz * 0.8 + place.zx * 0.6) * 0.07);
vec4 near = texture2D(uNoise, place.zx * 1.1);
base *= 0.80 + 0.22 * wide.r + 0.16 * mid.r;
base = mix(base, base * vec3(1.05, 1.0, 0.94), wide.a);
float web = texture2D(uNoise, place.xz * 0.043 + 0.05 * vec2(near.r, near.a) + 0.03 * mid.ra).b;
float crack = smoothstep(0.022, 0.004, web) * smoothstep(0.55, 0.72, wide.a);
base *= 1.0 - 0.30 * crack * fine;
vec2 cut = place.xz / vec2(3.1, 5.3) + 0.004 * near.ra;
float patched = step(0.87, hash21(floor(cut)));
vec2 seam = abs(fract(cut) - 0.5);
base *= 1.0 - 0.09 * patched - 0.22 * fine * patched * smoothstep(0.485, 0.497, max(seam.x, seam.y));
base *= mix(1.0, 0.55 + 0.9 * near.g, 0.8 * fine);
tilt += fine * vec3(near.g - 0.5, 0.0, near.r - 0.5) * 0.22;
rough = 0.82 - 0.12 * mid.r;
float level = texture2D(uNoise, place.xz * 0.021 + 0.4).r;
drain = 0.5 + 0.6 * smoothstep(0.52, 0.70, level);
`;

const SLABS = /* glsl */ `
vec4 wide = texture2D(uNoise, place.xz * 0.017);
vec4 near = texture2D(uNoise, place.xz * 0.9);
vec2 slab = place.xz / vec2(0.6, 0.4);
slab.x += 0.5 * mod(floor(slab.y), 2.0);
vec2 w = max(fwidth(slab), 1e-4);
vec2 f = fract(slab);
float joint = 1.0 - box2(f, vec2(0.02, 0.03), vec2(0.98, 0.97), w * 1.2);
float shown = fine * (1.0 - smoothstep(0.3, 0.8, max(w.x, w.y)));
base *= 0.86 + 0.22 * wide.r;
base *= 1.0 + shown * 0.16 * (hash21(floor(slab)) - 0.5);
base *= 1.0 - 0.42 * joint * shown;
base *= mix(1.0, 0.78 + 0.44 * near.g, fine);
rough = 0.85;
drain = 0.55;
`;

const SETTS = /* glsl */ `
vec4 wide = texture2D(uNoise, place.xz * 0.02);
vec2 stone = place.xz / vec2(0.2, 0.13);
stone.x += 0.5 * mod(floor(stone.y), 2.0) + 0.15 * wide.r;
vec2 w = max(fwidth(stone), 1e-4);
vec2 f = fract(stone);
float shown = fine * (1.0 - smoothstep(0.3, 0.7, max(w.x, w.y)));
float joint = 1.0 - box2(f, vec2(0.07), vec2(0.93), w * 1.3);
base *= 0.84 + 0.26 * wide.r;
base *= 1.0 + shown * (0.34 * (hash21(floor(stone)) - 0.5) - 0.5 * joint);
tilt += shown * vec3(f.x - 0.5, 0.0, f.y - 0.5) * 0.5;
rough = 0.7;
drain = 0.5;
`;

const GRAVEL = /* glsl */ `
vec4 wide = texture2D(uNoise, place.xz * 0.03);
vec4 near = texture2D(uNoise, place.xz * 1.7);
base *= (0.82 + 0.3 * wide.r) * mix(1.0, 0.5 + near.g, fine);
base *= 1.0 - 0.3 * fine * smoothstep(0.14, 0.0, near.b);
tilt += fine * vec3(near.g - 0.5, 0.0, near.a - 0.5) * 0.6;
drain = 0.2;
`;

const STONE = /* glsl */ `
vec4 wide = texture2D(uNoise, place.xz * 0.05 + place.y * 0.031);
vec4 near = texture2D(uNoise, place.xz * 0.8 + place.y * 0.7);
base *= (0.86 + 0.24 * wide.r) * mix(1.0, 0.86 + 0.28 * near.g, fine);
float streak = texture2D(uNoise, vec2((place.x + place.z) * 0.21, place.y * 0.012)).r;
base *= 1.0 - 0.22 * smoothstep(0.5, 0.85, streak) * (1.0 - abs(side.y));
drain = 0.5;
`;

const WATER = /* glsl */ `
float t = uWeather.z;
vec4 a = texture2D(uNoise, place.xz * 0.045 + vec2(0.013, 0.007) * t);
vec4 b = texture2D(uNoise, place.zx * 0.11 - vec2(0.011, 0.017) * t);
vec4 c = texture2D(uNoise, place.xz * 0.37 + vec2(0.05, -0.03) * t);
float far = clamp(40.0 / length(toEye), 0.12, 1.0);
tilt += far * vec3(a.r + 0.6 * b.r + 0.35 * c.r - 0.97, 0.0, a.a + 0.6 * b.a + 0.35 * c.a - 0.97) * 0.22;
base = mix(vec3(0.012, 0.045, 0.055), base * 0.45, 0.35);
rough = 0.12;
gloss = 0.02;
drain = 0.0;
`;

const ROOF = /* glsl */ `
vec4 wide = texture2D(uNoise, place.xz * 0.03 + place.y * 0.01);
vec4 near = texture2D(uNoise, place.xz * 0.7 + place.y * 0.4);
base *= (0.80 + 0.34 * wide.r) * mix(1.0, 0.84 + 0.32 * near.g, fine);
if (side.y < 0.97) {
  vec3 along = normalize(cross(vec3(0.0, 1.0, 0.0), side) + 1e-5);
  vec3 down = cross(along, side);
  vec2 tile = vec2(dot(place, along) / 0.24, dot(place, down) / 0.34);
  tile.x += 0.5 * mod(floor(tile.y), 2.0);
  vec2 w = max(fwidth(tile), 1e-4);
  float shown = 1.0 - smoothstep(0.3, 0.8, max(w.x, w.y));
  vec2 f = fract(tile);
  base *= 1.0 + shown * (0.26 * (hash21(floor(tile)) - 0.5) - 0.45 * smoothstep(0.80, 1.0, f.y));
  tilt += along * (shown * 0.5 * cos(f.x * 6.2832));
  base = mix(base, vec3(0.20, 0.22, 0.12), 0.35 * smoothstep(0.62, 0.85, wide.a));
  rough = 0.75;
} else {
  float seam = band(fract(place.x * 0.5 + wide.r * 0.02), 0.0, 0.02, max(fwidth(place.x * 0.5), 1e-3));
  base *= 1.0 - 0.14 * seam * fine;
  base *= 1.0 - 0.2 * smoothstep(0.6, 0.8, wide.a);
  drain = 0.8;
}
`;

const MASONRY = /* glsl */ `
vec2 along = vec2(abs(side.x) > abs(side.z) ? place.z : place.x, place.y);
vec2 stone = along / vec2(0.5, 0.24);
stone.x += 0.5 * mod(floor(stone.y), 2.0);
vec2 w = max(fwidth(stone), 1e-4);
float shown = (1.0 - smoothstep(0.3, 0.8, max(w.x, w.y))) * (1.0 - abs(side.y));
float joint = 1.0 - box2(fract(stone), vec2(0.03, 0.06), vec2(0.97, 0.94), w * 1.2);
vec4 wide = texture2D(uNoise, along * 0.13);
base *= 0.84 + 0.28 * wide.r;
base *= 1.0 + shown * (0.3 * (hash21(floor(stone)) - 0.5) - 0.35 * joint);
`;

const TIMBER = /* glsl */ `
float along = abs(side.x) > abs(side.z) ? place.z : place.x;
float slat = along / 0.12;
float w = max(fwidth(slat), 1e-4);
float shown = 1.0 - smoothstep(0.3, 0.8, w);
base *= 1.0 + shown * (0.3 * (hash21(vec2(floor(slat), 3.0)) - 0.5) - 0.6 * band(fract(slat), 0.0, 0.12, w));
base *= 0.85 + 0.3 * texture2D(uNoise, vec2(along * 2.0, place.y * 0.15)).r;
`;

const HEDGE = /* glsl */ `
vec4 leaf = texture2D(uNoise, place.xz * 0.9 + place.y * 0.83);
vec4 wide = texture2D(uNoise, place.xz * 0.13 + place.y * 0.11);
base *= (0.45 + 0.9 * leaf.g * leaf.r * 1.6) * (0.8 + 0.4 * wide.r);
tilt += vec3(leaf.r - 0.5, leaf.a - 0.3, leaf.g - 0.5) * 1.1;
drain = 0.0;
`;

const SHOP = /* glsl */ `
vec3 look = -normalize(toEye);
float f0 = fresnel(dot(-look, side), 0.08);
float isLit = step(0.30, hash21(floor(place.xz * 0.12)));
float along = abs(side.x) > abs(side.z) ? place.z : place.x;
/* Goods behind the glass, out of focus: they move against the frame as the eye passes. */
vec2 behind = vec2(along, place.y) + 0.8 * look.xz;
vec4 things = texture2D(uNoise, behind * vec2(0.11, 0.16));
vec3 goods = mix(vec3(0.62, 0.50, 0.38), vec3(0.40, 0.44, 0.50), things.a) * (0.45 + 0.75 * things.r);
goods *= 0.88 + 0.12 * smoothstep(0.25, 0.35, abs(fract(place.y * 1.4) - 0.5));
glow += mirrored(reflect(look, side), 0.0) * f0;
glow += goods * vec3(1.0, 0.86, 0.62) * (0.40 * uWindows.x * uWindows.z * isLit);
glow += goods * (uWindows.w * 0.03);
float bar = band(fract(along / 1.6), 0.0, 0.035, max(fwidth(along / 1.6), 1e-3));
glow *= 1.0 - bar;
base = mix(base * 0.2, vec3(0.10), bar);
rough = 0.2;
drain = 0.0;
wetted = 0.0;
`;

const AWNING = /* glsl */ `
float along = abs(side.x) > abs(side.z) ? place.z : place.x;
float w = max(fwidth(along / 0.5), 1e-4);
base = mix(base, vec3(0.86, 0.84, 0.80), band(fract(along / 0.5), 0.0, 0.5, w));
drain = 0.0;
`;

const PAINT = /* glsl */ `
vec4 near = texture2D(uNoise, place.xz * 0.9);
vec4 wide = texture2D(uNoise, place.xz * 0.06);
base *= 0.72 + 0.3 * wide.r;
base = mix(base, base * 0.45, 0.6 * fine * smoothstep(0.52, 0.72, near.g * 0.6 + near.r * 0.5) );
rough = 0.6;
drain = 0.6;
`;

const METAL = /* glsl */ `
rough = 0.45;
gloss = 0.04;
drain = 0.0;
`;

/** What a material of vehicles or robots does beyond its colour. */
export const GLASS = /* glsl */ `
base *= 0.25;
rough = 0.08;
gloss = 0.06;
drain = 0.0;
wetted = 0.0;
bare = 0.9;
`;
export const PAINTWORK = /* glsl */ `
rough = 0.34;
gloss = 0.075;
drain = 0.0;
bare = 0.75;
`;
export const RUBBER = /* glsl */ `
rough = 0.9;
drain = 0.0;
`;

const PLAIN = /* glsl */ `
vec4 wide = texture2D(uNoise, place.xz * 0.01);
base *= 0.9 + 0.2 * wide.r;
`;

/** Snippets by the name of a material; a name with an underline falls back to its first word. */
export const SURFACES: Readonly<Record<string, string>> = {
  ground: GRASS,
  grass: GRASS,
  park: GRASS,
  carriageway: ASPHALT,
  asphalt: ASPHALT,
  intersection: ASPHALT,
  pavement: SLABS,
  paving: SLABS,
  sett: SETTS,
  gravel: GRAVEL,
  ballast: GRAVEL,
  kerb: STONE,
  concrete: STONE,
  water: WATER,
  wall: FACADE,
  facade: FACADE,
  roof: ROOF,
  masonry: MASONRY,
  timber: TIMBER,
  hedge: HEDGE,
  shop_window: SHOP,
  awning: AWNING,
  paint: PAINT,
  steel: METAL,
  rail: METAL,
  sign: METAL,
  glass: GLASS,
  plain: PLAIN,
};
