/** Noise that repeats at its edges: what makes surfaces look worn, grown or grainy. */

import {
  ClampToEdgeWrapping,
  DataTexture,
  DataUtils,
  HalfFloatType,
  LinearFilter,
  LinearMipmapLinearFilter,
  RepeatWrapping,
  RGBAFormat,
} from "three";

/** Numbers 0..1 that look random, always the same for a seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Value noise (size²) in 0..1 that repeats, of octaves from `cells` on. */
export function tileableNoise(
  random: () => number,
  size: number,
  cells: number,
  octaves: number,
): Float32Array {
  const total = new Float32Array(size * size);
  let weight = 0;
  for (let octave = 0; octave < octaves; octave += 1) {
    const count = Math.min(cells << octave, size);
    const grid = Float32Array.from({ length: count * count }, random);
    const share = 0.55 ** octave;
    weight += share;
    for (let j = 0; j < size; j += 1) {
      const y = (j * count) / size;
      for (let i = 0; i < size; i += 1) {
        total[j * size + i] = (total[j * size + i] ?? 0) + share * at(grid, count, (i * count) / size, y);
      }
    }
  }
  for (let k = 0; k < total.length; k += 1) total[k] = (total[k] ?? 0) / weight;
  return total;
}

function at(grid: Float32Array, count: number, x: number, y: number): number {
  const [x0, y0] = [Math.floor(x), Math.floor(y)];
  const [fx, fy] = [fade(x - x0), fade(y - y0)];
  const value = (i: number, j: number): number => grid[(j % count) * count + (i % count)] ?? 0;
  const low = value(x0, y0) * (1 - fx) + value(x0 + 1, y0) * fx;
  const high = value(x0, y0 + 1) * (1 - fx) + value(x0 + 1, y0 + 1) * fx;
  return low * (1 - fy) + high * fy;
}

function fade(t: number): number {
  return t * t * (3 - 2 * t);
}

/** Distance (0..1) to the border between the cells of a repeating Voronoi diagram (size²). */
function cracks(random: () => number, size: number, cells: number): Float32Array {
  const points = Array.from({ length: cells * cells }, () => [random(), random()] as const);
  const out = new Float32Array(size * size);
  for (let j = 0; j < size; j += 1) {
    for (let i = 0; i < size; i += 1) {
      const [x, y] = [(i * cells) / size, (j * cells) / size];
      let [first, second] = [9, 9];
      for (let dj = -1; dj <= 1; dj += 1) {
        for (let di = -1; di <= 1; di += 1) {
          const [ci, cj] = [Math.floor(x) + di, Math.floor(y) + dj];
          const k = ((cj + cells) % cells) * cells + ((ci + cells) % cells);
          const [px, py] = points[k] ?? [0, 0];
          const d = Math.hypot(ci + px - x, cj + py - y);
          if (d < first) [first, second] = [d, first];
          else if (d < second) second = d;
        }
      }
      out[j * size + i] = Math.min(second - first, 1);
    }
  }
  return out;
}

const SIZE = 256;

/** A texture of four noises: clouds, grain, cracks, and other clouds. */
export function noiseTexture(): DataTexture {
  const random = seeded(20080229);
  const clouds = tileableNoise(random, SIZE, 4, 6);
  const others = tileableNoise(random, SIZE, 8, 4);
  const borders = cracks(random, SIZE, 9);
  const pixels = new Uint8Array(SIZE * SIZE * 4);
  for (let k = 0; k < SIZE * SIZE; k += 1) {
    const grain = (random() + random() + random()) / 3;
    pixels[4 * k] = byte(stretched(clouds[k] ?? 0));
    pixels[4 * k + 1] = byte(grain);
    pixels[4 * k + 2] = byte(borders[k] ?? 0);
    pixels[4 * k + 3] = byte(stretched(others[k] ?? 0));
  }
  const texture = new DataTexture(pixels, SIZE, SIZE, RGBAFormat);
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.magFilter = LinearFilter;
  texture.minFilter = LinearMipmapLinearFilter;
  texture.generateMipmaps = true;
  texture.anisotropy = 4;
  texture.needsUpdate = true;
  return texture;
}

function stretched(value: number): number {
  return Math.min(Math.max((value - 0.5) * 1.7 + 0.5, 0), 1);
}

function byte(value: number): number {
  return Math.round(255 * Math.min(Math.max(value, 0), 1));
}

/** A table of radiance (size² texels of 4 numbers) as a texture of half floats. */
export function radianceTexture(texels: Float32Array, size: number): DataTexture {
  const texture = new DataTexture(
    new Uint16Array(texels.length),
    size,
    size,
    RGBAFormat,
    HalfFloatType,
  );
  texture.wrapS = texture.wrapT = ClampToEdgeWrapping;
  texture.magFilter = texture.minFilter = LinearFilter;
  fillRadiance(texture, texels);
  return texture;
}

/** Replaces the texels of a texture of `radianceTexture`. */
export function fillRadiance(texture: DataTexture, texels: Float32Array): void {
  const data = texture.image.data as Uint16Array;
  for (let k = 0; k < texels.length; k += 1) data[k] = DataUtils.toHalfFloat(texels[k] ?? 0);
  texture.needsUpdate = true;
}
