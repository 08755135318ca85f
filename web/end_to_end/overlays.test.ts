/**
 * Overlays are seen in the picture: `AUTOSIM_LINK` opens a world whose first robots are `sensors`
 * (a lidar, a radar, beams), `ins` (a belief) and `plan` (published lists).
 */

import { env } from "node:process";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";

import { openPage, PATIENCE, startBrowser } from "./browser";
import { pause, stepOf, until } from "./steering";

const PICTURES = env["AUTOSIM_PICTURES"] ?? "";
/** Pixels that an overlay changes at least, and those that differ without one at most. */
const SEEN = 40;
const STILL = 12;

const COMPLETE = "canvas.picture-canvas.is-complete";

let browser: Browser;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  browser = await startBrowser();
  page = await openPage(browser, env["AUTOSIM_LINK"] ?? "", complaints, { width: 900, height: 560 });
});

afterAll(async () => browser.close());

/** The picture, as a PNG in base64. */
async function shoot(): Promise<string> {
  return (await page.locator("canvas.picture-canvas").screenshot()).toString("base64");
}

/** The number of pixels that differ clearly; counted in the page, which need not send them. */
async function difference(one: string, other: string): Promise<number> {
  if (one === other) return 0;
  return page.evaluate(
    async (pictures) => {
      const pixels = async (png: string): Promise<Uint8ClampedArray> => {
        // The page's policy lets it show data, but not fetch them.
        const bitmap = new Image();
        bitmap.src = `data:image/png;base64,${png}`;
        await bitmap.decode();
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
        const context = canvas.getContext("2d") as OffscreenCanvasRenderingContext2D;
        context.drawImage(bitmap, 0, 0);
        return context.getImageData(0, 0, bitmap.width, bitmap.height).data;
      };
      const [a, b] = [await pixels(pictures[0]), await pixels(pictures[1])];
      let count = 0;
      for (let k = 0; k < a.length; k += 4) {
        const away = [0, 1, 2].map((c) => Math.abs((a[k + c] ?? 0) - (b[k + c] ?? 0)));
        if (Math.max(...away) > 30) count++;
      }
      return count;
    },
    [one, other] as const,
  );
}

/** Waits until all tiles and models are there, and two pictures in a row are the same. */
async function settled(): Promise<string> {
  await page.locator(COMPLETE).waitFor();
  let before = await shoot();
  for (;;) {
    await page.waitForTimeout(700);
    const now = await shoot();
    if ((await difference(before, now)) < STILL) return now;
    before = now;
  }
}

async function toggle(key: string): Promise<void> {
  await page.keyboard.press(key);
}

const OVERLAYS = [
  ["sensors", "lidar points and radar targets", "7", "points"],
  ["sensors", "sensor rays", "3", "rays"],
  ["ins", "a driven path", "5", "path"],
  ["ins", "the belief beside the truth", "6", "belief"],
  ["plan", "published lists", "9", "lists"],
] as const;

test("the world runs until there is something to show, then stands still", async () => {
  await page.locator("canvas.picture-canvas.has-town").waitFor();
  // Four seconds: paths begin with the page.
  const first = await stepOf(page);
  await until(async () => (await stepOf(page)) > Math.max(first + 960, 1400));
  await pause(page);
  // Otherwise the size of pixels follows the time that pictures take.
  await page.getByRole("button", { name: "View" }).click();
  await page.getByLabel("Quality").selectOption("lowest");
  await page.keyboard.press("Escape");
  await page.locator(COMPLETE).waitFor({ timeout: 3 * PATIENCE });
}, 4 * PATIENCE);

test.each(OVERLAYS)("%s shows %s", async (robot, _, key, name) => {
  await page.locator(".camera-robot").selectOption(robot);
  await page.locator("canvas.picture-canvas").focus(); // its frame is seen in pictures, too
  const without = await settled();
  await toggle(key);
  await until(async () => (await difference(await shoot(), without)) > SEEN);
  if (PICTURES !== "") await page.screenshot({ path: `${PICTURES}/overlay_${name}.png` });
  await toggle(key);
  await until(async () => (await difference(await shoot(), without)) < STILL);
});

test("the console is free of errors", () => {
  expect(complaints).toEqual([]);
});
