/**
 * The scene alone, for looking at and measuring: shows states from files, without a server.
 *
 * The address says what: `?data=FOLDER&camera=chase|driver|orbit|map&quality=NAME&state=NUMBER`
 * (a state that stands still), `&seconds=10` (measures the pictures per second for so long),
 * `&figures=0`, and any value of the sky: `&hours=21.5&rain=1&wetness=1`.
 * `tests/web/canned_states.py` writes the states.
 */

import { fromBinary } from "@bufbuild/protobuf";

import { TreeSchema } from "../src/link/generated/autosim/v1/tree_pb";
import type { Manifest, SceneSource } from "../src/link/source";
import { SimulationTree } from "../src/link/tree";
import { type CameraKind, type SkyState, SceneView } from "../src/scene/scene_view";

interface Facts {
  words: number[];
  states: number;
  seconds: number;
  step_seconds: number;
}

const query = new URLSearchParams(location.search);
const data = query.get("data") ?? ".";

async function bytesOf(uri: string): Promise<ArrayBuffer> {
  const answer = await fetch(`${data}/${uri.replace(/^\//, "")}`);
  if (!answer.ok) throw new Error(`${uri}: ${answer.status}`);
  return answer.arrayBuffer();
}

async function jsonOf(uri: string): Promise<unknown> {
  return JSON.parse(new TextDecoder().decode(await bytesOf(uri)));
}

/** Plays states from files again and again. */
class Film implements SceneSource {
  readonly standsStill = false;
  step = 0;
  readonly mirror: DataView;
  readonly #floats: Float64Array;
  readonly #callbacks: ((step: number) => void)[] = [];

  constructor(
    readonly tree: SimulationTree,
    readonly manifest: Manifest,
    readonly facts: Facts,
    readonly states: Float64Array,
  ) {
    this.#floats = new Float64Array(tree.size / 8);
    this.mirror = new DataView(this.#floats.buffer);
  }

  get stepSeconds(): number {
    return this.facts.step_seconds;
  }

  show(number: number): void {
    const { words, states, seconds, step_seconds: stepSeconds } = this.facts;
    const row = number % states;
    words.forEach((word, k) => {
      this.#floats[word] = this.states[row * words.length + k] ?? 0;
    });
    this.step = Math.round((row * seconds) / stepSeconds);
    for (const each of this.#callbacks) each(this.step);
  }

  fetchBinary(uri: string): Promise<ArrayBuffer> {
    return bytesOf(uri);
  }

  viewOf(): DataView {
    return this.mirror;
  }

  onState(callback: (step: number) => void): () => void {
    this.#callbacks.push(callback);
    return () => undefined;
  }

  onHello(callback: () => void): () => void {
    callback();
    return () => undefined;
  }
}

async function main(): Promise<void> {
  const [tree, manifest, facts, states] = await Promise.all([
    bytesOf("tree.bin"),
    jsonOf("manifest.json"),
    jsonOf("states.json"),
    bytesOf("states.bin"),
  ]);
  const film = new Film(
    new SimulationTree(fromBinary(TreeSchema, new Uint8Array(tree))),
    manifest as Manifest,
    facts as Facts,
    new Float64Array(states),
  );
  const state = query.get("state");
  film.show(Number(state ?? 0));
  const canvas = document.querySelector("canvas");
  if (canvas === null) return;
  const quality = query.get("quality");
  const view = new SceneView(canvas, film, {
    keepsPicture: true,
    ...(quality === null ? {} : { quality }),
  });
  view.setSky(skyOf());
  await view.whenComplete();
  view.setCamera((query.get("camera") ?? "chase") as CameraKind, query.get("robot"));
  aim(view);
  if (state === null) {
    let number = 1;
    setInterval(() => film.show(number++), 1000 * film.facts.seconds);
  }
  await view.whenComplete();
  Object.assign(window, { view, film });
  const figures = document.getElementById("figures");
  if (figures !== null) {
    figures.hidden = query.get("figures") === "0";
    setInterval(() => {
      figures.textContent = JSON.stringify(view.stats, null, 1);
    }, 500);
  }
  const seconds = Number(query.get("seconds") ?? 0);
  if (seconds > 0) await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
  document.title = "ready";
  Object.assign(window, { figures: view.stats });
}

function skyOf(): Partial<SkyState> {
  const sky: Record<string, number> = {};
  for (const name of ["hours", "month", "day", "clouds", "rain", "snow", "wetness", "snow_cover", "visibility"]) {
    const value = query.get(name);
    if (value !== null) sky[name] = Number(value);
  }
  return sky;
}

function aim(view: SceneView): void {
  for (const name of ["yaw", "pitch", "distance"] as const) {
    const value = query.get(name);
    if (value !== null) view.control[name] = Number(value);
  }
  const focus = query.get("focus")?.split(",").map(Number);
  if (focus !== undefined) view.control.focus.set(focus[0] ?? 0, focus[1] ?? 0, focus[2] ?? 0);
  const selected = query.get("select");
  if (selected !== null) view.select(selected);
}

void main();
