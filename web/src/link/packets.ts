/**
 * Packets of the stream of states: a decoder for what the gateway writes.
 *
 * A packet has a header of 16 bytes, little-endian: kind (u8), flags (u8; 1: the simulation stands
 * still), number of the key (u16), bytes of the payload (u32), step (i64). The payload of a key or
 * a delta is a sequence of runs over all channels' integers: how many equal the base, how many
 * follow, and of each of these the difference to the base as a zigzag varint. The base of a key is
 * all zeros; that of a delta is the key with its number.
 */

/** A run of words: byte of the first, how many, quantum (0: int64, exact), bytes between two. */
export type Channel = [offset: number, count: number, quantum: number, stride: number];

/** The gateway's first message, and the one that follows each change of the world. */
export interface Hello {
  layout_digest: string;
  step_seconds: number;
  state_bytes: number;
  channels: Channel[];
}

export const Kind = { KEY: 1, DELTA: 2, HEARTBEAT: 3, WATCHED: 4 } as const;

const STANDS_STILL = 1;
const HEADER_BYTES = 16;
const NOT_A_NUMBER = -(2 ** 53);

/** Bits after which a sum of seven-bit groups is no longer exact in a double. */
const EXACT_BITS = 49;

export interface StatePacket {
  kind: "state";
  step: number;
  standsStill: boolean;
  /** Words of all channels, in their order: float64, or int64 where the quantum is 0. */
  words: ArrayBuffer;
}

export interface HeartbeatPacket {
  kind: "heartbeat";
  step: number;
  standsStill: boolean;
  /** What is wrong, "" where nothing is. */
  trouble: string;
}

export interface WatchedPacket {
  kind: "watched";
  step: number;
  standsStill: boolean;
  /** Number of the request that it answers. */
  number: number;
  /** All fields of the nodes asked for, in their order. */
  words: ArrayBuffer;
}

export type Packet = StatePacket | HeartbeatPacket | WatchedPacket;

/** Bytes that are not a packet of this stream. */
export class MalformedPacketError extends Error {
  override readonly name = "MalformedPacketError";
}

/** Index of the 8-byte word in a state of each integer, in the order of the channels. */
export function wordsOf(channels: readonly Channel[]): Uint32Array {
  const count = channels.reduce((sum, each) => sum + each[1], 0);
  const words = new Uint32Array(count);
  let at = 0;
  for (const [offset, length, , stride] of channels) {
    for (let k = 0; k < length; k++) words[at++] = (offset + k * stride) / 8;
  }
  return words;
}

/** Puts words where they belong, as pairs of 32 bits: neither floats nor integers change. */
export function placeWords(words: ArrayBuffer, places: Uint32Array, state: ArrayBuffer): void {
  const from = new Uint32Array(words);
  const to = new Uint32Array(state);
  for (let k = 0; k < places.length; k++) {
    const place = 2 * (places[k] as number);
    to[place] = from[2 * k] as number;
    to[place + 1] = from[2 * k + 1] as number;
  }
}

/** Decodes the packets of one `Hello`, in their order; deltas may be left out. */
export class PacketDecoder {
  readonly #quanta: Float64Array;
  readonly #count: number;
  /** The newest key: its integers, exact below 2^53. */
  #key: Float64Array;
  /** The same of int64 words, in full. */
  #exactKey: BigInt64Array;
  #keyNumber = -1;

  constructor(channels: readonly Channel[]) {
    this.#count = channels.reduce((sum, each) => sum + each[1], 0);
    this.#quanta = new Float64Array(this.#count);
    let at = 0;
    for (const [, count, quantum] of channels) {
      this.#quanta.fill(quantum, at, at + count);
      at += count;
    }
    this.#key = new Float64Array(this.#count);
    this.#exactKey = new BigInt64Array(this.#count);
  }

