// Takes pictures of the scene alone: `node pictures.mjs REQUEST.json`, with
// {"url", "chromium", "width", "height", "pictures": [{"name", "script", "file"}]}.
// `script` is JavaScript that sees `view`, `control`, `film`, `sky(values)` and `camera(kind, values)`.
// Prints one line of JSON: {"console": [...errors], "stats": {NAME: {...}}, "error": null or a text}.
import { Buffer } from "node:buffer";
import { readFileSync, writeFileSync } from "node:fs";

import { chromium } from "playwright-core";

const request = JSON.parse(readFileSync(process.argv[2], "utf8"));
const FLAGS = [
  ...["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking"],
  ...["--disable-component-update", "--disable-sync", "--use-angle=swiftshader"],
  ...["--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
];
const PRELUDE = `
const control = view.control;
const CLEAR = { hours: null, utc_offset: 8, month: 6, day: 21, clouds: 0.35, rain: 0, snow: 0,
  wetness: 0, snow_cover: 0, visibility: 1e5 };
const sky = (values) => view.setSky({ ...CLEAR, ...values });
const camera = (kind, values = {}) => { view.setCamera(kind, "impreza"); Object.assign(control, values); };
`;
const answer = { console: [], stats: {}, error: null };
const browser = await chromium.launch({
  executablePath: request.chromium,
  args: request.flags ?? FLAGS,
});
try {
  const { width, height } = request;
  const page = await browser.newPage({ viewport: { width, height } });
  page.on("pageerror", (error) => answer.console.push(String(error)));
  page.on("console", (message) => {
    const isOurs = message.type() === "error" || message.text().startsWith("THREE");
    if (isOurs && !message.location().url.endsWith("favicon.ico")) answer.console.push(message.text());
  });
  await page.goto(request.url);
  await page.waitForFunction("document.title === 'ready'", null, { timeout: request.timeout });
  for (const { name, script, file } of request.pictures) {
    const wanted = `(async () => { ${PRELUDE} ${script}; await view.whenComplete();
      return document.querySelector("canvas").toDataURL("image/png"); })()`;
    const picture = await page.evaluate(wanted);
    if (file) {
      writeFileSync(file, Buffer.from(picture.split(",")[1], "base64"));
    }
    answer.stats[name] = await page.evaluate("view.stats");
  }
  if (request.after) answer.after = await page.evaluate(request.after);
} catch (error) {
  answer.error = String(error);
} finally {
  await browser.close();
}
console.log(JSON.stringify(answer));
