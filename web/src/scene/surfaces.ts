/** The materials of the world by their names, with procedural detail, wetness, snow and haze. */

import {
  DoubleSide,
  FrontSide,
  type Material,
  MeshLambertMaterial,
  MeshStandardMaterial,
  type Side,
  type Texture,
  type WebGLProgramParametersWithUniforms,
} from "three";

import type { WorldLight } from "./shader_light";
import { FRAGMENT_END, FRAGMENT_PARS, VERTEX_MAIN, VERTEX_PARS } from "./shader_light";
import { GLASS, PAINTWORK, RUBBER, SURFACES } from "./shader_surfaces";

type Lit = MeshStandardMaterial | MeshLambertMaterial;

/** What a material is beyond its name. */
export interface SurfaceOptions {
  /** Whether vertices have a dye and instances the colours for it; see `traffic_models`. */
  readonly isDyed?: boolean;
  /** Whether it is leaves that move in the wind. */
  readonly isLeaves?: boolean;
  readonly map?: Texture;
  readonly side?: Side;
  readonly hasColours?: boolean;
  /** Linear colour of what has none at its vertices. */
  readonly colour?: readonly [number, number, number];
}

/** Attributes and colours of what is dyed; the numbers of dyes are those of `DYES`. */
const DYED_VERTEX_PARS = /* glsl */ `
attribute float dye;
attribute vec3 iFirst;
attribute vec3 iSecond;
attribute vec3 iThird;
attribute vec4 iLamps;
varying vec4 vDyed;
varying float vKind;
`;

const DYED_VERTEX = /* glsl */ `
{
  vec3 tint = color.rgb;
  float shines = 0.0;
  if (dye > 0.5 && dye < 1.5) tint = iFirst;
  else if (dye < 2.5 && dye > 1.5) tint = iSecond;
  else if (dye < 3.5 && dye > 2.5) tint = iThird;
  else if (dye < 4.5 && dye > 3.5) { tint = mix(vec3(0.16, 0.006, 0.005), vec3(0.9, 0.02, 0.012), iLamps.x); shines = iLamps.x; }
  else if (dye < 5.5 && dye > 4.5) { tint = mix(vec3(0.45, 0.13, 0.01), vec3(1.0, 0.36, 0.02), iLamps.y); shines = iLamps.y; }
  else if (dye < 6.5 && dye > 5.5) { tint = mix(vec3(0.45, 0.13, 0.01), vec3(1.0, 0.36, 0.02), iLamps.z); shines = iLamps.z; }
  else if (dye < 7.5 && dye > 6.5) { tint = vec3(0.72, 0.75, 0.78); shines = iLamps.w; }
  vDyed = vec4(tint, shines);
  vKind = dye;
}
`;

const DYED_FRAGMENT = /* glsl */ `
base = vDyed.rgb;
if (vKind > 8.5) { ${RUBBER} }
else if (vKind > 7.5) { ${GLASS} }
else if (vKind > 3.5) { rough = 0.2; gloss = 0.05; drain = 0.0; glow += vDyed.rgb * vDyed.a * (0.9 + 1.6 * uWindows.x) * uWindows.z * (vKind > 6.5 ? 1.6 : 1.0); }
else if (uGlossy > 0.5 && vKind < 1.5) { ${PAINTWORK} }
else { rough = 0.85; drain = 0.0; }
`;

const LEAVES_FRAGMENT = /* glsl */ `
float shaded = smoothstep(-0.7, 0.9, vTall);
base *= mix(0.42, 1.0, shaded) * (0.8 + 0.4 * texture2D(uNoise, place.xz * 0.21 + place.y * 0.17).r);
float through = max(dot(normalize(toEye), -uSunDir), 0.0);
glow += base * through * through * uWindows.w * 0.10 * shaded;
drain = 0.0;
wetted = 0.4;
`;

const WIND = /* glsl */ `
#ifdef USE_INSTANCING
vec3 root = instanceMatrix[3].xyz;
#else
vec3 root = vec3(0.0);
#endif
float gust = sin(uWeather.z * 1.3 + root.x * 0.21 + root.z * 0.17) + 0.5 * sin(uWeather.z * 3.1 + position.x * 7.0 + position.y * 9.0);
transformed.xz += vec2(0.006, 0.004) * gust * smoothstep(0.2, 1.0, position.y);
vTall = (position.y - 0.62) * 2.6;
`;

