/**
 * The seam between what a picture shows and where that comes from: a server, a replay, or a
 * recording inside the page itself. Nothing here names a network.
 */

import type { Manifest } from "./manifest";
import type { SimulationTree } from "./tree";

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
  /** Bytes of a file that the manifest names (its `uri`), from a cache where possible.
   * Rejects with an `Error` whose message says why it cannot be had. */
  fetchBinary(uri: string, signal?: AbortSignal): Promise<ArrayBuffer>;
  /** Calls back after each new state, with its step count. */
  onState(callback: (step: number) => void): Unsubscribe;
  /** Calls back when tree, mirror and manifest are replaced: at the beginning (if they are there
   * already: at once), when another world is loaded, when a robot is added or removed. */
  onHello(callback: () => void): Unsubscribe;
}
