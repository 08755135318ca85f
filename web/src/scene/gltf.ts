/** Reading of glTF files: geometries with the names of their materials, and nothing else kept. */

import {
  BufferAttribute,
  type BufferGeometry,
  Group,
  type Material,
  Mesh,
  type Object3D,
  type Texture,
} from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";

const loader = new GLTFLoader();

/** The scene of a binary glTF file. */
export async function parse(content: ArrayBuffer): Promise<Group> {
  const file = await loader.parseAsync(content, "");
  return file.scene;
}

/** Calls back for each mesh below a node, with the name of its material. */
export function eachMesh(root: Object3D, visit: (mesh: Mesh, name: string) => void): void {
  root.traverse((node) => {
    if (!(node instanceof Mesh)) return;
    const mesh = node as Mesh;
    const material = Array.isArray(mesh.material) ? mesh.material[0] : mesh.material;
    visit(mesh, material?.name ?? "");
  });
}

/** Frees the materials that came with a file, with their textures. */
export function dropMaterials(root: Object3D): void {
  eachMesh(root, (mesh) => {
    for (const each of [mesh.material].flat()) dropMaterial(each);
  });
}

function dropMaterial(material: Material): void {
  for (const value of Object.values(material) as unknown[]) {
    if (value !== null && typeof value === "object" && "isTexture" in value) {
      (value as Texture).dispose();
    }
  }
  material.dispose();
}

/** Frees the geometries below a node. */
export function dropGeometries(root: Object3D): void {
  eachMesh(root, (mesh) => mesh.geometry.dispose());
}

/** Bytes that the geometries below a node take on the graphics card. */
export function bytesOf(root: Object3D): number {
  let bytes = 0;
  const seen = new Set<unknown>();
  eachMesh(root, (mesh) => {
    const { attributes, index } = mesh.geometry;
    for (const each of [...Object.values(attributes), index]) {
      if (each === null || seen.has(each.array)) continue;
      seen.add(each.array);
      bytes += each.array.byteLength;
    }
  });
  return bytes;
}

/** An attribute as plain float32 numbers, whatever its file has. */
export function plainAttribute(
  geometry: BufferGeometry,
  name: string,
  size: number,
): BufferAttribute | null {
  if (!geometry.hasAttribute(name)) return null;
  const from = geometry.getAttribute(name);
  const values = new Float32Array(from.count * size);
  for (let k = 0; k < from.count; k += 1) {
    for (let c = 0; c < size; c += 1) {
      values[k * size + c] = c < from.itemSize ? from.getComponent(k, c) : 1;
    }
  }
  return new BufferAttribute(values, size);
}