  /**
   * Decodes one packet.
   *
   * Throws `MalformedPacketError` where it is not one, and returns null for a delta whose key this
   * decoder does not have.
   */
  decode(packet: ArrayBuffer): Packet | null {
    const view = new DataView(packet);
    if (view.byteLength < HEADER_BYTES) {
      throw new MalformedPacketError(`a packet of ${view.byteLength} bytes`);
    }
    const kind = view.getUint8(0);
    const standsStill = (view.getUint8(1) & STANDS_STILL) !== 0;
    const number = view.getUint16(2, true);
    const size = view.getUint32(4, true);
    const step = Number(view.getBigInt64(8, true));
    if (view.byteLength !== HEADER_BYTES + size) {
      throw new MalformedPacketError(
        `a packet of ${view.byteLength} bytes that names ${size} after its header`,
      );
    }
    const payload = new Uint8Array(packet, HEADER_BYTES);
    switch (kind) {
      case Kind.KEY:
        this.#keyNumber = -1;
        this.#key.fill(0);
        this.#exactKey.fill(0n);
        {
          const state = this.#state(payload, true);
          this.#keyNumber = number;
          return { kind: "state", step, standsStill, words: state };
        }
      case Kind.DELTA:
        if (number !== this.#keyNumber) return null;
        return { kind: "state", step, standsStill, words: this.#state(payload, false) };
      case Kind.HEARTBEAT:
        return { kind: "heartbeat", step, standsStill, trouble: new TextDecoder().decode(payload) };
      case Kind.WATCHED:
        return { kind: "watched", step, standsStill, number, words: packet.slice(HEADER_BYTES) };
      default:
        throw new MalformedPacketError(`a packet of the unknown kind ${kind}`);
    }
  }

  /** The words of a key (which becomes the new one) or of a delta. */
  #state(payload: Uint8Array, isKey: boolean): ArrayBuffer {
    const words = new ArrayBuffer(8 * this.#count);
    const floats = new Float64Array(words);
    const integers = new BigInt64Array(words);
    const [quanta, key, exact] = [this.#quanta, this.#key, this.#exactKey];
    if (!isKey) {
      for (let k = 0; k < this.#count; k++) {
        if (quanta[k] === 0) integers[k] = exact[k] as bigint;
        else floats[k] = scaled(key[k] as number, quanta[k] as number);
      }
    }
    const reader = new VarintReader(payload);
    let place = 0;
    while (!reader.isAtEnd) {
      place += reader.count();
      const changed = reader.count();
      if (place + changed > this.#count) {
        throw new MalformedPacketError(`more than ${this.#count} numbers`);
      }
      for (const end = place + changed; place < end; place++) {
        if (quanta[place] === 0) {
          const value = BigInt.asIntN(64, (exact[place] as bigint) + reader.signedInFull());
          integers[place] = value;
          if (isKey) exact[place] = value;
        } else {
          const value = (key[place] as number) + reader.signed();
          floats[place] = scaled(value, quanta[place] as number);
          if (isKey) key[place] = value;
        }
      }
    }
    return words;
  }
}

function scaled(value: number, quantum: number): number {
  return value === NOT_A_NUMBER ? NaN : value * quantum;
}

/** LEB128: seven bits a byte, the lowest first; the highest bit says that another byte follows. */
class VarintReader {
  #at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  get isAtEnd(): boolean {
    return this.#at >= this.bytes.length;
  }

  /** A number of integers. */
  count(): number {
    const { low, high } = this.#next();
    if (high !== 0n) throw new MalformedPacketError("a run that is too long");
    return low;
  }

  /** A signed number, rounded to a double beyond 2^53. */
  signed(): number {
    const { low, high } = this.#next();
    if (high !== 0n) return Number(unfolded(high));
    return low % 2 === 0 ? low / 2 : -(low + 1) / 2;
  }

  signedInFull(): bigint {
    const { low, high } = this.#next();
    return unfolded(high === 0n ? BigInt(low) : high);
  }

  /** The number in `low` where a double holds it, else in `high`. */
  #next(): { low: number; high: bigint } {
    let low = 0;
    let factor = 1;
    for (let bits = 0; bits < EXACT_BITS; bits += 7) {
      const byte = this.#byte();
      low += (byte & 127) * factor;
      if (byte < 128) return { low, high: 0n };
      factor *= 128;
    }
    let high = BigInt(low);
    for (let bits = EXACT_BITS; bits < 70; bits += 7) {
      const byte = this.#byte();
      high += BigInt(byte & 127) << BigInt(bits);
      if (byte < 128) return { low: 0, high };
    }
    throw new MalformedPacketError("a number that is too long");
  }

  #byte(): number {
    const byte = this.bytes[this.#at++];
    if (byte === undefined) throw new MalformedPacketError("a number ends early");
    return byte;
  }
}

/** The signed number that a zigzag number stands for. */
function unfolded(value: bigint): bigint {
  return (value >> 1n) ^ -(value & 1n);
}
