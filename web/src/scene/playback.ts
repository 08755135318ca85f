/**
 * States between states: a screen of 60 pictures a second shows 20 states a second smoothly.
 *
 * Pictures follow simulated time, one interval between states late, for only then is it known where
 * things move to. The clock of the pictures runs at the measured pace of the simulation and is
 * pulled towards its goal gently, so that late packets do not show.
 */

import {
  P,
  PERSON_WIDTH,
  type SceneLayout,
  type TableWords,
  V,
  VEHICLE_WIDTH,
} from "./layout";

/** Distance [m] between two states beyond which a thing was moved rather than moving. */
const JUMP = 12;
/** Number of states that are kept: enough to bridge the jitter of a network. */
const KEPT = 10;
/** Pauses [s, wall clock] longer than this do not count for the pace. */
const LONGEST = 1.5;
/** Time [s, simulated] between two states from which on, if it is also many of the usual
 * intervals, the run was moved to another moment. */
const LEAP = 2;
const MANY = 8;
/** Difference [s, simulated] between the pictures' clock and its goal from which on it jumps. */
const FAR_OFF = 1.0;

interface Moment {
  readonly floats: Float64Array;
  readonly step: number;
  readonly time: number;
  readonly arrived: number;
}

/** Columns of a table that change steadily, and those that are angles. */
interface Crowd extends TableWords {
  readonly linear: readonly number[];
  readonly angles: readonly number[];
  /** The column of x; y and z follow. */
  readonly x: number;
}

/** Decides what to show when. */
export class Playback {
  /** The state that is shown, as numbers; whole numbers are at the same words of `integers`. */
  readonly floats: Float64Array;
  readonly integers: BigInt64Array;
  /** Simulated time [s] of what is shown. */
  time = 0;

  readonly #layout: SceneLayout;
  readonly #crowds: readonly Crowd[];
  #moments: Moment[] = [];
  #spare: Float64Array[] = [];
  #shown = "";
  /** Simulated seconds per second, and those between two states; smoothed. */
  #pace = 1;
  #interval = 0.05;
  /** Where simulated time is expected to be when the newest state came, and how late [s, wall
   * clock] states come at most. */
  #expected = 0;
  #jitter = 0;
  #now = 0;

  constructor(layout: SceneLayout) {
    this.#layout = layout;
    this.floats = new Float64Array(layout.words);
    this.integers = new BigInt64Array(this.floats.buffer);
    this.#crowds = crowdsOf(layout);
  }

  /** Whether any state has come. */
  get isEmpty(): boolean {
    return this.#moments.length === 0;
  }

