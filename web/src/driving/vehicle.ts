/** What a driver needs to know of a robot: its actuator, its body, its steering. */

import type { Description, SimulationTree, TreeField, TreeNode } from "../link/tree";
import type { Steering } from "./driver_input";

export interface Drivable {
  robot: string;
  actuator: TreeNode;
  orientation: TreeField;
  velocity: TreeField;
  steering: Steering;
}

/** Full lock [rad] of a vehicle that names none. */
const USUAL_LOCK = 0.6;

/** How `robot` is driven; null where it has no drive actuator. */
export function drivable(tree: SimulationTree, robot: string): Drivable | null {
  const node = tree.find(robot);
  const actuator = node === undefined ? undefined : first(node, "DriveActuator");
  const part = actuator?.parent;
  const orientation = part?.fields.find((each) => each.name === "orientation");
  const velocity = part?.fields.find((each) => each.name === "velocity");
  if (actuator === undefined || orientation === undefined || velocity === undefined) return null;
  const limit = actuator.fields.find((each) => each.name === "steering")?.limits;
  const largest = limit === undefined || limit === null ? USUAL_LOCK : limit.high;
  const wheelbase = wheelbaseOf(tree.robots.get(robot), actuator.name);
  return { robot, actuator, orientation, velocity, steering: { largest, wheelbase } };
}

/** Names of the robots that a person can drive. */
export function drivableRobots(tree: SimulationTree): string[] {
  return robotsOf(tree).filter((each) => drivable(tree, each) !== null);
}

export function robotsOf(tree: SimulationTree): string[] {
  return tree.root.children.filter((each) => each.kind === "Robot").map((each) => each.name);
}

function first(node: TreeNode, kind: string): TreeNode | undefined {
  if (node.kind === kind) return node;
  for (const each of node.children) {
    const found = first(each, kind);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Distance [m] between the steered axle and the other one; 0 where it is not known. */
function wheelbaseOf(robot: Description | undefined, actuator: string): number {
  const devices = entry(robot, "devices");
  if (!Array.isArray(devices)) return 0;
  const wheels = devices.filter((each) => entry(each, "drive_actuator") === actuator);
  const axle = (isSteering: boolean): number[] =>
    wheels
      .filter((each) => entry(each, "is_steering") === isSteering)
      .map((each) => entry(each, "position"))
      .map((each) => (Array.isArray(each) && typeof each[0] === "number" ? each[0] : NaN))
      .filter(Number.isFinite);
  const [steered, fixed] = [axle(true), axle(false)];
  if (steered.length === 0 || fixed.length === 0) return 0;
  return Math.abs(mean(steered) - mean(fixed));
}

function entry(record: Description | undefined, name: string): Description | undefined {
  if (typeof record !== "object" || record === null || Array.isArray(record)) return undefined;
  return record.entries[name];
}

function mean(values: number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length;
}
