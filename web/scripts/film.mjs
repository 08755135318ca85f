// Takes the pictures of a film of a recorded run: node web/scripts/film.mjs RUN.html FOLDER BEGIN EVERY COUNT, where
// BEGIN is the first state, EVERY the states from one picture to the next (20 in a second), and COUNT their number.
import process from "node:process";
import { pathToFileURL } from "node:url";

import { chromium } from "playwright-core";

const ARGUMENTS = ["--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const PATIENCE = 900_000;

const [run, folder, begin, every, count] = process.argv.slice(2);
const executablePath = process.env.AUTOSIM_CHROMIUM ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ARGUMENTS });
const page = await browser.newPage({ viewport: { width: 720, height: 450 } });
page.setDefaultTimeout(PATIENCE);
await page.goto(pathToFileURL(run).href);
await page.getByRole("button", { name: "View", exact: true }).click();
await page.getByLabel("Quality").selectOption("medium");
await page.keyboard.press("Escape");
const canvas = page.locator("canvas.picture-canvas");
await canvas.focus();

async function next(states) {
  for (let state = 0; state < states; state += 1) await page.keyboard.press("F7");
  // The picture is drawn with the next frame, and on the screen with the one after that.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

await next(Number(begin));
await page.locator("canvas.picture-canvas.is-complete").waitFor();
for (let number = 0; number < Number(count); number += 1) {
  await page.screenshot({ path: `${folder}/${String(number).padStart(4, "0")}.png`, timeout: PATIENCE });
  await next(Number(every));
}
await browser.close();
