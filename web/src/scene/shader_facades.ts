/** GLSL of walls of buildings, as the snippets of `shader_surfaces`; alpha of a vertex' colour says which facade it has. */

/* Walls: bays and storeys with windows, rooms behind them, plaster or brick between. */
/** The numbers are those of `facade_numbers` in autosim/client/materials/facades.py. */
export const FACADE = /* glsl */ `
#define SHUTTERS 1
#define PANELS 2
#define TALL 3
#define BRICK 4
vec2 cell = floor(vBay);
vec2 f = fract(vBay);
vec2 w = max(fwidth(vBay), vec2(1e-4));
float far = smoothstep(0.25, 0.75, max(w.x, w.y));
float kind = fract(dot(floor(base * 255.0 + 0.5) / 255.0, vec3(37.1, 61.7, 89.3)));
int facade = int((1.0 - diffuseColor.a) * 5.0 + 0.5);
vec2 low = vec2(0.29, 0.28);
vec2 high = vec2(0.71, 0.83);
if (facade == SHUTTERS) { low = vec2(0.35, 0.32); high = vec2(0.65, 0.80); }
else if (facade == PANELS) { low = vec2(0.14, 0.33); high = vec2(0.86, 0.80); }
else if (facade == TALL) { low = vec2(0.325, 0.18); high = vec2(0.675, 0.86); }
else if (facade == BRICK) { low = vec2(0.32, 0.28); high = vec2(0.68, 0.84); }
vec3 tangent = normalize(cross(vec3(0.0, 1.0, 0.0), side) + 1e-5);
vec3 look = -normalize(toEye);
vec3 inWall = vec3(dot(look, tangent), look.y, -dot(look, side));
float glass = box2(f, low + 0.025, high - 0.025, w) * (1.0 - far);
float frame = box2(f, low, high, w) * (1.0 - far);
float sill = box2(f, vec2(low.x - 0.03, low.y - 0.045), vec2(high.x + 0.03, low.y), w) * (1.0 - far);
float lintel = box2(f, vec2(low.x - 0.02, high.y), vec2(high.x + 0.02, high.y + (facade == BRICK ? 0.08 : 0.03)), w) * (1.0 - far);
float middle = (low.x + high.x) * 0.5;
float bars;
if (facade == PANELS) {
  float third = fract((f.x - low.x) / (high.x - low.x) * 3.0);
  bars = 1.0 - band(third, 0.05, 0.95, w.x * 4.2);
} else {
  bars = band(f.x, middle - 0.013, middle + 0.013, w.x);
  /* Two sashes of one height, or a fanlight; the usual window has neither. */
  float rail = mix(low.y, high.y, facade == BRICK || facade == TALL ? 0.5 : 0.68);
  if (facade != SHUTTERS) bars = max(bars, band(f.y, rail - 0.011, rail + 0.011, w.y));
}
vec3 chance = hash23(cell + 0.37 * kind);
/* Plaster: clouds, streaks below sills, a cornice between storeys. */
vec4 wide = texture2D(uNoise, vec2(vBay.x * 0.11, vBay.y * 0.13));
vec4 grain = texture2D(uNoise, vBay * 2.3);
float streak = texture2D(uNoise, vec2(vBay.x * 0.7, vBay.y * 0.021)).r;
vec3 wall = base * (0.88 + 0.18 * wide.r) * mix(1.0, 0.90 + 0.2 * grain.g, fine);
wall *= 1.0 - 0.16 * smoothstep(0.55, 0.85, streak);
if (facade == BRICK) {
  vec2 brick = vec2(vBay.x * 12.5, vBay.y * 40.0);
  brick.x += 0.5 * mod(floor(brick.y), 2.0);
  vec2 bw = fwidth(brick);
  float shown = 1.0 - smoothstep(0.35, 0.9, max(bw.x, bw.y));
  float joint = 1.0 - box2(fract(brick), vec2(0.03, 0.08), vec2(0.97, 0.92), bw * 1.2);
  wall *= 1.0 + shown * 0.4 * (hash21(floor(brick)) - 0.5);
  wall = mix(wall, vec3(0.50, 0.47, 0.43) * (0.6 + base.g), 0.75 * joint * shown);
}
if (facade == SHUTTERS) {
  float x = abs(f.x - 0.5);
  float shutter = box2(vec2(x, f.y), vec2(0.16, 0.31), vec2(0.285, 0.81), w) * (1.0 - far);
  float slats = band(fract(f.y * 42.0), 0.0, 0.5, w.y * 42.0) * box2(vec2(x, f.y), vec2(0.18, 0.33), vec2(0.265, 0.79), w);
  wall = mix(wall, (0.25 + 0.75 * base) * vec3(0.19, 0.25, 0.17) * (1.0 - 0.4 * slats), shutter);
} else if (facade == PANELS) {
  wall *= 1.0 - 0.30 * box2(f, vec2(0.06), vec2(0.94, 0.30), w) * (1.0 - far);
  wall *= 1.0 - 0.45 * band(f.x, 0.0, 0.014, w.x) * (1.0 - far);
} else if (facade == TALL) {
  float moulding = max(box2(f, vec2(0.28, 0.14), vec2(0.72, 0.90), w), box2(f, vec2(0.26, 0.90), vec2(0.74, 0.95), w));
  moulding = max(moulding, band(f.y, 0.014, 0.05, w.y)) * (1.0 - far);
  wall = mix(wall, mix(base, vec3(0.80), 0.35), moulding);
  /* The moulding stands out, and casts a narrow shadow. */
  wall *= 1.0 - 0.3 * box2(f, vec2(0.26, 0.884), vec2(0.74, 0.90), w) * (1.0 - far);
}
wall *= 1.0 - 0.30 * band(f.y, 0.0, 0.014, w.y) * (1.0 - far);
wall *= 1.0 - 0.35 * box2(f, vec2(low.x - 0.02, low.y - 0.10), vec2(high.x + 0.02, low.y - 0.045), w * 4.0) * (1.0 - far);
if (facade == PANELS) { sill = 0.0; lintel = 0.0; }
wall = mix(wall, mix(wall, vec3(0.72), 0.55) * 1.05, max(sill, lintel * (facade == BRICK ? 1.0 : 0.8)));
/* The reveal: what is behind the wall's face is in the shade of its upper edge. */
float shade = 1.0 - 0.45 * band(f.y, high.y - 0.07, high.y, max(w.y, 0.05)) - 0.25 * band(f.x, low.x, low.x + 0.035, max(w.x, 0.02));
vec3 rim = mix(vec3(0.80, 0.79, 0.76), vec3(0.16, 0.13, 0.11), step(0.72, fract(kind * 7.3))) * shade;
/* Rooms (interior mapping, J. van Dongen 2008): 1 bay wide, 1 storey high, 1.3 bays deep. */
vec3 ray = vec3(inWall.x, inWall.y, max(inWall.z, 0.05));
vec3 toWall = (step(vec3(0.0), ray) - vec3(f, 0.0) * vec3(1.0, 1.0, 0.0)) / ray;
toWall.z = 1.3 / ray.z;
float depth = min(min(toWall.x, toWall.y), toWall.z);
vec3 hit = vec3(f, 0.0) + ray * depth;
vec3 room = mix(vec3(0.62, 0.56, 0.48), vec3(0.50, 0.55, 0.58), step(0.6, chance.y));
if (depth == toWall.y) room = ray.y > 0.0 ? vec3(0.75) : vec3(0.28, 0.20, 0.14);
else if (depth == toWall.z) room *= 0.8 + 0.4 * hash21(floor(hit.xy * vec2(3.0, 2.0)) + cell);
float falls = 1.0 / (1.0 + 1.4 * hit.z * hit.z);
float isLit = step(chance.x, uWindows.y);
vec3 lamp = mix(vec3(1.0, 0.66, 0.32), vec3(0.95, 0.88, 0.72), chance.y * chance.y);
float curtain = step(0.52, chance.z) * step(mix(low.y, high.y, 0.25 + 0.9 * fract(chance.z * 13.0)), f.y);
curtain = max(curtain, step(0.8, chance.z) * (step(f.x, low.x + 0.09) + step(high.x - 0.09, f.x)));
vec3 inside = room * (uWindows.w * 0.10) * falls;
vec3 cloth = vec3(0.66, 0.63, 0.57) * (0.85 + 0.15 * sin(f.x * 90.0) * (1.0 - smoothstep(0.005, 0.02, w.x)));
inside = mix(inside, cloth * uWindows.w * 0.22, curtain);
float power = 0.75 * uWindows.x * uWindows.z * isLit * (0.35 + 0.65 * chance.z);
inside += mix(room * falls * 1.5, cloth * 0.9, curtain) * lamp * power;
vec3 mirror = mirrored(reflect(look, normalize(side + 0.02 * vec3(chance.x - 0.5, chance.y - 0.5, chance.z - 0.5))), 0.0);
float f0 = fresnel(inWall.z, 0.09);
vec3 pane = mix(inside, mirror, f0);
glass *= 1.0 - bars;
base = mix(wall, rim, frame);
base = mix(base, vec3(0.0), glass);
glow += pane * glass;
/* From afar: the mean of wall and glass. */
float share = (high.x - low.x) * (high.y - low.y) * 0.8 * far * step(0.15, max(vBay.x, 1.0));
base = mix(base, base * 0.25, share);
glow += (mirror * f0 + lamp * 0.5 * uWindows.x * uWindows.y * uWindows.z) * share;
rough = mix(0.9, 0.25, glass);
wetted = 1.0 - glass;
drain = 0.0;
`;
