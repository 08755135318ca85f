/** The picture of a simulation in a canvas. */

import { PerspectiveCamera } from "three";

import type { SceneSource, TreeNode, Unsubscribe } from "../link/source";
import { type CameraKind, CameraControl } from "./cameras";
import type { SceneOptions } from "./canvas_renderer";
import { Followed } from "./followed";
import { FrameTimes, type SceneStats } from "./frame_times";
import type { Handles } from "./handles";
import type { OverlayName } from "./overlays";
import { PictureDrawer } from "./picture_drawer";
import { Pointer } from "./pointer";
import { QUALITIES } from "./quality";
import { CLEAR_SKY, type SkyState } from "./sun";
import { ViewRays } from "./view_rays";
import { WorldPicture } from "./world_picture";

export type { CameraKind } from "./cameras";
export type { Ghost } from "./handles";
export type { OverlayName } from "./overlays";
export type { SkyState } from "./sun";

/** Draws a source into a canvas until it is disposed. */
export class SceneView {
  readonly camera = new PerspectiveCamera(55, 1, 0.12, 6000);
  readonly control = new CameraControl();
  /** The ring by which a robot is turned, and where what is dragged would stand. */
  readonly handles: Handles;
  /** Settled when there is a first picture: of the town, or of a world that has none. */
  readonly shown: Promise<void>;
  #show: () => void = () => undefined;
  readonly #canvas: HTMLCanvasElement;
  readonly #source: SceneSource;
  readonly #drawer: PictureDrawer;
  readonly #rays: ViewRays;
  readonly #followed: Followed;
  readonly #pointer: Pointer;
  readonly #times = new FrameTimes();
  readonly #unsubscribe: Unsubscribe[] = [];
  readonly #resize: ResizeObserver;
  #world: WorldPicture | null = null;
  #isDirty = true;
  /** Whether the quality, or the size, is another one than that of the last picture. */
  #isChanged = true;
  #isResized = false;
  #isGone = false;
  #before = 0;
  #rendered = 0;
  #pictures = 0;
  #readyWorlds = new WeakSet<WorldPicture>();
  #frame = 0;
  /** Whether the camera is where the first picture of the world is taken. */
  #isPlaced = false;

