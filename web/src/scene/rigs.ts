/** Models of traffic: pieces, how they move, and which of their colours vary. */

import {
  BufferAttribute,
  BufferGeometry,
  Matrix4,
  Mesh,
  type Object3D,
  Quaternion,
  Vector3,
} from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";

import { dropGeometries, dropMaterials, parse, plainAttribute } from "./gltf";

/** Numbers of dyes, by the name of the material that has one; the shader knows them too. */
export const DYES: Readonly<Record<string, number>> = {
  first: 1,
  second: 2,
  third: 3,
  rear_light: 4,
  left_indicator: 5,
  right_indicator: 6,
  head_light: 7,
  glass: 8,
  rubber: 9,
  tyre: 9,
};

export type Motion = "fixed" | "wheel" | "limb" | "shank";

/** A piece of a model: its mesh, where it is joined, and how it moves. */
export interface Piece {
  readonly geometry: BufferGeometry;
  readonly motion: Motion;
  readonly pivot: Vector3;
  /** The number of the limb that a shank hangs from. */
  readonly parent: number;
  readonly numbers: Readonly<Record<string, number>>;
}

/** Reads a model; the geometries are the caller's to dispose. */
export async function readRig(content: ArrayBuffer): Promise<Piece[]> {
  const root = await parse(content);
  dropMaterials(root);
  root.updateMatrixWorld(true);
  const pieces: Piece[] = [];
  const numbers = new Map<Object3D, number>();
  collect(root, -1);
  dropGeometries(root);
  return pieces;

  function collect(node: Object3D, parent: number): void {
    const own = partsOf(node);
    let number = parent;
    if (own.length > 0) {
      const extras = node.userData as Record<string, unknown>;
      const motion = motionOf(extras.motion);
      number = pieces.length;
      numbers.set(node, number);
      pieces.push({
        geometry: baked(own, motion === "fixed" ? node.matrixWorld : scaleOf(node)),
        motion,
        pivot: motion === "fixed" ? new Vector3() : node.position.clone(),
        parent: motion === "shank" ? parent : -1,
        numbers: numbersOf(extras),
      });
    }
    for (const child of node.children) {
      if (!own.some((mesh) => mesh === child)) collect(child, number);
    }
  }
}

/** The meshes of a node itself: it, or the children that three makes of its primitives. */
function partsOf(node: Object3D): Mesh[] {
  if (node instanceof Mesh) return [node as Mesh];
  const found: Mesh[] = [];
  for (const child of node.children) {
    const isPrimitive =
      child instanceof Mesh && child.children.length === 0 && !("motion" in child.userData);
    if (isPrimitive && node.type === "Group" && node.parent !== null) {
      if (child.matrix.equals(IDENTITY)) found.push(child as Mesh);
    }
  }
  return found;
}

const IDENTITY = new Matrix4();

function motionOf(value: unknown): Motion {
  return value === "wheel" || value === "limb" || value === "shank" ? value : "fixed";
}

function numbersOf(extras: Record<string, unknown>): Record<string, number> {
  return Object.fromEntries(Object.entries(extras).map(([name, value]) => [name, Number(value)]));
}

function scaleOf(node: Object3D): Matrix4 {
  const scale = node.getWorldScale(new Vector3());
  return new Matrix4().compose(new Vector3(), new Quaternion(), scale);
}

function baked(meshes: Mesh[], transform: Matrix4): BufferGeometry {
  const parts = meshes.map((mesh) => {
    const { geometry } = mesh;
    const made = new BufferGeometry();
    const positions = plainAttribute(geometry, "position", 3);
    const normals = plainAttribute(geometry, "normal", 3);
    if (positions === null) return made;
    const { count } = positions;
    made.setAttribute("position", positions);
    if (normals !== null) made.setAttribute("normal", normals);
    const white = new BufferAttribute(new Float32Array(3 * count).fill(1), 3);
    made.setAttribute("color", plainAttribute(geometry, "color", 3) ?? white);
    const material = Array.isArray(mesh.material) ? mesh.material[0] : mesh.material;
    const dye = DYES[material?.name ?? ""] ?? 0;
    made.setAttribute("dye", new BufferAttribute(new Float32Array(count).fill(dye), 1));
    made.setIndex(geometry.index === null ? null : [...geometry.index.array]);
    if (normals === null) made.computeVertexNormals();
    made.applyMatrix4(transform);
    return made;
  });
  const merged = mergeGeometries(parts, false);
  for (const each of parts) each.dispose();
  return merged;
}

/** What a piece's pose follows from. */
export interface Gait {
  /** Distance [m] rolled or walked. */
  readonly rolled: number;
  readonly steering: number;
  readonly speed: number;
}

/** Speed [m/s] from which on limbs swing in full. */
const BRISK = 0.8;
const BACK = new Vector3(0, 0, 1);
const UP = new Vector3(0, 1, 0);
const first = new Quaternion();
const second = new Quaternion();
const joint = new Vector3();
const WHOLE = new Vector3(1, 1, 1);

/** Forward swing [rad] of a limb, its phase [rad], and the share of its swing. */
export function limbSwing(
  numbers: Readonly<Record<string, number>>,
  gait: Gait,
): { angle: number; phase: number; vigour: number } {
  const { mean = 0, swing = 0, stride = 1, phase: start = 0, idle = 0 } = numbers;
  let vigour = Math.min(1, Math.abs(gait.speed) / BRISK);
  vigour += (1 - vigour) * idle;
  const phase = (2 * Math.PI * gait.rolled) / stride + start;
  return { angle: mean + vigour * swing * Math.sin(phase), phase, vigour };
}

/** Writes the pose of a piece in its body. */
export function posePiece(piece: Piece, pieces: readonly Piece[], gait: Gait, into: Matrix4): void {
  const { numbers } = piece;
  if (piece.motion === "fixed") {
    into.identity();
  } else if (piece.motion === "wheel") {
    const turned = numbers.turned ?? 0;
    const angle = (gait.rolled / (numbers.radius ?? 0.3)) * (1 - 2 * turned);
    first.setFromAxisAngle(UP, gait.steering * (numbers.steers ?? 0) + Math.PI * turned);
    second.setFromAxisAngle(BACK, -angle);
    into.compose(piece.pivot, first.multiply(second), WHOLE);
  } else if (piece.motion === "limb") {
    first.setFromAxisAngle(BACK, limbSwing(numbers, gait).angle);
    into.compose(piece.pivot, first, WHOLE);
  } else {
    const limb = pieces[piece.parent];
    if (limb === undefined) {
      into.identity();
      return;
    }
    const { angle, phase, vigour } = limbSwing(limb.numbers, gait);
    // The knee bends while the leg swings forward, and in the rhythm of pedals.
    const bend =
      (numbers.mean ?? 0) +
      vigour * (numbers.lift ?? 0) * Math.max(0, Math.cos(phase)) +
      vigour * (numbers.swing ?? 0) * Math.sin(phase);
    first.setFromAxisAngle(BACK, angle);
    joint.copy(piece.pivot).applyQuaternion(first).add(limb.pivot);
    second.setFromAxisAngle(BACK, angle - bend);
    into.compose(joint, second, WHOLE);
  }
}
