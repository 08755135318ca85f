/** The tiles of the world around the camera, in the detail that their distance asks for. */

import {
  Group,
  Mesh,
  type Object3D,
  type PerspectiveCamera,
  PlaneGeometry,
  Shape,
  ShapeGeometry,
  Vector3,
} from "three";

import type { Manifest, Tile } from "../link/manifest";
import { toWorld } from "./frames";
import { bytesOf, dropGeometries, dropMaterials, eachMesh, parse } from "./gltf";
import { excess, wishes, type Xyz } from "./lod";
import type { SurfaceLibrary } from "./surfaces";

/** Fetches a file of the manifest. */
export type Fetch = (uri: string, signal?: AbortSignal) => Promise<ArrayBuffer>;

const AT_ONCE = 4;
/** Distance [m] that the camera moves, or share of a turn, until tiles are chosen again. */
const MOVED = 6;

/** Surfaces that lie flat: they cast no shadow. */
const FLAT = new Set([
  ...["ground", "carriageway", "pavement", "park", "water", "sett", "asphalt", "gravel"],
  ...["paint", "paint_yellow", "ballast", "paving", "plain", "kerb", "intersection"],
]);

interface Level {
  readonly root: Object3D;
  readonly bytes: number;
}

interface Entry {
  readonly tile: Tile;
  readonly levels: (Level | null)[];
  /** The detail that is wanted and the one that is shown; -1: none. */
  wanted: number;
  shown: number;
  urgency: number;
}

/** Streams tiles; nearest first, within a budget of memory. */
export class Tiles {
  readonly root = new Group();
  /** Bytes [B] that may be kept on the graphics card. */
  budget = 384 * 2 ** 20;

  readonly #entries: Entry[];
  readonly #fetch: Fetch;
  readonly #library: SurfaceLibrary;
  readonly #onChange: () => void;
  readonly #stop = new AbortController();
  readonly #failed = new Set<string>();
  readonly #eye = new Vector3(Infinity, 0, 0);
  readonly #forward = new Vector3();
  #loading = 0;
  /** A plain in place of the land beyond the map, until that is there. */
  #plain: Mesh | null = null;
  #beyond: Object3D | null = null;
  /** Its address, as long as it has not been asked for. */
  #beyondUri: string | null;

