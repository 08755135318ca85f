/** Cameras: behind a robot, in its driver's seat, free around a place, a map from above, devices. */

import { Matrix4, type PerspectiveCamera, Quaternion, Vector3 } from "three";

export type CameraKind = "chase" | "driver" | "orbit" | "map" | "device";

/** What a camera follows: pose in the scene, and the box [m] around it in its own frame. */
export interface Target {
  readonly position: Vector3;
  readonly turn: Quaternion;
  readonly low: Vector3;
  readonly high: Vector3;
  /** Side of the driver: 1 left, -1 right. */
  readonly driverSide: number;
}

/** A camera device in the frame of its part. */
export interface Mount {
  readonly position: Vector3;
  /** From the frame of the camera (looks along -z, y up) to that of the part. */
  readonly turn: Quaternion;
  /** Vertical field of view [degrees]. */
  readonly fov: number;
}

export const FOV = 55;
/** Angle [rad] and height [m] that a picture does not show: the soft arm is at rest. */
const NEAR = 0.0005;
const STEEPEST = (88 * Math.PI) / 180;
/** Distance [m] from the camera to the middle of what its picture shows. */
const AHEAD = 110;
const UP = new Vector3(0, 1, 0);

/** Moves a camera of three; angles in radians, lengths in metres. */
export class CameraControl {
  kind: CameraKind = "chase";
  /** Of the chase camera around its robot, of others around the vertical. */
  yaw = 0;
  pitch = (14 * Math.PI) / 180;
  distance = 7.5;
  readonly focus = new Vector3();
  mount: Mount | null = null;
  /** Height of the ground below a place, where it is known. */
  groundAt: (x: number, z: number) => number | null = () => null;

  /** Share (0..1) of the way between two places that no wall is in. */
  clearance: (from: Vector3, to: Vector3) => number = () => 1;

  /** Whether the camera stays where it is while its target stands still. */
  isAtRest = true;

  #heading = 0;
  #isNew = true;
  readonly #smooth = new Vector3();

  /** Chooses a kind; the free cameras begin where the last one was. */
  choose(kind: CameraKind, camera: PerspectiveCamera, target: Target | null): void {
    const before = this.kind;
    this.kind = kind;
    this.#isNew = true;
    camera.fov = FOV;
    if (kind === "chase") {
      [this.yaw, this.pitch] = [0, (14 * Math.PI) / 180];
      this.distance = target === null ? 8 : chaseDistance(target);
    } else if (kind === "orbit") {
      if (before === "orbit") return;
      const forward = camera.getWorldDirection(new Vector3());
      this.distance = before === "map" ? 80 : Math.max(this.distance, 12);
      this.yaw = Math.atan2(-forward.x, -forward.z);
      this.pitch = Math.min(Math.max(Math.asin(-forward.y), 0.12), 1.2);
      this.focus.copy(target?.position ?? this.focus);
    } else if (kind === "map") {
      this.yaw = 0;
      this.distance = before === "map" ? this.distance : 240;
      this.focus.copy(target?.position ?? this.focus);
    } else if (kind === "driver") {
      [this.yaw, this.pitch] = [0, 0.03];
      camera.fov = 62;
    } else if (this.mount !== null) {
      camera.fov = this.mount.fov;
    }
    camera.updateProjectionMatrix();
  }

  /** Turns [rad] to the left and up. */
  turn(left: number, up: number): void {
    this.yaw += left;
    const low = this.kind === "orbit" ? 0.02 : this.kind === "driver" ? -1 : -0.08;
    this.pitch = Math.min(Math.max(this.pitch + up, low), STEEPEST);
  }

  /** Changes the distance by a factor. */
  zoom(factor: number): void {
    const [near, far] = this.kind === "map" ? [15, 3000] : [2, 1500];
    this.distance = Math.min(Math.max(this.distance * factor, near), far);
  }

  /** Moves the focus of free cameras: shares of the height of the picture. */
  pan(right: number, up: number): void {
    if (this.kind !== "orbit" && this.kind !== "map") return;
    const size = 2 * this.distance * Math.tan((FOV * Math.PI) / 360);
    const [c, s] = [Math.cos(this.yaw), Math.sin(this.yaw)];
    this.focus.x += size * (right * c - up * s);
    this.focus.z += size * (-right * s - up * c);
    if (this.kind === "orbit") {
      const ground = this.groundAt(this.focus.x, this.focus.z);
      if (ground !== null) this.focus.y = ground;
    }
  }

  /** Puts the camera where it belongs, `seconds` after the last time. */
  update(camera: PerspectiveCamera, target: Target | null, seconds: number): void {
    this.isAtRest = true;
    if (this.kind === "chase" && target !== null) this.#chase(camera, target, seconds);
    else if (this.kind === "driver" && target !== null) this.#drive(camera, target);
    else if (this.kind === "device" && target !== null && this.mount !== null) {
      camera.position.copy(this.mount.position).applyQuaternion(target.turn).add(target.position);
      camera.quaternion.copy(target.turn).multiply(this.mount.turn);
    } else if (this.kind === "map") this.#overlook(camera);
    else this.#circle(camera, this.focus, this.yaw, this.pitch);
    camera.updateMatrixWorld();
    this.#isNew = false;
  }

