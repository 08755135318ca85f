/** A headless Chromium for tests and pictures. */

import { env } from "node:process";
import { chromium, type Browser, type Page } from "playwright-core";

/** Longest wait [ms] for what comes at once on a machine that is not busy. */
export const PATIENCE = 120_000;

const ARGUMENTS = [
  "--headless=new",
  "--no-sandbox",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
];

export async function startBrowser(): Promise<Browser> {
  const executablePath = env["AUTOSIM_CHROMIUM"] ?? "/usr/bin/chromium";
  return chromium.launch({ executablePath, headless: true, args: ARGUMENTS });
}

/** A page whose console is watched: what it complains of is added to `complaints`. */
export async function openPage(
  browser: Browser,
  url: string,
  complaints: string[],
  size = { width: 1000, height: 620 },
): Promise<Page> {
  const context = await browser.newContext({ viewport: size });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.stack ?? error.message));
  page.on("response", (answer) => {
    if (answer.status() >= 400) complaints.push(`${answer.status()} ${answer.url()}`);
  });
  await page.goto(url);
  // Objects lie in a sheet where the screen is narrow.
  await page.locator(".world:not(:empty)").waitFor();
  return page;
}

/** The link of another page with a role, made by a page that may control. */
export async function linkFor(page: Page, role: string): Promise<string> {
  return page.evaluate(async (wanted) => {
    const entry = JSON.parse(sessionStorage.getItem("autosim.entry") ?? "{}") as { token: string };
    const answer = await fetch("api/link", {
      method: "POST",
      headers: { authorization: `Bearer ${entry.token}`, "content-type": "application/json" },
      body: JSON.stringify({ role: wanted }),
    });
    const { key } = (await answer.json()) as { key: string };
    return `${location.origin}/#key=${key}`;
  }, role);
}
