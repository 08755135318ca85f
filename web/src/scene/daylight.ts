/** The light of a time of day and a weather: what lights the scene, and how the eye adapts to it. */

import { Color, SphericalHarmonics3, Vector3 } from "three";

import { type Luminary, type Rgb, sampled, skyTable, transmittance } from "./atmosphere";
import { type SkyState, sunDirection } from "./sun";

/** Irradiance of the sun outside the atmosphere, in the picture's own unit. */
const SUN: Rgb = [16, 15.7, 15.2];
/** That of the full moon: 400 000 times weaker in nature; eyes and cameras adapt, so that it is
 * drawn as in photographs of a town by night. */
const MOON: Rgb = [0.032, 0.037, 0.045];
/** Radiance of the night sky over a town without sun and moon. */
const NIGHT: Rgb = [0.0011, 0.0014, 0.0024];
/** To the south-east, 42° high, always: as in the desktop client. */
const MOON_DIRECTION = new Vector3(0.4, 0.67, 0.62).normalize();
const CLEAR_FAR = 20_000;
/** Extinction [1/m] of clear air: contrast of 5 % is left after 14 km. */
const CLEAR_EXTINCTION = 2.2e-4;

/** Hours, and the share of windows with light then. */
const LIT_WINDOWS: readonly (readonly [number, number])[] = [
  [0, 0.25],
  [1, 0.14],
  [3, 0.05],
  [5, 0.07],
  [6.5, 0.3],
  [9, 0.22],
  [16, 0.26],
  [18, 0.4],
  [21, 0.44],
  [22.5, 0.36],
  [24, 0.25],
];

/** Light of the world; directions in the y-up frame, all light linear. */
export interface Daylight {
  readonly sky: SkyState;
  /** To the sun, wherever it is, and to what casts the shadows. */
  readonly sun: Vector3;
  readonly caster: Vector3;
  readonly isMoonlit: boolean;
  /** Irradiance of what casts the shadows, on a surface that faces it. */
  readonly beam: Color;
  /** Radiance of the clear sky over the upper hemisphere; see `skyTable`. */
  readonly table: Float32Array;
  readonly harmonics: SphericalHarmonics3;
  /** Radiance of a closed cover of clouds. */
  readonly cloudLight: Color;
  readonly overcast: number;
  /** Extinction [1/m]. */
  readonly fog: number;
  readonly exposure: number;
  /** 0 by day, 1 by night. */
  readonly darkness: number;
  /** Whether lamps that switch themselves are on. */
  readonly needsLights: boolean;
  readonly litWindows: number;
}

/** The light of `sky` at latitude and longitude [degrees]. */
export function makeDaylight(sky: SkyState, latitude: number, longitude: number): Daylight {
  const [east, north, up] = sunDirection(sky, latitude, longitude);
  const sun = new Vector3(east, up, -north);
  const height = (Math.asin(Math.min(Math.max(up, -1), 1)) * 180) / Math.PI;
  const overcast = smooth(sky.clouds, 0.5, 1);
  const fog = sky.visibility < CLEAR_FAR ? 3 / sky.visibility : CLEAR_EXTINCTION;
  const isMoonlit = height < -5;
  const caster = isMoonlit ? MOON_DIRECTION.clone() : sun.clone();
  const moonShare = smooth(-height, 5, 10);
  const luminaries: Luminary[] = [{ direction: [sun.x, sun.y, sun.z], irradiance: SUN }];
  if (moonShare > 0) {
    const moon = MOON.map((each) => each * moonShare) as Rgb;
    const { x, y, z } = MOON_DIRECTION;
    luminaries.push({ direction: [x, y, z], irradiance: moon });
  }
  const table = skyTable(luminaries, NIGHT);
  const blocked = 1 - 0.97 * overcast - 0.25 * (1 - overcast) * smooth(sky.clouds, 0.2, 0.6);
  const throughFog = Math.exp((-Math.max(fog - CLEAR_EXTINCTION, 0) * 250) / Math.max(caster.y, 0.1));
  const beam = beamOf(isMoonlit, moonShare, caster, height);
  const full = luminance(beam) * Math.max(caster.y, 0);
  beam.multiplyScalar(blocked * throughFog);
  const skyIrradiance = irradianceOf(table);
  const lost = full - luminance(beam) * Math.max(caster.y, 0);
  const cloudLight = cloudsOf(skyIrradiance, lost);
  const haze = Math.max(overcast, 1 - throughFog);
  const ground = groundOf(beam, caster, skyIrradiance, cloudLight, haze);
  const light = luminance(ground) * Math.PI;
  // What dusk is for lamps: street lights are switched on at some 50 lx, 1/2000 of a bright day.
  const darkness = 1 - smooth(Math.log10(Math.max(light, 1e-6)), -1.2, 0.35);
  return {
    sky,
    sun,
    caster,
    isMoonlit,
    beam,
    table,
    harmonics: harmonicsOf(table, cloudLight, haze, ground, sky.snow_cover),
    cloudLight,
    overcast,
    fog,
    exposure: exposureOf(light),
    darkness,
    needsLights: darkness > 0.3 || fog > 0.003,
    litWindows: litWindows(sky.hours ?? 12),
  };
}