  /** Sets near and far planes that suit the height of the camera: depth is precise where it matters. */
  clip(camera: PerspectiveCamera): void {
    const near = this.kind === "map" ? 1 : this.kind === "driver" ? 0.08 : 0.2;
    if (camera.near === near) return;
    camera.near = near;
    camera.far = 9000;
    camera.updateProjectionMatrix();
  }

  /** Where the picture looks, into `result`: on the ground some way ahead of the camera. */
  lookedAt(camera: PerspectiveCamera, result: Vector3): Vector3 {
    if (this.kind === "map" || this.kind === "orbit") return result.copy(this.focus);
    return camera.getWorldDirection(result).setY(0).normalize().multiplyScalar(AHEAD).add(camera.position);
  }

  /** Direction of the view over the ground [rad counter-clockwise from east]; a map has north above. */
  viewHeading(camera: PerspectiveCamera): number {
    if (this.kind === "map") return Math.PI / 2;
    const { x, z } = camera.getWorldDirection(ahead);
    return Math.atan2(-z, x);
  }

  #chase(camera: PerspectiveCamera, target: Target, seconds: number): void {
    const heading = headingOf(target.turn);
    if (this.#isNew) {
      this.#heading = heading;
      this.#smooth.copy(target.position);
    }
    // It turns after the robot, as on a soft arm, and follows it without delay.
    const turn = Math.atan2(Math.sin(heading - this.#heading), Math.cos(heading - this.#heading));
    const rise = target.position.y - this.#smooth.y;
    this.isAtRest = Math.abs(turn) < NEAR && Math.abs(rise) < NEAR;
    this.#heading += this.isAtRest ? turn : turn * (1 - Math.exp(-5 * seconds));
    this.#smooth.y += this.isAtRest ? rise : rise * (1 - Math.exp(-6 * seconds));
    this.#smooth.x = target.position.x;
    this.#smooth.z = target.position.z;
    aim.copy(this.#smooth).setY(this.#smooth.y + 0.25 * (target.high.y - target.low.y) + target.high.y * 0.5);
    this.#circle(camera, aim, this.#heading - Math.PI / 2 + this.yaw, this.pitch);
    // Out of houses: it comes nearer, as the eye of a person would.
    const share = this.clearance(aim, camera.position);
    if (share < 1) camera.position.lerp(aim, 1 - Math.max(share, 0.2));
    this.focus.copy(target.position);
  }

  #drive(camera: PerspectiveCamera, target: Target): void {
    const { low, high } = target;
    aim.set(
      low.x + 0.64 * (high.x - low.x),
      low.y + 0.97 * (high.y - low.y),
      -0.22 * target.driverSide * (high.z - low.z),
    );
    camera.position.copy(aim).applyQuaternion(target.turn).add(target.position);
    turn.setFromAxisAngle(UP, this.yaw - Math.PI / 2);
    camera.quaternion.copy(target.turn).multiply(turn);
    turn.setFromAxisAngle(RIGHT, -this.pitch);
    camera.quaternion.multiply(turn);
    this.focus.copy(target.position);
  }

  #circle(camera: PerspectiveCamera, around: Vector3, yaw: number, pitch: number): void {
    const level = this.distance * Math.cos(pitch);
    camera.position.set(
      around.x + level * Math.sin(yaw),
      around.y + this.distance * Math.sin(pitch),
      around.z + level * Math.cos(yaw),
    );
    const ground = this.groundAt(camera.position.x, camera.position.z);
    if (ground !== null) camera.position.y = Math.max(camera.position.y, ground + 0.5);
    look.lookAt(camera.position, around, UP);
    camera.quaternion.setFromRotationMatrix(look);
  }

  #overlook(camera: PerspectiveCamera): void {
    camera.position.set(this.focus.x, this.focus.y + this.distance, this.focus.z);
    camera.quaternion.setFromAxisAngle(UP, this.yaw);
    turn.setFromAxisAngle(RIGHT, -Math.PI / 2);
    camera.quaternion.multiply(turn);
  }
}

const RIGHT = new Vector3(1, 0, 0);
const aim = new Vector3();
const turn = new Quaternion();
const look = new Matrix4();

function chaseDistance({ low, high }: Target): number {
  return Math.max(1.65 * Math.max(high.x - low.x, high.y - low.y, high.z - low.z), 1.2);
}

const ahead = new Vector3();

/** The direction [rad] about up of the front of a turned body; 0: east. */
export function headingOf(turned: Quaternion): number {
  ahead.set(1, 0, 0).applyQuaternion(turned);
  return Math.atan2(-ahead.z, ahead.x);
}
