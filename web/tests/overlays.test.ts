/** Overlays draw values that no picture needs otherwise: the page has to ask for them. */

import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";

import { Field_Type, TreeSchema } from "../src/link/generated/autosim/v1/tree_pb";
import { SimulationTree } from "../src/link/tree";
import { layoutOf } from "../src/scene/layout";
import { Overlays } from "../src/scene/overlays";
import { Playback } from "../src/scene/playback";
import { eachReturn, readingsOf } from "../src/scene/readings";
import type { WorldPicture } from "../src/scene/world_picture";

/** A car whose part has a lidar of one channel and two columns, and a distance sensor. */
const TREE = new SimulationTree(
  create(TreeSchema, {
    size: 96n,
    root: {
      children: [
        {
          name: "car",
          kind: "Robot",
          children: [
            {
              name: "body",
              kind: "Box",
              fields: [real("position", 0n, [3n]), real("orientation", 24n, [4n])],
              children: [
                { name: "eye", kind: "LidarSensor", offset: 56n, fields: [real("ranges", 56n, [1n, 2n])] },
                { name: "beam", kind: "PSDSensor", offset: 72n, fields: [real("distance", 72n, [1n])] },
              ],
            },
          ],
        },
      ],
    },
  }),
);

function real(name: string, offset: bigint, shape: bigint[]) {
  const size = 8n * shape.reduce((count, each) => count * each, 1n);
  return { name, unit: "m", type: Field_Type.FLOAT64, offset, size, shape };
}

test("the page watches what the shown overlays draw, and nothing else", () => {
  const overlays = new Overlays();
  const paths = (): string[] => overlays.nodes(TREE).map(({ path }) => path);
  expect(paths()).toEqual([]);
  overlays.set("points", true);
  expect(paths()).toEqual(["car.body.eye"]);
  overlays.set("rays", true);
  expect(paths()).toEqual(["car.body.beam", "car.body.eye"]);
  overlays.set("points", false);
  expect(paths()).toEqual(["car.body.beam"]);
});

test("points of a lidar are its exact values, not those of the stream of pictures", () => {
  const playback = new Playback(layoutOf(TREE));
  const exact = new DataView(new ArrayBuffer(96));
  exact.setFloat64(56, 5, true);
  const [lidar] = readingsOf(TREE).lidars;
  if (lidar === undefined) throw new Error("there is a lidar");
  const ranges: number[] = [];
  eachReturn(lidar, playback, () => exact, (point) => ranges.push(point.length()));
  expect(ranges).toHaveLength(1);
  expect(ranges[0]).toBeCloseTo(5);
});

test("the path of a robot follows its states, however few pictures are drawn", () => {
  const overlays = new Overlays();
  overlays.set("paths", true);
  const layout = layoutOf(TREE);
  const [words] = layout.bodies;
  const robots = { robots: new Map([["car", { name: "car", bodies: [{ words }], isObject: false }]]) };
  const world = { robots } as unknown as WorldPicture;
  for (let k = 0; k < 30; k += 1) {
    const state = new DataView(new ArrayBuffer(96));
    state.setFloat64(0, k, true);
    overlays.follow(world, state);
  }
  expect(overlays.pathOf("car").map(({ x }) => x)).toEqual([...Array(30).keys()]);
});
