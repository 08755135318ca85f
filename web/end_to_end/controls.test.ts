/**
 * Robots are arranged by dragging, actuators set, runs recorded, and robots driven by gamepad and
 * touch, in Chromium with a server that simulates the shipped town.
 */

import { env } from "node:process";
import type { Browser, CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";

import { linkFor, openPage, startBrowser } from "./browser";
import { boxOf, pause, placeOf, run, until, violations, wayFrom } from "./steering";

const LINK = env["AUTOSIM_LINK"] ?? "";
const PICTURES = env["AUTOSIM_PICTURES"] ?? "";

type Point = { x: number; y: number };

let browser: Browser;
let page: Page;
let phoneLink = "";
const complaints: string[] = [];

beforeAll(async () => {
  browser = await startBrowser();
  page = await openPage(browser, LINK, complaints, { width: 1180, height: 700 });
  await until(async () => (await page.locator("canvas.picture-canvas").screenshot()).length > 30_000);
});

afterAll(async () => browser.close());

async function picture(name: string, of: Page = page): Promise<void> {
  if (PICTURES !== "") await of.screenshot({ path: `${PICTURES}/${name}.png` });
}

async function robots(): Promise<string[]> {
  return page.locator(".camera-robot option").allTextContents();
}

/** A point of the picture in the window, by shares of its width and height. */
async function pointAt(width: number, height: number): Promise<Point> {
  const box = await boxOf(page.locator("canvas.picture-canvas"));
  return { x: box.x + width * box.width, y: box.y + height * box.height };
}

/** Clicks until this robot is selected; where it has been clicked. */
async function select(robot: string, heights: number[], width = 0.5): Promise<Point> {
  for (let k = 0; k < 40; k++) {
    const at = await pointAt(width, heights[k % heights.length] ?? 0.5);
    await page.mouse.click(at.x, at.y);
    await page.waitForTimeout(150);
    const name = (await page.locator(".node-name").textContent()) ?? "";
    if (name.split(".")[0] === robot) return at;
  }
  throw new Error(`${robot} is not in the picture`);
}

/** Presses at a point, moves in steps to another, and lets go unless `holds`. */
async function drag(from: Point, to: Point, holds = false): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 3 });
  await page.mouse.move(to.x, to.y, { steps: 3 });
  if (!holds) await page.mouse.up();
}

async function heading(): Promise<number> {
  const field = page.locator(".field", { hasText: "orientation" }).locator(".field-other");
  const text = ((await field.textContent()) ?? "").replaceAll("−", "-");
  return Number(/yaw (-?[\d.]+)°/.exec(text)?.[1]);
}

let at: Point;

test("a robot is moved by dragging it", async () => {
  await pause(page);
  await page.keyboard.press("e");
  at = await select("impreza", [0.6, 0.55, 0.65, 0.5]);
  const before = await placeOf(page);
  const to = await pointAt(0.22, 0.74);
  await drag(at, to, true);
  await picture("move");
  await page.mouse.up();
  await until(async () => (await wayFrom(page, before)) > 1);
  expect(await wayFrom(page, before)).toBeLessThan(20);
});

test("the knob of its ring turns it", async () => {
  at = await select("impreza", [0.6, 0.55, 0.65, 0.5]);
  const canvas = page.locator("canvas.picture-canvas");
  const hasGrip = async (): Promise<boolean> =>
    ((await canvas.getAttribute("class")) ?? "").includes("has-grip");
  let knob: Point | null = null;
  for (let share = 0.25; share < 0.75 && knob === null; share += 0.02) {
    const here = await pointAt(0.5, share);
    await page.mouse.move(here.x, here.y);
    if (await hasGrip()) knob = here;
  }
  if (knob === null) throw new Error("there is no knob ahead of the robot");
  const before = await heading();
  await drag(knob, await pointAt(0.8, 0.62), true);
  await picture("turn");
  await page.mouse.up();
  await until(async () => Math.abs((await heading()) - before) > 20);
});

test("a robot is added by dragging it from the shelf", async () => {
  const chip = await boxOf(page.locator(".shelf-robot", { hasText: "impreza" }));
  const to = await pointAt(0.75, 0.6);
  await drag({ x: chip.x + 10, y: chip.y + 8 }, to, true);
  await picture("add");
  await page.mouse.up();
  await until(async () => (await robots()).includes("impreza_2"));
  await until(async () => (await page.locator(".notice").count()) === 0);
  await select("impreza_2", [0.6, 0.58, 0.56, 0.62], 0.75);
  await page.locator(".camera-robot").selectOption("impreza_2");
  await page.waitForTimeout(1500);
  await picture("added");
});

test("an actuator is set from the tree, by keys and by its slider", async () => {
  await page.keyboard.press("e");
  await run(page);
  await page.locator("#objects-filter").fill("impreza_2.chassis.drive");
  await page.locator('.tree-row[data-path$="brake"]').first().click();
  await page.locator('[data-set$=".brake"] input[type="range"]').fill("0");
  const row = page.locator('.tree-row[data-path$="acceleration"]').first();
  await row.click();
  await page.keyboard.press("Enter");
  await page.locator('[data-set$=".acceleration"] input[type="number"]:focus').waitFor();
  await page.keyboard.type("0.6");
  await picture("actuator");
  await page.keyboard.press("Enter");
  await until(async () => ((await row.locator(".tree-value").textContent()) ?? "").startsWith("0.6"));
  await page.locator("#objects-filter").fill("impreza_2.chassis.position");
  const before = await placeOf(page);
  await until(async () => (await wayFrom(page, before)) > 3);
  await page.getByRole("button", { name: /^Undo: / }).click();
  await page.locator("#objects-filter").fill("impreza_2.chassis.drive");
  await until(async () => ((await row.locator(".tree-value").textContent()) ?? "").startsWith("0.0"));
});

