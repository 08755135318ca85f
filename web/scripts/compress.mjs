// Compresses the built page once, so that the gateway sends stored bytes: FILE.br and FILE.gz beside each FILE.
import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const PAGE = new URL("../../autosim/web/page", import.meta.url).pathname;
const COMPRESSIBLE = /\.(?:html|js|css|svg|json|wasm|webmanifest)$/;

let plain = 0;
let compressed = 0;
for (const name of readdirSync(PAGE, { recursive: true })) {
  const path = join(PAGE, name);
  if (!COMPRESSIBLE.test(name) || !statSync(path).isFile()) continue;
  const bytes = readFileSync(path);
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
  const smaller = brotliCompressSync(bytes, quality);
  writeFileSync(`${path}.br`, smaller);
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  plain += bytes.length;
  compressed += smaller.length;
}
console.log(`page: ${Math.round(plain / 1000)} kB, compressed ${Math.round(compressed / 1000)} kB`);
