/** What a page shows of a recording that lies in it: plays it, and goes to any moment of it. */

import { fromBinary } from "@bufbuild/protobuf";

import { DescriptionSchema } from "../link/generated/autosim/v1/autosim_pb";
import type { Manifest } from "../link/manifest";
import type { Channel } from "../link/packets";
import type { Mark, PageSource, Unsubscribe, WholeRun } from "../link/source";
import { SimulationTree, type TreeField } from "../link/tree";
import type { Blocks } from "./blocks";
import { RecordedStates } from "./recorded_states";

/** Real time [s] between two pictures that counts at most: a page in the background stands. */
const LONGEST = 0.25;

/** What the recording says of itself: the block `run.json`. */
export interface RunFacts {
  /** Version of these blocks. */
  format: number;
  channels: Channel[];
  marks: Mark[];
  /** Qualified names of fields that are too large to be in the page. */
  left_out: string[];
}

/** Version of the blocks that this page reads. */
const FORMAT = 1;

/** Reads the recording of a page. */
export async function openRecording(blocks: Blocks): Promise<RecordedSource> {
  const [facts, description, stream, manifest] = await Promise.all([
    blocks.json("run.json") as Promise<RunFacts>,
    blocks.bytes("description.pb"),
    blocks.bytes("states"),
    blocks.json("manifest.json") as Promise<Manifest | null>,
  ]);
  if (facts.format !== FORMAT) throw new Error("this recording is of another version of AutoSim");
  const { tree, world, stepSeconds } = fromBinary(DescriptionSchema, new Uint8Array(description));
  if (tree === undefined) throw new Error("the recording in this page has no tree");
  return new RecordedSource(
    blocks,
    { tree: new SimulationTree(tree), world, stepSeconds, manifest },
    new RecordedStates(stream, facts.channels),
    facts,
  );
}

export class RecordedSource implements PageSource {
  readonly tree: SimulationTree;
  readonly mirror: DataView<ArrayBuffer>;
  readonly manifest: Manifest | null;
  readonly world: string;
  readonly stepSeconds: number;
  readonly run: WholeRun;
  /** Simulated time per real time. */
  pace = 1;
  standsStill = true;
  #place = 0;
  /** Steps done at the time that is played, with a fraction. */
  #moment = 0;
  #before = 0;
  #callbacks = new Set<(step: number) => void>();

  constructor(
    private readonly blocks: Blocks,
    what: { tree: SimulationTree; world: string; stepSeconds: number; manifest: Manifest | null },
    private readonly states: RecordedStates,
    { marks, left_out: leftOut }: Pick<RunFacts, "marks" | "left_out">,
  ) {
    this.tree = what.tree;
    this.world = what.world;
    this.stepSeconds = what.stepSeconds;
    this.manifest = what.manifest;
    this.mirror = new DataView(new ArrayBuffer(this.tree.size));
    for (const path of leftOut) blank(this.mirror, this.tree.findField(path));
    this.run = {
      firstStep: states.stepAt(0),
      lastStep: states.stepAt(states.count - 1),
      marks,
      courses: (numbers) => this.#courses(numbers),
    };
    this.#show(0);
  }

  get step(): number {
    return this.states.stepAt(this.#place);
  }

  onState(callback: (step: number) => void): Unsubscribe {
    this.#callbacks.add(callback);
    callback(this.step);
    return () => this.#callbacks.delete(callback);
  }

  onHello(callback: () => void): Unsubscribe {
    callback();
    return () => undefined;
  }

  fetchBinary(uri: string): Promise<ArrayBuffer> {
    return this.blocks.bytes(uri);
  }

  watch(): void {
    // All values are there at any time.
  }

  viewOf(): DataView {
    return this.mirror;
  }

  close(): void {
    this.pause();
    this.#callbacks.clear();
  }

  /** Plays on from the present state; from the first one after the last. */
  play(): void {
    if (this.#place === this.states.count - 1) this.#show(0);
    if (!this.standsStill) return;
    this.standsStill = false;
    this.#before = performance.now();
    requestAnimationFrame(this.#advance);
  }

  pause(): void {
    this.standsStill = true;
  }

  /** Shows the next state. */
  showNext(): void {
    this.#show(Math.min(this.#place + 1, this.states.count - 1));
  }

  /** Shows the last state that is not later than `step`. */
  seek(step: number): void {
    this.#show(this.states.placeOf(step));
  }

  readonly #advance = (now: number): void => {
    if (this.standsStill) return;
    const passed = Math.min(Math.max(now - this.#before, 0) / 1000, LONGEST);
    this.#before = now;
    this.#moment += (passed * this.pace) / this.stepSeconds;
    const place = this.states.placeOf(this.#moment);
    const moment = this.#moment;
    if (place !== this.#place) this.#show(place);
    this.#moment = moment;
    if (place === this.states.count - 1) this.pause();
    else requestAnimationFrame(this.#advance);
  };

  #show(place: number): void {
    this.#place = place;
    this.#moment = this.states.stepAt(place);
    this.states.write(place, this.mirror.buffer);
    for (const each of this.#callbacks) each(this.step);
  }

  async #courses(
    numbers: readonly { field: TreeField; index: number }[],
  ): Promise<number[][]> {
    const [steps = [], ...courses] = await this.states.courses(
      numbers.map(({ field, index }) => ({
        offset: field.offset + 8 * index,
        isInteger: field.type === "integer",
      })),
    );
    return [steps.map((each) => each * this.stepSeconds), ...courses];
  }
}

/** Fills a field that is not in the page with what no value is. */
function blank(view: DataView, field: TreeField | undefined): void {
  if (field?.type !== "float" || field.columns.length > 0) return;
  for (let at = 0; at < field.bytes; at += 8) view.setFloat64(field.offset + at, NaN, true);
}
