/** The built page in Firefox, with a server that simulates the shipped town: `AUTOSIM_LINK`. */

import { env } from "node:process";
import { type Browser, launch, type Page } from "puppeteer-core";
import { afterAll, beforeAll, expect, test } from "vitest";

import { PATIENCE } from "./browser";
import { until } from "./steering";

const LINK = env["AUTOSIM_LINK"] ?? "";
/** A folder for the picture that is taken, "": none is kept. */
const PICTURES = env["AUTOSIM_PICTURES"] ?? "";

/** Longest wait [ms] for the programs of all materials, which are compiled without a graphics card. */
const LONG_PATIENCE = 900_000;

let browser: Browser;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  // With a display: without one, Firefox has no WebGL.
  browser = await launch({
    browser: "firefox",
    executablePath: env["AUTOSIM_FIREFOX"] ?? "/usr/bin/firefox",
    headless: false,
    protocolTimeout: LONG_PATIENCE,
    defaultViewport: { width: 640, height: 420 },
  });
  page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(LINK);
});

afterAll(async () => browser.close());

async function textOf(selector: string): Promise<string> {
  return page.evaluate((each) => document.querySelector(each)?.textContent ?? "", selector);
}

async function step(): Promise<number> {
  return Number((await textOf(".clock-step")).replace("step ", ""));
}

/** x and y [m] of the first robot of the tree. */
async function place(): Promise<[number, number]> {
  const text = await page.evaluate(() => {
    const rows = [...document.querySelectorAll(".tree-row")];
    const row = rows.find((each) => each.textContent.includes("position"));
    return row?.querySelector(".tree-value")?.textContent ?? "";
  });
  const [x = 0, y = 0] = text.replaceAll("−", "-").split(/\s+/).map(Number);
  return [x, y];
}

// First of all: while programs are compiled, Firefox passes on no messages of sockets, not even to workers.
test(
  "the whole town is drawn, in many colours",
  async () => {
    await page.waitForSelector("canvas.picture-canvas.is-complete", { timeout: LONG_PATIENCE });
    const picture = await page.$("canvas.picture-canvas");
    const bytes = await picture?.screenshot();
    // A picture of plain colours takes 20 to 30 kB.
    expect(bytes?.length).toBeGreaterThan(100_000);
    if (PICTURES !== "") await page.screenshot({ path: `${PICTURES}/firefox.png` });
  },
  LONG_PATIENCE,
);

test("keys pause and run", async () => {
  await until(async () => (await step()) > 0);
  await page.keyboard.press("F6");
  await until(async () => (await textOf(".chip")).includes("Paused"));
  await page.keyboard.press("F6");
  await until(async () => !(await textOf(".chip")).includes("Paused"));
});

async function control(key: "d"): Promise<void> {
  await page.keyboard.down("Control");
  await page.keyboard.press(key);
  await page.keyboard.up("Control");
}

test(
  "keys drive the robot, which is given back",
  async () => {
    const isDriving = async (): Promise<boolean> => (await textOf(".hud")) !== "";
    const [x, y] = await place();
    await control("d");
    await until(isDriving, LONG_PATIENCE);
    await page.keyboard.down("w");
    await until(async () => {
      const [nowX, nowY] = await place();
      return Math.hypot(nowX - x, nowY - y) > 10;
    }, LONG_PATIENCE);
    if (PICTURES !== "") await page.screenshot({ path: `${PICTURES}/firefox_driving.png` });
    await page.keyboard.up("w");
    await control("d");
    await until(async () => !(await isDriving()), LONG_PATIENCE);
  },
  LONG_PATIENCE,
);

test("the console is free of errors", () => {
  expect(complaints).toEqual([]);
});
