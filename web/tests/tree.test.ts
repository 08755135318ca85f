import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";

import { Field_Type, TreeSchema } from "../src/link/generated/autosim/v1/tree_pb";
import { SimulationTree } from "../src/link/tree";

const MESSAGE = create(TreeSchema, {
  size: 24n,
  root: {
    fields: [{ name: "step", type: Field_Type.INT64, unit: "1", size: 8n }],
    children: [
      {
        name: "car",
        kind: "Robot",
        offset: 8n,
        children: [
          {
            name: "body",
            kind: "Box",
            offset: 8n,
            fields: [{ name: "speed", type: Field_Type.FLOAT64, unit: "m/s", offset: 16n, size: 8n }],
          },
        ],
      },
    ],
  },
  kinds: [{ name: "Box", fields: [{ field: "speed", text: "how fast it is" }] }],
});

test("nodes and fields are found by their qualified names", () => {
  const tree = new SimulationTree(MESSAGE);
  expect(tree.find("car.body")?.kind).toBe("Box");
  expect(tree.findField("step")?.unit).toBe("");
  const speed = tree.findField("car.body.speed");
  expect(speed).toMatchObject({ unit: "m/s", offset: 16, meaning: "how fast it is" });
  expect(tree.find("car.wheel")).toBeUndefined();
});
