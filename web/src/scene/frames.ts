/**
 * Frames: W (x east, y north, z up) of the simulation, and the y-up frame of glTF and three.js
 * (x east, y up, z south), both in metres.
 */

import { Euler, type Matrix4, Quaternion, Vector3 } from "three";

/** The point of the y-up frame for (x, y, z) in W. */
export function toScene(x: number, y: number, z: number, into = new Vector3()): Vector3 {
  return into.set(x, z, -y);
}

/** The point in W for a point of the y-up frame. */
export function toWorld(point: Vector3, into = new Vector3()): Vector3 {
  return into.set(point.x, -point.z, point.y);
}

/** The rotation of the y-up frame for a quaternion (x, y, z, w) in W. */
export function turnToScene(
  x: number,
  y: number,
  z: number,
  w: number,
  into = new Quaternion(),
): Quaternion {
  return into.set(x, z, -y, w).normalize();
}

const euler = new Euler(0, 0, 0, "YZX");

/** The rotation of the y-up frame for yaw (about up), pitch (nose down) and roll [rad] in W. */
export function turnOfAngles(
  yaw: number,
  pitch: number,
  roll: number,
  into = new Quaternion(),
): Quaternion {
  // About z, then y, then x of W are about y, then -z, then x here.
  return into.setFromEuler(euler.set(roll, yaw, -pitch, "YZX"));
}

const ONE = new Vector3(1, 1, 1);
const place = new Vector3();
const turn = new Quaternion();

/** The matrix of a row of traffic: x, y, z in W, yaw, pitch, roll [rad]. */
export function rowMatrix(
  row: { x: number; y: number; z: number; yaw: number; pitch: number; roll: number },
  into: Matrix4,
): Matrix4 {
  return into.compose(
    toScene(row.x, row.y, row.z, place),
    turnOfAngles(row.yaw, row.pitch, row.roll, turn),
    ONE,
  );
}
