/** All that is in the scene beside the world itself, and how one picture of it is drawn. */

import { type PerspectiveCamera, Scene, Vector3 } from "three";

import type { SceneSource } from "../link/source";
import type { CameraControl } from "./cameras";
import { CanvasRenderer, type SceneOptions } from "./canvas_renderer";
import { Glows } from "./glows";
import { Handles } from "./handles";
import { LampMap } from "./lamp_map";
import { Overlays } from "./overlays";
import { PlainMaterials } from "./plain_material";
import { WorldLight } from "./shader_light";
import { SkyLight } from "./sky_light";
import type { SkyState } from "./sun";
import { SurfaceLibrary } from "./surfaces";
import { WarmUp } from "./warm_up";
import type { WorldPicture } from "./world_picture";

/** Real time [ms] for which the first picture of plain colours has the graphics card for itself. */
const FIRST_REST = 150;

/** Draws pictures of a world into a canvas. */
export class PictureDrawer {
  readonly scene = new Scene();
  readonly light = new WorldLight();
  readonly overlays = new Overlays();
  readonly handles: Handles;
  readonly library: SurfaceLibrary;
  readonly canvas: CanvasRenderer;
  readonly #camera: PerspectiveCamera;
  readonly #sky = new SkyLight(this.scene, this.light);
  readonly #glows = new Glows(this.light, 2048);
  readonly #plain = new PlainMaterials();
  readonly #warmUp: WarmUp;
  readonly #lampMap: LampMap;
  /** Whether the shadows of the last picture are those of an earlier one. */
  hasOldShadows = false;
  /** Whether the programs of the first picture are compiled. */
  isReady = false;

  /** @param onChange - called when another picture is due. */
  constructor(canvas: HTMLCanvasElement, camera: PerspectiveCamera, options: SceneOptions, onChange: () => void) {
    this.#camera = camera;
    this.handles = new Handles(onChange);
    this.canvas = new CanvasRenderer(canvas, this.scene, camera, options);
    const { quality } = this.canvas.quality;
    // llvmpipe executes all branches of a program, and compiles long ones slowly.
    this.library = new SurfaceLibrary(this.light, quality.isFine, !/llvmpipe/i.test(this.canvas.name));
    this.#lampMap = new LampMap(this.light, quality.lampMap);
    this.scene.add(this.#glows.mesh, this.overlays.root, this.handles.root);
    this.#warmUp = new WarmUp(
      (full) => this.#plain.of(full),
      (object) => this.canvas.compile(object),
      () => this.#rest(),
      onChange,
    );
    void this.#prepare();
  }

  /** Whether everything has its own material. */
  get isWhole(): boolean {
    return this.#warmUp.isDone;
  }

  /** Time of day and weather. */
  get sky(): SkyState {
    return this.#sky.state;
  }

  /** Takes over time of day and weather at a place [°]. */
  showSky(state: SkyState, latitude: number, longitude: number): void {
    this.#sky.show(state, [latitude, longitude], this.#plain, this.canvas.renderer);
  }

  /** Takes over the quality that is chosen. */
  applyQuality(): void {
    const { quality } = this.canvas.quality;
    this.canvas.choose(quality);
    this.#sky.choose(quality);
  }

  /**
   * Draws a picture.
   *
   * @param number - how many there were before: shadows are not drawn with each.
   * @param isLast - whether it is the last one of a row, which has shadows of its own moment.
   */
  draw(world: WorldPicture | null, source: SceneSource, control: CameraControl, number: number, isLast: boolean): void {
    const { daylight } = this.#sky;
    const { quality } = this.canvas.quality;
    this.canvas.renderer.info.reset();
    if (world !== null) this.#update(world, source, control);
    if (!this.canvas.hasGlare) this.#warmUp.look(this.scene, world !== null && world.tiles?.isComplete !== false);
    this.#sky.follow(this.#camera, control, quality, world?.playback.time ?? 0);
    const isPlain = !this.canvas.hasGlare && !this.#warmUp.hasBegun;
    const hasShadows = quality.shadows > 0 && !isPlain;
    const isDue = hasShadows && (isLast || number % quality.shadowInterval === 0);
    this.hasOldShadows = hasShadows && !isDue;
    this.canvas.render(daylight, isDue);
  }

  /** Frees what is on the graphics card. */
  dispose(): void {
    const parts = [this.overlays, this.handles, this.#glows, this.#lampMap, this.#sky, this.#warmUp];
    for (const each of [...parts, this.#plain, this.library, this.light, this.canvas]) each.dispose();
  }

  #update(world: WorldPicture, source: SceneSource, control: CameraControl): void {
    const { daylight } = this.#sky;
    world.update(this.#camera, daylight, this.sky.rain);
    world.glow(this.#camera, daylight, this.#glows);
    const around = control.lookedAt(this.#camera, centre);
    if (world.light(this.#lampMap, daylight, around)) this.#lampMap.render(this.canvas.renderer, around);
    this.overlays.update(world, this.#camera, source);
    this.handles.update(world, this.#camera);
  }

  /** Compiles what the first picture needs, while the world is on its way. */
  async #prepare(): Promise<void> {
    const samples = this.#plain.samples();
    await this.canvas.compile(samples.add(this.#sky.sample()));
    this.isReady = true;
  }

  /** Settled when the first picture of plain colours has been on the screen for a moment. */
  async #rest(): Promise<void> {
    await this.canvas.finished();
    await new Promise((resolve) => setTimeout(resolve, FIRST_REST));
  }
}

const centre = new Vector3();
