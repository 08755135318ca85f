/** Arranging robots by dragging: what is dragged now, and what becomes of it. */

import { signal } from "@preact/signals";

import { numbersOf } from "../link/values";
import type { SceneSource } from "../link/source";
import type { Ghost } from "../scene/scene_view";

/** Robots that come with AutoSim: names to choose from. */
export const SHIPPED_ROBOTS = [
  "impreza",
  "bmw_320i",
  "formula",
  "truck",
  "trailer_rig",
  "sensor_car",
  "lidar_car",
  "ins_car",
  "kinematic_car",
  "rover",
  "scout",
  "quadcopter",
  "boat",
].map((each) => `robots/${each}.xml`);

/** Turns [rad] between which a robot that is turned by hand snaps, with Shift. */
const SNAP = Math.PI / 12;

/** What a pointer drags, where it would be, and whether it is over the bin. */
export type Drag = {
  /** Where it would be; null: nowhere. */
  readonly ghost: Ghost | null;
  readonly isOverBin: boolean;
} & (
  | { readonly kind: "move" | "turn"; readonly robot: string }
  | { readonly kind: "add"; readonly file: string }
);

export class Arranging {
  /** Whether robots are moved without Shift, and the ring and the shelf of robots are there. */
  readonly isOn = signal(false);
  readonly drag = signal<Drag | null>(null);
}

/** Position (x, y, z) in W [m] and heading [rad counter-clockwise from east] of a robot. */
export function poseOf(
  { tree, mirror }: Pick<SceneSource, "tree" | "mirror">,
  robot: string,
): { x: number; y: number; z: number; yaw: number } {
  const part = tree.find(robot)?.children[0];
  const field = (name: string): number[] => {
    const found = part?.fields.find((each) => each.name === name);
    return found === undefined ? [] : numbersOf(mirror, found);
  };
  const [x = 0, y = 0, z = 0] = field("position");
  const [qx = 0, qy = 0, qz = 0, qw = 1] = field("orientation");
  const yaw = Math.atan2(2 * (qx * qy + qw * qz), 1 - 2 * (qy * qy + qz * qz));
  return { x, y, z, yaw };
}

/** The heading from a place towards a point on the ground; `snaps`: in steps of 15°. */
export function headingTowards(
  from: { x: number; y: number },
  to: readonly [number, number, ...unknown[]],
  snaps: boolean,
): number {
  const yaw = Math.atan2(to[1] - from.y, to[0] - from.x);
  return snaps ? SNAP * Math.round(yaw / SNAP) : yaw;
}

/** A name for a robot of this file that nothing in the tree has. */
export function freeName({ tree }: Pick<SceneSource, "tree">, file: string): string {
  const base = (file.split("/").at(-1) ?? "").replace(/\.xml$/, "");
  const taken = new Set(tree.root.children.map((each) => each.name));
  if (!taken.has(base)) return base;
  let number = 2;
  while (taken.has(`${base}_${number}`)) number++;
  return `${base}_${number}`;
}
