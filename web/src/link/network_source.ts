/** What the page shows of a server: tree, newest state and files, over the network. */

import { create } from "@bufbuild/protobuf";

import type { Entry } from "./entering";
import type { Description } from "./generated/autosim/v1/autosim_pb";
import { TreeSchema } from "./generated/autosim/v1/tree_pb";
import type { Manifest } from "./manifest";
import type { Hello } from "./packets";
import { isUnauthenticated, reasonOf, type SimulatorClient } from "./simulator";
import type { Connection } from "./page_link";
import type { PageSource, Unsubscribe } from "./source";
import { MOST_WATCHED, MOST_WATCHED_BYTES, StateStream } from "./stream";
import { SimulationTree, type TreeNode } from "./tree";

/** Waits [ms] between two tries to have the tree that fits the stream. */
const DESCRIBE_WAITS = [150, 300, 600, 1200, 2400];

interface Early {
  readonly description: Promise<Description | "refused" | null>;
  readonly manifest: Promise<Manifest | null>;
}

/** What a page shows of a server. */
export class NetworkSource implements PageSource {
  readonly run = null;
  tree: SimulationTree;
  mirror = new DataView(new ArrayBuffer(0));
  step = 0;
  stepSeconds = 1 / 240;
  standsStill = true;
  manifest: Manifest | null = null;
  /** Name of the world. */
  world = "";
  #hello: Hello | null = null;
  #isReady = false;
  #stream: StateStream;
  #stateCallbacks = new Set<(step: number) => void>();
  #helloCallbacks = new Set<() => void>();
  #watched: { number: number; nodes: TreeNode[] } = { number: -1, nodes: [] };
  /** Exact values of the watched nodes, at their places in a state. */
  #exact = new DataView(new ArrayBuffer(0));
  #exactNodes = new Set<TreeNode>();
  /** Answers that are on their way before the stream says hello; for the first world alone. */
  #early: Early | null;

