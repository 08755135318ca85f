/**
 * The seam between what a picture shows and where that comes from: a server, a replay, or a
 * recording inside the page itself. Nothing here names a network.
 */

import type { Manifest } from "./manifest";
import type { SimulationTree, TreeField, TreeNode } from "./tree";

export type { Manifest } from "./manifest";
export type { SimulationTree, TreeField, TreeNode } from "./tree";

/** Ends a subscription. */
export type Unsubscribe = () => void;

/** All that the scene draws from. */
export interface SceneSource {
  /** Nodes with their fields' offsets in `mirror`; another object after each `onHello`. */
  readonly tree: SimulationTree;
  /** The newest state, `tree.size` bytes, little-endian: read it during or after `onState`.
   * Another object after each `onHello`. */
  readonly mirror: DataView;
  /** Step count of the state in `mirror`. */
  readonly step: number;
  /** Simulated time between two steps [s]. */
  readonly stepSeconds: number;
  /** Whether simulated time stands still. */
  readonly standsStill: boolean;
  /** Tiles, models, lamps and signals of the world; null as long as there are none. */
  readonly manifest: Manifest | null;
  /** Where the values of `node` are to be read: exact ones where there are any. `mirror` has only
   * what pictures always need; overlays need other values, which the page has to watch. */
  viewOf(node: TreeNode): DataView;
  /** Bytes of a file that the manifest names (its `uri`), from a cache where possible.
   * Rejects with an `Error` whose message says why it cannot be had. */
  fetchBinary(uri: string, signal?: AbortSignal): Promise<ArrayBuffer>;
  /** Calls back after each new state, with its step count. */
  onState(callback: (step: number) => void): Unsubscribe;
  /** Calls back when tree, mirror and manifest are replaced: at the beginning (if they are there
   * already: at once), when another world is loaded, when a robot is added or removed. */
  onHello(callback: () => void): Unsubscribe;
}

/** What panels read in addition to what the scene draws. */
export interface PageSource extends SceneSource {
  /** Name of the world. */
  readonly world: string;
  /** The whole run, where it is known beforehand; null: it is going on. */
  readonly run: WholeRun | null;
  /** Asks for exact values of these nodes. */
  watch(nodes: TreeNode[]): void;
  /** Ends it. */
  close(): void;
}

/** A run from its first to its last state. */
export interface WholeRun {
  readonly firstStep: number;
  readonly lastStep: number;
  /** What happened when, in the order of time. */
  readonly marks: readonly Mark[];
  /** The times [s] of all states, then a course for each number: of a field, by its index. */
  courses(numbers: readonly { field: TreeField; index: number }[]): Promise<number[][]>;
}

/** Something that happened in a run. */
export interface Mark {
  readonly step: number;
  readonly kind: "collision" | "message";
  readonly level: "info" | "warning" | "error";
  readonly source: string;
  readonly text: string;
}