  /** Takes over the state in `mirror`, which arrived at `now` [s, wall clock]. */
  take(mirror: DataView, step: number, stepSeconds: number, now: number): void {
    const time = step * stepSeconds;
    const newest = this.#moments.at(-1);
    if (newest !== undefined && step <= newest.step) {
      if (step === newest.step) {
        newest.floats.set(wordsOf(mirror, this.#layout.words));
        this.#shown = "";
        return;
      }
      this.#forget();
    }
    const floats = this.#spare.pop() ?? new Float64Array(this.#layout.words);
    floats.set(wordsOf(mirror, this.#layout.words));
    const last = this.#moments.at(-1);
    if (last !== undefined) {
      const passed = now - last.arrived;
      if (time - last.time > Math.max(LEAP, MANY * this.#interval)) {
        this.#forget();
      } else if (passed > 0 && passed < LONGEST) {
        // Over several states: the mean of single paces would be too fast where packets are late.
        const first = this.#moments[0] ?? last;
        const pace = (time - first.time) / (now - first.arrived);
        this.#pace += 0.12 * (pace - this.#pace);
        this.#interval += 0.2 * (time - last.time - this.#interval);
        this.#expected += passed * this.#pace;
        const late = (this.#expected - time) / Math.max(this.#pace, 0.05);
        this.#jitter = Math.min(Math.max(0.985 * this.#jitter, late), 0.25);
        this.#expected += 0.12 * (time - this.#expected);
      } else if (passed >= LONGEST) {
        this.#forget();
      }
    }
    this.#moments.push({ floats, step, time, arrived: now });
    if (this.#moments.length === 1) {
      this.time = this.#expected = time;
      this.#jitter = 0;
      this.#now = now;
    }
    while (this.#moments.length > KEPT) {
      const old = this.#moments.shift();
      if (old !== undefined) this.#spare.push(old.floats);
    }
  }

  /** Brings what is shown up to `now` [s, wall clock]; false where there is nothing new. */
  advance(now: number): boolean {
    const newest = this.#moments.at(-1);
    if (newest === undefined) return false;
    const passed = Math.min(Math.max(now - this.#now, 0), 0.25);
    this.#now = now;
    const pace = Math.max(this.#pace, 0);
    const ahead = (now - newest.arrived - this.#jitter) * pace;
    const goal = this.#expected + ahead - 1.1 * this.#interval;
    let next = this.time + passed * pace;
    next += (goal - next) * Math.min(1, 3 * passed);
    if (Math.abs(goal - next) > FAR_OFF * Math.max(1, pace)) next = goal;
    // Time never runs back between two states of one run, nor beyond the newest.
    next = Math.min(Math.max(next, this.time), newest.time);
    const first = this.#moments[0];
    if (first !== undefined) next = Math.max(next, first.time);
    this.time = next;
    return this.#show(next);
  }

  #show(time: number): boolean {
    let later = this.#moments.length - 1;
    while (later > 0 && (this.#moments[later - 1]?.time ?? 0) >= time) later -= 1;
    const b = this.#moments[later];
    const a = this.#moments[later - 1];
    if (b === undefined) return false;
    const share = a === undefined ? 1 : (time - a.time) / (b.time - a.time);
    const key = `${b.step}:${share}`;
    if (key === this.#shown) return false;
    this.#shown = key;
    this.floats.set(b.floats);
    if (a !== undefined && share < 1) this.#between(a.floats, b.floats, share);
    return true;
  }

  #between(a: Float64Array, b: Float64Array, share: number): void {
    const out = this.floats;
    for (const { position, orientation } of this.#layout.bodies) {
      if (distance(a, b, position) > JUMP) continue;
      for (let k = position; k < position + 3; k += 1) out[k] = mix(a, b, k, share);
      slerp(a, b, orientation, share, out);
    }
    for (const { steering, rotation, suspension } of this.#layout.wheels) {
      for (const word of [steering, rotation, suspension]) {
        if (word >= 0) out[word] = mix(a, b, word, share);
      }
    }
    for (const crowd of this.#crowds) mixCrowd(crowd, a, b, share, out);
  }

  #forget(): void {
    this.#spare.push(...this.#moments.map((each) => each.floats));
    this.#moments = [];
    this.#shown = "";
  }
}

function wordsOf(mirror: DataView, words: number): Float64Array {
  return new Float64Array(mirror.buffer, mirror.byteOffset, words);
}

function crowdsOf(layout: SceneLayout): Crowd[] {
  const crowds: Crowd[] = [];
  if (layout.vehicles?.width === VEHICLE_WIDTH) {
    const linear = [V.x, V.y, V.z, V.speed, V.steering, V.rolled];
    crowds.push({ ...layout.vehicles, linear, angles: [V.yaw, V.pitch, V.roll], x: V.x });
  }
  if (layout.people?.width === PERSON_WIDTH) {
    const linear = [P.x, P.y, P.z, P.speed, P.walked, P.posture];
    crowds.push({ ...layout.people, linear, angles: [P.yaw], x: P.x });
  }
  return crowds;
}

function mixCrowd(
  crowd: Crowd,
  a: Float64Array,
  b: Float64Array,
  share: number,
  out: Float64Array,
): void {
  for (let row = 0; row < crowd.rows; row += 1) {
    const start = crowd.start + row * crowd.width;
    const isSame = a[start] === b[start] && (b[start] ?? -1) >= 0;
    if (!isSame || distance(a, b, start + crowd.x) > JUMP) continue;
    for (const column of crowd.linear) out[start + column] = mix(a, b, start + column, share);
    for (const column of crowd.angles) {
      const k = start + column;
      out[k] = (a[k] ?? 0) + share * turned((b[k] ?? 0) - (a[k] ?? 0));
    }
  }
}

function mix(a: Float64Array, b: Float64Array, k: number, share: number): number {
  const from = a[k] ?? 0;
  return from + share * ((b[k] ?? 0) - from);
}

/** The greatest difference of the three numbers from word `k` on. */
function distance(a: Float64Array, b: Float64Array, k: number): number {
  let most = 0;
  for (let i = k; i < k + 3; i += 1) most = Math.max(most, Math.abs((b[i] ?? 0) - (a[i] ?? 0)));
  return most;
}

/** An angle [rad] within -π..π. */
export function turned(angle: number): number {
  return angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
}

/** Writes the orientation at `share` of the way along the shortest arc at word `k` of `out`. */
export function slerp(
  a: Float64Array,
  b: Float64Array,
  k: number,
  share: number,
  out: Float64Array,
): void {
  let cosine = 0;
  for (let i = k; i < k + 4; i += 1) cosine += (a[i] ?? 0) * (b[i] ?? 0);
  const sign = cosine < 0 ? -1 : 1;
  cosine = Math.min(Math.abs(cosine), 1);
  let from = 1 - share;
  let to = share;
  if (cosine < 0.9995) {
    const angle = Math.acos(cosine);
    from = Math.sin(from * angle) / Math.sin(angle);
    to = Math.sin(to * angle) / Math.sin(angle);
  }
  let length = 0;
  for (let i = k; i < k + 4; i += 1) {
    const value = from * (a[i] ?? 0) + sign * to * (b[i] ?? 0);
    out[i] = value;
    length += value * value;
  }
  length = Math.sqrt(length) || 1;
  for (let i = k; i < k + 4; i += 1) out[i] = (out[i] ?? 0) / length;
}
