/** Messages of the server, its programs and this page. */

import { signal } from "@preact/signals";

export type Level = "info" | "warning" | "error";

export interface Entry {
  number: number;
  level: Level;
  /** When it came to this page; "" of a recording. */
  clock: string;
  /** Simulated time [s]; null where it has none. */
  time: number | null;
  source: string;
  text: string;
}

const MOST = 2000;

export class Messages {
  readonly list = signal<Entry[]>([]);
  #number = 0;

  add(
    entries: Omit<Entry, "clock" | "number">[],
    clock = new Date().toLocaleTimeString("en-GB"),
  ): void {
    if (entries.length === 0) return;
    const added = entries.map((each) => ({ ...each, clock, number: this.#number++ }));
    this.list.value = [...this.list.value, ...added].slice(-MOST);
  }

  clear(): void {
    this.list.value = [];
  }
}
