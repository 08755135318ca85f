/** Handles by which a robot is moved and turned, and where it would stand. */

import {
  Box3,
  BoxGeometry,
  CanvasTexture,
  Euler,
  Group,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  type PerspectiveCamera,
  Quaternion,
  Sprite,
  SpriteMaterial,
  Vector3,
} from "three";

import { toScene } from "./frames";
import { Lines, type Rgb } from "./lines";
import type { Robot } from "./robots";
import type { WorldPicture } from "./world_picture";

/** A place in W [m] and a heading [rad] counter-clockwise from east. */
export interface Ghost {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly yaw: number;
  /** Robot whose size it has; null: that of a car. */
  readonly robot: string | null;
}

const BLUE: Rgb = [0.16, 0.62, 1.0];
const CAR = new Box3(new Vector3(-2.2, 0, -0.9), new Vector3(2.2, 1.5, 0.9));

/** Space [m] between a robot and its ring, and of the ring above the ground. */
const RING_GAP = 0.9;
const RING_HEIGHT = 0.12;
/** Circles [m] beside each other that make the ring a band. */
const BAND = [-0.05, -0.025, 0, 0.025, 0.05];
const CORNERS = 72;
/** Height of the knob as a share of its distance. */
const KNOB = 0.035;

/** The ring with its knob, and the ghost of what is dragged. */
export class Handles {
  readonly root = new Group();
  readonly #lines = new Lines();
  readonly #knob = knobOf();
  readonly #solid: Mesh<BoxGeometry, MeshBasicMaterial>;
  #foot: number | null = null;
  #ring: string | null = null;
  #ghost: Ghost | null = null;

  constructor(private readonly changed: () => void) {
    this.root.name = "handles";
    this.#solid = new Mesh(
      new BoxGeometry(1, 1, 1),
      new MeshBasicMaterial({
        color: 0x2a9dff,
        transparent: true,
        opacity: 0.28,
        depthWrite: false,
        toneMapped: false,
      }),
    );
    this.#lines.object.material.depthTest = false;
    this.root.add(this.#solid, this.#lines.object, this.#knob);
  }

  /** Shows a ring around a robot; null: none. */
  set ring(robot: string | null) {
    if (robot === this.#ring) return;
    this.#ring = robot;
    this.changed();
  }

  /** Shows where something would stand; null: nothing. */
  set ghost(ghost: Ghost | null) {
    this.#ghost = ghost;
    this.changed();
  }

  /** Where the knob is in a canvas of this size [CSS pixels]; null where it is not seen. */
  knobAt(camera: PerspectiveCamera, width: number, height: number): [number, number] | null {
    if (!this.#knob.visible) return null;
    const { x, y, z } = this.#knob.position.clone().project(camera);
    if (z > 1 || Math.abs(x) > 1 || Math.abs(y) > 1) return null;
    return [(0.5 + 0.5 * x) * width, (0.5 - 0.5 * y) * height];
  }

  /** Height in W [m] of the lowest point of the robot with the ring; null of any other. */
  footOf(robot: string): number | null {
    return robot === this.#ring ? this.#foot : null;
  }

  /** Draws all for a picture. */
  update(world: WorldPicture, camera: PerspectiveCamera): void {
    this.#lines.begin();
    const ghost = this.#ghost;
    const robot = world.robots.robots.get(this.#ring ?? "");
    this.#knob.visible = robot !== undefined;
    this.#solid.visible = ghost !== null;
    if (robot !== undefined) {
      this.#drawRing(robot, ghost?.robot === robot.name ? ghost : null, camera);
    }
    if (ghost !== null) {
      this.#drawGhost(ghost, world.robots.robots.get(ghost.robot ?? "")?.bounds ?? CAR);
    }
    this.#lines.end();
  }

  dispose(): void {
    this.#lines.dispose();
    this.#solid.geometry.dispose();
    this.#solid.material.dispose();
    this.#knob.material.map?.dispose();
    this.#knob.material.dispose();
    this.root.removeFromParent();
  }

  #drawRing({ bodies, bounds }: Robot, ghost: Ghost | null, camera: PerspectiveCamera): void {
    const node = bodies[0]?.node;
    if (node === undefined) return;
    const { min, max } = bounds;
    const radius = Math.max(max.x, -min.x, max.z, -min.z) + RING_GAP;
    const centre = node.position.clone();
    this.#foot = centre.y + min.y;
    const forward = new Vector3(1, 0, 0).applyQuaternion(node.quaternion).setY(0).normalize();
    if (ghost === null) centre.y = this.#foot;
    else {
      toScene(ghost.x, ghost.y, ghost.z, centre);
      forward.set(Math.cos(ghost.yaw), 0, -Math.sin(ghost.yaw));
    }
    centre.y += RING_HEIGHT;
    for (const each of BAND) {
      const circle = Array.from({ length: CORNERS + 1 }, (_, k) => {
        const angle = (2 * Math.PI * k) / CORNERS;
        const reach = radius + each;
        return new Vector3(reach * Math.cos(angle), 0, reach * Math.sin(angle)).add(centre);
      });
      this.#lines.join(circle, BLUE);
    }
    this.#knob.position.copy(centre).addScaledVector(forward, radius);
    this.#knob.scale.setScalar(KNOB * this.#knob.position.distanceTo(camera.position));
  }

  #drawGhost({ x, y, z, yaw }: Ghost, { min, max }: Box3): void {
    const height = max.y - min.y;
    pose.compose(toScene(x, y, z, place), turn.setFromEuler(euler.set(0, yaw, 0)), ONE);
    const middle = new Vector3((min.x + max.x) / 2, height / 2, (min.z + max.z) / 2);
    this.#solid.position.copy(middle.applyMatrix4(pose));
    this.#solid.quaternion.copy(turn);
    this.#solid.scale.set(max.x - min.x, height, max.z - min.z);
    const at = (a: number, b: number): Vector3 => new Vector3(a, 0.05, b).applyMatrix4(pose);
    const foot = [at(min.x, min.z), at(max.x, min.z), at(max.x, max.z), at(min.x, max.z)];
    this.#lines.join([...foot, at(min.x, min.z)], BLUE);
    const tip = at(max.x + 1.6, 0);
    this.#lines.join([at(max.x, 0), tip, at(max.x + 1.0, 0.4)], BLUE);
    this.#lines.add(tip, at(max.x + 1.0, -0.4), BLUE);
  }
}

const ONE = new Vector3(1, 1, 1);
const place = new Vector3();
const turn = new Quaternion();
const euler = new Euler();
const pose = new Matrix4();

/** A disc with an arrow that turns. */
function knobOf(): Sprite {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const context = canvas.getContext("2d");
  if (context !== null) {
    context.fillStyle = "#fff";
    context.beginPath();
    context.arc(32, 32, 30, 0, 2 * Math.PI);
    context.fill();
    context.strokeStyle = "#1c5cb8";
    context.lineWidth = 7;
    context.beginPath();
    context.arc(32, 32, 15, 0.2 * Math.PI, 1.75 * Math.PI);
    context.stroke();
    context.fillStyle = "#1c5cb8";
    context.beginPath();
    context.moveTo(35, 12);
    context.lineTo(52, 17);
    context.lineTo(40, 31);
    context.fill();
  }
  const map = new CanvasTexture(canvas);
  map.colorSpace = "srgb";
  const sprite = new Sprite(
    new SpriteMaterial({ map, depthTest: false, toneMapped: false, transparent: true }),
  );
  sprite.renderOrder = 510;
  return sprite;
}
