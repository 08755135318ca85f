/** What sensors, programs and beliefs say, as points in the scene. */

import { Matrix4, Quaternion, Vector3 } from "three";

import type { SimulationTree, TreeField, TreeNode } from "../link/source";
import type { Description } from "../link/tree";
import { toScene, turnToScene } from "./frames";
import { fieldOf, walk, WORD } from "./layout";
import { deviceOf, entriesOf, vectorOf } from "./mounts";
import type { Playback } from "./playback";

/** A device that is mounted on a part. */
export interface Mounted {
  readonly node: TreeNode;
  readonly part: TreeNode;
  readonly entries: Readonly<Record<string, Description>>;
}

/** A published list that is drawn. */
export interface PublishedList {
  readonly node: TreeNode;
  readonly field: TreeField;
  readonly part: TreeNode;
  readonly isLine: boolean;
  readonly isOfPart: boolean;
  /** Columns of x, y and z; -1: none. */
  readonly columns: readonly [number, number, number];
}

/** Where the values of a node are to be read, as `SceneSource.viewOf` says. */
export type ViewOf = (node: TreeNode) => DataView;

/** All that overlays read. */
export interface Readings {
  readonly beams: readonly Mounted[];
  readonly lidars: readonly Mounted[];
  readonly radars: readonly Mounted[];
  readonly lists: readonly PublishedList[];
  /** Nodes of beliefs of robots, where these are not the truth. */
  readonly beliefs: readonly TreeNode[];
}

/** What there is to read in a tree. */
export function readingsOf(tree: SimulationTree): Readings {
  const nodes = [...walk(tree.root)];
  const ofKind = (...kinds: string[]): Mounted[] =>
    nodes.flatMap((node) => {
      if (!kinds.includes(node.kind) || node.parent === null) return [];
      const device = deviceOf(tree, node.path);
      return [{ node, part: node.parent, entries: device?.entries ?? {} }];
    });
  return {
    beams: ofKind("PSDSensor", "UltrasonicSensor"),
    lidars: ofKind("LidarSensor"),
    radars: ofKind("RadarSensor"),
    lists: nodes.flatMap((node) => listOf(tree, node)),
    beliefs: nodes.filter(
      (node) => node.kind === "State" && fieldOf(node, "covariance") !== undefined,
    ),
  };
}

function listOf(tree: SimulationTree, node: TreeNode): PublishedList[] {
  const [field] = node.fields;
  const robot = node.parent;
  const part = robot?.children.find((each) => each.fields[0]?.name === "position");
  if (node.kind !== "Publication" || field === undefined || robot === null || part === undefined) {
    return [];
  }
  const { publications } = entriesOf(tree.robots.get(robot.path));
  const found = Array.isArray(publications)
    ? publications.map(entriesOf).find((each) => each.name === node.name)
    : undefined;
  const drawn = found?.drawn;
  if (drawn !== "line" && drawn !== "points") return [];
  const names = field.columns.map((each) => each.name);
  const columns = [names.indexOf("x"), names.indexOf("y"), names.indexOf("z")] as const;
  return [{ node, field, part, isLine: drawn === "line", isOfPart: found?.frame === "part", columns }];
}

/** The pose of a part in the scene. */
export function poseOf(part: TreeNode, { floats }: Playback, into: Matrix4): Matrix4 {
  const [position, orientation] = part.fields;
  const p = (position?.offset ?? 0) / WORD;
  const q = (orientation?.offset ?? 0) / WORD;
  const value = (word: number): number => floats[word] ?? 0;
  toScene(value(p), value(p + 1), value(p + 2), place);
  turnToScene(value(q), value(q + 1), value(q + 2), value(q + 3), turn);
  return into.compose(place, turn, ONE);
}

const ONE = new Vector3(1, 1, 1);
const place = new Vector3();
const turn = new Quaternion();
const pose = new Matrix4();

/** Begin and end of a beam; it ends where something is. */
export function beamOf(sensor: Mounted, playback: Playback, viewOf: ViewOf): [Vector3, Vector3] {
  const offset = fieldOf(sensor.node, "distance")?.offset ?? sensor.node.offset;
  const direction = vectorOf(sensor.entries.direction, [1, 0, 0]).normalize();
  const begin = vectorOf(sensor.entries.position, [0, 0, 0]);
  const end = begin.clone().addScaledVector(direction, viewOf(sensor.node).getFloat64(offset, true));
  poseOf(sensor.part, playback, pose);
  return [begin.applyMatrix4(pose), end.applyMatrix4(pose)];
}