/** The exposure for an irradiance of level ground: eyes follow the light, but not all the way. */
export function exposureOf(irradiance: number): number {
  return 0.36 * (14 / Math.max(irradiance, 0.02)) ** 0.66;
}

/** The share of windows with light at an hour. */
export function litWindows(hours: number): number {
  const hour = ((hours % 24) + 24) % 24;
  for (let k = 1; k < LIT_WINDOWS.length; k += 1) {
    const [end, last] = LIT_WINDOWS[k] ?? [24, 0];
    const [begin, first] = LIT_WINDOWS[k - 1] ?? [0, 0];
    if (hour <= end) return first + ((last - first) * (hour - begin)) / (end - begin);
  }
  return 0;
}

function beamOf(isMoonlit: boolean, moonShare: number, caster: Vector3, height: number): Color {
  const share = transmittance(caster.y);
  const source = isMoonlit ? MOON : SUN;
  const [r, g, b] = source.map((each, c) => each * (share[c] ?? 0)) as Rgb;
  const strength = isMoonlit ? moonShare : smooth(height, -1.2, 2);
  return new Color(r, g, b).multiplyScalar(strength);
}

const SAMPLES = 12;

/** Irradiance of level ground by the clear sky. */
function irradianceOf(table: Float32Array): Color {
  const sum: Rgb = [0, 0, 0];
  overSky((x, y, z, weight) => {
    const value = sampled(table, x, y, z);
    for (let c = 0; c < 3; c += 1) sum[c] = (sum[c] ?? 0) + (value[c] ?? 0) * y * weight;
  });
  return new Color(...sum);
}

/** Calls back for directions of the upper hemisphere with their solid angles. */
function overSky(visit: (x: number, y: number, z: number, weight: number) => void): void {
  for (let j = 0; j < SAMPLES; j += 1) {
    const y = (j + 0.5) / SAMPLES;
    const level = Math.sqrt(1 - y * y);
    const around = 2 * SAMPLES;
    for (let i = 0; i < around; i += 1) {
      const angle = (2 * Math.PI * (i + 0.5)) / around;
      visit(level * Math.cos(angle), y, level * Math.sin(angle), (2 * Math.PI) / (SAMPLES * around));
    }
  }
}

function cloudsOf(sky: Color, lost: number): Color {
  const grey = luminance(sky);
  const total = (0.55 * grey + 0.42 * lost) / Math.PI;
  return new Color(total * 0.98, total, total * 1.03);
}

function groundOf(beam: Color, caster: Vector3, sky: Color, clouds: Color, haze: number): Color {
  const total = beam.clone().multiplyScalar(Math.max(caster.y, 0));
  total.add(sky.clone().multiplyScalar(1 - haze));
  total.add(clouds.clone().multiplyScalar(haze * Math.PI));
  return total.multiplyScalar(1 / Math.PI);
}

const basis: number[] = [];
const point = new Vector3();

function harmonicsOf(
  table: Float32Array,
  clouds: Color,
  haze: number,
  ground: Color,
  snow: number,
): SphericalHarmonics3 {
  const harmonics = new SphericalHarmonics3();
  const albedo = 0.16 + 0.5 * snow;
  const add = (x: number, y: number, z: number, colour: Rgb, weight: number): void => {
    SphericalHarmonics3.getBasisAt(point.set(x, y, z), basis);
    harmonics.coefficients.forEach((each, k) => {
      const share = (basis[k] ?? 0) * weight;
      each.x += colour[0] * share;
      each.y += colour[1] * share;
      each.z += colour[2] * share;
    });
  };
  overSky((x, y, z, weight) => {
    const clear = sampled(table, x, y, z);
    // The zenith of a closed cover is three times as bright as its horizon (Moon and Spencer).
    const cover = (1 + 2 * y) / 2.33;
    const mixed = [clouds.r, clouds.g, clouds.b].map(
      (cloud, c) => (clear[c] ?? 0) * (1 - haze) + cloud * cover * haze,
    ) as Rgb;
    add(x, y, z, mixed, weight);
    add(x, -y, z, [ground.r * albedo, ground.g * albedo * 0.97, ground.b * albedo * 0.88], weight);
  });
  return harmonics;
}

function luminance(colour: Color): number {
  return 0.2126 * colour.r + 0.7152 * colour.g + 0.0722 * colour.b;
}

/** Smooth step from 0 at `low` to 1 at `high`. */
export function smooth(value: number, low: number, high: number): number {
  const share = Math.min(Math.max((value - low) / (high - low), 0), 1);
  return share * share * (3 - 2 * share);
}
