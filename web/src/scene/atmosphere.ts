/**
 * The clear sky by single and multiple scattering in air, haze and ozone.
 *
 * Coefficients and the approximation of multiple scattering after S. Hillaire, "A scalable and
 * production ready sky and atmosphere rendering technique" (2020). Computed here and not in a
 * shader, as the sun moves slowly: a table of radiance over the upper hemisphere, which is also
 * projected to spherical harmonics for the light of the sky.
 */

export type Rgb = [red: number, green: number, blue: number];

/** A light outside the atmosphere: unit vector to it (y up), and its irradiance. */
export interface Luminary {
  readonly direction: readonly [number, number, number];
  readonly irradiance: Rgb;
}

const GROUND = 6360;
const TOP = 6440;
const RAYLEIGH: Rgb = [0.005802, 0.013558, 0.0331];
const OZONE: Rgb = [0.00065, 0.001881, 0.000085];
const HAZE_SCATTERED = 0.0026;
const HAZE_LOST = 0.0029;
const HAZE_FORWARD = 0.8;
const ALBEDO = 0.25;
/** Height [km] of the eye. */
const EYE = 0.05;

/** Shape of the table by azimuth and elevation that is computed, and of the one that is shown. */
const AZIMUTHS = 48;
const ELEVATIONS = 40;
const STEPS = 22;
export const SKY_SIZE = 96;

const HEIGHTS = 24;
const COSINES = 64;

/** Extinction [1/km] at a height [km], and what of it is scattered by air and by haze. */
function medium(height: number, out: Float64Array): void {
  const air = Math.exp(-height / 8);
  const haze = Math.exp(-height / 1.2);
  const ozone = Math.max(0, 1 - Math.abs(height - 25) / 15);
  for (let c = 0; c < 3; c += 1) {
    const scattered = (RAYLEIGH[c] ?? 0) * air;
    out[c] = scattered;
    out[3 + c] = scattered + HAZE_LOST * haze + (OZONE[c] ?? 0) * ozone;
  }
  out[6] = HAZE_SCATTERED * haze;
}

/** Distance [km] along a ray to a sphere of the earth's middle; negative: it misses it. */
function reach(radius: number, cosine: number, sphere: number, isFar: boolean): number {
  const root = radius * radius * (cosine * cosine - 1) + sphere * sphere;
  if (root < 0) return -1;
  return -radius * cosine + (isFar ? Math.sqrt(root) : -Math.sqrt(root));
}

/** Transmittance from a height to the top of the atmosphere by the cosine of the zenith angle. */
class Transmittance {
  readonly #values = new Float64Array(HEIGHTS * COSINES * 3);

  constructor() {
    const air = new Float64Array(7);
    for (let h = 0; h < HEIGHTS; h += 1) {
      for (let m = 0; m < COSINES; m += 1) {
        const height = (TOP - GROUND) * (h / (HEIGHTS - 1)) ** 2;
        this.#fill(3 * (h * COSINES + m), GROUND + height, (2 * m) / (COSINES - 1) - 1, air);
      }
    }
  }

  #fill(at: number, radius: number, cosine: number, air: Float64Array): void {
    if (cosine < 0 && reach(radius, cosine, GROUND - 0.2, false) > 0) return;
    const length = reach(radius, cosine, TOP, true);
    const steps = 40;
    const depth: Rgb = [0, 0, 0];
    for (let k = 0; k < steps; k += 1) {
      const t = ((k + 0.5) * length) / steps;
      const height = Math.sqrt(radius * radius + t * t + 2 * radius * t * cosine) - GROUND;
      medium(Math.max(height, 0), air);
      for (let c = 0; c < 3; c += 1) depth[c] = (depth[c] ?? 0) + ((air[3 + c] ?? 0) * length) / steps;
    }
    for (let c = 0; c < 3; c += 1) this.#values[at + c] = Math.exp(-(depth[c] ?? 0));
  }

  /** Writes the transmittance (3) towards a light. */
  at(height: number, cosine: number, out: Float64Array): void {
    const h = Math.sqrt(Math.min(Math.max(height / (TOP - GROUND), 0), 1)) * (HEIGHTS - 1);
    const m = ((Math.min(Math.max(cosine, -1), 1) + 1) / 2) * (COSINES - 1);
    const h0 = Math.min(Math.floor(h), HEIGHTS - 2);
    const m0 = Math.min(Math.floor(m), COSINES - 2);
    const [fh, fm] = [h - h0, m - m0];
    const v = this.#values;
    for (let c = 0; c < 3; c += 1) {
      const a = 3 * (h0 * COSINES + m0) + c;
      const low = (v[a] ?? 0) * (1 - fm) + (v[a + 3] ?? 0) * fm;
      const b = a + 3 * COSINES;
      const high = (v[b] ?? 0) * (1 - fm) + (v[b + 3] ?? 0) * fm;
      out[c] = low * (1 - fh) + high * fh;
    }
  }
}