/** Unit vectors along the device, up and to its left, and its position, in the part's frame. */
function axesOf({ entries }: Mounted): { forward: Vector3; left: Vector3; up: Vector3; at: Vector3 } {
  const up = vectorOf(entries.up, [0, 0, 1]).normalize();
  const forward = vectorOf(entries.direction, [1, 0, 0]);
  forward.addScaledVector(up, -forward.dot(up)).normalize();
  const left = new Vector3().crossVectors(up, forward);
  return { forward, left, up, at: vectorOf(entries.position, [0, 0, 0]) };
}

/** Calls back for the returns of a lidar: point in the scene, height [m] above the device. */
export function eachReturn(
  lidar: Mounted,
  playback: Playback,
  viewOf: ViewOf,
  visit: (point: Vector3, height: number) => void,
): void {
  const field = fieldOf(lidar.node, "ranges");
  const [channels = 0, columns = 0] = field?.shape ?? [];
  if (field === undefined) return;
  const view = viewOf(lidar.node);
  const { forward, left, up, at } = axesOf(lidar);
  const number = (name: string, otherwise: number): number => {
    const value = lidar.entries[name];
    return typeof value === "number" ? value : otherwise;
  };
  const width = number("field_of_view", 2 * Math.PI);
  const low = number("min_elevation", -Math.PI / 12);
  const high = number("max_elevation", Math.PI / 12);
  poseOf(lidar.part, playback, pose);
  const point = new Vector3();
  for (let column = 0; column < columns; column += 1) {
    const isSpinning = width >= 2 * Math.PI - 1e-9;
    const around = isSpinning
      ? (2 * Math.PI * column) / columns
      : width * ((column + 0.5) / columns - 0.5);
    for (let channel = 0; channel < channels; channel += 1) {
      const range = view.getFloat64(field.offset + WORD * (channel * columns + column), true);
      if (!(range > 0)) continue;
      const above = channels === 1 ? (low + high) / 2 : low + ((high - low) * channel) / (channels - 1);
      const level = range * Math.cos(above);
      const height = range * Math.sin(above);
      point.copy(at).addScaledVector(forward, level * Math.cos(around));
      point.addScaledVector(left, level * Math.sin(around)).addScaledVector(up, height);
      visit(point.applyMatrix4(pose), height);
    }
  }
}

/** Rows of a list, as numbers. */
export function rowsOf(field: TreeField, view: DataView): number[][] {
  const [capacity = 0, width = 0] = field.shape;
  const first = field.offset;
  const count = Math.min(Math.max(Number(view.getBigInt64(first, true)), 0), capacity);
  const word = (number: number): number => view.getFloat64(first + WORD * (1 + number), true);
  return Array.from({ length: count }, (_, row) =>
    Array.from({ length: width }, (_each, column) => word(row * width + column)),
  );
}

/** The targets of a radar: point in the scene and radial speed [m/s]. */
export function targetsOf(
  radar: Mounted,
  playback: Playback,
  viewOf: ViewOf,
): { point: Vector3; speed: number }[] {
  const field = fieldOf(radar.node, "targets");
  if (field === undefined) return [];
  const { forward, left, at } = axesOf(radar);
  poseOf(radar.part, playback, pose);
  return rowsOf(field, viewOf(radar.node)).map(([range = 0, azimuth = 0, speed = 0]) => {
    const point = at.clone().addScaledVector(forward, range * Math.cos(azimuth));
    point.addScaledVector(left, range * Math.sin(azimuth)).applyMatrix4(pose);
    return { point, speed };
  });
}

/** The points of a published list. */
export function pointsOf(list: PublishedList, playback: Playback, viewOf: ViewOf): Vector3[] {
  poseOf(list.part, playback, pose);
  const height = new Vector3().setFromMatrixPosition(pose).y;
  return rowsOf(list.field, viewOf(list.node)).map((row) => {
    const [x, y, z] = list.columns.map((column) => (column >= 0 ? (row[column] ?? 0) : null));
    const point = toScene(x ?? 0, y ?? 0, z ?? (list.isOfPart ? 0 : height));
    return list.isOfPart ? point.applyMatrix4(pose) : point;
  });
}
