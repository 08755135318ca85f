/** Robots and objects with their models: a node for each body and wheel, moved by a state. */

import {
  Box3,
  BoxGeometry,
  Group,
  Mesh,
  type Object3D,
  Quaternion,
  Vector3,
} from "three";

import type { Manifest, WheelModel } from "../link/manifest";
import { toScene, turnToScene } from "./frames";
import { dropGeometries, dropMaterials, eachMesh, parse } from "./gltf";
import type { BodyWords, SceneLayout, WheelWords } from "./layout";
import type { Playback } from "./playback";
import type { SurfaceLibrary } from "./surfaces";
import type { Fetch } from "./tiles";

interface Body {
  readonly words: BodyWords;
  readonly node: Group;
}

interface Wheel {
  readonly words: WheelWords;
  readonly model: WheelModel;
  readonly node: Object3D;
}

/** A robot or an object as it is drawn. */
export interface Robot {
  readonly name: string;
  readonly bodies: Body[];
  readonly wheels: Wheel[];
  /** Bounds of its first body, in the body's frame. */
  readonly bounds: Box3;
  readonly isObject: boolean;
}

/** All robots and objects of a world. */
export class Robots {
  readonly root = new Group();
  readonly robots = new Map<string, Robot>();
  readonly #layout: SceneLayout;
  readonly #library: SurfaceLibrary;
  #isGone = false;

  constructor(layout: SceneLayout, library: SurfaceLibrary) {
    this.#layout = layout;
    this.#library = library;
    this.root.name = "robots";
  }

  /** Fetches the models; what has none is a box. */
  async load(manifest: Manifest, fetch: Fetch): Promise<void> {
    const models = manifest.models ?? {};
    const names = new Map<string, BodyWords[]>();
    for (const body of this.#layout.bodies) {
      const name = body.path.split(".")[0] ?? "";
      names.set(name, [...(names.get(name) ?? []), body]);
    }
    const tasks = [...names].map(async ([name, bodies]) => {
      const robot = models.robots?.[name];
      const object = models.objects?.[name];
      const uri = robot?.uri ?? object?.uri;
      let file: Group | null = null;
      try {
        file = uri === undefined ? null : await parse(await fetch(uri));
      } catch (error) {
        console.warn(`model of ${name} is not shown: ${String(error)}`);
      }
      if (file !== null) dropMaterials(file);
      if (this.#isGone) {
        if (file !== null) dropGeometries(file);
        return;
      }
      const nodeOf = (path: string): string =>
        object?.node ?? robot?.bodies[path.slice(name.length + 1)] ?? path;
      this.#add(name, bodies, file, nodeOf, robot?.wheels ?? {}, object !== undefined);
    });
    await Promise.all(tasks);
  }

  #add(
    name: string,
    words: readonly BodyWords[],
    file: Group | null,
    nodeOf: (path: string) => string,
    wheels: Readonly<Record<string, WheelModel>>,
    isObject: boolean,
  ): void {
    const nodes = new Map<string, Object3D>();
    file?.traverse((node) => nodes.set(nameOf(node), node));
    if (file !== null) this.#dress(file);
    // Wheels and other bodies below a body's node are moved by themselves.
    for (const node of [...nodes.values()]) if (node !== file) detach(node, nodes);
    const bodies = words.map((each) => {
      const node = new Group();
      node.name = each.path;
      node.rotation.order = "YXZ";
      const shape = nodes.get(nodeOf(each.path));
      node.add(shape ?? this.#box());
      this.root.add(node);
      return { words: each, node };
    });
    const turning = Object.entries(wheels).flatMap(([key, model]) => {
      const node = nodes.get(model.node);
      const found = this.#layout.wheels.find((each) => each.path === `${name}.${key}`);
      const body = bodies.find((each) => each.words.path === `${name}.${model.body}`);
      if (node === undefined || found === undefined || body === undefined) return [];
      body.node.add(node);
      return [{ words: found, model, node }];
    });
    const bounds = new Box3();
    const first = bodies[0]?.node;
    if (first !== undefined) bounds.setFromObject(first, true);
    if (bounds.isEmpty()) bounds.set(new Vector3(-0.3, -0.3, -0.3), new Vector3(0.3, 0.3, 0.3));
    this.robots.set(name, { name, bodies, wheels: turning, bounds, isObject });
  }

  #dress(root: Object3D): void {
    eachMesh(root, (mesh, name) => {
      const look = name === "" ? "body" : name;
      const hasColours = mesh.geometry.hasAttribute("color");
      mesh.material = this.#library.material(look, { hasColours });
      mesh.castShadow = mesh.receiveShadow = true;
    });
  }

  #box(): Mesh {
    const mesh = new Mesh(
      new BoxGeometry(0.6, 0.4, 0.4),
      this.#library.material("body", { hasColours: false, colour: [0.4, 0.1, 0.08] }),
    );
    mesh.castShadow = mesh.receiveShadow = true;
    return mesh;
  }

  /** Moves all bodies and wheels to where a state has them. */
  update({ floats }: Playback): void {
    for (const robot of this.robots.values()) {
      for (const { words, node } of robot.bodies) {
        const value = (word: number): number => floats[word] ?? 0;
        const [p, q] = [words.position, words.orientation];
        toScene(value(p), value(p + 1), value(p + 2), node.position);
        turnToScene(value(q), value(q + 1), value(q + 2), value(q + 3), node.quaternion);
      }
      for (const { words, model, node } of robot.wheels) {
        const value = (word: number): number => (word >= 0 ? (floats[word] ?? 0) : 0);
        const [x, y, z] = model.position;
        toScene(x, y, z - (model.hangs ? value(words.suspension) : 0), node.position);
        steer.setFromAxisAngle(UP, value(words.steering));
        roll.setFromAxisAngle(BACK, -value(words.rotation));
        node.quaternion.copy(steer).multiply(roll);
      }
    }
  }

  /** Frees everything. */
  dispose(): void {
    this.#isGone = true;
    dropGeometries(this.root);
    this.root.removeFromParent();
    this.robots.clear();
  }
}

const UP = new Vector3(0, 1, 0);
const BACK = new Vector3(0, 0, 1);
const steer = new Quaternion();
const roll = new Quaternion();

/** The name that the file has; three takes dots out of its own. */
function nameOf(node: Object3D): string {
  const { name } = node.userData as { name?: unknown };
  return typeof name === "string" ? name : node.name;
}

/** Takes a named node out of its parent where that is named too: both have their own poses. */
function detach(node: Object3D, nodes: ReadonlyMap<string, Object3D>): void {
  const { parent } = node;
  if (parent === null || !("name" in node.userData)) return;
  if (nodes.get(nameOf(parent)) === parent && "name" in parent.userData) node.removeFromParent();
}
