/** A notebook in JupyterLab, at `AUTOSIM_NOTEBOOK`: its cells run, and its last view shows the picture. */

import { env } from "node:process";
import type { Browser, FrameLocator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";

import { startBrowser } from "./browser";

const NOTEBOOK = env["AUTOSIM_NOTEBOOK"] ?? "";
/** Number of its cells. */
const CELLS = Number(env["AUTOSIM_CELLS"] ?? 0);
/** The file of the picture that is taken, "": none is kept. */
const PICTURE = env["AUTOSIM_PICTURE"] ?? "";
/** Longest wait [ms] for a notebook that computes. */
const LONG_PATIENCE = 900_000;

let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await startBrowser();
  page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
  page.setDefaultTimeout(LONG_PATIENCE);
  await page.goto(NOTEBOOK);
});

afterAll(async () => browser.close());

function lastView(): FrameLocator {
  return page.locator("iframe[srcdoc]").last().contentFrame();
}

test(
  "all cells run without an error",
  async () => {
    await page.locator(".jp-Notebook .jp-CodeCell").first().waitFor();
    await page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").waitFor();
    await page.locator(".jp-Notebook .jp-MarkdownCell").first().click();
    // One by one, as JupyterLab has only those cells in the page that are in its window.
    for (let cell = 0; cell < CELLS; cell += 1) {
      await page.keyboard.press("Shift+Enter");
      await page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").waitFor();
    }
  },
  LONG_PATIENCE,
);

test(
  "the last view of a run shows the picture",
  async () => {
    await page.locator("iframe[srcdoc]").last().scrollIntoViewIfNeeded();
    expect(await page.locator('.jp-OutputArea [data-mime-type*="stderr"]').count()).toBe(0);
    await lastView().locator("canvas.picture-canvas.has-town").waitFor();
    const bytes = await lastView().locator("canvas.picture-canvas").screenshot();
    expect(bytes.length).toBeGreaterThan(20_000);
    if (PICTURE !== "") await page.screenshot({ path: PICTURE });
  },
  LONG_PATIENCE,
);
