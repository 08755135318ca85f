/** All states of a recording: packets as a server streams them, one behind the other. */

import { Kind, PacketDecoder, placeWords, wordsOf, type Channel } from "../link/packets";

/** Bytes of a packet before its payload. */
const HEADER_BYTES = 16;

/** States after which the page may do something else. */
const SLICE = 100;

interface Frame {
  step: number;
  /** The packet, and the key that it is written against: places in `#packets`. */
  packet: number;
  key: number;
}

export class RecordedStates {
  readonly #packets: ArrayBuffer[] = [];
  readonly #frames: Frame[] = [];
  readonly #words: Uint32Array;
  readonly #decoder: PacketDecoder;
  /** The key that the decoder has; -1: none. */
  #key = -1;

  constructor(
    stream: ArrayBuffer,
    private readonly channels: readonly Channel[],
  ) {
    this.#words = wordsOf(channels);
    this.#decoder = new PacketDecoder(channels);
    const view = new DataView(stream);
    let key = 0;
    for (let at = 0; at + HEADER_BYTES <= view.byteLength; ) {
      const size = HEADER_BYTES + view.getUint32(at + 4, true);
      if (view.getUint8(at) === Kind.KEY) key = this.#packets.length;
      const step = Number(view.getBigInt64(at + 8, true));
      this.#frames.push({ step, packet: this.#packets.length, key });
      this.#packets.push(stream.slice(at, at + size));
      at += size;
    }
    if (this.#frames.length === 0) throw new Error("the recording in this page has no states");
  }

  get count(): number {
    return this.#frames.length;
  }

  /** The step of a state by its place. */
  stepAt(place: number): number {
    return (this.#frames[place] as Frame).step;
  }

  /** The place of the last state that is not later than `step`; 0 before the first. */
  placeOf(step: number): number {
    let [low, high] = [0, this.count - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.stepAt(middle) <= step) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Writes a state to where its words belong. */
  write(place: number, mirror: ArrayBuffer): void {
    const frame = this.#frames[place] as Frame;
    if (frame.key !== this.#key && frame.key !== frame.packet) this.#decode(frame.key);
    this.#key = frame.key;
    placeWords(this.#decode(frame.packet), this.#words, mirror);
  }

  /**
   * The steps of all states, then the course of each number.
   *
   * @param numbers - byte in a state, and whether an integer is there.
   */
  async courses(numbers: readonly { offset: number; isInteger: boolean }[]): Promise<number[][]> {
    // With a decoder of its own: that of the page has the key of what is shown.
    const decoder = new PacketDecoder(this.channels);
    const places = new Map([...this.#words].map((word, place) => [8 * word, place]));
    const found = numbers.map(() => [] as number[]);
    for (let k = 0; k < this.count; k++) {
      if (k % SLICE === SLICE - 1) await new Promise((resolve) => setTimeout(resolve));
      const words = new DataView(wordsIn(decoder, this.#packets[k] as ArrayBuffer));
      numbers.forEach(({ offset, isInteger }, line) => {
        const at = places.get(offset);
        const value =
          at === undefined
            ? NaN
            : isInteger
              ? Number(words.getBigInt64(8 * at, true))
              : words.getFloat64(8 * at, true);
        (found[line] as number[]).push(value);
      });
    }
    return [this.#frames.map((each) => each.step), ...found];
  }

  #decode(packet: number): ArrayBuffer {
    return wordsIn(this.#decoder, this.#packets[packet] as ArrayBuffer);
  }
}

function wordsIn(decoder: PacketDecoder, packet: ArrayBuffer): ArrayBuffer {
  const state = decoder.decode(packet);
  if (state?.kind !== "state") throw new Error("the recording in this page is damaged");
  return state.words;
}
