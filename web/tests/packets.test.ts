import { readFileSync } from "node:fs";
import { env } from "node:process";
import { describe, expect, test } from "vitest";

import { MalformedPacketError, PacketDecoder, wordsOf, type Hello } from "../src/link/packets";

/** As `python -m tests.web.packet_vectors` writes them: by the gateway's own encoder. */
interface Vectors {
  hello: Hello;
  packets: {
    bytes: string;
    kind: number;
    step?: number;
    standing?: boolean;
    values?: (number | string | null)[][];
  }[];
}

const FILE = env["AUTOSIM_PACKETS"];

function bytesOf(hex: string): ArrayBuffer {
  return new Uint8Array((hex.match(/../g) ?? []).map((each) => parseInt(each, 16))).buffer;
}

describe.skipIf(FILE === undefined)("packets of the gateway's encoder", () => {
  const vectors = JSON.parse(FILE === undefined ? "{}" : readFileSync(FILE, "utf8")) as Vectors;

  test("keys and deltas become the values that were encoded", () => {
    const { channels } = vectors.hello;
    const decoder = new PacketDecoder(channels);
    let compared = 0;
    for (const { bytes, step, standing, values } of vectors.packets) {
      if (values === undefined) continue;
      const packet = decoder.decode(bytesOf(bytes));
      if (packet?.kind !== "state") throw new Error("not a state");
      expect(packet.step).toBe(step);
      expect(packet.standsStill).toBe(standing);
      const floats = new Float64Array(packet.words);
      const integers = new BigInt64Array(packet.words);
      let at = 0;
      channels.forEach(([, , quantum], row) => {
        for (const value of values[row] ?? []) {
          if (quantum === 0) expect(String(integers[at])).toBe(value);
          else if (value === null) expect(floats[at]).toBeNaN();
          else expect(floats[at]).toBe(value);
          at++;
          compared++;
        }
      });
      expect(at).toBe(wordsOf(channels).length);
    }
    expect(compared).toBeGreaterThan(500);
  });

  test("any deltas may be left out", () => {
    const decoder = new PacketDecoder(vectors.hello.channels);
    const whole = new PacketDecoder(vectors.hello.channels);
    const states = vectors.packets.filter((each) => each.values !== undefined);
    states.forEach(({ bytes, kind }, k) => {
      const expected = whole.decode(bytesOf(bytes));
      if (kind === 2 && k % 3 !== 0) return;
      expect(decoder.decode(bytesOf(bytes))).toEqual(expected);
    });
  });

  test("heartbeats and watched values are told apart", () => {
    const decoder = new PacketDecoder(vectors.hello.channels);
    const others = vectors.packets.filter((each) => each.values === undefined);
    const [heartbeat, watched] = others.map((each) => decoder.decode(bytesOf(each.bytes)));
    expect(heartbeat).toMatchObject({ kind: "heartbeat", trouble: "lost", step: 111 });
    expect(watched).toMatchObject({ kind: "watched", number: 3 });
  });

  test("no cut packet is taken for a whole one", () => {
    const [key] = vectors.packets;
    const bytes = bytesOf(key?.bytes ?? "");
    for (let size = 0; size < bytes.byteLength; size++) {
      const decoder = new PacketDecoder(vectors.hello.channels);
      expect(() => decoder.decode(bytes.slice(0, size))).toThrow(MalformedPacketError);
    }
  });
});

/** A packet of one channel with a payload of these bytes. */
function packet(kind: number, payload: number[], key = 0): ArrayBuffer {
  const bytes = new Uint8Array(16 + payload.length);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, kind);
  view.setUint16(2, key, true);
  view.setUint32(4, payload.length, true);
  view.setBigInt64(8, 7n, true);
  bytes.set(payload, 16);
  return bytes.buffer;
}

test("a delta without its key is left out", () => {
  const decoder = new PacketDecoder([[0, 2, 0.5, 8]]);
  expect(decoder.decode(packet(2, [0, 1, 4], 1))).toBeNull();
  decoder.decode(packet(1, [0, 1, 4], 1));
  const found = decoder.decode(packet(2, [1, 1, 6], 1));
  expect(found?.kind === "state" && [...new Float64Array(found.words)]).toEqual([1, 1.5]);
});

test("a packet with more numbers than the state has is refused", () => {
  const decoder = new PacketDecoder([[0, 2, 0.5, 8]]);
  expect(() => decoder.decode(packet(1, [0, 3, 2, 2, 2]))).toThrow("more than 2 numbers");
  expect(() => decoder.decode(packet(1, [0, 1, ...Array<number>(12).fill(255)]))).toThrow("too long");
  expect(() => decoder.decode(packet(9, []))).toThrow("unknown kind 9");
});

test("words of tables lie a row apart", () => {
  expect([...wordsOf([[16, 2, 0, 8], [32, 3, 1, 24]])]).toEqual([2, 3, 4, 7, 10]);
});
