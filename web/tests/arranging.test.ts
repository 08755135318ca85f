/** Robots that are arranged by dragging. */

import { expect, test } from "vitest";

import { isWithin } from "../src/panels/arranging";

test("a pointer is over the bin although a toast covers it", () => {
  const bin = document.createElement("div");
  bin.getBoundingClientRect = (): DOMRect => new DOMRect(100, 500, 380, 60);
  document.elementFromPoint = (): Element => document.createElement("aside"); // the toast
  expect(isWithin({ clientX: 290, clientY: 530 }, bin)).toBe(true);
  expect(isWithin({ clientX: 290, clientY: 499 }, bin)).toBe(false);
  expect(isWithin({ clientX: 481, clientY: 530 }, bin)).toBe(false);
  expect(isWithin({ clientX: 0, clientY: 0 }, null)).toBe(false);
});
