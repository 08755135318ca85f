/** Where the values that pictures need are in a state: numbers of its 8-byte words. */

import type { SimulationTree, TreeField, TreeNode } from "../link/source";

export const WORD = 8;

/** Columns of a vehicle's row in `traffic.vehicles`. */
export const V = {
  kind: 0,
  x: 1,
  y: 2,
  z: 3,
  yaw: 4,
  pitch: 5,
  roll: 6,
  speed: 7,
  steering: 8,
  rolled: 9,
  lights: 10,
  colour: 11,
} as const;

/** Columns of a person's row in `traffic.people`. */
export const P = {
  kind: 0,
  x: 1,
  y: 2,
  z: 3,
  yaw: 4,
  speed: 5,
  walked: 6,
  posture: 7,
  colour: 8,
} as const;

export const VEHICLE_WIDTH = 12;
export const PERSON_WIDTH = 9;

/** Bits of a vehicle's lights. */
export const LIGHT = { left: 1, right: 2, brake: 4, head: 8, reversing: 16, special: 32 } as const;

/** A body with a pose: words of its position (3) and orientation (4, x y z w). */
export interface BodyWords {
  readonly path: string;
  readonly kind: string;
  readonly position: number;
  readonly orientation: number;
}

/** A wheel: words of its angles [rad]; -1 where it lacks one. */
export interface WheelWords {
  readonly path: string;
  readonly body: string;
  readonly steering: number;
  readonly rotation: number;
  readonly suspension: number;
}

/** A table of rows: the word of its first number, its rows and their width. */
export interface TableWords {
  readonly start: number;
  readonly rows: number;
  readonly width: number;
}

/** A lamp of a robot: the word of its brightness. */
export interface LampWords {
  readonly path: string;
  readonly word: number;
}

export interface SceneLayout {
  readonly words: number;
  readonly bodies: readonly BodyWords[];
  readonly wheels: readonly WheelWords[];
  readonly lamps: readonly LampWords[];
  readonly vehicles: TableWords | null;
  readonly people: TableWords | null;
  readonly signals: TableWords | null;
}

const WHEELS = new Set(["WheelDevice", "KinematicWheel", "Wheel"]);

/** The layout of a tree. */
export function layoutOf(tree: SimulationTree): SceneLayout {
  const bodies: BodyWords[] = [];
  const wheels: WheelWords[] = [];
  const lamps: LampWords[] = [];
  for (const node of walk(tree.root)) {
    // Beliefs have poses, too, but these are not their first fields.
    const [position, orientation] = node.fields;
    const isBody = position?.name === "position" && orientation?.name === "orientation";
    if (isBody && position.bytes === 3 * WORD && orientation.bytes === 4 * WORD) {
      bodies.push({
        path: node.path,
        kind: node.kind,
        position: position.offset / WORD,
        orientation: orientation.offset / WORD,
      });
    } else if (WHEELS.has(node.kind)) {
      wheels.push({
        path: node.path,
        body: node.parent?.path ?? "",
        steering: wordOf(node, "steering"),
        rotation: wordOf(node, "rotation"),
        suspension: wordOf(node, "suspension_length"),
      });
    } else if (node.kind.includes("Light")) {
      lamps.push({ path: node.path, word: node.offset / WORD });
    }
  }
  const traffic = tree.find("traffic");
  const isTraffic = traffic?.kind === "Traffic";
  return {
    words: tree.size / WORD,
    bodies,
    wheels,
    lamps,
    vehicles: isTraffic ? tableOf(traffic, "vehicles") : null,
    people: isTraffic ? tableOf(traffic, "people") : null,
    signals: isTraffic ? tableOf(traffic, "signals") : null,
  };
}

/** A node and all below it, parents first. */
export function* walk(node: TreeNode): Generator<TreeNode> {
  yield node;
  for (const child of node.children) yield* walk(child);
}

/** The field of a node by its name. */
export function fieldOf(node: TreeNode, name: string): TreeField | undefined {
  return node.fields.find((each) => each.name === name);
}

function wordOf(node: TreeNode, name: string): number {
  const field = fieldOf(node, name);
  return field === undefined ? -1 : field.offset / WORD;
}

function tableOf(node: TreeNode, name: string): TableWords | null {
  const field = fieldOf(node, name);
  if (field === undefined) return null;
  const [rows = 0, width = 1] = field.shape;
  return rows > 0 ? { start: field.offset / WORD, rows, width } : null;
}
