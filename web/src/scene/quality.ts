/** How well pictures are drawn: steps that follow the time that a picture takes. */

import type { WebGLRenderer } from "three";

/** A step of quality. */
export interface Quality {
  readonly name: string;
  /** Most pixels per CSS pixel. */
  readonly pixelRatio: number;
  /** Edge of the shadow map [pixels]; 0: no shadows. */
  readonly shadows: number;
  /** Pictures between two updates of the shadows. */
  readonly shadowInterval: number;
  /** Distance [m] up to which there are shadows. */
  readonly shadowReach: number;
  /** Whether all materials reflect the sun, and whether light glares. */
  readonly isFine: boolean;
  readonly hasBloom: boolean;
  /** Factor on the distances of details. */
  readonly reach: number;
  readonly lampMap: number;
}

export const QUALITIES: readonly Quality[] = [
  step("lowest", 0.4, 0, 8, 40, false, false, 0.5, 128),
  step("low", 0.6, 512, 6, 50, false, false, 0.6, 128),
  step("reduced", 0.85, 1024, 3, 80, false, false, 0.75, 256),
  step("medium", 1, 1024, 2, 120, false, false, 1, 256),
  step("high", 1.5, 2048, 1, 170, true, true, 1.2, 512),
  step("highest", 2, 4096, 1, 220, true, true, 1.6, 512),
];

function step(
  name: string,
  pixelRatio: number,
  shadows: number,
  shadowInterval: number,
  shadowReach: number,
  isFine: boolean,
  hasBloom: boolean,
  reach: number,
  lampMap: number,
): Quality {
  return {
    name,
    pixelRatio,
    shadows,
    shadowInterval,
    shadowReach,
    isFine,
    hasBloom,
    reach,
    lampMap,
  };
}

/** The first step for a renderer by its name, as WebGL tells it. */
export function firstQuality(renderer: string): number {
  if (/swiftshader|llvmpipe|software|basic render/i.test(renderer)) return 1;
  if (/mali|adreno|powervr|apple gpu|videocore/i.test(renderer)) return 3;
  if (/intel/i.test(renderer)) return 3;
  return 4;
}

/** Pictures in a row that are judged together. */
const JUDGED = 24;
const SLOW = 1 / 34;
const FAST = 1 / 75;

/** Chooses the step by the seconds that pictures take. */
export class QualityControl {
  step: number;
  /** Whether it may change by itself. */
  isAutomatic = true;
  readonly #slowest: number;
  readonly #times: number[] = [];
  #waits = 0;
  /** A step that was too slow: it is not tried again soon. */
  #ceiling = QUALITIES.length - 1;
  #patience = 0;

  constructor(first: number) {
    this.step = first;
    this.#slowest = first <= 1 ? 1 / 9 : SLOW;
  }

  get quality(): Quality {
    return QUALITIES[this.step] ?? (QUALITIES[0] as Quality);
  }

  /**
   * Takes over what a picture has cost, and from when to when it lasted.
   *
   * @param cost - [s] of work for it, as far as known.
   * @param interval - [s] since the picture before.
   * @returns whether the step has changed.
   */
  add(cost: number, interval: number): boolean {
    if (!this.isAutomatic || interval > 0.8) return false;
    if (this.#waits > 0) {
      this.#waits -= 1;
      return false;
    }
    this.#times.push(Math.max(cost, interval > 1 / 40 ? interval : cost));
    if (this.#times.length < JUDGED) return false;
    const sorted = [...this.#times].sort((a, b) => a - b);
    const median = sorted[JUDGED >> 1] ?? 0;
    this.#times.length = 0;
    if (median > this.#slowest && this.step > 0) {
      this.#ceiling = this.step - 1;
      this.#patience = 40;
      return this.#change(-1);
    }
    this.#patience -= 1;
    if (this.#patience <= 0) this.#ceiling = QUALITIES.length - 1;
    if (median < FAST && this.step < this.#ceiling) return this.#change(1);
    return false;
  }

  #change(by: number): boolean {
    this.step += by;
    this.#waits = 30;
    return true;
  }
}

/** The name of what draws: a graphics card, or a program. */
export function rendererName(renderer: WebGLRenderer): string {
  const gl = renderer.getContext();
  const extension = gl.getExtension("WEBGL_debug_renderer_info");
  const name: unknown = gl.getParameter(extension?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER);
  return String(name);
}
