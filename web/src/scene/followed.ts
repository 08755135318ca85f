/** The robot, or the camera device of a robot, that the camera follows. */

import type { PerspectiveCamera } from "three";

import type { SceneSource } from "../link/source";
import type { CameraControl, CameraKind, Mount, Target } from "./cameras";
import { toScene } from "./frames";
import { mountOf } from "./mounts";
import type { WorldPicture } from "./world_picture";

/** Distance [m] and pitch [rad] of the first look over a world without robots. */
const OVERVIEW = { distance: 150, pitch: 0.5 };

/** What a camera follows. */
export class Followed {
  readonly #control: CameraControl;
  readonly #camera: PerspectiveCamera;
  readonly #source: SceneSource;
  #robot: string | null = null;
  #device: string | null = null;

  constructor(control: CameraControl, camera: PerspectiveCamera, source: SceneSource) {
    this.#control = control;
    this.#camera = camera;
    this.#source = source;
  }

  /** Chooses a camera; `robot` as for `SceneView.setCamera`. */
  choose(kind: CameraKind, robot: string | null, world: WorldPicture | null): void {
    this.#robot = robot?.split(".")[0] ?? firstRobot(world);
    this.#device = kind === "device" ? robot : null;
    this.#control.mount = this.#mount;
    this.#control.choose(kind, this.#camera, this.target(world));
  }

  /** Puts the camera behind the robot of a new world, or over the town where there is none. */
  begin(world: WorldPicture): void {
    this.find(world);
    const target = this.target(world);
    const { kind } = this.#control;
    if (target !== null || kind === "map" || kind === "orbit") {
      this.#control.choose(kind, this.#camera, target);
      return;
    }
    const [x0, y0, z0, x1, y1] = this.#source.manifest?.bounds ?? [0, 0, 0, 0, 0, 0];
    this.#control.choose("orbit", this.#camera, null);
    toScene((x0 + x1) / 2, (y0 + y1) / 2, z0, this.#control.focus);
    Object.assign(this.#control, OVERVIEW);
  }

  /** Follows the first robot where none has been chosen. */
  find(world: WorldPicture): void {
    this.#robot ??= firstRobot(world);
  }

  /** Pose and bounds of what is followed; null: it is not there. */
  target(world: WorldPicture | null): Target | null {
    const robot = world?.robots.robots.get(this.#robot ?? "");
    if (robot === undefined) return null;
    const part = this.#device?.split(".").slice(0, 2).join(".");
    const body = robot.bodies.find((each) => each.words.path === part) ?? robot.bodies[0];
    if (body === undefined) return null;
    const { min: low, max: high } = robot.bounds;
    return { position: body.node.position, turn: body.node.quaternion, low, high, driverSide: -1 };
  }

  get #mount(): Mount | null {
    return this.#device === null ? null : mountOf(this.#source.tree, this.#device);
  }
}

function firstRobot(world: WorldPicture | null): string | null {
  for (const robot of world?.robots.robots.values() ?? []) {
    if (!robot.isObject) return robot.name;
  }
  return null;
}