  constructor(canvas: HTMLCanvasElement, source: SceneSource, options: SceneOptions = {}) {
    this.shown = new Promise((resolve) => (this.#show = resolve));
    this.#canvas = canvas;
    this.#source = source;
    const changed = (): void => {
      this.#isDirty = true;
    };
    this.#drawer = new PictureDrawer(canvas, this.camera, options, changed);
    this.handles = this.#drawer.handles;
    this.#pointer = new Pointer(canvas, this.control, changed);
    this.#rays = new ViewRays(canvas, this.camera, () => this.#world);
    this.#followed = new Followed(this.control, this.camera, source);
    this.control.groundAt = (x, z): number | null => this.#rays.heightAt(x, z);
    this.control.clearance = (from, to): number => this.#rays.clearance(from, to);
    this.#adapt();
    this.#resize = new ResizeObserver(() => (this.#isResized = true));
    this.#resize.observe(canvas.parentElement ?? canvas);
    this.#unsubscribe.push(
      source.onHello(() => this.#reload()),
      source.onState(() => this.#take()),
    );
    this.#frame = requestAnimationFrame(this.#draw);
  }

  /** What is on the graphics card: geometries and textures. */
  get memory(): { geometries: number; textures: number } {
    return { ...this.#drawer.canvas.renderer.info.memory };
  }

  /** Figures of the last pictures. */
  get stats(): SceneStats {
    const counts = this.#world?.tiles?.counts ?? { shown: 0, wanted: 0, bytes: 0 };
    const { renderer, name, quality } = this.#drawer.canvas;
    const isReady = this.#world !== null && this.#readyWorlds.has(this.#world);
    const isWhole = this.#drawer.isWhole && this.#world?.tiles?.isComplete !== false;
    return {
      ...this.#times.figures,
      triangles: renderer.info.render.triangles,
      calls: renderer.info.render.calls,
      tilesShown: counts.shown,
      tilesWanted: counts.wanted,
      tileBytes: counts.bytes,
      quality: quality.quality.name,
      pixelRatio: renderer.getPixelRatio(),
      renderer: name,
      isComplete: isReady && isWhole && this.#pictures > 1,
    };
  }

  /**
   * Chooses a camera.
   *
   * @param kind - what it does.
   * @param robot - the name of the robot that it follows, or the path of a camera device.
   */
  setCamera(kind: CameraKind, robot: string | null): void {
    this.#followed.choose(kind, robot, this.#world);
    this.#isDirty = true;
  }

  /** Sets time of day and weather; what is left out stays. */
  setSky(sky: Partial<SkyState>): void {
    this.#showSky({ ...this.#drawer.sky, ...sky });
  }

  /** Time of day and weather. */
  get sky(): SkyState {
    return { ...this.#drawer.sky };
  }

  /** The path in the tree of what lies at a point of the canvas [CSS pixels], null: nothing. */
  pick(x: number, y: number): string | null {
    return this.#rays.pick(x, y);
  }

  /** The ground (x, y, z in W) under a point of the canvas [CSS pixels], null: sky. */
  groundAt(x: number, y: number): [number, number, number] | null {
    return this.#rays.groundAt(x, y);
  }

  /** Where the knob of the ring is [CSS pixels]; null where it is not seen. */
  get knob(): [number, number] | null {
    const { clientWidth, clientHeight } = this.#canvas;
    return this.handles.knobAt(this.camera, clientWidth, clientHeight);
  }

  /** Direction of the view over the ground [rad counter-clockwise from east]. */
  get heading(): number {
    return this.control.viewHeading(this.camera);
  }

  /** Highlights a robot, an object or something of traffic by its path; null: nothing. */
  select(path: string | null): void {
    this.#drawer.overlays.selected = path;
    this.#isDirty = true;
  }

  /** Shows or hides an overlay. */
  setOverlay(name: OverlayName, isOn: boolean): void {
    this.#drawer.overlays.set(name, isOn);
    this.#isDirty = true;
  }

  /** The nodes whose exact values the shown overlays need. */
  overlayNodes(): TreeNode[] {
    return this.#drawer.overlays.nodes(this.#source.tree);
  }

  /** Whether keys move the camera. */
  setKeysEnabled(isOn: boolean): void {
    this.#pointer.hasKeys = isOn;
  }

  /** Keeps a quality by its name; null: it follows the time that pictures take. */
  setQuality(name: string | null): void {
    const { quality } = this.#drawer.canvas;
    const step = QUALITIES.findIndex((each) => each.name === name);
    quality.isAutomatic = step < 0;
    if (step >= 0 && step !== quality.step) {
      quality.step = step;
      this.#isChanged = true;
    }
  }

  /** Resolves when the town around the camera is drawn, with its shadows. */
  async whenComplete(): Promise<void> {
    while (!this.#isGone && !this.stats.isComplete) {
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    // The next pictures have all of it; the last of a row has shadows of its own moment.
    const goal = this.#pictures + 2;
    while (!this.#isGone && (this.#pictures < goal || this.#drawer.hasOldShadows)) {
      this.#isDirty = this.#pictures < goal;
      await new Promise((resolve) => setTimeout(resolve, 16));
    }
  }

  /** Frees everything; the source stays. */
  dispose(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    cancelAnimationFrame(this.#frame);
    this.#resize.disconnect();
    for (const each of this.#unsubscribe) each();
    this.#world?.dispose();
    this.#pointer.dispose();
    this.#drawer.dispose();
  }

  readonly #draw = (milliseconds: number): void => {
    if (this.#isGone) return;
    this.#frame = requestAnimationFrame(this.#draw);
    const now = performance.now() / 1000;
    const seconds = Math.min((milliseconds - this.#before) / 1000, 0.25);
    this.#before = milliseconds;
    const world = this.#world;
    const hasMoved = world?.playback.advance(now) ?? false;
    const hasTurned = this.#pointer.update(seconds);
    const isOutdated = this.#isDirty || this.#isChanged || this.#isResized;
    const isMoving = hasMoved || hasTurned || isOutdated || !this.control.isAtRest;
    if (!isMoving && !this.#drawer.hasOldShadows) {
      this.#rendered = 0;
      return;
    }
    this.#isDirty = false;
    const began = performance.now();
    this.#adapt();
    this.#prepare(seconds);
    if (!this.#drawer.isReady || (world !== null && !this.#isPlaced)) {
      this.#isDirty = true;
      return;
    }
    this.#drawer.draw(world, this.#source, this.control, this.#pictures, !isMoving);
    this.#showProgress();
    const cost = (performance.now() - began) / 1000;
    const interval = this.#rendered > 0 ? (milliseconds - this.#rendered) / 1000 : cost;
    const isInRow = this.#rendered > 0;
    this.#rendered = milliseconds;
    this.#pictures += 1;
    // The cost of a single picture says little: the graphics card still draws it.
    if (!isInRow) return;
    this.#times.add(interval);
    if (this.#drawer.canvas.quality.add(cost, interval)) this.#isChanged = true;
  };

  #take(): void {
    if (this.#world === null) return;
    this.#world.take(performance.now() / 1000);
    this.#drawer.overlays.follow(this.#world, this.#source.mirror);
  }

  /** Moves robots and camera, and fetches what the camera sees. */
  #prepare(seconds: number): void {
    const world = this.#world;
    if (world === null) return;
    this.#drawer.light.uniforms.uWeather.value.z = world.playback.time;
    if (!world.playback.isEmpty) world.robots.update(world.playback);
    this.control.update(this.camera, this.#followed.target(world), seconds);
    this.control.clip(this.camera);
    // Nothing is fetched, or drawn, of a place where the camera will not be.
    if (this.#isPlaced && !world.playback.isEmpty) world.look(this.camera);
  }

  /** For tests and style sheets: whether the picture has any of the town, and all of it. */
  #showProgress(): void {
    const { tilesShown, isComplete } = this.stats;
    this.#canvas.classList.toggle("has-town", tilesShown > 0);
    if (tilesShown > 0 || isComplete) this.#show();
    this.#canvas.classList.toggle("is-complete", isComplete);
  }

  #reload(): void {
    const before = this.#world;
    const { scene, library, overlays, canvas } = this.#drawer;
    const world = new WorldPicture(this.#source, scene, library, () => (this.#isDirty = true), before);
    before?.dispose();
    this.#world = world;
    overlays.clear();
    world.choose(canvas.quality.quality);
    const own = this.#source.manifest?.sky;
    this.#showSky(own === undefined ? this.#drawer.sky : { ...CLEAR_SKY, ...own });
    if (this.#source.step >= 0) world.take(performance.now() / 1000);
    // The camera stays where a person has put it, as long as what it follows is there.
    const isNew = !this.#isPlaced || world.tiles !== before?.tiles;
    this.#isPlaced = !isNew;
    void world.hasRobots.then(() => {
      if (this.#world !== world || this.#isGone) return;
      this.#followed.find(world);
      if (isNew) this.#followed.begin(world);
      this.#isPlaced = this.#isDirty = true;
    });
    void world.ready.then(() => {
      this.#readyWorlds.add(world);
      this.#isDirty = true;
    });
    this.#isDirty = true;
  }

  #showSky(state: SkyState): void {
    const { latitude = 0, longitude = 0 } = this.#source.manifest?.origin ?? {};
    this.#drawer.showSky(state, latitude, longitude);
    this.#isDirty = true;
  }

  /** Takes over another size and quality: each empties the canvas, so the next picture has to follow at once. */
  #adapt(): void {
    if (this.#isChanged) {
      this.#drawer.applyQuality();
      this.#world?.choose(this.#drawer.canvas.quality.quality);
      this.#times.clear();
    }
    if (this.#isChanged || this.#isResized) this.#drawer.canvas.fit();
    this.#isChanged = this.#isResized = false;
  }
}