  constructor(manifest: Manifest, fetch: Fetch, library: SurfaceLibrary, onChange: () => void) {
    this.#fetch = fetch;
    this.#library = library;
    this.#onChange = onChange;
    this.root.name = "tiles";
    this.root.matrixAutoUpdate = false;
    this.#entries = manifest.tiles.map((tile) => ({
      tile,
      levels: tile.lods.map(() => null),
      wanted: -1,
      shown: -1,
      urgency: Infinity,
    }));
    this.#beyondUri = manifest.beyond?.uri ?? null;
    this.#addPlain(manifest);
  }

  /** Number of tiles that are shown, of those that are wanted, and bytes that are kept. */
  get counts(): { shown: number; wanted: number; bytes: number } {
    let [shown, wanted, bytes] = [0, 0, 0];
    for (const entry of this.#entries) {
      if (entry.shown >= 0) shown += 1;
      if (entry.wanted >= 0) wanted += 1;
      for (const level of entry.levels) bytes += level?.bytes ?? 0;
    }
    return { shown, wanted, bytes };
  }

  /** Whether all that is wanted is shown. */
  get isComplete(): boolean {
    return (
      this.#loading === 0 &&
      this.#beyondUri === null &&
      this.#eye.x !== Infinity &&
      this.#entries.every(
        ({ wanted, shown, tile }) =>
          wanted < 0 || wanted === shown || this.#failed.has(tile.lods[wanted]?.uri ?? ""),
      )
    );
  }

  /** Fits the tiles to a camera. */
  look(camera: PerspectiveCamera): void {
    const forward = camera.getWorldDirection(new Vector3());
    const isSame =
      this.#eye.distanceTo(camera.position) < MOVED && this.#forward.dot(forward) > 0.95;
    if (!isSame) {
      this.#eye.copy(camera.position);
      this.#forward.copy(forward);
      this.#choose();
    }
    this.#load();
  }

  /** Frees everything; the object must not be used afterwards. */
  dispose(): void {
    this.#stop.abort();
    for (const entry of this.#entries) {
      entry.levels.forEach((_, lod) => this.#drop(entry, lod));
    }
    this.#plain?.geometry.dispose();
    if (this.#beyond !== null) dropGeometries(this.#beyond);
    this.root.removeFromParent();
  }

  #choose(): void {
    const eye = xyz(toWorld(this.#eye));
    const byTile = new Map(this.#entries.map((each) => [each.tile, each]));
    for (const entry of this.#entries) {
      entry.wanted = -1;
      entry.urgency = Infinity;
    }
    const tiles = this.#entries.map((each) => each.tile);
    const present = (tile: Tile): number => byTile.get(tile)?.shown ?? -1;
    for (const wish of wishes(tiles, eye, xyz(toWorld(this.#forward)), present)) {
      const entry = byTile.get(wish.tile);
      if (entry === undefined) continue;
      entry.wanted = wish.lod;
      entry.urgency = wish.urgency;
    }
    this.#entries.forEach((entry) => this.#show(entry));
    this.#economise();
  }

  /** Gives up what is not wanted where there is too much. */
  #economise(): void {
    const loaded = this.#entries.flatMap((entry) =>
      entry.levels.flatMap((level, lod) =>
        level === null
          ? []
          : [{ entry, lod, bytes: level.bytes, urgency: lod === entry.shown ? 0 : entry.urgency + 1 }],
      ),
    );
    for (const { entry, lod } of excess(loaded, this.budget)) this.#drop(entry, lod);
  }

  #load(): void {
    if (this.#loading >= AT_ONCE) return;
    const queue = this.#entries
      .filter((each) => each.wanted >= 0 && each.levels[each.wanted] === null)
      .sort((a, b) => a.urgency - b.urgency);
    for (const entry of queue) {
      if (this.#loading >= AT_ONCE) return;
      const uri = entry.tile.lods[entry.wanted]?.uri ?? "";
      if (this.#failed.has(uri) || this.#pending.has(uri)) continue;
      void this.#loadOne(entry, entry.wanted, uri);
    }
    if (queue.length === 0 && this.#loading === 0) void this.#loadBeyond();
  }

  /** Fetches the land beyond the map, once, after the tiles that the first picture shows. */
  async #loadBeyond(): Promise<void> {
    const uri = this.#beyondUri;
    if (uri === null) return;
    this.#beyondUri = null;
    this.#loading += 1;
    try {
      const root = await parse(await this.#fetch(uri, this.#stop.signal));
      dropMaterials(root);
      if (this.#stop.signal.aborted) {
        dropGeometries(root);
        return;
      }
      this.#dress(root);
      eachMesh(root, (mesh) => (mesh.castShadow = false));
      this.#beyond = root;
      this.root.add(root);
      this.#plain?.removeFromParent();
      this.#onChange();
    } catch (error) {
      if (!this.#stop.signal.aborted) console.warn(`land beyond the map is not shown: ${String(error)}`);
    } finally {
      this.#loading -= 1;
    }
  }

  readonly #pending = new Set<string>();

  async #loadOne(entry: Entry, lod: number, uri: string): Promise<void> {
    this.#loading += 1;
    this.#pending.add(uri);
    try {
      const content = await this.#fetch(uri, this.#stop.signal);
      const root = await parse(content);
      dropMaterials(root);
      if (this.#stop.signal.aborted) {
        dropGeometries(root);
        return;
      }
      this.#dress(root);
      entry.levels[lod] = { root, bytes: bytesOf(root) };
      this.#show(entry);
      this.#onChange();
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.#failed.add(uri);
      console.warn(`tile ${entry.tile.id} is not shown: ${String(error)}`);
    } finally {
      this.#loading -= 1;
      this.#pending.delete(uri);
    }
  }

  #dress(root: Object3D): void {
    eachMesh(root, (mesh, name) => {
      mesh.material = this.#library.material(name, {
        hasColours: mesh.geometry.hasAttribute("color"),
      });
      mesh.receiveShadow = true;
      mesh.castShadow = !FLAT.has(name);
      mesh.renderOrder = ORDER[name] ?? 0;
    });
    root.updateMatrixWorld(true);
    root.traverse((node) => {
      node.matrixAutoUpdate = false;
    });
  }

  /** Shows the wanted detail, or another one until that is there. */
  #show(entry: Entry): void {
    let best = -1;
    if (entry.wanted >= 0) {
      entry.levels.forEach((level, lod) => {
        if (level === null) return;
        if (best < 0 || Math.abs(lod - entry.wanted) < Math.abs(best - entry.wanted)) best = lod;
      });
    }
    if (best === entry.shown) return;
    entry.levels[entry.shown]?.root.removeFromParent();
    const root = entry.levels[best]?.root;
    if (root !== undefined) this.root.add(root);
    entry.shown = best;
  }

  #drop(entry: Entry, lod: number): void {
    const level = entry.levels[lod];
    if (level === null || level === undefined) return;
    if (entry.shown === lod) entry.shown = -1;
    level.root.removeFromParent();
    dropGeometries(level.root);
    entry.levels[lod] = null;
  }

  /** The plain around the world, up to the horizon. */
  #addPlain(manifest: Manifest): void {
    const [x0, y0, z0, x1, y1] = manifest.bounds;
    const far = 9000;
    const shape = new Shape();
    shape.moveTo(-far, -far).lineTo(far, -far).lineTo(far, far).lineTo(-far, far);
    const hole = new Shape();
    hole.moveTo(x0, y0).lineTo(x0, y1).lineTo(x1, y1).lineTo(x1, y0);
    shape.holes.push(hole);
    const geometry = manifest.tiles.length > 0 ? new ShapeGeometry(shape) : new PlaneGeometry(2 * far, 2 * far);
    geometry.rotateX(-Math.PI / 2);
    geometry.deleteAttribute("uv");
    const material = this.#library.material("ground", { hasColours: false, colour: PLAIN });
    const mesh = new Mesh(geometry, material);
    mesh.position.y = Math.max(z0, -2) - 0.05;
    mesh.receiveShadow = false;
    mesh.name = "plain";
    this.#plain = mesh;
    this.root.add(mesh);
    mesh.updateMatrixWorld(true);
  }
}

/** Linear colour of the plain: that of the ground in the tiles. */
const PLAIN: [number, number, number] = [0.209, 0.254, 0.085];

const ORDER: Readonly<Record<string, number>> = { paint: 1, paint_yellow: 1, rail: 1 };

function xyz(v: Vector3): Xyz {
  return [v.x, v.y, v.z];
}
