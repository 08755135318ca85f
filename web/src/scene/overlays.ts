/** What is drawn over the world: selection, names, beams, paths, points, lists, beliefs. */

import {
  CanvasTexture,
  Group,
  Matrix4,
  type PerspectiveCamera,
  Quaternion,
  Sprite,
  SpriteMaterial,
  Vector3,
} from "three";

import type { SceneSource, SimulationTree, TreeNode } from "../link/source";
import { toScene, turnToScene } from "./frames";
import { fieldOf, WORD } from "./layout";
import { Dots, Lines, type Rgb } from "./lines";
import { type Pickable, pickables } from "./picking";
import {
  beamOf,
  eachReturn,
  pointsOf,
  type Readings,
  readingsOf,
  targetsOf,
  type ViewOf,
} from "./readings";
import type { WorldPicture } from "./world_picture";

export type OverlayName = "names" | "rays" | "paths" | "points" | "lists" | "belief";

const ACCENT: Rgb = [0.16, 0.62, 1.0];
const GREEN: Rgb = [0.2, 0.85, 0.4];
const MAGENTA: Rgb = [0.95, 0.15, 0.7];
const AMBER: Rgb = [1.0, 0.65, 0.1];
const GHOST: Rgb = [0.65, 0.45, 1.0];

/** Positions of a robot's path that are kept, and the distance [m] between two. */
const KEPT = 600;
const APART = 0.6;
/** Semi-axes of the ellipse of a belief in standard deviations: 95 % in the plane. */
const QUANTILE = Math.sqrt(-2 * Math.log(0.05));

/** All overlays. */
export class Overlays {
  readonly root = new Group();
  selected: string | null = null;
  readonly #shown = new Set<OverlayName>(["names"]);
  readonly #lines = new Lines();
  readonly #dots = new Dots(3);
  readonly #paths = new Map<string, Vector3[]>();
  readonly #labels = new Map<string, Sprite>();
  #readings: Readings | null = null;
  #tree: SimulationTree | null = null;

