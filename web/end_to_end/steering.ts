/** What tests do with an open page, and what they read from it. */

import axe from "axe-core";
import type { Locator, Page } from "playwright-core";

import { PATIENCE } from "./browser";

/** Waits until a condition holds, for so long at most [ms]. */
export async function until(condition: () => Promise<boolean>, patience = PATIENCE): Promise<void> {
  const end = Date.now() + patience;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`it never came: ${condition.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The step that the page shows. */
export async function stepOf(page: Page): Promise<number> {
  const text = (await page.locator(".clock-step").textContent()) ?? "";
  return Number(text.replace("step ", ""));
}

/** A value of the tree as it is written there, by the end of its path. */
export async function valueOf(page: Page, label: string): Promise<string> {
  const row = page.locator(".tree-row", { hasText: label }).first();
  return (await row.locator(".tree-value").textContent()) ?? "";
}

/** x and y [m] of the first robot of the tree that is unfolded. */
export async function placeOf(page: Page): Promise<[number, number]> {
  const text = (await valueOf(page, "position")).replaceAll("−", "-");
  const [x = 0, y = 0] = text.split(/\s+/).map(Number);
  return [x, y];
}

/** How far the first robot is from a place [m]. */
export async function wayFrom(page: Page, [x, y]: readonly [number, number]): Promise<number> {
  const [nowX, nowY] = await placeOf(page);
  return Math.hypot(nowX - x, nowY - y);
}

export async function isStill(page: Page): Promise<boolean> {
  return (await page.locator(".chip").textContent())?.includes("Paused") ?? false;
}

export async function pause(page: Page): Promise<void> {
  if (!(await isStill(page))) await page.keyboard.press("F6");
  await until(() => isStill(page));
  await untilAtRest(page);
}

/** Waits until the page shows the last state: a busy page says that time is paused before it has it. */
export async function untilAtRest(page: Page): Promise<void> {
  let before = -1;
  await until(async () => {
    const step = await stepOf(page);
    await page.waitForTimeout(500);
    const isSame = step === before;
    before = step;
    return isSame;
  });
}

export async function run(page: Page): Promise<void> {
  if (await isStill(page)) await page.keyboard.press("F6");
  await until(async () => !(await isStill(page)));
}

/** A canvas in the window [px]. */
export async function boxOf(part: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await part.boundingBox();
  if (box === null) throw new Error("it is not shown");
  return box;
}

/** Violations of accessibility that are serious or critical; nothing else is counted. */
export async function violations(page: Page): Promise<string[]> {
  // As a debugger does it: the page's own policy lets no other script in.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe: own } = window as unknown as { axe: typeof axe };
    const { violations: found } = await own.run();
    return found
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.map((each) => each.html.slice(0, 120)).join(" | ")}`);
  });
}
