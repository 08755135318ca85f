import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";

import { Field_Type, TreeSchema } from "../src/link/generated/autosim/v1/tree_pb";
import { SimulationTree, type TreeField } from "../src/link/tree";
import { numbersOf, otherUnits, readingText, unitText, valueText } from "../src/link/values";
import { lineOf, wordsOf } from "../src/panels/programs_panel";
import { rowsOf } from "../src/panels/objects_panel";

const TREE = new SimulationTree(
  create(TreeSchema, {
    size: 160n,
    root: {
      fields: [{ name: "time", type: Field_Type.INT64, unit: "ns", size: 8n }],
      children: [
        {
          name: "car",
          kind: "Robot",
          offset: 8n,
          fields: [{ name: "device_state", type: Field_Type.INT64, offset: 8n, size: 8n, unit: "1" }],
          children: [
            {
              name: "body",
              kind: "Box",
              offset: 16n,
              fields: [
                real("velocity", "m/s", 16n, 3n),
                real("orientation", "1", 40n, 4n),
                {
                  ...real("hits", "1", 72n, 9n),
                  shape: [4n, 2n],
                  columns: [
                    { name: "x", unit: "m" },
                    { name: "y", unit: "m" },
                  ],
                },
              ],
            },
          ],
        },
      ],
    },
  }),
);

function real(name: string, unit: string, offset: bigint, count: bigint) {
  return { name, unit, type: Field_Type.FLOAT64, offset, size: 8n * count, shape: [count] };
}

function field(path: string): TreeField {
  const found = TREE.findField(path);
  if (found === undefined) throw new Error(path);
  return found;
}

function state(): DataView {
  const view = new DataView(new ArrayBuffer(160));
  view.setBigInt64(0, 4_300_000_000n, true);
  view.setBigInt64(8, 4n, true);
  [3, -4, 0].forEach((each, k) => view.setFloat64(16 + 8 * k, each, true));
  [0, 0, Math.SQRT1_2, Math.SQRT1_2].forEach((each, k) => view.setFloat64(40 + 8 * k, each, true));
  view.setBigInt64(72, 1n, true);
  view.setFloat64(80, 5, true);
  return view;
}

test("values are written as in the windows of the desktop", () => {
  const view = state();
  expect(valueText(view, field("time"), false)).toBe("4.300");
  expect(unitText(field("time"))).toBe("s");
  expect(valueText(view, field("car.body.velocity"), false)).toBe("3.0000  −4.0000  0.0000");
  expect(valueText(view, field("car.body.velocity"), false, "short")).toBe("3.00  −4.00  0.00");
  expect(otherUnits(view, field("car.body.velocity"))).toBe("18.0 km/h");
  expect(otherUnits(view, field("car.body.orientation"))).toBe("yaw 90.0°  pitch 0.0°  roll 0.0°");
});

test("a robot that is active is paused while the simulation stands still", () => {
  expect(valueText(state(), field("car.device_state"), false)).toBe("ACTIVE");
  expect(valueText(state(), field("car.device_state"), true)).toBe("PAUSED");
});

test("a list has the rows that it counts", () => {
  expect(numbersOf(state(), field("car.body.hits"))).toEqual([5, 0]);
  expect(valueText(state(), field("car.body.hits"), false)).toBe("1 of 4 rows");
});

test("a plot shows no value where a rewind took it away", () => {
  const write = (value: number): string => `${value.toFixed(2)} s`;
  expect(readingText(1.5, write)).toBe("1.50 s");
  expect([undefined, null, NaN].map((each) => readingText(each, write))).toEqual(["", "", ""]);
});

test("a filter shows what it finds, and what leads there", () => {
  const all = rowsOf(TREE, new Set(), "");
  expect(all.map((each) => each.label)).toEqual(["time", "car"]);
  const found = rowsOf(TREE, new Set(), "veloc");
  expect(found.map((each) => each.label)).toEqual(["car", "body", "velocity"]);
});

test("a line of arguments becomes words and a line again", () => {
  const words = ["--speed", "8", "a b", 'say "hi"', ""];
  expect(wordsOf(lineOf(words))).toEqual(words);
});