  constructor() {
    this.root.name = "overlays";
    this.root.add(this.#lines.object, this.#dots.object);
  }

  /** Shows or hides one. */
  set(name: OverlayName, isOn: boolean): void {
    if (isOn) this.#shown.add(name);
    else this.#shown.delete(name);
  }

  /** The nodes whose values are drawn: their exact ones are needed. */
  nodes(tree: SimulationTree): TreeNode[] {
    const { beams, lidars, radars, lists, beliefs } = this.#readingsOf(tree);
    const of = (name: OverlayName, nodes: readonly TreeNode[]): readonly TreeNode[] =>
      this.#shown.has(name) ? nodes : [];
    const owners = (mounted: readonly { node: TreeNode }[]): TreeNode[] => mounted.map(({ node }) => node);
    return [
      ...of("rays", owners(beams)),
      ...of("points", owners([...radars, ...lidars])),
      ...of("lists", owners(lists)),
      ...of("belief", beliefs),
    ];
  }

  /** Forgets what belongs to the last world. */
  clear(): void {
    this.#readings = this.#tree = null;
    this.#paths.clear();
    for (const each of this.#labels.values()) drop(each);
    this.#labels.clear();
  }

  /**
   * Continues the paths of robots with each state: where pictures are slow, a robot is far away
   * in the next one.
   */
  follow({ robots }: WorldPicture, state: DataView): void {
    for (const { name, bodies, isObject } of robots.robots.values()) {
      const word = bodies[0]?.words.position;
      if (isObject || word === undefined) continue;
      const value = (k: number): number => state.getFloat64(WORD * (word + k), true);
      const position = toScene(value(0), value(1), value(2));
      const path = this.#paths.get(name) ?? [];
      this.#paths.set(name, path);
      const last = path.at(-1);
      if (last !== undefined && last.distanceTo(position) < APART) continue;
      // A robot that was put elsewhere begins a new path.
      if (last !== undefined && last.distanceTo(position) > 15) path.length = 0;
      path.push(position);
      if (path.length > KEPT) path.shift();
    }
  }

  /** Where a robot has been, oldest first, in the coordinates of the scene. */
  pathOf(robot: string): readonly Vector3[] {
    return this.#paths.get(robot) ?? [];
  }

  /** Draws all for a picture. */
  update(world: WorldPicture, camera: PerspectiveCamera, source: SceneSource): void {
    this.#lines.begin();
    this.#dots.begin();
    if (!world.playback.isEmpty) {
      this.#draw(world, this.#readingsOf(source.tree), (node) => source.viewOf(node));
      this.#name(world, camera);
    }
    this.#lines.end();
    this.#dots.end();
  }

  dispose(): void {
    this.clear();
    this.#lines.dispose();
    this.#dots.dispose();
    this.root.removeFromParent();
  }

  #readingsOf(tree: SimulationTree): Readings {
    if (this.#readings === null || this.#tree !== tree) this.#readings = readingsOf(tree);
    this.#tree = tree;
    return this.#readings;
  }

  #draw({ playback, robots, traffic }: WorldPicture, readings: Readings, viewOf: ViewOf): void {
    const isOn = (name: OverlayName): boolean => this.#shown.has(name);
    const found = this.selected;
    if (found !== null) {
      const name = found.split(".").slice(0, 2).join(".");
      const chosen = pickables(robots, traffic?.things ?? []).find(
        ({ path }) => path === found || path.startsWith(`${found}.`) || path === name,
      );
      if (chosen !== undefined) this.#frame(chosen);
    }
    if (isOn("rays")) {
      for (const each of readings.beams) this.#lines.add(...beamOf(each, playback, viewOf), GREEN);
    }
    if (isOn("paths")) {
      for (const path of this.#paths.values()) this.#lines.join(path, MAGENTA);
    }
    if (isOn("points")) {
      for (const each of readings.lidars) {
        eachReturn(each, playback, viewOf, (point, height) => this.#dots.add(point, ofHeight(height)));
      }
      for (const each of readings.radars) {
        for (const { point, speed } of targetsOf(each, playback, viewOf)) this.#cross(point, ofSpeed(speed));
      }
    }
    if (isOn("lists")) {
      for (const each of readings.lists) {
        const points = pointsOf(each, playback, viewOf);
        points.forEach((point) => (point.y += each.isLine ? 0.12 : 0));
        if (each.isLine) this.#lines.join(points, AMBER);
        else points.forEach((point) => this.#dots.add(point, AMBER));
      }
    }
    if (isOn("belief")) this.#believe(readings, robots, viewOf);
  }

  /** The box around what is selected. */
  #frame({ position, turn, bounds }: Pickable): void {
    matrix.compose(position, turn, ONE);
    const { min, max } = bounds;
    this.#box(min.clone().subScalar(0.06), max.clone().addScalar(0.06), matrix, ACCENT);
  }

  #box(low: Vector3, high: Vector3, pose: Matrix4, colour: Rgb): void {
    const corner = (k: number): Vector3 =>
      new Vector3(
        (k & 1) === 0 ? low.x : high.x,
        (k & 2) === 0 ? low.y : high.y,
        (k & 4) === 0 ? low.z : high.z,
      ).applyMatrix4(pose);
    for (let k = 0; k < 8; k += 1) {
      for (const bit of [1, 2, 4]) {
        if ((k & bit) === 0) this.#lines.add(corner(k), corner(k | bit), colour);
      }
    }
  }

  #cross(point: Vector3, colour: Rgb): void {
    for (const axis of [0, 1, 2]) {
      const [a, b] = [point.clone(), point.clone()];
      a.setComponent(axis, a.getComponent(axis) - 0.4);
      b.setComponent(axis, b.getComponent(axis) + 0.4);
      this.#lines.add(a, b, colour);
    }
  }

  #believe(
    readings: Readings,
    robots: WorldPicture["robots"],
    viewOf: ViewOf,
  ): void {
    for (const node of readings.beliefs) {
      const robot = robots.robots.get(node.parent?.path ?? "");
      const [p, q, c] = ["position", "orientation", "covariance"].map(
        (name) => fieldOf(node, name)?.offset,
      );
      if (robot === undefined || p === undefined || q === undefined || c === undefined) continue;
      const view = viewOf(node);
      const value = (offset: number, word = 0): number => view.getFloat64(offset + WORD * word, true);
      const position = toScene(value(p), value(p, 1), value(p, 2));
      const turn = turnToScene(value(q), value(q, 1), value(q, 2), value(q, 3), new Quaternion());
      matrix.compose(position, turn, ONE);
      this.#box(robot.bounds.min, robot.bounds.max, matrix, GHOST);
      const ellipse = ellipseOf(value(c), value(c, 1), value(c, 10)).map(([x, y]) =>
        toScene(x, y, 0).add(position),
      );
      this.#lines.join([...ellipse, ellipse[0] ?? position], GHOST);
    }
  }

