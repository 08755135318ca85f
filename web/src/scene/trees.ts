/** Trees of 1 m: crowns of leaf cards from near, of a few lumps from afar. */

import {
  BufferAttribute,
  BufferGeometry,
  ConeGeometry,
  CylinderGeometry,
  DataTexture,
  IcosahedronGeometry,
  LinearFilter,
  LinearMipmapLinearFilter,
  RGBAFormat,
  Vector3,
} from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";

import { seeded } from "./noise";

const BARK: Rgb = [0.12, 0.085, 0.058];
const LEAF: Rgb = [0.30, 0.42, 0.09];
const LEAF_DARK: Rgb = [0.15, 0.25, 0.055];
const NEEDLE: Rgb = [0.055, 0.12, 0.05];

type Rgb = [number, number, number];

/** Lumps of the crown of a broadleaf: x, y, z, radius. */
const LUMPS: readonly (readonly [number, number, number, number])[] = [
  [0.0, 0.78, 0.0, 0.2],
  [0.16, 0.68, 0.06, 0.17],
  [-0.15, 0.66, -0.08, 0.18],
  [0.04, 0.64, 0.18, 0.17],
  [-0.05, 0.62, -0.19, 0.17],
  [0.21, 0.54, -0.1, 0.14],
  [-0.2, 0.52, 0.11, 0.15],
  [0.08, 0.5, 0.0, 0.19],
  [0.0, 0.9, 0.03, 0.1],
];

/** Crown and trunk of a kind of tree. */
export interface TreeShape {
  readonly crown: BufferGeometry;
  readonly trunk: BufferGeometry;
}

/** A broadleaf or a conifer, from near or from afar. */
export function treeShape(isConifer: boolean, isNear: boolean): TreeShape {
  if (isConifer) return { crown: isNear ? firCards() : firCones(), trunk: trunk(0.02, 0.3, 6) };
  return { crown: isNear ? leafCards() : leafLumps(), trunk: isNear ? branches() : trunk(0.024, 0.5, 5) };
}

function leafCards(): BufferGeometry {
  const random = seeded(7);
  const cards = new Cards();
  for (const [x, y, z, radius] of LUMPS) {
    const count = Math.round(150 * radius);
    for (let k = 0; k < count; k += 1) {
      const out = onBall(random);
      const centre = new Vector3(x, y, z).addScaledVector(out, radius * (0.72 + 0.3 * random()));
      const outward = centre.clone().sub(new Vector3(0, 0.58, 0)).normalize();
      const colour = mixed(LEAF_DARK, LEAF, 0.35 + 0.65 * random());
      cards.add(centre, onBall(random), 0.085 + 0.05 * random(), outward.lerp(out, 0.35), colour);
    }
  }
  return cards.geometry();
}

function firCards(): BufferGeometry {
  const random = seeded(11);
  const cards = new Cards();
  for (let tier = 0; tier < 13; tier += 1) {
    const y = 0.14 + 0.82 * (tier / 13);
    const reach = 0.26 * (1 - tier / 13.5) + 0.02;
    const count = Math.max(5, Math.round(12 - tier * 0.5));
    for (let k = 0; k < count; k += 1) {
      const angle = (2 * Math.PI * (k + 0.5 * (tier % 2) + 0.3 * random())) / count;
      const out = new Vector3(Math.cos(angle), 0, Math.sin(angle));
      const centre = out.clone().multiplyScalar(0.5 * reach).setY(y - 0.12 * reach);
      const up = new Vector3(-0.3 * out.x, 0.95, -0.3 * out.z).addScaledVector(onBall(random), 0.25);
      cards.add(centre, up, 0.6 * reach + 0.025, out.clone().setY(0.45).normalize(), mixed(NEEDLE, LEAF_DARK, 0.5 * random()));
    }
  }
  return cards.geometry();
}

function leafLumps(): BufferGeometry {
  const parts = LUMPS.slice(0, 8).map(([x, y, z, radius]) => {
    const ball = new IcosahedronGeometry(radius * 1.12, 1);
    ball.translate(x, y, z);
    return ball;
  });
  const merged = joined(parts);
  roundNormals(merged, new Vector3(0, 0.58, 0));
  return coloured(merged, [0.13, 0.2, 0.047]);
}

function firCones(): BufferGeometry {
  const parts = [0, 1, 2].map((tier) => {
    const cone = new ConeGeometry(0.25 - 0.06 * tier, 0.46, 7, 1, true);
    cone.translate(0, 0.36 + 0.22 * tier, 0);
    return cone;
  });
  return coloured(joined(parts), [0.05, 0.1, 0.045]);
}

function trunk(radius: number, height: number, sides: number): BufferGeometry {
  const stem = new CylinderGeometry(radius * 0.6, radius, height, sides, 1, true);
  stem.translate(0, height / 2, 0);
  return coloured(joined([stem]), BARK);
}

function branches(): BufferGeometry {
  const parts = [new CylinderGeometry(0.016, 0.027, 0.5, 7, 1, true).translate(0, 0.25, 0)];
  for (const [x, y, z] of LUMPS.slice(1, 7)) {
    const length = Math.hypot(x, y - 0.36, z);
    const limb = new CylinderGeometry(0.004, 0.011, length, 4, 1, true);
    limb.translate(0, length / 2, 0);
    limb.rotateZ(-Math.atan2(Math.hypot(x, z), y - 0.36));
    limb.rotateY(-Math.atan2(z, x));
    limb.translate(0, 0.36, 0);
    parts.push(limb);
  }
  return coloured(joined(parts), BARK);
}

/** Squares with a texture, each a vertex four times. */
class Cards {
  readonly #positions: number[] = [];
  readonly #normals: number[] = [];
  readonly #colours: number[] = [];
  readonly #uvs: number[] = [];
  readonly #corners: number[] = [];