  constructor(
    private readonly entry: Entry,
    private readonly client: SimulatorClient,
    private readonly changed: (connection: Connection, trouble: string) => void,
    rateHz = 20,
  ) {
    this.tree = EMPTY_TREE;
    const url = new URL("stream", document.baseURI);
    url.protocol = url.protocol.replace("http", "ws");
    changed({ kind: "connecting" }, "");
    this.#early = { description: this.#describe(), manifest: this.#readManifest() };
    this.#stream = new StateStream(url.href, entry.token, rateHz, {
      hello: (hello) => void this.#greet(hello),
      state: (step, standsStill) => this.#take(step, standsStill),
      heartbeat: (step, standsStill, trouble) => {
        this.standsStill = standsStill;
        if (this.#isReady) {
          this.changed({ kind: "live" }, trouble);
          this.step = step;
        }
      },
      watched: (number, words) => this.#takeWatched(number, words),
      lost: (reason) => this.changed({ kind: "lost", reason }, ""),
      refused: (reason) => this.changed({ kind: "refused", reason }, ""),
    });
  }

  onState(callback: (step: number) => void): Unsubscribe {
    this.#stateCallbacks.add(callback);
    return () => this.#stateCallbacks.delete(callback);
  }

  onHello(callback: () => void): Unsubscribe {
    this.#helloCallbacks.add(callback);
    if (this.#isReady) callback();
    return () => this.#helloCallbacks.delete(callback);
  }

  async fetchBinary(uri: string, signal?: AbortSignal): Promise<ArrayBuffer> {
    const answer = await this.#fetch(uri, signal);
    return answer.arrayBuffer();
  }

  /** Asks for exact values of these nodes, at most ten times a second. */
  watch(nodes: TreeNode[]): void {
    const own = withinLimits(nodes);
    const isSame =
      own.length === this.#watched.nodes.length &&
      own.every((each, k) => each === this.#watched.nodes[k]);
    if (isSame) return;
    const number = this.#stream.watch(own.map((each) => each.path));
    this.#watched = { number, nodes: own };
  }

  /** Where the values of `node` are to be read: exact ones where they are watched. */
  viewOf(node: TreeNode): DataView {
    return this.#exactNodes.has(node) ? this.#exact : this.mirror;
  }

  close(): void {
    this.#stream.close();
  }

  async #fetch(uri: string, signal?: AbortSignal): Promise<Response> {
    const address = new URL(uri.replace(/^\//, ""), document.baseURI);
    const answer = await fetch(address, {
      headers: { authorization: `Bearer ${this.entry.token}` },
      credentials: "omit",
      ...(signal === undefined ? {} : { signal }),
    });
    if (!answer.ok) {
      throw new Error(`${uri} cannot be had: ${answer.status} ${(await answer.text()).trim()}`);
    }
    return answer;
  }

  async #greet(hello: Hello): Promise<void> {
    this.#hello = hello;
    this.#isReady = false;
    const early = this.#early;
    this.#early = null;
    let answer = (await early?.description) ?? null;
    for (const wait of [0, ...DESCRIBE_WAITS]) {
      if (this.#hello !== hello) return;
      if (answer === "refused") return;
      if (answer?.layoutDigest === hello.layout_digest) break;
      await new Promise((resolve) => setTimeout(resolve, wait));
      answer = await this.#describe();
    }
    if (this.#hello !== hello || answer === "refused") return;
    if (answer?.tree === undefined || answer.layoutDigest !== hello.layout_digest) {
      this.changed({ kind: "lost", reason: "the server does not describe its world" }, "");
      return;
    }
    // It was asked for together with the description, which is that of this world.
    const isEarly = early !== null && answer === (await early.description);
    const manifest = (isEarly ? await early.manifest : null) ?? (await this.#readManifest());
    if (this.#hello !== hello) return;
    this.#begin(hello, answer, manifest);
  }

  /** The description of the world; null: there is none yet. */
  async #describe(): Promise<Description | "refused" | null> {
    try {
      return await this.client.describe({});
    } catch (error) {
      if (!isUnauthenticated(error)) return null;
      this.changed({ kind: "refused", reason: reasonOf(error) }, "");
      return "refused";
    }
  }

  async #readManifest(): Promise<Manifest | null> {
    try {
      const answer = await this.#fetch("world/manifest.json");
      return (await answer.json()) as Manifest;
    } catch {
      return null; // a world without pictures still has values
    }
  }

  #begin(hello: Hello, description: Description, manifest: Manifest | null): void {
    if (description.tree === undefined) return;
    this.tree = new SimulationTree(description.tree);
    this.mirror = new DataView(this.#stream.buffer);
    this.#exact = new DataView(new ArrayBuffer(hello.state_bytes));
    this.#exactNodes.clear();
    this.#watched = { number: -1, nodes: [] };
    this.stepSeconds = description.stepSeconds;
    this.world = description.world;
    this.manifest = manifest;
    this.#isReady = true;
    this.changed({ kind: "live" }, "");
    for (const each of this.#helloCallbacks) each();
    for (const each of this.#stateCallbacks) each(this.step);
  }

  #take(step: number, standsStill: boolean): void {
    this.step = step;
    this.standsStill = standsStill;
    if (!this.#isReady) return;
    for (const each of this.#stateCallbacks) each(step);
  }

  #takeWatched(number: number, words: ArrayBuffer): void {
    if (number !== this.#watched.number) return;
    const from = new Uint8Array(words);
    const to = new Uint8Array(this.#exact.buffer);
    this.#exactNodes = new Set(this.#watched.nodes);
    let at = 0;
    for (const node of this.#watched.nodes) {
      for (const field of node.fields) {
        to.set(from.subarray(at, at + field.bytes), field.offset);
        at += field.bytes;
      }
    }
    // A simulation that stands still sends no states: the values are shown all the same.
    if (this.standsStill) for (const each of this.#stateCallbacks) each(this.step);
  }
}

/** As many of these nodes as a gateway lets one page watch; it refuses longer lists as a whole. */
function withinLimits(nodes: readonly TreeNode[]): TreeNode[] {
  let bytes = 0;
  return nodes
    .filter(({ fields, parent }) => {
      const own = fields.reduce((sum, field) => sum + field.bytes, 0);
      const isTaken = own > 0 && parent !== null && bytes + own <= MOST_WATCHED_BYTES;
      if (isTaken) bytes += own;
      return isTaken;
    })
    .slice(0, MOST_WATCHED);
}

const EMPTY_TREE = new SimulationTree(create(TreeSchema, { root: {} }));