test("the bin removes a robot that is dragged there", async () => {
  await page.locator("#objects-filter").fill("");
  await page.getByRole("button", { name: "Arrange" }).click();
  await pause(page);
  const from = await select("impreza_2", [0.6, 0.55, 0.65, 0.5]);
  await drag(from, await pointAt(0.5, 0.7), true);
  const bin = await boxOf(page.locator(".bin"));
  await page.mouse.move(bin.x + bin.width / 2, bin.y + bin.height / 2, { steps: 3 });
  await picture("bin");
  await page.mouse.up();
  await until(async () => !(await robots()).includes("impreza_2"));
  await page.keyboard.press("e");
});

test("a record begins and ends", async () => {
  await run(page);
  await page.getByRole("tab", { name: "Time", exact: true }).click();
  await page.getByRole("button", { name: "Record the run" }).first().click();
  const note = page.locator(".note", { hasText: ".mcap" });
  await until(async () => Number(/(\d+) states/.exec((await note.textContent()) ?? "")?.[1]) > 0);
  await picture("record");
  await page.getByRole("button", { name: "Stop the record" }).first().click();
  await until(async () => (await page.locator(".toast", { hasText: "recorded" }).count()) > 0);
  await page.getByRole("button", { name: "Record the run" }).first().waitFor();
});

test("a gamepad drives", async () => {
  const link = await linkFor(page, "control");
  phoneLink = await linkFor(page, "control");
  await page.goto("about:blank"); // two pictures at once are too much without a graphics card
  const other = await openPage(browser, link, complaints);
  await other.evaluate(() => {
    const buttons = Array.from({ length: 17 }, () => ({ pressed: false, value: 0 }));
    const pad = { connected: true, axes: [0, 0, 0, 0], buttons };
    Object.assign(window, { pad });
    navigator.getGamepads = () => [pad as unknown as Gamepad];
  });
  const push = (value: number): Promise<void> =>
    other.evaluate((wanted) => {
      const { pad } = window as unknown as { pad: { buttons: { value: number }[]; axes: number[] } };
      (pad.buttons[7] as { value: number }).value = wanted;
      pad.axes[0] = wanted === 0 ? 0 : -0.2;
    }, value);
  await other.keyboard.press("Control+d");
  await other.locator(".hud").waitFor();
  await push(1);
  await until(async () => Number(await other.locator(".hud-number").textContent()) > 8);
  const wheel = other.locator(".hud-track.is-steering span");
  await until(async () => /left: (?!50)\d/.test((await wheel.getAttribute("style")) ?? ""));
  await picture("gamepad", other);
  await push(0);
  await other.keyboard.press("Control+d");
  await until(async () => (await other.locator(".hud").count()) === 0);
  await other.context().close();
});

test("fingers drive on a phone, and axe-core finds no serious violation there", async () => {
  const context = await browser.newContext({
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
  });
  const phone = await context.newPage();
  await phone.goto(phoneLink);
  await phone.locator(".world:not(:empty)").waitFor();
  await phone.getByRole("button", { name: "Take over" }).tap();
  await phone.locator(".hud").waitFor();
  const session = await context.newCDPSession(phone);
  const pedal = await boxOf(phone.locator(".pedal.is-throttle"));
  const pad = await boxOf(phone.locator(".touch-pad"));
  await touch(session, "touchStart", [
    { x: pedal.x + pedal.width / 2, y: pedal.y + pedal.height / 2 },
    { x: pad.x + 0.45 * pad.width, y: pad.y + pad.height / 2 },
  ]);
  await until(async () => Number(await phone.locator(".hud-number").textContent()) > 8);
  await picture("touch", phone);
  expect(await violations(phone)).toEqual([]);
  await touch(session, "touchEnd", []);
  const throttle = phone.locator(".hud-track.is-throttle span");
  await until(async () => ((await throttle.getAttribute("style")) ?? "").includes("width: 0%"));
  await phone.getByRole("button", { name: /^Give back/ }).tap();
  await until(async () => (await phone.locator(".hud").count()) === 0);
  for (const sheet of ["Objects", "Plots", "Programs", "Messages", "Time"]) {
    await phone.locator(".sheet-switch", { hasText: sheet }).tap();
    expect(await violations(phone)).toEqual([]);
  }
  await phone.locator(".sheet-switch", { hasText: "Time" }).tap();
  await phone.getByRole("button", { name: "Arrange" }).tap();
  expect(await violations(phone)).toEqual([]);
  await picture("phone", phone);
  const width = await phone.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(360);
  await context.close();
});

test("the console is free of errors", () => {
  expect(complaints).toEqual([]);
});

async function touch(session: CDPSession, type: "touchStart" | "touchEnd", points: Point[]): Promise<void> {
  const touchPoints = points.map((each, id) => ({ ...each, id }));
  await session.send("Input.dispatchTouchEvent", { type, touchPoints });
}
