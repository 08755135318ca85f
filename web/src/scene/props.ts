/** What stands in the town many times: trees, lamps, benches, parked cars; in cells. */

import {
  type BufferGeometry,
  Color,
  DoubleSide,
  Group,
  InstancedMesh,
  type Material,
  Matrix4,
  type PerspectiveCamera,
  Vector3,
} from "three";

import { dropGeometries, dropMaterials, eachMesh, parse } from "./gltf";
import type { SurfaceLibrary } from "./surfaces";
import type { Fetch } from "./tiles";
import { leafTexture, treeShape } from "./trees";

const CELL = 90;

/** A mesh of a kind with its material, and the distances [m] between which it is drawn. */
interface Part {
  readonly geometry: BufferGeometry;
  readonly material: Material;
  readonly near: number;
  readonly far: number;
  readonly casts: boolean;
  readonly offset: Matrix4;
  readonly isPainted: boolean;
}

interface Cell {
  readonly centre: Vector3;
  readonly meshes: { mesh: InstancedMesh; near: number; far: number }[];
}

/** Distances [m] for kinds; trees are seen farthest. */
const FAR: Readonly<Record<string, number>> = { bench: 160, lamp: 500, sign: 220 };

/** All props of a world. */
export class Props {
  readonly root = new Group();
  /** Factor on all distances. */
  reach = 1;
  readonly #library: SurfaceLibrary;
  readonly #cells: Cell[] = [];
  readonly #owned: { dispose(): void }[] = [];
  #isGone = false;

  constructor(library: SurfaceLibrary) {
    this.#library = library;
    this.root.name = "props";
  }

  /** Fetches and places them all. */
  async load(uri: string, fetch: Fetch): Promise<void> {
    const root = await parse(await fetch(uri));
    if (this.#isGone) {
      dropMaterials(root);
      dropGeometries(root);
      return;
    }
    dropMaterials(root);
    root.updateMatrixWorld(true);
    const found: { mesh: InstancedMesh; kind: string; material: string }[] = [];
    eachMesh(root, (mesh, material) => {
      if (mesh instanceof InstancedMesh) {
        const kind = kindOf(mesh.parent?.name ?? "", mesh.name);
        found.push({ mesh: mesh as InstancedMesh, kind, material });
      }
    });
    const trees = new Set<string>();
    for (const { mesh, kind, material } of found) {
      // The signals have their own posts, whose lenses shine.
      if (kind.startsWith("signal")) continue;
      const isTree = kind === "broadleaf" || kind === "conifer";
      if (isTree && trees.has(kind)) continue;
      trees.add(kind);
      const parts = isTree ? this.#treeParts(kind === "conifer") : [this.#part(mesh, kind, material)];
      this.#place(mesh, parts, isTree);
      if (isTree) mesh.geometry.dispose();
      mesh.dispose();
    }
  }

  /** Chooses what is drawn in full, in short, or not at all. */
  look(camera: PerspectiveCamera): void {
    for (const { centre, meshes } of this.#cells) {
      const distance = Math.max(0, centre.distanceTo(camera.position) - CELL * 0.6) / this.reach;
      for (const { mesh, near, far } of meshes) mesh.visible = distance >= near && distance < far;
    }
  }

  /** Frees everything. */
  dispose(): void {
    this.#isGone = true;
    for (const { meshes } of this.#cells) for (const { mesh } of meshes) mesh.dispose();
    for (const each of this.#owned) each.dispose();
    this.root.removeFromParent();
  }

  #part(mesh: InstancedMesh, kind: string, material: string): Part {
    this.#owned.push(mesh.geometry);
    const isPainted = material === "first";
    const name = isPainted ? "paintwork" : material;
    return {
      geometry: mesh.geometry,
      material: this.#library.material(name, {
        hasColours: mesh.geometry.hasAttribute("color"),
      }),
      near: 0,
      far: FAR[kind] ?? 320,
      casts: true,
      offset: new Matrix4(),
      isPainted,
    };
  }

  #treeParts(isConifer: boolean): Part[] {
    const leaves = leafTexture(isConifer);
    const [near, far] = [treeShape(isConifer, true), treeShape(isConifer, false)];
    this.#owned.push(leaves, near.crown, near.trunk, far.crown, far.trunk);
    const cards = this.#library.material("leaves", { isLeaves: true, map: leaves, side: DoubleSide });
    const lumps = this.#library.material("hedge");
    const bark = this.#library.material("bark");
    const common = { offset: new Matrix4(), isPainted: false };
    return [
      { ...common, geometry: near.crown, material: cards, near: 0, far: 110, casts: true },
      { ...common, geometry: near.trunk, material: bark, near: 0, far: 110, casts: true },
      { ...common, geometry: far.crown, material: lumps, near: 110, far: 1500, casts: true },
      { ...common, geometry: far.trunk, material: bark, near: 110, far: 420, casts: false },
    ];
  }

  #place(source: InstancedMesh, parts: Part[], isTree: boolean): void {
    const cells = new Map<string, number[]>();
    const matrix = new Matrix4();
    const at = new Vector3();
    for (let k = 0; k < source.count; k += 1) {
      source.getMatrixAt(k, matrix);
      at.setFromMatrixPosition(matrix).applyMatrix4(source.matrixWorld);
      const key = `${Math.floor(at.x / CELL)}:${Math.floor(at.z / CELL)}`;
      const rows = cells.get(key);
      if (rows === undefined) cells.set(key, [k]);
      else rows.push(k);
    }
    for (const rows of cells.values()) this.#cell(source, parts, rows, isTree);
  }

  #cell(source: InstancedMesh, parts: Part[], rows: number[], isTree: boolean): void {
    const matrix = new Matrix4();
    const colour = new Color();
    const centre = new Vector3();
    const meshes = parts.map((part) => {
      const mesh = new InstancedMesh(part.geometry, part.material, rows.length);
      rows.forEach((row, k) => {
        source.getMatrixAt(row, matrix);
        matrix.premultiply(source.matrixWorld);
        // A tree's own transforms are of 1 m; those of the file's mesh may be quantised.
        mesh.setMatrixAt(k, matrix);
        const at = new Vector3().setFromMatrixPosition(matrix);
        if (part === parts[0]) centre.addScaledVector(at, 1 / rows.length);
        if (isTree) mesh.setColorAt(k, tint(at, colour));
        else if (source.instanceColor !== null && part.isPainted) {
          source.getColorAt(row, colour);
          mesh.setColorAt(k, colour);
        }
      });
      mesh.castShadow = part.casts;
      mesh.receiveShadow = true;
      mesh.computeBoundingSphere();
      mesh.matrixAutoUpdate = false;
      this.root.add(mesh);
      return { mesh, near: part.near, far: part.far };
    });
    this.#cells.push({ centre, meshes });
  }
}

/** The kind by the name of the node above or of the mesh. */
function kindOf(above: string, own: string): string {
  const names = ["broadleaf", "conifer", "lamp", "bench", "parked_car", "parked_van", "signal_post"];
  return names.find((each) => own.startsWith(each) || above.startsWith(each)) ?? own;
}

/** Each tree a little different: greener, yellower, darker. */
function tint(at: Vector3, into: Color): Color {
  const wave = Math.sin(at.x * 0.71) + Math.sin(at.z * 0.93 + at.x * 0.2);
  const warm = Math.sin(at.x * 1.3 - at.z * 0.6);
  const light = 1 + 0.12 * wave;
  return into.setRGB(light * (1 + 0.13 * warm), light * (1 + 0.02 * warm), light * (1 - 0.14 * warm));
}
