/** Light that glares: what is brighter than the picture can show spills over. */

import {
  HalfFloatType,
  type PerspectiveCamera,
  type Scene,
  Vector2,
  type WebGLRenderer,
  WebGLRenderTarget,
} from "three";
import { EffectComposer } from "three/examples/jsm/postprocessing/EffectComposer.js";
import { OutputPass } from "three/examples/jsm/postprocessing/OutputPass.js";
import { RenderPass } from "three/examples/jsm/postprocessing/RenderPass.js";
import { UnrealBloomPass } from "three/examples/jsm/postprocessing/UnrealBloomPass.js";

import type { Daylight } from "./daylight";

/** Draws a scene with glare. */
export class Bloom {
  readonly #composer: EffectComposer;
  readonly #pass: UnrealBloomPass;

  constructor(renderer: WebGLRenderer, scene: Scene, camera: PerspectiveCamera) {
    const size = renderer.getDrawingBufferSize(new Vector2());
    const target = new WebGLRenderTarget(size.x, size.y, { type: HalfFloatType, samples: 4 });
    this.#composer = new EffectComposer(renderer, target);
    this.#pass = new UnrealBloomPass(size.clone().multiplyScalar(0.5), 0.2, 0.6, 1);
    this.#composer.addPass(new RenderPass(scene, camera));
    this.#composer.addPass(this.#pass);
    this.#composer.addPass(new OutputPass());
  }

  /** Fits to a size [CSS pixels]. */
  resize(width: number, height: number, pixelRatio: number): void {
    this.#composer.setPixelRatio(pixelRatio);
    this.#composer.setSize(width, height);
  }

  /** Draws a picture. */
  render(daylight: Daylight): void {
    this.#pass.threshold = 2.2 / daylight.exposure;
    this.#pass.strength = 0.10 + 0.28 * daylight.darkness;
    this.#composer.render();
  }

  /** Frees what is on the graphics card. */
  dispose(): void {
    for (const pass of this.#composer.passes) pass.dispose();
    this.#composer.dispose();
  }
}
