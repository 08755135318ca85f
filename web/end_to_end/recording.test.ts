/** A one-file recording in Chromium, opened from disk: `AUTOSIM_RECORDING` is its path. */

import axe from "axe-core";
import { env } from "node:process";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";

import { openPage, startBrowser } from "./browser";

const FILE = env["AUTOSIM_RECORDING"] ?? "";
/** When the recording of the tests has a collision [s]. */
const COLLISION = 1;
const PICTURES = env["AUTOSIM_PICTURES"] ?? "";

let browser: Browser;
let page: Page;
const complaints: string[] = [];
const requests: string[] = [];

beforeAll(async () => {
  browser = await startBrowser();
  page = await openPage(browser, pathToFileURL(FILE).href, complaints, { width: 900, height: 520 });
  page.on("request", (each) => requests.push(each.url()));
});

afterAll(() => browser.close());

async function clock(): Promise<number> {
  return parseFloat((await page.locator(".clock-time").textContent()) ?? "");
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await page.waitForTimeout(50);
}

/** Share of the pixels of the picture that differ much from its first one. */
async function variety(): Promise<number> {
  const shot = await page.locator(".picture-canvas").screenshot();
  return page.evaluate(async (png) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
    const canvas = new OffscreenCanvas(64, 36);
    const context = canvas.getContext("2d") as OffscreenCanvasRenderingContext2D;
    context.drawImage(image, 0, 0, 64, 36);
    const { data } = context.getImageData(0, 0, 64, 36);
    let count = 0;
    for (let k = 0; k < data.length; k += 4) {
      const away = [0, 1, 2].map((c) => Math.abs((data[k + c] ?? 0) - (data[c] ?? 0)));
      if (Math.max(...away) > 40) count++;
    }
    return count / (data.length / 4);
  }, shot.toString("base64"));
}

async function picture(name: string): Promise<void> {
  if (PICTURES !== "") await page.screenshot({ path: `${PICTURES}/${name}.png` });
}

test("the first picture comes from the file alone", async () => {
  await until(async () => (await variety()) > 0.2);
  await picture("first");
  expect(await page.title()).toContain("AutoSim recording");
  expect(await clock()).toBe(0);
});

test("there is nothing to control but time", async () => {
  const names = ["Add a Robot…", "Record the run", "Take over", "Undo"];
  for (const name of names) expect(await page.getByRole("button", { name, exact: true }).count()).toBe(0);
  expect(await page.getByRole("tab").allTextContents()).toEqual(["Plots1"]);
});

test("plays, and pauses at the space bar", async () => {
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await until(async () => (await clock()) > 0.3);
  await page.locator(".picture-canvas").focus();
  await page.keyboard.press(" ");
  await page.getByRole("button", { name: "Run", exact: true }).waitFor();
  const still = await clock();
  await page.waitForTimeout(400);
  expect(await clock()).toBe(still);
});

test("goes to a moment of the time line, and the tree has its values", async () => {
  const line = page.getByRole("slider", { name: "Time line" });
  await line.focus();
  await page.keyboard.press("End");
  const last = Number(await line.getAttribute("max"));
  await until(async () => (await page.locator(".clock-step").textContent()) === `step ${last}`);
  const late = await page.locator(".tree-value").allTextContents();
  await picture("last");
  await page.keyboard.press("Home");
  await until(async () => (await clock()) === 0);
  await page.waitForTimeout(300);
  expect(await page.locator(".tree-value").allTextContents()).not.toEqual(late);
});

test("plots have the whole run at once", async () => {
  expect(await page.locator(".plot").count()).toBe(1);
  const hasValues = async (): Promise<boolean> =>
    /\d s/.test((await page.locator(".u-legend").first().textContent()) ?? "");
  await until(hasValues);
  const look = page.getByRole("button", { name: /^Appearance/ });
  const before = await page.locator(".u-legend").first().elementHandle();
  for (let k = 0; k < 3; k++) await look.click();
  await until(async () => !(await before.isVisible()));
  await until(hasValues);
});

test("messages lead to their moments, and the time line marks them", async () => {
  await page.getByRole("button", { name: /^Messages/ }).click();
  const entry = page.locator(".message", { hasText: "has hit" });
  expect(await entry.getAttribute("class")).toContain("is-error");
  await entry.getByRole("button").click();
  await until(async () => Math.abs((await clock()) - COLLISION) < 0.06);
  expect(await page.locator(".time-mark.is-collision").count()).toBe(1);
  expect(await page.locator(".time-mark.is-message").count()).toBe(2);
  expect(await page.locator(".message script, .message b").count()).toBe(0);
  await picture("messages");
  await page.getByRole("button", { name: /^Messages/ }).click();
});

test("a click on the car selects it", async () => {
  await page.locator(".tree").focus();
  await page.keyboard.press("End");
  const box = await page.locator(".picture-canvas").boundingBox();
  if (box === null) throw new Error("there is no picture");
  const selected = page.locator(".node-name");
  await until(async () => {
    await page.mouse.click(box.x + box.width / 2, box.y + 0.6 * box.height);
    return ((await selected.textContent()) ?? "").includes("chassis");
  });
});

test("axe-core reports no serious violation, light and dark", async () => {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(200);
    await picture(colorScheme);
    expect(await violations()).toEqual([]);
  }
});

test("the console is free of errors, and nothing was fetched", () => {
  expect(complaints).toEqual([]);
  expect(requests.filter((each) => !/^(?:data|blob):/.test(each))).toEqual([]);
});

async function violations(): Promise<string[]> {
  // As a debugger does it: the page's own policy lets no other script in.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe: checker } = window as unknown as { axe: typeof axe };
    const { violations: found } = await checker.run();
    return found
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ""}`);
  });
}
