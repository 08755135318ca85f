/** Vehicles and people of traffic: instances of their models' pieces, posed by a state. */

import {
  Group,
  InstancedBufferAttribute,
  InstancedMesh,
  type Material,
  Matrix4,
  type PerspectiveCamera,
  Quaternion,
  Vector3,
} from "three";

import type { Manifest, RowModel } from "../link/manifest";
import { toScene, turnOfAngles } from "./frames";
import { P, PERSON_WIDTH, type SceneLayout, type TableWords, V, VEHICLE_WIDTH } from "./layout";
import {
  type Dyes,
  lampLevels,
  type LampLevels,
  linearPalettes,
  type LinearPalettes,
  MODEL_COLOURS,
  personDyes,
  personModel,
  vehicleDyes,
} from "./looks";
import type { Playback } from "./playback";
import { type Gait, type Piece, posePiece, readRig } from "./rigs";
import type { SurfaceLibrary } from "./surfaces";
import type { Fetch } from "./tiles";

/** Distance [m] up to which things behind the camera are drawn: their shadows may be seen. */
const BEHIND = 45;
/** Height [m] of the middle of a lying person. */
const LYING = 0.13;
const NO_LAMPS: LampLevels = [0, 0, 0, 0];

/** A vehicle or a person as it is drawn. */
export interface Thing {
  readonly path: string;
  readonly row: number;
  readonly position: Vector3;
  readonly turn: Quaternion;
  readonly size: Vector3;
  readonly lamps: LampLevels;
  readonly speed: number;
}

/** The instances of one model in one level of detail. */
class Swarm {
  readonly root = new Group();
  readonly until: number;
  readonly #pieces: readonly Piece[];
  readonly #meshes: InstancedMesh[] = [];
  readonly #dyes: InstancedBufferAttribute[];
  readonly #lamps: InstancedBufferAttribute;
  readonly #own = new Matrix4();
  #count = 0;