  add(centre: Vector3, facing: Vector3, size: number, normal: Vector3, colour: Rgb): void {
    const across = new Vector3(facing.y, facing.z, facing.x).cross(facing).normalize();
    const along = across.clone().cross(facing).normalize();
    const first = this.#positions.length / 3;
    for (const [u, v] of [[0, 0], [1, 0], [1, 1], [0, 1]] as const) {
      const at = centre.clone().addScaledVector(across, (2 * u - 1) * size);
      at.addScaledVector(along, (2 * v - 1) * size);
      this.#positions.push(at.x, at.y, at.z);
      const bent = normal.clone().addScaledVector(at.sub(centre), 3).normalize();
      this.#normals.push(bent.x, bent.y, bent.z);
      this.#colours.push(...colour);
      this.#uvs.push(u, v);
    }
    this.#corners.push(first, first + 1, first + 2, first, first + 2, first + 3);
  }

  geometry(): BufferGeometry {
    const made = new BufferGeometry();
    made.setAttribute("position", new BufferAttribute(new Float32Array(this.#positions), 3));
    made.setAttribute("normal", new BufferAttribute(new Float32Array(this.#normals), 3));
    made.setAttribute("color", new BufferAttribute(new Float32Array(this.#colours), 3));
    made.setAttribute("uv", new BufferAttribute(new Float32Array(this.#uvs), 2));
    made.setIndex(this.#corners);
    return made;
  }
}

/** A spray of leaves, or of needles, on a clear ground. */
export function leafTexture(isConifer: boolean): DataTexture {
  const size = 128;
  const random = seeded(isConifer ? 5 : 3);
  const pixels = new Uint8Array(size * size * 4);
  for (let k = 0; k < size * size; k += 1) pixels.set([150, 150, 150, 0], 4 * k);
  const count = isConifer ? 190 : 64;
  for (let n = 0; n < count; n += 1) {
    const radius = 0.46 * Math.sqrt(random());
    const around = 2 * Math.PI * random();
    const [x, y] = [0.5 + radius * Math.cos(around), 0.5 + radius * Math.sin(around)];
    const turn = isConifer ? around + (random() - 0.5) : 2 * Math.PI * random();
    const [long, wide] = isConifer ? [0.085, 0.011] : [0.075, 0.036];
    const tone = Math.round(165 + 90 * random() * (0.55 + 0.45 * (n / count)));
    leaf(pixels, size, { x, y, turn, long, wide, tone });
  }
  const texture = new DataTexture(pixels, size, size, RGBAFormat);
  texture.magFilter = LinearFilter;
  texture.minFilter = LinearMipmapLinearFilter;
  texture.generateMipmaps = true;
  texture.anisotropy = 2;
  texture.needsUpdate = true;
  return texture;
}

interface Leaf {
  readonly x: number;
  readonly y: number;
  readonly turn: number;
  readonly long: number;
  readonly wide: number;
  readonly tone: number;
}

function leaf(pixels: Uint8Array, size: number, { x, y, turn, long, wide, tone }: Leaf): void {
  const [c, s] = [Math.cos(turn), Math.sin(turn)];
  const reach = Math.ceil(long * size) + 1;
  const [ox, oy] = [Math.round(x * size), Math.round(y * size)];
  for (let j = oy - reach; j <= oy + reach; j += 1) {
    for (let i = ox - reach; i <= ox + reach; i += 1) {
      if (i < 0 || j < 0 || i >= size || j >= size) continue;
      const [dx, dy] = [i / size - x, j / size - y];
      const [a, b] = [(c * dx + s * dy) / long, (-s * dx + c * dy) / wide];
      if (a * a + b * b > 1 || Math.abs(b) > 1 - a * a) continue;
      const vein = Math.abs(b) < 0.14 ? 0.86 : 1;
      const level = Math.round(tone * vein * (0.9 + 0.1 * a));
      pixels.set([level, level, Math.round(level * 0.9), 255], 4 * (j * size + i));
    }
  }
}

function onBall(random: () => number): Vector3 {
  const y = 2 * random() - 1;
  const angle = 2 * Math.PI * random();
  const level = Math.sqrt(1 - y * y);
  return new Vector3(level * Math.cos(angle), y, level * Math.sin(angle));
}

function mixed(a: Rgb, b: Rgb, share: number): Rgb {
  return a.map((value, c) => value + share * ((b[c] ?? 0) - value)) as Rgb;
}

function joined(parts: BufferGeometry[]): BufferGeometry {
  const plain = parts.map((each) => {
    const flat = each.index === null ? each : each.toNonIndexed();
    flat.deleteAttribute("uv");
    return flat;
  });
  const merged = mergeGeometries(plain, false);
  for (const each of [...parts, ...plain]) each.dispose();
  return merged;
}

function coloured(geometry: BufferGeometry, colour: Rgb): BufferGeometry {
  const count = geometry.getAttribute("position").count;
  const values = new Float32Array(count * 3);
  for (let k = 0; k < count; k += 1) values.set(colour, 3 * k);
  geometry.setAttribute("color", new BufferAttribute(values, 3));
  return geometry;
}

function roundNormals(geometry: BufferGeometry, centre: Vector3): void {
  const positions = geometry.getAttribute("position");
  const normals = geometry.getAttribute("normal");
  const out = new Vector3();
  for (let k = 0; k < positions.count; k += 1) {
    out.fromBufferAttribute(positions, k).sub(centre).normalize();
    normals.setXYZ(
      k,
      out.x + 0.6 * normals.getX(k),
      out.y + 0.6 * normals.getY(k),
      out.z + 0.6 * normals.getZ(k),
    );
  }
}
