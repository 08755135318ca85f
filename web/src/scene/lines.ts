/** Lines and points that change from picture to picture, in buffers that grow. */

import {
  BufferAttribute,
  BufferGeometry,
  DynamicDrawUsage,
  LineBasicMaterial,
  LineSegments,
  Points,
  PointsMaterial,
  type Vector3,
} from "three";

/** Coloured vertices that are set anew for each picture. */
class Vertices {
  readonly geometry = new BufferGeometry();
  #positions = new Float32Array(0);
  #colours = new Float32Array(0);
  #count = 0;

  begin(): void {
    this.#count = 0;
  }

  add(x: number, y: number, z: number, [r, g, b]: readonly [number, number, number]): void {
    if (3 * this.#count >= this.#positions.length) this.#grow();
    this.#positions.set([x, y, z], 3 * this.#count);
    this.#colours.set([r, g, b], 3 * this.#count);
    this.#count += 1;
  }

  end(): number {
    this.geometry.setDrawRange(0, this.#count);
    for (const name of ["position", "color"]) {
      if (!this.geometry.hasAttribute(name)) continue;
      this.geometry.getAttribute(name).needsUpdate = true;
    }
    return this.#count;
  }

  #grow(): void {
    const size = Math.max(768, 2 * this.#positions.length);
    const [positions, colours] = [new Float32Array(size), new Float32Array(size)];
    positions.set(this.#positions);
    colours.set(this.#colours);
    [this.#positions, this.#colours] = [positions, colours];
    this.geometry.dispose();
    for (const [name, values] of [["position", positions], ["color", colours]] as const) {
      this.geometry.setAttribute(name, new BufferAttribute(values, 3).setUsage(DynamicDrawUsage));
    }
  }
}

export type Rgb = readonly [red: number, green: number, blue: number];

/** Pieces of lines. */
export class Lines {
  readonly object: LineSegments<BufferGeometry, LineBasicMaterial>;
  readonly #vertices = new Vertices();

  constructor() {
    const material = new LineBasicMaterial({ vertexColors: true, toneMapped: false, transparent: true });
    this.object = new LineSegments(this.#vertices.geometry, material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 400;
  }

  begin(): void {
    this.#vertices.begin();
  }

  /** Adds a line between two points of the scene. */
  add(a: Vector3, b: Vector3, colour: Rgb): void {
    this.#vertices.add(a.x, a.y, a.z, colour);
    this.#vertices.add(b.x, b.y, b.z, colour);
  }

  /** Adds lines from each of some points to the next. */
  join(points: readonly Vector3[], colour: Rgb): void {
    points.forEach((point, k) => {
      const next = points[k + 1];
      if (next !== undefined) this.add(point, next, colour);
    });
  }

  end(): void {
    this.object.visible = this.#vertices.end() > 0;
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
  }
}

/** Points of a size on the screen. */
export class Dots {
  readonly object: Points<BufferGeometry, PointsMaterial>;
  readonly #vertices = new Vertices();

  constructor(size: number) {
    const material = new PointsMaterial({
      size,
      sizeAttenuation: false,
      vertexColors: true,
      toneMapped: false,
    });
    this.object = new Points(this.#vertices.geometry, material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 400;
  }

  begin(): void {
    this.#vertices.begin();
  }

  add(point: Vector3, colour: Rgb): void {
    this.#vertices.add(point.x, point.y, point.z, colour);
  }

  end(): void {
    this.object.visible = this.#vertices.end() > 0;
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
  }
}