const FRAGMENT_SURFACE = (snippet: string): string => /* glsl */ `
vec3 place = vPlace;
vec3 side = normalize(vSide);
#ifdef DOUBLE_SIDED
side = gl_FrontFacing ? side : -side;
#endif
vec3 toEye = cameraPosition - vPlace;
float eyeDistance = length(toEye);
float fine = 1.0 - smoothstep(25.0, 110.0, eyeDistance);
vec3 base = diffuseColor.rgb;
float rough = 0.9;
float gloss = 0.0;
float drain = 0.3;
float wetted = 1.0;
float bare = 0.0;
vec3 glow = vec3(0.0);
vec3 tilt = vec3(0.0);
{ ${snippet} }
float wet = uWeather.x * wetted * smoothstep(-0.2, 0.6, side.y);
base *= 1.0 - 0.42 * wet;
float film = wet * smoothstep(0.55, 0.95, side.y) * clamp(drain, 0.0, 1.0);
float puddle = smoothstep(0.62, 0.95, drain) * film;
rough = mix(rough, 0.16, max(0.75 * film, puddle));
tilt *= 1.0 - puddle;
float snowed = uWeather.y * (1.0 - bare) * smoothstep(0.25, 0.7, side.y + (texture2D(uNoise, place.xz * 0.09).a - 0.5) * 0.5);
base = mix(base, vec3(0.80, 0.84, 0.90), snowed);
film *= 1.0 - snowed;
glow *= 1.0 - snowed;
gloss *= 1.0 - snowed;
diffuseColor.rgb = base;
`;

/** In tunnels alpha is the share of daylight; the rest is the light of lamps on the ceiling. */
const IN_TUNNEL = /* glsl */ `
{
  float day = clamp(diffuseColor.a, 0.0, 1.0);
  reflectedLight.directDiffuse *= day;
  reflectedLight.indirectDiffuse *= day;
  reflectedLight.indirectDiffuse += base * vec3(0.42, 0.37, 0.27) * (uWindows.z * (1.0 - day));
}
`;

const FRAGMENT_MIRROR = /* glsl */ `
{
  vec3 turned = normalize((vec4(normal, 0.0) * viewMatrix).xyz);
  vec3 look = toEye / eyeDistance;
  float facing = max(dot(look, turned), 0.0);
  vec3 bent = reflect(-look, turned);
  if (gloss > 0.0) outgoingLight += mirrored(bent, rough * 0.5) * fresnel(facing, gloss);
  if (film > 0.001) {
    vec3 flatter = normalize(mix(turned, side, 0.85));
    vec3 back = reflect(-look, flatter);
    vec3 seen = mirrored(back, 0.25 * (1.0 - puddle));
    /* Lamps some metres high, and those of vehicles, drawn out by the rough water. */
    vec2 run = back.xz / max(back.y, 0.05);
    seen += (lampsAt(place.xz + 6.2 * run) * 0.16 + lampsAt(place.xz + 0.7 * run) * 0.45) * uWindows.x;
    float share = fresnel(max(dot(look, flatter), 0.0), 0.025) * film * mix(0.55, 0.95, puddle);
    outgoingLight = mix(outgoingLight, seen, share);
  }
}
`;

/** Makes and keeps all materials; meshes share them. */
export class SurfaceLibrary {
  readonly #light: WorldLight;
  #isFine: boolean;
  readonly #sharesPrograms: boolean;
  readonly #made = new Map<string, Lit>();

  /**
   * @param light - uniforms of all materials.
   * @param isFine - whether all materials reflect the sun by a microfacet model.
   * @param sharesPrograms - whether most materials have one program, which branches by material.
   */
  constructor(light: WorldLight, isFine: boolean, sharesPrograms = true) {
    this.#light = light;
    this.#isFine = isFine;
    this.#sharesPrograms = sharesPrograms;
  }

  /** The material with a name. */
  material(name: string, options: SurfaceOptions = {}): Material {
    const key = [
      name,
      options.isDyed === true,
      options.isLeaves === true,
      options.map?.uuid ?? "",
      options.side ?? FrontSide,
      options.hasColours ?? true,
      options.colour?.join() ?? "",
    ].join("|");
    const found = this.#made.get(key);
    if (found !== undefined) return found;
    const made = this.#make(name, options);
    this.#made.set(key, made);
    return made;
  }

