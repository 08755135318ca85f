/** The page's end of the stream of states: connects, reconnects, and keeps the newest state. */

import { placeWords, wordsOf, type Hello } from "./packets";
import type { FromWorker, ToWorker } from "./stream_worker";

/** Waits [s] before the next tries to connect; the last one repeats. */
const WAITS = [0.3, 0.7, 1.5, 3, 5];

/** Close codes after which another try with the same token is of no use. */
const REFUSALS = new Set([1008]);

/** Nodes that are watched at a time at most. */
export const MOST_WATCHED = 200;

/** Bytes of the values of these nodes at most. */
export const MOST_WATCHED_BYTES = 512 * 1024;

/** Real time [ms] in which wishes to watch become one: a tree that scrolls has many. */
const WATCH_WAIT = 150;

export interface StreamEvents {
  hello(hello: Hello): void;
  state(step: number, standsStill: boolean): void;
  /** `trouble` "" where all is well. */
  heartbeat(step: number, standsStill: boolean, trouble: string): void;
  watched(number: number, words: ArrayBuffer): void;
  lost(reason: string): void;
  refused(reason: string): void;
}

/** States of one server, newest only. */
export class StateStream {
  #worker: Worker;
  #words: Uint32Array = new Uint32Array(0);
  #tries = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #watchTimer: ReturnType<typeof setTimeout> | null = null;
  #isClosed = false;
  #watch: { names: string[]; number: number } = { names: [], number: 0 };
  /** The newest state: `state_bytes` long. */
  buffer = new ArrayBuffer(0);

  constructor(
    private readonly url: string,
    private readonly token: string,
    private readonly rateHz: number,
    private readonly events: StreamEvents,
  ) {
    this.#worker = new Worker(new URL("./stream_worker.ts", import.meta.url), { type: "module" });
    this.#worker.onmessage = ({ data }: MessageEvent<FromWorker>): void => this.#take(data);
    this.#open();
  }

  /** Asks for the exact values of these nodes; returns the number that the answers carry.
   * Of several wishes at once the last one counts. */
  watch(names: string[]): number {
    const number = (this.#watch.number + 1) % 0x10000;
    this.#watch = { names: names.slice(0, MOST_WATCHED), number };
    this.#watchTimer ??= setTimeout(() => {
      this.#watchTimer = null;
      this.#send({ kind: "watch", ...this.#watch });
    }, WATCH_WAIT);
    return number;
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#watchTimer !== null) clearTimeout(this.#watchTimer);
    this.#worker.terminate();
  }

  #open(): void {
    this.#send({ kind: "open", url: this.url, token: this.token, rateHz: this.rateHz });
  }

  #send(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #take(message: FromWorker): void {
    if (this.#isClosed) return;
    switch (message.kind) {
      case "hello":
        this.#tries = 0;
        this.#words = wordsOf(message.hello.channels);
        this.buffer = new ArrayBuffer(message.hello.state_bytes);
        this.events.hello(message.hello);
        if (this.#watch.names.length > 0) this.#send({ kind: "watch", ...this.#watch });
        break;
      case "packet":
        this.#takePacket(message.packet);
        break;
      case "closed":
        this.#closed(message.code, message.reason);
    }
  }

  #takePacket(packet: (FromWorker & { kind: "packet" })["packet"]): void {
    switch (packet.kind) {
      case "state":
        placeWords(packet.words, this.#words, this.buffer);
        this.events.state(packet.step, packet.standsStill);
        this.#send({ kind: "ready" });
        break;
      case "heartbeat":
        this.events.heartbeat(packet.step, packet.standsStill, packet.trouble);
        break;
      case "watched":
        this.events.watched(packet.number, packet.words);
    }
  }

  #closed(code: number, reason: string): void {
    if (REFUSALS.has(code)) {
      this.events.refused(reason);
      return;
    }
    this.events.lost(reason);
    const wait = WAITS[Math.min(this.#tries++, WAITS.length - 1)] as number;
    this.#timer = setTimeout(() => this.#open(), 1000 * wait);
  }
}
