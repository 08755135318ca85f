/**
 * Two pages and a client over gRPC see the same step: `AUTOSIM_LINK` opens the first page, which makes
 * the link of the second; `AUTOSIM_SEEN` is what the client has seen, as JSON.
 */

import { env } from "node:process";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";

import { linkFor, openPage, startBrowser } from "./browser";
import { stepOf, until } from "./steering";

interface Seen {
  step: number;
  digest: string;
  /** Position [m] of the robot, as the page's properties write it. */
  position: string;
}

const SEEN = JSON.parse(env["AUTOSIM_SEEN"] ?? "{}") as Seen;

let browser: Browser;
const pages: Page[] = [];
const complaints: string[] = [];

beforeAll(async () => {
  browser = await startBrowser();
  const size = { width: 1000, height: 500 };
  const first = await openPage(browser, env["AUTOSIM_LINK"] ?? "", complaints, size);
  const link = await linkFor(first, "control");
  pages.push(first, await openPage(browser, link, complaints, size));
});

afterAll(async () => browser.close());

async function positionOf(page: Page): Promise<string> {
  await page.locator('.tree-row[data-path$="chassis.position"]').click();
  const field = page.locator(".field", { hasText: "position" }).first().locator(".field-value");
  return ((await field.textContent()) ?? "").replace("m", "").trim();
}

async function digestOf(page: Page): Promise<string> {
  await page.getByRole("tab", { name: "Time", exact: true }).click();
  return (await page.locator("[data-digest]").getAttribute("data-digest")) ?? "";
}

test("two pages show the step, the digest and the values that a client over gRPC has", async () => {
  for (const page of pages) {
    await until(async () => (await stepOf(page)) === SEEN.step);
    expect(await digestOf(page)).toBe(SEEN.digest);
    await until(async () => (await positionOf(page)) === SEEN.position);
  }
  expect(complaints).toEqual([]);
});

test("a step that one page does reaches the other with the same digest", async () => {
  const [first, second] = pages as [Page, Page];
  await first.keyboard.press("F7");
  for (const page of pages) await until(async () => (await stepOf(page)) === SEEN.step + 1);
  await until(async () => (await digestOf(first)) !== SEEN.digest);
  await until(async () => (await digestOf(second)) === (await digestOf(first)));
});