let table: Transmittance | undefined;

/** Transmittance of the air from the ground to a light at this elevation's sine. */
export function transmittance(sine: number): Rgb {
  const out = new Float64Array(3);
  (table ??= new Transmittance()).at(EYE, sine, out);
  return [out[0] ?? 0, out[1] ?? 0, out[2] ?? 0];
}

function hazePhase(cosine: number): number {
  const g = HAZE_FORWARD;
  const base = 1 + g * g - 2 * g * cosine;
  // Cornette and Shanks.
  return (
    ((3 / (8 * Math.PI)) * ((1 - g * g) * (1 + cosine * cosine))) / ((2 + g * g) * base ** 1.5)
  );
}

/**
 * Light that has been scattered more than once, per irradiance of a luminary and coefficient of
 * scattering, as a share of what reaches a place directly or from the ground: the sum of all orders
 * is a geometric series (Hillaire, section 5.5), here with its factor for clear air.
 */
const REPEATED = 0.22 / (1 - 0.42);

/** Radiance along a ray from the ground. */
function radiance(
  direction: readonly [number, number, number],
  luminaries: readonly Luminary[],
  through: Transmittance,
  out: Float64Array,
): void {
  const air = new Float64Array(7);
  const lit = new Float64Array(3);
  const up = direction[1];
  const radius = GROUND + EYE;
  const ground = reach(radius, up, GROUND, false);
  const length = up < 0 && ground > 0 ? ground : reach(radius, up, TOP, true);
  const view: Rgb = [1, 1, 1];
  out.fill(0);
  let before = 0;
  for (let k = 0; k < STEPS; k += 1) {
    // Short steps near the eye, where the air is dense.
    const end = length * ((k + 1) / STEPS) ** 2;
    const t = (before + end) / 2;
    const step = end - before;
    before = end;
    const far = Math.sqrt(radius * radius + t * t + 2 * radius * t * up);
    const height = Math.max(far - GROUND, 0);
    medium(height, air);
    const haze = air[6] ?? 0;
    for (const luminary of luminaries) {
      const [lx, ly, lz] = luminary.direction;
      const cosine = lx * direction[0] + ly * up + lz * direction[2];
      const sine = (radius * ly + t * cosine) / far;
      through.at(height, sine, lit);
      const phase = (3 / (16 * Math.PI)) * (1 + cosine * cosine);
      const forward = hazePhase(cosine);
      const bounced = ALBEDO * Math.max(sine, 0) * 0.35;
      for (let c = 0; c < 3; c += 1) {
        const scattered = air[c] ?? 0;
        const lost = Math.max(air[3 + c] ?? 0, 1e-9);
        const direct = (lit[c] ?? 0) * (scattered * phase + haze * forward);
        const twilight = 0.04 * Math.exp(Math.min(sine, 0) * 14);
        const again =
          ((lit[c] ?? 0) * (1 + bounced) + twilight) *
          (scattered + haze) *
          (REPEATED / (4 * Math.PI)) *
          2;
        const kept = (1 - Math.exp(-lost * step)) / lost;
        out[c] =
          (out[c] ?? 0) + (view[c] ?? 0) * kept * (direct + again) * (luminary.irradiance[c] ?? 0);
      }
    }
    for (let c = 0; c < 3; c += 1) view[c] = (view[c] ?? 0) * Math.exp(-(air[3 + c] ?? 0) * step);
  }
}

