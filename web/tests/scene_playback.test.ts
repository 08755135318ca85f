import { expect, test } from "vitest";

import type { SceneLayout } from "../src/scene/layout";
import { Playback, slerp, turned } from "../src/scene/playback";

const STEP = 1 / 240;
/** A body at words 0 to 6, a vehicle at words 8 to 19. */
const LAYOUT: SceneLayout = {
  words: 20,
  bodies: [{ path: "car.chassis", kind: "Box", position: 0, orientation: 3 }],
  wheels: [],
  lamps: [],
  vehicles: { start: 8, rows: 1, width: 12 },
  people: null,
  signals: null,
};

function state(x: number, vehicle: Partial<Record<number, number>> = {}): DataView {
  const words = new Float64Array(20);
  words[0] = x;
  words[6] = 1;
  for (const [column, value] of Object.entries(vehicle)) words[8 + Number(column)] = value ?? 0;
  return new DataView(words.buffer);
}

/** Shows 60 pictures a second of something that goes 10 m/s, of which 20 states come a second. */
function positions(arrivals: (k: number) => number): number[] {
  const playback = new Playback(LAYOUT);
  const shown: number[] = [];
  let k = 0;
  for (let picture = 0; picture < 180; picture += 1) {
    const now = picture / 60;
    while (arrivals(k) <= now) {
      playback.take(state(0.5 * k), 12 * k, STEP, now);
      k += 1;
    }
    playback.advance(now);
    shown.push(playback.floats[0] ?? 0);
  }
  return shown;
}

test("20 states a second become even steps of 60 pictures", () => {
  const shown = positions((k) => k / 20).slice(90);
  const steps = shown.slice(1).map((x, k) => x - (shown[k] ?? 0));
  expect(Math.min(...steps)).toBeGreaterThan(0.12);
  expect(Math.max(...steps)).toBeLessThan(0.21);
});

test("late packets are not seen", () => {
  const shown = positions((k) => k / 20 + (k % 3 === 0 ? 0.02 : 0)).slice(90);
  const steps = shown.slice(1).map((x, k) => x - (shown[k] ?? 0));
  expect(Math.min(...steps)).toBeGreaterThan(0.02);
  expect(Math.max(...steps)).toBeLessThan(0.3);
});

test("a state that comes alone is shown as it is", () => {
  const playback = new Playback(LAYOUT);
  playback.take(state(7), 0, STEP, 0);
  expect(playback.advance(0.01)).toBe(true);
  expect(playback.floats[0]).toBe(7);
  expect(playback.advance(0.02)).toBe(false);
});

test("what was moved far does not glide there", () => {
  const playback = new Playback(LAYOUT);
  playback.take(state(0), 0, STEP, 0);
  playback.take(state(100), 12, STEP, 0.05);
  for (let now = 0.05; now < 0.2; now += 0.01) {
    playback.advance(now);
    expect([0, 100]).toContain(playback.floats[0]);
  }
});

test("a rewind begins again at once", () => {
  const playback = new Playback(LAYOUT);
  playback.take(state(5), 2400, STEP, 0);
  playback.take(state(6), 2412, STEP, 0.05);
  playback.take(state(1), 240, STEP, 0.1);
  playback.advance(0.1);
  expect(playback.floats[0]).toBe(1);
  expect(playback.time).toBeCloseTo(1);
});

test("a leap to a later moment shows it at once, and does not change the pace", () => {
  const playback = new Playback(LAYOUT);
  playback.take(state(0), 0, STEP, 0);
  playback.take(state(1), 12, STEP, 0.05);
  playback.take(state(500), 7200, STEP, 0.1);
  playback.advance(0.1);
  expect(playback.floats[0]).toBe(500);
  for (let k = 1; k <= 20; k++) {
    playback.take(state(500 + k), 7200 + 12 * k, STEP, 0.1 + 0.05 * k);
    playback.advance(0.1 + 0.05 * k);
    expect(playback.time).toBeLessThanOrEqual((7200 + 12 * k) * STEP);
    expect(playback.time).toBeGreaterThan((7200 + 12 * k) * STEP - 0.3);
  }
});

test("another vehicle in the same row appears without a glide, angles take the short way", () => {
  const playback = new Playback(LAYOUT);
  playback.take(state(0, { 0: 1, 1: 0, 4: 3.1 }), 0, STEP, 0);
  playback.take(state(0, { 0: 1, 1: 1, 4: -3.1 }), 12, STEP, 0.05);
  const yaws = new Set<boolean>();
  for (let now = 0.05; now < 0.2; now += 0.01) {
    playback.advance(now);
    yaws.add(Math.abs(playback.floats[12] ?? 0) >= 3.1 - 1e-9);
  }
  expect([...yaws]).toEqual([true]);
  playback.take(state(0, { 0: 2, 1: 5 }), 24, STEP, 0.2);
  for (let now = 0.2; now < 0.3; now += 0.01) {
    playback.advance(now);
    expect([1, 5]).toContain(playback.floats[9]);
  }
});

test("orientations go along the shorter arc and keep their length", () => {
  const a = Float64Array.from([0, 0, 0, 1]);
  const b = Float64Array.from([0, 0, -Math.SQRT1_2, -Math.SQRT1_2]);
  const out = new Float64Array(4);
  slerp(a, b, 0, 0.5, out);
  expect(out[2]).toBeCloseTo(Math.sin(Math.PI / 8));
  expect(out[3]).toBeCloseTo(Math.cos(Math.PI / 8));
  expect(turned(2 * Math.PI + 0.1)).toBeCloseTo(0.1);
});