  /** Frees all materials; meshes that still have them must not be drawn again. */
  dispose(): void {
    for (const each of this.#made.values()) each.dispose();
    this.#made.clear();
  }

  #make(name: string, options: SurfaceOptions): Lit {
    const isGlossy = options.isDyed === true || GLOSSY.has(rootOf(name));
    const parameters = {
      name,
      vertexColors: options.hasColours ?? true,
      side: options.side ?? FrontSide,
      ...(options.map === undefined ? {} : { map: options.map, alphaTest: 0.45 }),
    };
    const isFine = (this.#isFine && options.isLeaves !== true) || isGlossy;
    const material = isFine
      ? new MeshStandardMaterial({ ...parameters, roughness: 0.9, metalness: 0 })
      : new MeshLambertMaterial(parameters);
    if (options.colour !== undefined) material.color.setRGB(...options.colour);
    if (rootOf(name) === "paint" || rootOf(name) === "rail" || name === "intersection") {
      material.polygonOffset = true;
      material.polygonOffsetFactor = -2;
      material.polygonOffsetUnits = -8;
    }
    if (options.isLeaves === true) material.alphaToCoverage = true;
    material.userData.isSurface = true; // for WarmUp
    material.onBeforeCompile = (shader): void => {
      this.#patch(shader, name, options);
    };
    // Few programs for many materials: each takes a second to compile without a graphics card.
    const own = this.#sharesPrograms ? "surface" : String(SNIPPETS.indexOf(snippetOf(name)));
    const family = isFacade(name) ? "facade" : own;
    material.customProgramCacheKey = (): string =>
      `${family}|${name.endsWith("_tunnel")}|${options.isDyed === true}|${options.isLeaves === true}`;
    return material;
  }

  #patch(
    shader: WebGLProgramParametersWithUniforms,
    name: string,
    options: SurfaceOptions,
  ): void {
    const snippet = snippetOf(name);
    Object.assign(shader.uniforms, this.#light.uniforms, {
      uSurface: { value: SNIPPETS.indexOf(snippet) },
      uGlossy: { value: name === "people" ? 0 : 1 },
    });
    const isDyed = options.isDyed === true;
    const isLeaves = options.isLeaves === true;
    const head = isFacade(name) ? "#define FACADE\n" : "";
    const leaves = "varying float vTall;\nuniform vec4 uWeather;\n";
    shader.vertexShader = shader.vertexShader
      .replace(
        "#include <common>",
        `${head}#include <common>\n${VERTEX_PARS}${isDyed ? DYED_VERTEX_PARS : ""}${isLeaves ? leaves : ""}`,
      )
      .replace("#include <begin_vertex>", `#include <begin_vertex>\n${isLeaves ? WIND : ""}`)
      .replace(
        "#include <project_vertex>",
        `#include <project_vertex>\n${VERTEX_MAIN}${isDyed ? DYED_VERTEX : ""}`,
      );
    const dyed = isDyed ? "varying vec4 vDyed;\nvarying float vKind;\nuniform float uGlossy;\n" : "";
    const own = isFacade(name) || !this.#sharesPrograms ? snippet : ANY_SURFACE;
    const body = isDyed ? DYED_FRAGMENT : isLeaves ? LEAVES_FRAGMENT : own;
    shader.fragmentShader = shader.fragmentShader
      .replace(
        "#include <common>",
        `${head}#include <common>\n${dyed}${isLeaves ? "varying float vTall;\n" : ""}uniform int uSurface;\n${FRAGMENT_PARS}`,
      )
      // Without shadows the program stays: another one would have to be compiled.
      .replace(
        "#include <lights_pars_begin>",
        "#include <lights_pars_begin>\nuniform float uShadows;\n#define receiveShadow (uShadows > 0.5)",
      )
      .replace("#include <alphamap_fragment>", FRAGMENT_SURFACE(body))
      .replace("#include <roughnessmap_fragment>", "float roughnessFactor = rough;")
      .replace(
        "#include <normal_fragment_maps>",
        "normal = normalize(normal + (viewMatrix * vec4(tilt, 0.0)).xyz);",
      )
      .replace("#include <emissivemap_fragment>", "totalEmissiveRadiance += glow;")
      .replace("#include <lights_fragment_maps>", "")
      .replace(
        "#include <lights_fragment_end>",
        `#include <lights_fragment_end>
        ${name.endsWith("_tunnel") ? IN_TUNNEL : ""}
        reflectedLight.directDiffuse += lampLight(place, side) * diffuseColor.rgb * RECIPROCAL_PI;`,
      )
      .replace(
        "#include <opaque_fragment>",
        `${FRAGMENT_MIRROR}${FRAGMENT_END}#include <opaque_fragment>`,
      );
  }
}

const GLOSSY = new Set(["water", "glass", "paintwork"]);

const ROBOTS: Readonly<Record<string, string>> = {
  paintwork: PAINTWORK,
  body: PAINTWORK,
  rubber: RUBBER,
  tyre: RUBBER,
};

/** The word by which a material's look is found. */
function rootOf(name: string): string {
  const known = name in SURFACES || name in ROBOTS;
  return known ? name : (name.split("_")[0] ?? name);
}

function isFacade(name: string): boolean {
  return snippetOf(name) === SURFACES.wall;
}

function snippetOf(name: string): string {
  return SURFACES[name] ?? ROBOTS[name] ?? SURFACES[rootOf(name)] ?? ROBOTS[rootOf(name)] ?? "";
}

/** The looks that one program has; a material's `uSurface` is a place in this list, or -1: none. */
const SNIPPETS: readonly string[] = [
  ...new Set([...Object.values(SURFACES), ...Object.values(ROBOTS)]),
].filter((each) => each !== SURFACES.wall);

const ANY_SURFACE = SNIPPETS.map((each, k) => `if (uSurface == ${k}) { ${each} }`).join("\nelse ");

export { DoubleSide };
