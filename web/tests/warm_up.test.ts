/** First pictures have plain materials; their own ones follow when their programs are there. */

import { BoxGeometry, Group, type Material, Mesh, MeshLambertMaterial, MeshStandardMaterial } from "three";
import { expect, test } from "vitest";

import { PlainMaterials } from "../src/scene/plain_material";
import { WarmUp } from "../src/scene/warm_up";

function surface(kind: typeof MeshLambertMaterial | typeof MeshStandardMaterial): Material {
  const made = new kind({ vertexColors: true });
  made.userData.isSurface = true;
  return made;
}

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

test("a mesh is plain until the program of its own material is there", async () => {
  const [wall, roof] = [surface(MeshLambertMaterial), surface(MeshStandardMaterial)];
  const meshes = [wall, wall, roof].map((each) => new Mesh(new BoxGeometry(), each));
  const own = new MeshLambertMaterial();
  const other = new Mesh(new BoxGeometry(), own);
  const root = new Group().add(...meshes, other);
  const plain = new PlainMaterials();
  const compiled: (Material | Material[] | undefined)[] = [];
  const finish: (() => void)[] = [];
  const shows: (() => void)[] = [];
  let changes = 0;
  const warmUp = new WarmUp(
    (full) => plain.of(full),
    async (object) => {
      compiled.push(meshes.find((each) => each === object)?.material);
      await new Promise<void>((resolve) => finish.push(resolve));
    },
    () => new Promise<void>((resolve) => shows.push(resolve)),
    () => (changes += 1),
  );
  warmUp.look(root, false);
  await settle();
  expect(shows).toEqual([]); // There is no town yet.
  warmUp.look(root, true);
  await settle();
  expect(new Set(meshes.map((each) => each.material)).size).toBe(1);
  expect(meshes[0]?.material).not.toBe(wall);
  expect(other.material).toBe(own);
  expect(compiled).toEqual([]); // The first picture of plain materials is still on its way.
  shows[0]?.();
  await settle();
  expect(compiled).toEqual([wall, roof]);
  expect(changes).toBe(0); // Nothing to draw again.
  for (const each of finish) each();
  await settle();
  expect(changes).toBe(2);
  expect(meshes[0]?.material).not.toBe(wall); // One program more with each picture.
  warmUp.look(root, true);
  expect(meshes.map((each) => each.material).slice(0, 2)).toEqual([wall, wall]);
  expect(meshes[2]?.material).not.toBe(roof);
  expect(warmUp.isDone).toBe(false);
  warmUp.look(root, true);
  expect(meshes[2]?.material).toBe(roof);
  expect(warmUp.isDone).toBe(true);
  // What comes later with a program that is there has it at once.
  const late = new Mesh(new BoxGeometry(), wall);
  warmUp.look(root.add(late), true);
  expect(late.material).toBe(wall);
});

test("a program that cannot be prepared is left to the renderer", async () => {
  const wall = surface(MeshLambertMaterial);
  const mesh = new Mesh(new BoxGeometry(), wall);
  const plain = new PlainMaterials();
  const warmUp = new WarmUp(
    (full) => plain.of(full),
    () => Promise.reject(new Error("the context is lost")),
    () => Promise.resolve(),
    () => undefined,
  );
  warmUp.look(mesh, true);
  await settle();
  warmUp.look(mesh, true);
  expect(mesh.material).toBe(wall);
});
