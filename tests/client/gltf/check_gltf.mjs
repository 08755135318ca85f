// Checks glTF files by the Khronos validator and by three.js: `node check_gltf.mjs WEB FILE...` prints, as JSON,
// for each file its errors and warnings, and the bounds (without what is
// beyond the map) and the number of triangles of its scene.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [web, ...files] = process.argv.slice(2);
const modules = createRequire(pathToFileURL(join(web, 'package.json')));
const validator = modules('gltf-validator');
const three = await import(pathToFileURL(join(web, 'node_modules/three/build/three.module.js')));
const { GLTFLoader } = await import(
  pathToFileURL(join(web, 'node_modules/three/examples/jsm/loaders/GLTFLoader.js'))
);
// Textures need a browser; what is checked here is geometry.
globalThis.self = globalThis;
console.warn = console.error = () => {};

/** Whether a part lies beyond the map. */
function isBeyond(each) {
  return each !== null && (each.name === 'surroundings' || isBeyond(each.parent));
}

async function read(file) {
  const bytes = new Uint8Array(readFileSync(file));
  const { issues } = await validator.validateBytes(bytes, { maxIssues: 1000 });
  const { scene, animations } = await new GLTFLoader().parseAsync(bytes.buffer, '');
  scene.updateMatrixWorld(true);
  const box = new three.Box3();
  let triangles = 0;
  let instances = 0;
  scene.traverse((each) => {
    if (!each.isMesh) return;
    triangles += each.geometry.index.count / 3;
    if (each.isInstancedMesh) instances += each.count;
    if (!isBeyond(each)) box.union(new three.Box3().setFromObject(each, true));
  });
  const messages = issues.messages.filter(({ severity }) => severity < 2);
  return {
    errors: issues.numErrors,
    warnings: issues.numWarnings,
    messages: messages.map(({ code, message, pointer }) => `${code} ${message} ${pointer}`),
    low: box.min.toArray(),
    high: box.max.toArray(),
    triangles,
    instances,
    animations: animations.length,
  };
}

const found = {};
for (const file of files) found[file] = await read(file);
console.log(JSON.stringify(found));