  #name({ robots }: WorldPicture, camera: PerspectiveCamera): void {
    const isOn = this.#shown.has("names") && robots.robots.size > 1;
    for (const each of this.#labels.values()) each.visible = false;
    if (!isOn) return;
    for (const { name, bodies, bounds, isObject } of robots.robots.values()) {
      const node = bodies[0]?.node;
      if (node === undefined || isObject) continue;
      const distance = node.position.distanceTo(camera.position);
      if (distance > 250) continue;
      const label = this.#labels.get(name) ?? this.#addLabel(name);
      label.visible = true;
      label.position.copy(node.position).setY(node.position.y + bounds.max.y + 0.5);
      const height = 0.028 * distance;
      label.scale.set(height * Number(label.userData.aspect), height, 1);
    }
  }

  #addLabel(name: string): Sprite {
    const label = labelOf(name);
    this.#labels.set(name, label);
    this.root.add(label);
    return label;
  }
}

const ONE = new Vector3(1, 1, 1);
const matrix = new Matrix4();

/** Points (x, y) of the 95 % ellipse of variances [m²] in the plane. */
export function ellipseOf(xx: number, xy: number, yy: number): [number, number][] {
  const middle = (xx + yy) / 2;
  const spread = Math.hypot((xx - yy) / 2, xy);
  const [a, b] = [Math.sqrt(Math.max(middle + spread, 0)), Math.sqrt(Math.max(middle - spread, 0))];
  const turn = 0.5 * Math.atan2(2 * xy, xx - yy);
  const [c, s] = [Math.cos(turn), Math.sin(turn)];
  return Array.from({ length: 40 }, (_, k) => {
    const angle = (2 * Math.PI * k) / 40;
    const [u, v] = [QUANTILE * a * Math.cos(angle), QUANTILE * b * Math.sin(angle)];
    return [c * u - s * v, s * u + c * v];
  });
}

/** Blue near the road, green, then red at the height of walls. */
function ofHeight(height: number): Rgb {
  const share = Math.min(Math.max((height + 2) / 6, 0), 1);
  return [Math.min(1, 2 * share), 1 - Math.abs(2 * share - 1) * 0.8, Math.max(0, 1 - 2 * share)];
}

/** Red towards the radar, blue away from it. */
function ofSpeed(speed: number): Rgb {
  const share = Math.min(Math.abs(speed) / 10, 1);
  return speed < 0 ? [1, 0.8 - 0.7 * share, 0.3] : [0.3, 0.8 - 0.5 * share, 1];
}

function labelOf(text: string): Sprite {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d");
  const font = "600 28px system-ui, sans-serif";
  let width = 16 * text.length + 24;
  if (context !== null) {
    context.font = font;
    width = Math.ceil(context.measureText(text).width) + 24;
  }
  canvas.width = width;
  canvas.height = 40;
  if (context !== null) {
    context.font = font;
    context.fillStyle = "rgba(16, 20, 28, 0.72)";
    context.beginPath();
    context.roundRect(0, 0, width, 40, 8);
    context.fill();
    context.fillStyle = "#fff";
    context.textBaseline = "middle";
    context.fillText(text, 12, 21);
  }
  const map = new CanvasTexture(canvas);
  map.colorSpace = "srgb";
  const sprite = new Sprite(
    new SpriteMaterial({ map, depthTest: false, toneMapped: false, transparent: true }),
  );
  sprite.renderOrder = 500;
  sprite.userData.aspect = width / 40;
  return sprite;
}

function drop(label: Sprite): void {
  label.material.map?.dispose();
  label.material.dispose();
  label.removeFromParent();
}
