// Takes the pictures of docs/browser.md: node web/scripts/pictures.mjs LINK, where LINK is what a server prints.
import { chromium } from "playwright-core";

const DOCS = new URL("../../docs/", import.meta.url).pathname;
const ARGUMENTS = ["--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const PATIENCE = 180_000;

const [link] = process.argv.slice(2);
const executablePath = process.env.AUTOSIM_CHROMIUM ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ARGUMENTS });
const context = await browser.newContext({ viewport: { width: 1200, height: 720 } });
const page = await context.newPage();
page.setDefaultTimeout(PATIENCE);

async function take(name, settle = 15_000) {
  await page.waitForTimeout(settle);
  await page.screenshot({ path: `${DOCS}${name}.jpg`, type: "jpeg", quality: 86, timeout: PATIENCE });
  console.log(name);
}

await page.goto(link);
await page.locator(".tree-row").first().waitFor();
await page.locator(".tree-row", { hasText: "velocity" }).first().dblclick();
await page.keyboard.press("8");
await take("browser", 25_000);
await page.emulateMedia({ colorScheme: "dark" });
await page.getByRole("tab", { name: "User Programs" }).click();
await page.getByRole("button", { name: "View", exact: true }).click();
await take("browser_dark");
await page.keyboard.press("Escape");
await page.emulateMedia({ colorScheme: "light" });
await page.setViewportSize({ width: 390, height: 780 });
await page.locator(".sheet-switch", { hasText: "Objects" }).click();
await take("browser_phone");
await browser.close();
