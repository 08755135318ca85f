/** The built page in Chromium, with a server that simulates the shipped town. */

import axe from "axe-core";
import { env } from "node:process";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";

import { linkFor, openPage, startBrowser } from "./browser";

const LINK = env["AUTOSIM_LINK"] ?? "";

let browser: Browser;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  browser = await startBrowser();
  page = await openPage(browser, LINK, complaints);
});

afterAll(async () => browser.close());

async function until(condition: () => Promise<boolean>): Promise<void> {
  await expect.poll(condition, { timeout: 150_000, interval: 100 }).toBe(true);
}

async function step(): Promise<number> {
  const text = (await page.locator(".clock-step").textContent()) ?? "";
  return Number(text.replace("step ", ""));
}

async function value(label: string): Promise<string> {
  const row = page.locator(".tree-row", { hasText: label }).first();
  return (await row.locator(".tree-value").textContent()) ?? "";
}

async function isStill(): Promise<boolean> {
  return (await page.locator(".chip").textContent())?.includes("Paused") ?? false;
}

async function pause(): Promise<void> {
  if (!(await isStill())) await page.keyboard.press("F6");
  await until(isStill);
}

async function run(): Promise<void> {
  if (await isStill()) await page.keyboard.press("F6");
  await until(async () => !(await isStill()));
}

async function violations(): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe: own } = window as unknown as { axe: typeof axe };
    const { violations: found } = await own.run();
    return found
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.map((each) => each.html.slice(0, 120)).join(" | ")}`);
  });
}

test("a link shows the running simulation, and its key stays nowhere", async () => {
  const first = await step();
  await until(async () => (await step()) > first);
  expect(page.url()).not.toContain("key=");
  expect(await page.locator(".world").textContent()).toBe("circle_town");
});

test("the picture is drawn", async () => {
  // One colour alone is a picture of less than 6 kB.
  await until(async () => (await page.locator("canvas.picture-canvas").screenshot()).length > 30_000);
  // The town comes where the camera is, which is behind a robot: its model is there before.
  const { model, tile } = await page.evaluate(() => {
    const files = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
    const first = (part: string): PerformanceResourceTiming | undefined =>
      files.find(({ name }) => new URL(name).pathname.includes(part));
    return { model: first("/models/")?.responseEnd ?? Infinity, tile: first("/tile-")?.startTime ?? 0 };
  });
  expect(model).toBeLessThan(tile);
});

test("keys pause, step and run", async () => {
  await pause();
  await until(async () => {
    const now = await step();
    return now > 0 && Number(await value("step")) === now;
  });
  const before = await step();
  await page.keyboard.press("F7");
  await until(async () => (await step()) === before + 1);
  await run();
  await until(async () => (await step()) > before + 1);
});

test("a click in the tree selects, and a double click plots", async () => {
  const row = page.locator(".tree-row", { hasText: "velocity" }).first();
  await row.dblclick();
  await page.locator(".plot .uplot canvas").first().waitFor();
  expect(await page.locator(".plot h3").textContent()).toBe("impreza.chassis.velocity");
  expect(await page.locator(".node-name").textContent()).toBe("impreza.chassis");
  await page.getByRole("button", { name: /^Close the plot/ }).click();
});

test("keys drive the robot for 30 m, and it is given back", async () => {
  await page.keyboard.press("Control+d");
  await page.locator(".hud").waitFor();
  const place = async (): Promise<[number, number]> => {
    const [x = 0, y = 0] = (await value("position")).replaceAll("−", "-").split(/\s+/).map(Number);
    return [x, y];
  };
  const [x, y] = await place();
  await page.keyboard.down("w");
  await until(async () => {
    const [nowX, nowY] = await place();
    return Math.hypot(nowX - x, nowY - y) > 30;
  });
  expect(Number(await page.locator(".hud-number").textContent())).toBeGreaterThan(5);
  await page.keyboard.up("w");
  await page.keyboard.press("Control+d");
  await until(async () => (await page.locator(".hud").count()) === 0);
  await page.getByRole("tab", { name: "User Programs" }).click();
  await until(async () =>
    (await page.locator(".card .state").allTextContents()).some((each) => each === "running"),
  );
});

test("the time goes back to a snapshot", async () => {
  await page.getByRole("tab", { name: "Time", exact: true }).click();
  const back = page.getByRole("button", { name: /^Go back to kept/ });
  await until(async () => (await back.count()) > 0);
  await pause();
  const before = await step();
  await back.first().click();
  await until(async () => (await step()) < before);
});

test("a robot is added, and Undo takes it away again", async () => {
  await run();
  const robots = page.locator(".camera-robot option");
  const count = await robots.count();
  await page.getByRole("button", { name: "Add a Robot…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("second");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await until(async () => (await robots.allTextContents()).includes("second"));
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Undo: / }).click();
  await until(async () => (await robots.count()) === count);
});

test("a viewer sees the same, and has no controls", async () => {
  const link = await linkFor(page, "view");
  const own = page.url();
  await page.goto("about:blank"); // two pictures at once are too much without a graphics card
  const seen: string[] = [];
  const viewer = await openPage(browser, link, seen, { width: 700, height: 500 });
  await until(async () => (await viewer.locator(".chip").textContent()) === "Running");
  for (const name of ["Pause", "Step", "Add a Robot…", "Record the run", "Take over"]) {
    expect(await viewer.getByRole("button", { name, exact: true }).count()).toBe(0);
  }
  await viewer.context().close();
  expect(seen).toEqual([]);
  await page.goto(own);
  await page.locator(".tree-row").first().waitFor();
});

test("a link that was used opens no other page", async () => {
  const context = await browser.newContext();
  const other = await context.newPage();
  await other.goto(LINK);
  await other.getByRole("heading", { name: "AutoSim" }).waitFor();
  expect(await other.locator(".tree-row").count()).toBe(0);
  await context.close();
});

test("axe-core reports no serious violation, wide and narrow, light and dark", async () => {
  await page.getByRole("button", { name: /^Messages/ }).click();
  for (const tab of ["Plots", "User Programs", "Network", "Time"]) {
    await page.getByRole("tab", { name: tab, exact: tab === "Time" }).click();
    expect(await violations()).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await violations()).toEqual([]);
  await page.setViewportSize({ width: 360, height: 720 });
  await page.locator(".sheet-switch", { hasText: "Objects" }).click();
  expect(await violations()).toEqual([]);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(360);
});

test("the console is free of errors", () => {
  expect(complaints).toEqual([]);
});
