/** How a page reaches its simulation: a server, or a recording in the page itself. */

import type { Entry } from "./entering";
import type { SimulatorClient } from "./simulator";
import type { PageSource } from "./source";

/** How the connection is. */
export type Connection =
  | { kind: "connecting" }
  | { kind: "live" }
  | { kind: "lost"; reason: string }
  | { kind: "refused"; reason: string };

export interface PageLink {
  readonly entry: Entry;
  readonly client: SimulatorClient;
  /** Sets the fields of an actuator (`commandData`) with the next step; rejects with the reason. */
  setActuator(path: string, data: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Begins with states; `changed` is told how the connection is, and its trouble ("": none). */
  openSource(changed: (connection: Connection, trouble: string) => void): PageSource;
  /** The part of the page that drives a robot. */
  startParticipation(): Worker;
}
