/** Times [s] until a page shows its world, for benchmarks/first_picture.py: `AUTOSIM_LINKS`. */

import { env } from "node:process";
import type { Browser } from "playwright-core";
import { expect, test } from "vitest";

import { openPage, startBrowser } from "./browser";
import { stepOf, until } from "./steering";

const LINKS = (env["AUTOSIM_LINKS"] ?? "").split(" ").filter((each) => each !== "");

const PICTURES = env["AUTOSIM_PICTURES"] ?? "";

/** Bytes of a picture of one colour at most. */
const ONE_COLOUR = 12_000;

/** Processor time [s] that each kind of process of a browser has taken. */
async function processorTimes(browser: Browser): Promise<Map<string, number>> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const times = new Map<string, number>();
  for (const { type, cpuTime } of processInfo) times.set(type, (times.get(type) ?? 0) + cpuTime);
  return times;
}

test("the first picture comes", async () => {
  const figures: Record<string, number[]> = { "empty page": [], state: [], "first picture": [], "whole town": [] };
  const used: Record<string, number[]> = {};
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
    const before = await processorTimes(browser);
    begin = performance.now();
    const page = await openPage(browser, link, complaints, { width: 1280, height: 720 });
    await until(async () => (await stepOf(page)) > 0);
    figures["state"]?.push(since(begin));
    const canvas = page.locator("canvas.picture-canvas");
    await page.locator("canvas.picture-canvas.has-town").waitFor();
    await until(async () => (await canvas.screenshot()).length > ONE_COLOUR);
    figures["first picture"]?.push(since(begin));
    let all = 0;
    for (const [kind, time] of await processorTimes(browser)) {
      (used[kind] ??= []).push(time - (before.get(kind) ?? 0));
      all += time - (before.get(kind) ?? 0);
    }
    (used["all"] ??= []).push(all);
    if (PICTURES !== "") await page.screenshot({ path: `${PICTURES}/first_picture.png` });
    await page.locator("canvas.picture-canvas.is-complete").waitFor();
    figures["whole town"]?.push(since(begin));
    await browser.close();
  }
  console.log(`FIGURES ${JSON.stringify({ figures, used })}`);
  expect(complaints).toEqual([]);
});
