/** GLSL that all materials of the world share: the sky they mirror, haze, lamps, wetness, snow. */

import { type DataTexture, type IUniform, Texture, Vector2, Vector3, Vector4 } from "three";

import type { Daylight } from "./daylight";
import { fillRadiance, noiseTexture, radianceTexture } from "./noise";
import { SKY_SIZE } from "./atmosphere";

/** Uniforms by name; one object for all materials, so that a change needs no loop. */
export interface WorldUniforms {
  [name: string]: IUniform;
  uNoise: IUniform<DataTexture>;
  uSky: IUniform<DataTexture>;
  uLamps: IUniform<Texture | null>;
  uLampFrame: IUniform<Vector4>;
  uSunDir: IUniform<Vector3>;
  uCloud: IUniform<Vector3>;
  uWeather: IUniform<Vector4>;
  uHaze: IUniform<Vector2>;
  uWindows: IUniform<Vector4>;
  uShadows: IUniform<number>;
}

/** Uniforms with the textures that they own. */
export class WorldLight {
  readonly uniforms: WorldUniforms;
  readonly #noise = noiseTexture();
  readonly #sky = radianceTexture(new Float32Array(SKY_SIZE * SKY_SIZE * 4), SKY_SIZE);
  readonly #dark = new Texture();

  constructor() {
    this.uniforms = {
      uNoise: { value: this.#noise },
      uSky: { value: this.#sky },
      /** Light of lamps from above: irradiance, and the height of its source. */
      uLamps: { value: null },
      /** Centre x, z [m], 1 / width [1/m], height of the ground [m]; width 0: no lamps. */
      uLampFrame: { value: new Vector4() },
      uSunDir: { value: new Vector3(0, 1, 0) },
      /** Radiance of a closed cover of clouds. */
      uCloud: { value: new Vector3() },
      /** Wetness, snow cover, time [s], share of the cover of clouds. */
      uWeather: { value: new Vector4() },
      /** Extinction [1/m], share of the clouds' grey in haze. */
      uHaze: { value: new Vector2() },
      /** Darkness, share of windows with light, 1 / exposure, irradiance of level ground. */
      uWindows: { value: new Vector4(0, 0, 1, 1) },
      /** Whether there are shadows: 1 or 0. */
      uShadows: { value: 1 },
    };
  }

  /** Takes over the light of a time of day. */
  show(daylight: Daylight): void {
    const { sky } = daylight;
    fillRadiance(this.#sky, daylight.table);
    this.uniforms.uSunDir.value.copy(daylight.sun);
    const { r, g, b } = daylight.cloudLight;
    this.uniforms.uCloud.value.set(r, g, b);
    const weather = this.uniforms.uWeather.value;
    weather.set(sky.wetness, sky.snow_cover, weather.z, daylight.overcast);
    const veil = Math.max(daylight.overcast, 1 - Math.exp(-daylight.fog * 800 + 0.18));
    this.uniforms.uHaze.value.set(daylight.fog, Math.min(Math.max(veil, 0), 1));
    this.uniforms.uWindows.value.set(
      daylight.darkness,
      daylight.litWindows,
      1 / daylight.exposure,
      daylight.harmonics.coefficients[0]?.y ?? 1,
    );
  }

  /** Frees what is on the graphics card. */
  dispose(): void {
    this.#noise.dispose();
    this.#sky.dispose();
    this.#dark.dispose();
  }
}

export const VERTEX_PARS = /* glsl */ `
varying vec3 vPlace;
varying vec3 vSide;
#ifdef FACADE
varying vec2 vBay;
#endif
`;

export const VERTEX_MAIN = /* glsl */ `
{
  vec4 placed = vec4(transformed, 1.0);
  vec3 sideways = objectNormal;
  #ifdef USE_INSTANCING
  placed = instanceMatrix * placed;
  sideways = mat3(instanceMatrix) * sideways;
  #endif
  vPlace = (modelMatrix * placed).xyz;
  vSide = mat3(modelMatrix) * sideways;
  #ifdef FACADE
  vBay = uv;
  #endif
}
`;

/** The radiance of the sky in a direction, without sun and single clouds. */
export const SKY_FUNCTIONS = /* glsl */ `
uniform sampler2D uSky;
uniform vec3 uSunDir;
uniform vec3 uCloud;
uniform vec4 uWeather;
uniform vec2 uHaze;

vec2 skyUv(vec3 d) {
  float y = max(d.y, 0.0);
  float s = abs(d.x) + abs(d.z);
  vec2 q = d.xz / max(s, 1e-4) * (1.0 - sqrt(y / max(s + y, 1e-4)));
  return vec2(q.x + q.y, q.x - q.y) * 0.5 + 0.5;
}
vec3 skyRadiance(vec3 d) {
  vec3 cover = uCloud * ((1.0 + 2.0 * max(d.y, 0.0)) / 2.33);
  return mix(texture2D(uSky, skyUv(d)).rgb, cover, uHaze.y);
}
`;

export const FRAGMENT_PARS = /* glsl */ `
uniform sampler2D uNoise;
uniform sampler2D uLamps;
uniform vec4 uLampFrame;
uniform vec4 uWindows;
varying vec3 vPlace;
varying vec3 vSide;
#ifdef FACADE
varying vec2 vBay;
#endif
${SKY_FUNCTIONS}

float hash21(vec2 p) {
  vec3 q = fract(vec3(p.xyx) * vec3(0.1031, 0.1030, 0.0973));
  q += dot(q, q.yzx + 33.33);
  return fract((q.x + q.y) * q.z);
}
vec3 hash23(vec2 p) {
  vec3 q = fract(vec3(p.xyx) * vec3(0.1031, 0.1030, 0.0973));
  q += dot(q, q.yxz + 33.33);
  return fract((q.xxy + q.yzz) * q.zyx);
}
/* 1 within low..high, with edges as wide as a pixel. */
float band(float x, float low, float high, float w) {
  return clamp((x - low) / w + 0.5, 0.0, 1.0) * clamp((high - x) / w + 0.5, 0.0, 1.0);
}
float box2(vec2 p, vec2 low, vec2 high, vec2 w) {
  return band(p.x, low.x, high.x, w.x) * band(p.y, low.y, high.y, w.y);
}
/* What a smooth surface mirrors: the sky, and near the horizon houses and trees. */
vec3 mirrored(vec3 r, float blur) {
  vec3 up = skyRadiance(normalize(vec3(r.x, max(r.y, 0.0) + 0.02 + 0.25 * blur, r.z)));
  vec3 around = vec3(uWindows.w * 0.12);
  float open = smoothstep(-0.02 - 0.3 * blur, 0.18 + 0.3 * blur, r.y);
  return mix(around, up, open);
}
float fresnel(float cosine, float straight) {
  float f = 1.0 - clamp(cosine, 0.0, 1.0);
  float f2 = f * f;
  return straight + (1.0 - straight) * f2 * f2 * f;
}
vec3 lampsAt(vec2 place) {
  if (uLampFrame.z <= 0.0) return vec3(0.0);
  vec2 at = (place - uLampFrame.xy) * uLampFrame.z + 0.5;
  vec2 rim = abs(at - 0.5);
  return texture2D(uLamps, at).rgb * smoothstep(0.5, 0.44, max(rim.x, rim.y));
}
/* Irradiance of a surface by street lamps and head lights. */
vec3 lampLight(vec3 place, vec3 side) {
  if (uLampFrame.z <= 0.0) return vec3(0.0);
  vec2 at = (place.xz - uLampFrame.xy) * uLampFrame.z + 0.5;
  vec2 rim = abs(at - 0.5);
  float inside = smoothstep(0.5, 0.44, max(rim.x, rim.y));
  vec4 found = texture2D(uLamps, at);
  float height = place.y - found.a / max(dot(found.rgb, vec3(1.0)), 1e-4);
  float reaches = exp(-max(height, 0.0) * 0.22) * smoothstep(-9.0, -3.0, height);
  return found.rgb * (inside * reaches * (0.35 + 0.65 * max(side.y, 0.0)) * uWindows.x);
}
`;

/** At the end: what is mirrored, and haze before the picture is encoded. */
export const FRAGMENT_END = /* glsl */ `
{
  float gone = 1.0 - exp(-uHaze.x * length(toEye));
  vec3 along = -normalize(toEye);
  vec3 air = skyRadiance(normalize(vec3(along.x, max(along.y, 0.0) + 0.035, along.z)));
  float low = max(dot(along, uSunDir), 0.0);
  outgoingLight = mix(outgoingLight, air, gone);
}
`;
