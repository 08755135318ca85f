/** Times [s] until a page shows its world, for benchmarks/first_picture.py: `AUTOSIM_LINKS`. */

import { env } from "node:process";
import { expect, test } from "vitest";

import { openPage, startBrowser } from "./browser";
import { stepOf, until } from "./steering";

const LINKS = (env["AUTOSIM_LINKS"] ?? "").split(" ").filter((each) => each !== "");

const PICTURES = env["AUTOSIM_PICTURES"] ?? "";

/** Bytes of a picture of one colour at most. */
const ONE_COLOUR = 12_000;

test("the first picture comes", async () => {
  const figures: Record<string, number[]> = { "empty page": [], state: [], "first picture": [], "whole town": [] };
  const complaints: string[] = [];
  for (const link of LINKS) {
    const browser = await startBrowser();
    const since = (begin: number): number => (performance.now() - begin) / 1000;
    const empty = await browser.newPage();
    let begin = performance.now();
    await empty.goto("about:blank");
    await empty.screenshot();
    figures["empty page"]?.push(since(begin));
    await empty.close();
    begin = performance.now();
    const page = await openPage(browser, link, complaints, { width: 1280, height: 720 });
    await until(async () => (await stepOf(page)) > 0);
    figures["state"]?.push(since(begin));
    const canvas = page.locator("canvas.picture-canvas");
    await page.locator("canvas.picture-canvas.has-town").waitFor();
    await until(async () => (await canvas.screenshot()).length > ONE_COLOUR);
    figures["first picture"]?.push(since(begin));
    if (PICTURES !== "") await page.screenshot({ path: `${PICTURES}/first_picture.png` });
    await page.locator("canvas.picture-canvas.is-complete").waitFor();
    figures["whole town"]?.push(since(begin));
    await browser.close();
  }
  console.log(`FIGURES ${JSON.stringify(figures)}`);
  expect(complaints).toEqual([]);
});
