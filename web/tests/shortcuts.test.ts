// @vitest-environment happy-dom
/** Keys mean the same wherever the focus is, as far as it does not write them. */

import { signal } from "@preact/signals";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { listen } from "../src/panels/shortcuts";
import type { Page } from "../src/state/page";

const toggle = vi.fn();
const arranging = { isOn: signal(false) };
let stop: () => void;

beforeEach(() => {
  const driver = { robot: signal(""), down: new Set<string>(), hasFocus: true };
  const page = { driver, arranging, toggle, mayControl: true, mayControlTime: true };
  document.body.innerHTML = "<input id='name'><div id='tree' tabindex='0'></div>";
  stop = listen(page as unknown as Page, () => undefined);
});

afterEach(() => {
  stop();
  toggle.mockClear();
});

function press(id: string, key: string): void {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
  document.getElementById(id)?.dispatchEvent(event);
}

test("function keys work in a text field, letters are written there", () => {
  press("name", "F6");
  expect(toggle).toHaveBeenCalledTimes(1);
  press("name", "e");
  expect(arranging.isOn.value).toBe(false);
});

test("a letter is the same command in the tree as elsewhere", () => {
  press("tree", "e");
  expect(arranging.isOn.value).toBe(true);
  press("tree", "F6");
  expect(toggle).toHaveBeenCalledTimes(1);
});
