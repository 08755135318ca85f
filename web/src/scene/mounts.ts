/** Camera devices of robots: where they are mounted and how wide they see. */

import { Matrix4, Quaternion, Vector3 } from "three";

import type { SimulationTree } from "../link/source";
import type { Description } from "../link/tree";
import type { Mount } from "./cameras";
import { toScene } from "./frames";

/** The entries of a description that is a record; {} otherwise. */
export function entriesOf(value: Description | undefined): Record<string, Description> {
  const isRecord = value !== null && typeof value === "object" && !Array.isArray(value);
  return isRecord ? value.entries : {};
}

/** What the file of a robot says of a device, by the device's path in the tree. */
export function deviceOf(
  tree: SimulationTree,
  path: string,
): { kind: string; entries: Record<string, Description> } | null {
  const [robot = "", part = "", device = ""] = path.split(".");
  const { devices } = entriesOf(tree.robots.get(robot));
  if (!Array.isArray(devices)) return null;
  for (const each of devices) {
    const entries = entriesOf(each);
    if (entries.name === device && entries.part === part && each !== null) {
      const kind = typeof each === "object" && "kind" in each ? each.kind : "";
      return { kind: typeof kind === "string" ? kind : "", entries };
    }
  }
  return null;
}

/** Three numbers of a list of a description. */
export function vectorOf(value: Description | undefined, otherwise: [number, number, number]): Vector3 {
  const list = Array.isArray(value) && value.length === 3 ? value.map(Number) : otherwise;
  return toScene(list[0] ?? 0, list[1] ?? 0, list[2] ?? 0);
}

/** The mount of a camera device, null where the path is not one that is mounted fast. */
export function mountOf(tree: SimulationTree, path: string): Mount | null {
  const device = deviceOf(tree, path);
  if (device === null) return null;
  const { entries } = device;
  const position = vectorOf(entries.position, [0, 0, 0]);
  const up = vectorOf(entries.up, [0, 0, 1]);
  let direction = vectorOf(entries.direction, [1, 0, 0]);
  if (entries.type === "thirdperson") direction = position.clone().negate();
  else if (entries.type === "top") {
    direction = new Vector3(0, -1, 0);
    up.set(1, 0, 0);
  }
  const look = new Matrix4().lookAt(new Vector3(), direction, up);
  const fov = typeof entries.fov === "number" ? (entries.fov * 180) / Math.PI : 60;
  return { position, turn: new Quaternion().setFromRotationMatrix(look), fov };
}
