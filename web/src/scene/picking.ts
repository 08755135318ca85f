/** What lies under a point of the picture. */

import { Box3, Matrix4, type Object3D, Quaternion, Ray, Raycaster, Vector3 } from "three";

import type { Robots } from "./robots";
import type { Thing } from "./traffic";

/** A box that can be picked: its path in the tree, its pose, its bounds in its own frame. */
export interface Pickable {
  readonly path: string;
  readonly position: Vector3;
  readonly turn: Quaternion;
  readonly bounds: Box3;
}

/** Everything that can be picked. */
export function pickables(robots: Robots, things: readonly Thing[]): Pickable[] {
  const found: Pickable[] = [];
  for (const robot of robots.robots.values()) {
    for (const { words, node } of robot.bodies) {
      const bounds = words.path === robot.bodies[0]?.words.path ? robot.bounds : SMALL;
      found.push({ path: words.path, position: node.position, turn: node.quaternion, bounds });
    }
  }
  for (const { path, position, turn, size } of things) {
    const low = new Vector3(-size.x / 2, 0, -size.z / 2);
    const bounds = new Box3(low, new Vector3(size.x / 2, size.y, size.z / 2));
    found.push({ path, position, turn, bounds });
  }
  return found;
}

const SMALL = new Box3(new Vector3(-0.15, -0.15, -0.15), new Vector3(0.15, 0.15, 0.15));
const local = new Ray();
const matrix = new Matrix4();
const hit = new Vector3();
const ONE = new Vector3(1, 1, 1);

/** The nearest of what a ray meets within a distance [m], null where there is none. */
export function pickAlong(ray: Ray, from: readonly Pickable[], within = Infinity): Pickable | null {
  let best: Pickable | null = null;
  let nearest = within;
  for (const each of from) {
    matrix.compose(each.position, each.turn, ONE).invert();
    local.copy(ray).applyMatrix4(matrix);
    if (local.intersectBox(each.bounds, hit) === null) continue;
    const distance = hit.distanceTo(local.origin);
    if (distance < nearest) [best, nearest] = [each, distance];
  }
  return best;
}

const caster = new Raycaster();

/** Where a ray meets the world, null where it does not. */
export function worldHit(ray: Ray, root: Object3D, far = 3000): Vector3 | null {
  caster.ray.copy(ray);
  caster.far = far;
  const [first] = caster.intersectObject(root, true);
  return first?.point ?? null;
}