  constructor(pieces: readonly Piece[], material: Material, capacity: number, until: number) {
    this.#pieces = pieces;
    this.until = until;
    this.#dyes = [0, 1, 2].map(() => new InstancedBufferAttribute(new Float32Array(3 * capacity), 3));
    this.#lamps = new InstancedBufferAttribute(new Float32Array(4 * capacity), 4);
    for (const piece of pieces) {
      ["iFirst", "iSecond", "iThird"].forEach((name, k) => {
        const dyes = this.#dyes[k];
        if (dyes !== undefined) piece.geometry.setAttribute(name, dyes);
      });
      piece.geometry.setAttribute("iLamps", this.#lamps);
      const mesh = new InstancedMesh(piece.geometry, material, capacity);
      mesh.frustumCulled = false;
      mesh.castShadow = true;
      mesh.receiveShadow = true;
      mesh.matrixAutoUpdate = false;
      this.#meshes.push(mesh);
      this.root.add(mesh);
    }
  }

  begin(): void {
    this.#count = 0;
  }

  add(body: Matrix4, gait: Gait, dyes: Dyes, lamps: LampLevels): void {
    const k = this.#count;
    this.#count += 1;
    this.#pieces.forEach((piece, number) => {
      posePiece(piece, this.#pieces, gait, this.#own);
      this.#own.premultiply(body);
      this.#meshes[number]?.setMatrixAt(k, this.#own);
    });
    dyes.forEach((dye, number) => this.#dyes[number]?.setXYZ(k, dye.r, dye.g, dye.b));
    this.#lamps.setXYZW(k, ...lamps);
  }

  end(): void {
    for (const mesh of this.#meshes) {
      mesh.count = this.#count;
      mesh.visible = this.#count > 0;
      mesh.instanceMatrix.needsUpdate = true;
    }
    if (this.#count === 0) return;
    for (const each of [...this.#dyes, this.#lamps]) each.needsUpdate = true;
  }

  dispose(): void {
    for (const mesh of this.#meshes) {
      mesh.dispose();
      mesh.geometry.dispose();
    }
    this.root.removeFromParent();
  }
}

/** All vehicles and people. */
export class Traffic {
  readonly root = new Group();
  /** What was drawn last, for picking and for lamps. */
  things: Thing[] = [];
  needsLights = false;
  isRaining = false;
  /** Factor on the distances of levels of detail. */
  reach = 1;

  readonly #layout: SceneLayout;
  readonly #palettes: LinearPalettes;
  readonly #vehicles: readonly RowModel[];
  readonly #peopleChoices: readonly (readonly number[])[] | undefined;
  readonly #swarms = new Map<string, Swarm[]>();
  #isGone = false;

  constructor(manifest: Manifest, layout: SceneLayout) {
    this.#layout = layout;
    this.#palettes = linearPalettes(manifest.palettes);
    this.root.name = "traffic";
    this.#vehicles = manifest.models?.vehicles ?? [];
    this.#peopleChoices = manifest.models?.people_choices;
  }

  /** Fetches the models. */
  async load(manifest: Manifest, fetch: Fetch, library: SurfaceLibrary): Promise<void> {
    const { vehicles, people } = this.#layout;
    const tasks: Promise<void>[] = [];
    const files = new Map<string, Promise<ArrayBuffer>>();
    // Models of people share what is drawn from afar.
    const fetchOnce: Fetch = (uri) => {
      const found = files.get(uri) ?? fetch(uri);
      files.set(uri, found);
      return found;
    };
    const add = (key: string, model: RowModel, table: TableWords | null, look: string): void => {
      if (table === null) return;
      tasks.push(this.#loadModel(key, model, table.rows, fetchOnce, library.material(look, { isDyed: true })));
    };
    this.#vehicles.forEach((each, k) => {
      add(`v${k}`, each, vehicles, "vehicles");
    });
    for (const each of manifest.models?.people ?? []) add(`p${each.kind}`, each, people, "people");
    await Promise.all(tasks);
  }

  async #loadModel(
    key: string,
    model: RowModel,
    capacity: number,
    fetch: Fetch,
    material: Material,
  ): Promise<void> {
    const levels = distinct(model);
    const swarms: Swarm[] = [];
    for (const { uri, until } of levels) {
      try {
        const pieces = await readRig(await fetch(uri));
        if (this.#isGone) {
          for (const piece of pieces) piece.geometry.dispose();
          return;
        }
        const swarm = new Swarm(pieces, material, capacity, until);
        swarms.push(swarm);
        this.root.add(swarm.root);
        this.#swarms.set(key, swarms);
      } catch (error) {
        console.warn(`model ${model.name ?? key} is not shown: ${String(error)}`);
      }
    }
  }

  /** Poses all for a camera. */
  update(playback: Playback, camera: PerspectiveCamera): void {
    for (const swarms of this.#swarms.values()) for (const each of swarms) each.begin();
    this.things = [];
    camera.getWorldDirection(forward);
    this.#updateVehicles(playback, camera);
    this.#updatePeople(playback, camera);
    for (const swarms of this.#swarms.values()) for (const each of swarms) each.end();
  }

  #updateVehicles({ floats, time }: Playback, camera: PerspectiveCamera): void {
    const table = this.#layout.vehicles;
    if (table?.width !== VEHICLE_WIDTH) return;
    for (let row = 0; row < table.rows; row += 1) {
      const at = table.start + row * VEHICLE_WIDTH;
      const value = (column: number): number => floats[at + column] ?? 0;
      const kind = value(V.kind);
      const colour = value(V.colour);
      const number = this.#vehicles.findIndex(
        (each) => each.kind === kind && (each.colours?.includes(colour % MODEL_COLOURS) ?? true),
      );
      const model = this.#vehicles[number];
      if (kind < 0 || model === undefined) continue;
      const position = toScene(value(V.x), value(V.y), value(V.z));
      const turn = turnOfAngles(value(V.yaw), value(V.pitch), value(V.roll), new Quaternion());
      const lamps = lampLevels(value(V.lights), time, this.needsLights);
      const { length = 4.5, width = 1.8, height = 1.5 } = model;
      this.things.push({
        path: `traffic.vehicles[${row}]`,
        row,
        position,
        turn,
        size: new Vector3(length, height, width),
        lamps,
        speed: value(V.speed),
      });
      const gait = { rolled: value(V.rolled), steering: value(V.steering), speed: value(V.speed) };
      const dyes = vehicleDyes(this.#palettes, colour, model.is_bus === true);
      body.compose(position, turn, whole.set(1, 1, 1));
      this.#add(`v${number}`, position, camera, (swarm) => swarm.add(body, gait, dyes, lamps));
    }
  }

  #updatePeople({ floats }: Playback, camera: PerspectiveCamera): void {
    const table = this.#layout.people;
    if (table?.width !== PERSON_WIDTH) return;
    for (let row = 0; row < table.rows; row += 1) {
      const at = table.start + row * PERSON_WIDTH;
      const value = (column: number): number => floats[at + column] ?? 0;
      if (value(P.kind) < 0) continue;
      const posture = Math.min(Math.max(value(P.posture), 0), 1);
      const colour = value(P.colour);
      const position = toScene(value(P.x), value(P.y), value(P.z) + LYING * posture);
      const turn = turnOfAngles(value(P.yaw), (posture * Math.PI) / 2, 0, new Quaternion());
      const factor = 0.94 + 0.03 * (colour % 5);
      this.things.push({
        path: `traffic.people[${row}]`,
        row,
        position,
        turn,
        size: new Vector3(0.5, 1.78 * factor, 0.55),
        lamps: NO_LAMPS,
        speed: value(P.speed),
      });
      const gait = { rolled: value(P.walked), steering: 0, speed: value(P.speed) };
      const dyes = personDyes(this.#palettes, colour);
      body.compose(position, turn, whole.setScalar(factor));
      const kind = personModel(this.#peopleChoices, value(P.kind), colour, this.isRaining);
      this.#add(`p${kind}`, position, camera, (swarm) => swarm.add(body, gait, dyes, NO_LAMPS));
    }
  }

  #add(
    key: string,
    position: Vector3,
    camera: PerspectiveCamera,
    add: (swarm: Swarm) => void,
  ): void {
    const swarms = this.#swarms.get(key);
    if (swarms === undefined) return;
    offset.subVectors(position, camera.position);
    const distance = offset.length();
    if (offset.dot(forward) < -10 && distance > BEHIND) return;
    const swarm = swarms.find((each) => distance <= each.until * this.reach) ?? null;
    if (swarm !== null) add(swarm);
  }

  /** Frees everything. */
  dispose(): void {
    this.#isGone = true;
    for (const swarms of this.#swarms.values()) for (const each of swarms) each.dispose();
    this.#swarms.clear();
    this.root.removeFromParent();
  }
}

const forward = new Vector3();
const offset = new Vector3();
const whole = new Vector3();
const body = new Matrix4();

/** The levels of a model, each file once, from near to far. */
function distinct(model: RowModel): { uri: string; until: number }[] {
  const levels: { uri: string; until: number }[] = [];
  for (const each of model.levels ?? [{ uri: model.uri, until: 1000 }]) {
    const last = levels.at(-1);
    if (last?.uri === each.uri) last.until = each.until;
    else levels.push({ ...each });
  }
  return levels;
}