/** The direction at a place (0..1) of the table that is shown; see `skyUv` in the shaders. */
export function directionAt(u: number, v: number): [number, number, number] {
  const [a, b] = [2 * u - 1, 2 * v - 1];
  const [x, z] = [(a + b) / 2, (a - b) / 2];
  const rho = Math.abs(x) + Math.abs(z);
  const h = Math.min(Math.max(1 - rho, 0), 1);
  const share = h * h;
  const scale = rho > 1e-6 ? (1 - share) / rho : 0;
  const [dx, dy, dz] = [x * scale, share, z * scale];
  const length = Math.hypot(dx, dy, dz) || 1;
  return [dx / length, dy / length, dz / length];
}

/** Radiance of the upper hemisphere: SKY_SIZE² texels of 4 numbers. */
export function skyTable(luminaries: readonly Luminary[], floor: Rgb): Float32Array {
  const through = (table ??= new Transmittance());
  const coarse = new Float64Array(AZIMUTHS * ELEVATIONS * 3);
  const out = new Float64Array(3);
  for (let e = 0; e < ELEVATIONS; e += 1) {
    const elevation = (Math.PI / 2) * (e / (ELEVATIONS - 1)) ** 2;
    const [level, up] = [Math.cos(elevation), Math.sin(elevation)];
    for (let a = 0; a < AZIMUTHS; a += 1) {
      const azimuth = (2 * Math.PI * a) / AZIMUTHS;
      radiance([level * Math.cos(azimuth), up, level * Math.sin(azimuth)], luminaries, through, out);
      for (let c = 0; c < 3; c += 1) {
        coarse[3 * (e * AZIMUTHS + a) + c] = (out[c] ?? 0) + (floor[c] ?? 0);
      }
    }
  }
  return resampled(coarse);
}

function resampled(coarse: Float64Array): Float32Array {
  const texels = new Float32Array(SKY_SIZE * SKY_SIZE * 4);
  for (let j = 0; j < SKY_SIZE; j += 1) {
    for (let i = 0; i < SKY_SIZE; i += 1) {
      const [x, y, z] = directionAt((i + 0.5) / SKY_SIZE, (j + 0.5) / SKY_SIZE);
      const turn = Math.atan2(z, x) / (2 * Math.PI);
      const a = (turn - Math.floor(turn)) * AZIMUTHS;
      const e = Math.sqrt(Math.asin(Math.min(y, 1)) / (Math.PI / 2)) * (ELEVATIONS - 1);
      const [a0, e0] = [Math.floor(a) % AZIMUTHS, Math.min(Math.floor(e), ELEVATIONS - 2)];
      const [fa, fe] = [a - Math.floor(a), e - e0];
      const at = 4 * (j * SKY_SIZE + i);
      for (let c = 0; c < 3; c += 1) {
        const value = (azimuth: number, elevation: number): number =>
          coarse[3 * (elevation * AZIMUTHS + (azimuth % AZIMUTHS)) + c] ?? 0;
        const low = value(a0, e0) * (1 - fa) + value(a0 + 1, e0) * fa;
        const high = value(a0, e0 + 1) * (1 - fa) + value(a0 + 1, e0 + 1) * fa;
        texels[at + c] = low * (1 - fe) + high * fe;
      }
      texels[at + 3] = 1;
    }
  }
  return texels;
}

/** Radiance of a table in a direction of the upper hemisphere (nearest texel). */
export function sampled(texels: Float32Array, x: number, y: number, z: number): Rgb {
  const s = Math.abs(x) + Math.abs(z);
  const h = Math.sqrt(Math.max(y, 0) / Math.max(s + Math.max(y, 0), 1e-6));
  const [qx, qz] = [(x / Math.max(s, 1e-6)) * (1 - h), (z / Math.max(s, 1e-6)) * (1 - h)];
  const texel = (value: number): number =>
    Math.min(Math.max(Math.floor((value * 0.5 + 0.5) * SKY_SIZE), 0), SKY_SIZE - 1);
  const at = 4 * (texel(qx - qz) * SKY_SIZE + texel(qx + qz));
  return [texels[at] ?? 0, texels[at + 1] ?? 0, texels[at + 2] ?? 0];
}
