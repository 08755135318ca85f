/** Times of the last pictures, and what they say. */

/** Mean and 95th percentile of the time between pictures [ms], and pictures per second. */
export interface FrameFigures {
  readonly framesPerSecond: number;
  readonly meanMilliseconds: number;
  readonly p95Milliseconds: number;
}

/** What a view shows, and how fast. */
export interface SceneStats extends FrameFigures {
  readonly triangles: number;
  readonly calls: number;
  readonly tilesShown: number;
  readonly tilesWanted: number;
  /** Bytes of tiles on the graphics card. */
  readonly tileBytes: number;
  readonly quality: string;
  readonly pixelRatio: number;
  readonly renderer: string;
  /** Whether all that is wanted of the town is shown. */
  readonly isComplete: boolean;
}

const KEPT = 180;

/** A ring of the last times. */
export class FrameTimes {
  #times: number[] = [];

  /** Adds the time [s] between two pictures. */
  add(seconds: number): void {
    this.#times.push(seconds);
    if (this.#times.length > KEPT) this.#times = this.#times.slice(-KEPT / 2);
  }

  /** Forgets all. */
  clear(): void {
    this.#times = [];
  }

  /** The figures; zeros where there are no times. */
  get figures(): FrameFigures {
    const count = this.#times.length;
    if (count === 0) return { framesPerSecond: 0, meanMilliseconds: 0, p95Milliseconds: 0 };
    const mean = this.#times.reduce((sum, each) => sum + each, 0) / count;
    const sorted = [...this.#times].sort((a, b) => a - b);
    const p95 = sorted[Math.min(count - 1, Math.floor(0.95 * count))] ?? 0;
    return {
      framesPerSecond: 1 / mean,
      meanMilliseconds: 1000 * mean,
      p95Milliseconds: 1000 * p95,
    };
  }
}
