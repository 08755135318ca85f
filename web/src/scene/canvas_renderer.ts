/** What draws into a canvas, in a quality that follows the time that pictures take. */

import {
  ACESFilmicToneMapping,
  type Object3D,
  PCFShadowMap,
  type PerspectiveCamera,
  type Scene,
  WebGLRenderer,
} from "three";

import { Bloom } from "./bloom";
import type { Daylight } from "./daylight";
import { firstQuality, QUALITIES, type Quality, QualityControl, rendererName } from "./quality";

/** Wait [ms] between two looks whether the graphics card is done. */
const LOOK_AGAIN = 15;

/** Settings that tests and pages may make. */
export interface SceneOptions {
  /** A name of `QUALITIES`; without it, quality follows the time that pictures take. */
  readonly quality?: string;
  readonly keepsPicture?: boolean;
}

/** Draws a scene, as a camera sees it, into a canvas. */
export class CanvasRenderer {
  readonly renderer: WebGLRenderer;
  /** The name of what draws: a graphics card, or a program. */
  readonly name: string;
  readonly quality: QualityControl;
  readonly #canvas: HTMLCanvasElement;
  readonly #scene: Scene;
  readonly #camera: PerspectiveCamera;
  #bloom: Bloom | null = null;
  #isGone = false;

  constructor(canvas: HTMLCanvasElement, scene: Scene, camera: PerspectiveCamera, options: SceneOptions) {
    this.#canvas = canvas;
    this.#scene = scene;
    this.#camera = camera;
    this.renderer = new WebGLRenderer({
      canvas,
      antialias: true,
      powerPreference: "high-performance",
      preserveDrawingBuffer: options.keepsPicture === true,
    });
    this.name = rendererName(this.renderer);
    const chosen = QUALITIES.findIndex((each) => each.name === options.quality);
    this.quality = new QualityControl(chosen >= 0 ? chosen : firstQuality(this.name));
    this.quality.isAutomatic = chosen < 0;
    this.renderer.toneMapping = ACESFilmicToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.shadowMap.autoUpdate = false;
    this.renderer.info.autoReset = false;
    // Asking for the errors of each program waits for it; the tests would see them.
    this.renderer.debug.checkShaderErrors = false;
  }

  /** Whether light glares, which takes a graphics card: programs are others, and quickly compiled. */
  get hasGlare(): boolean {
    return this.#bloom !== null;
  }

  /** Takes over the quality that is chosen. */
  choose(quality: Quality): void {
    const ratio = Math.min(quality.pixelRatio, Math.max(window.devicePixelRatio, 1));
    this.renderer.setPixelRatio(ratio);
    if (quality.hasBloom === this.hasGlare) return;
    this.#bloom?.dispose();
    this.#bloom = quality.hasBloom ? new Bloom(this.renderer, this.#scene, this.#camera) : null;
  }

  /** Fits the picture to what the canvas lies in; whether there is any room. */
  fit(): boolean {
    const { clientWidth, clientHeight } = this.#canvas.parentElement ?? this.#canvas;
    if (clientWidth === 0 || clientHeight === 0) return false;
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.#canvas.style.width = `${clientWidth}px`;
    this.#canvas.style.height = `${clientHeight}px`;
    this.#camera.aspect = clientWidth / clientHeight;
    this.#camera.updateProjectionMatrix();
    this.#bloom?.resize(clientWidth, clientHeight, this.renderer.getPixelRatio());
    return true;
  }

  /** Draws a picture, `hasNewShadows` with shadows of this moment. */
  render(daylight: Daylight, hasNewShadows: boolean): void {
    this.renderer.shadowMap.needsUpdate = hasNewShadows;
    if (this.#bloom !== null) this.#bloom.render(daylight);
    else this.renderer.render(this.#scene, this.#camera);
  }

  /** Compiles the programs of an object in the light of the scene; settled when they can be used. */
  async compile(object: Object3D): Promise<void> {
    const { renderer } = this;
    // Without this extension, three would only complain of it in the console.
    if (renderer.extensions.has("KHR_parallel_shader_compile")) {
      await renderer.compileAsync(object, this.#camera, this.#scene);
    } else {
      renderer.compile(object, this.#camera, this.#scene);
      await this.finished();
    }
  }

  /** Settled when all that was ordered before is done: the page goes on meanwhile. */
  async finished(): Promise<void> {
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    if (fence === null) return; // The context is lost.
    gl.flush();
    while (!this.#isGone && !gl.isContextLost()) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN));
      if (gl.getSyncParameter(fence, gl.SYNC_STATUS) === gl.SIGNALED) break;
    }
    gl.deleteSync(fence);
  }

  /** Frees what is on the graphics card. */
  dispose(): void {
    this.#isGone = true;
    this.#bloom?.dispose();
    this.renderer.dispose();
  }
}
