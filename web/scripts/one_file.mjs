// Puts the script and the styles of the page of recordings into one file, to which `autosim export --html` adds the data.
import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";

const BUILT = new URL("../build/", import.meta.url);
const PAGE = new URL("../../autosim/web/page/recording.html", import.meta.url);

// As they are in a script that an HTML file has: these would end it, or begin a comment.
const script = readFileSync(new URL("recording.js", BUILT), "utf8")
  .replaceAll("</script", "<\\/script")
  .replaceAll("<!--", "<\\!--");
const styles = readFileSync(new URL("recording.css", BUILT), "utf8").replaceAll("</style", "<\\/style");
const digest = createHash("sha256").update(script).digest("base64");

// Nothing is fetched from anywhere, and no script runs but this one, whatever the texts of a recording are.
const policy = [
  "default-src 'none'",
  `script-src 'sha256-${digest}' 'wasm-unsafe-eval'`,
  "style-src 'unsafe-inline'",
  "font-src data:",
  "img-src data: blob:",
  "connect-src data: blob:",
  "worker-src blob:",
].join("; ");

writeFileSync(
  PAGE,
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>AutoSim recording</title>
<style>${styles}</style>
</head>
<body>
<div id="page"></div>
<noscript>AutoSim's page needs JavaScript.</noscript>
<!-- data -->
<script type="module">${script}</script>
</body>
</html>
`,
);
rmSync(BUILT, { recursive: true });
