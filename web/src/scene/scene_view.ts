/** The picture of a simulation in a canvas. */

import {
  ACESFilmicToneMapping,
  LightProbe,
  type Object3D,
  PCFShadowMap,
  PerspectiveCamera,
  Raycaster,
  Scene,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { SunLight } from "three/examples/jsm/lights/SunLight.js";

import type { SceneSource, TreeNode, Unsubscribe } from "../link/source";
import { Bloom } from "./bloom";
import { type CameraKind, CameraControl, type Mount, type Target } from "./cameras";
import { type Daylight, makeDaylight } from "./daylight";
import { toScene, toWorld } from "./frames";
import { type FrameFigures, FrameTimes } from "./frame_times";
import { Glows } from "./glows";
import { Handles } from "./handles";
import { LampMap } from "./lamp_map";
import { mountOf } from "./mounts";
import { type OverlayName, Overlays } from "./overlays";
import { pickables, pickAlong, worldHit } from "./picking";
import { PlainMaterials } from "./plain_material";
import { Pointer } from "./pointer";
import { Precipitation } from "./precipitation";
import { firstQuality, QUALITIES, QualityControl, rendererName } from "./quality";
import { WorldLight } from "./shader_light";
import { SkyDome } from "./sky_dome";
import { CLEAR_SKY, type SkyState } from "./sun";
import { SurfaceLibrary } from "./surfaces";
import { WarmUp } from "./warm_up";
import { WorldPicture } from "./world_picture";

export type { CameraKind } from "./cameras";
export type { Ghost } from "./handles";
export type { OverlayName } from "./overlays";
export type { SkyState } from "./sun";

/** Figures of the last pictures. */
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

/** Settings that tests and pages may make. */
export interface SceneOptions {
  /** A name of `QUALITIES`; without it, quality follows the time that pictures take. */
  readonly quality?: string;
  readonly keepsPicture?: boolean;
}

/** Draws a source into a canvas until it is disposed. */
export class SceneView {
  readonly camera = new PerspectiveCamera(55, 1, 0.12, 6000);
  readonly control = new CameraControl();
  /** The ring by which a robot is turned, and where what is dragged would stand. */
  readonly handles = new Handles(() => (this.#isDirty = true));
  /** Settled when there is a first picture: of the town, or of a world that has none. */
  readonly shown: Promise<void>;
  #show: () => void = () => undefined;
  readonly #canvas: HTMLCanvasElement;
  readonly #source: SceneSource;
  readonly #renderer: WebGLRenderer;
  readonly #scene = new Scene();
  readonly #light = new WorldLight();
  readonly #sky: SkyDome;
  readonly #sun = new SunLight(0xffffff, 1);
  readonly #probe = new LightProbe();
  readonly #rain: Precipitation;
  readonly #glows: Glows;
  readonly #overlays: Overlays;
  readonly #pointer: Pointer;
  readonly #times = new FrameTimes();
  readonly #plain = new PlainMaterials();
  readonly #warmUp: WarmUp;
  readonly #quality: QualityControl;
  readonly #rendererName: string;
  readonly #unsubscribe: Unsubscribe[] = [];
  readonly #resize: ResizeObserver;
  #library: SurfaceLibrary;
  #lampMap: LampMap;
  #bloom: Bloom | null = null;
  #world: WorldPicture | null = null;
  #daylight: Daylight;
  #skyState: SkyState = { ...CLEAR_SKY };
  #robot: string | null = null;
  #device: string | null = null;
  #isDirty = true;
  /** Whether the shadows of the last picture are those of an earlier one. */
  #hasOldShadows = false;
  #isGone = false;
  #before = 0;
  #rendered = 0;
  #pictures = 0;
  #readyWorlds = new WeakSet<WorldPicture>();
  #frame = 0;
  /** Whether the programs of what is there without a world are compiled. */
  #isReady = false;

  constructor(canvas: HTMLCanvasElement, source: SceneSource, options: SceneOptions = {}) {
    this.shown = new Promise((resolve) => (this.#show = resolve));
    this.#canvas = canvas;
    this.#source = source;
    this.#renderer = new WebGLRenderer({
      canvas,
      antialias: true,
      powerPreference: "high-performance",
      preserveDrawingBuffer: options.keepsPicture === true,
    });
    this.#rendererName = rendererName(this.#renderer);
    const chosen = QUALITIES.findIndex((each) => each.name === options.quality);
    this.#quality = new QualityControl(chosen >= 0 ? chosen : firstQuality(this.#rendererName));
    this.#quality.isAutomatic = chosen < 0;
    this.#renderer.toneMapping = ACESFilmicToneMapping;
    this.#renderer.shadowMap.enabled = true;
    this.#renderer.shadowMap.type = PCFShadowMap;
    this.#renderer.shadowMap.autoUpdate = false;
    this.#renderer.info.autoReset = false;
    // Asking for the errors of each program waits for it; the tests would see them.
    this.#renderer.debug.checkShaderErrors = false;
    this.#library = new SurfaceLibrary(this.#light, this.#quality.quality.isFine);
    this.#sky = new SkyDome(this.#light);
    this.#rain = new Precipitation(this.#light);
    this.#glows = new Glows(this.#light, 2048);
    this.#lampMap = new LampMap(this.#light, this.#quality.quality.lampMap);
    this.#overlays = new Overlays();
    this.#scene.add(this.#sky.mesh, this.#sun, this.#probe);
    this.#scene.add(this.#rain.mesh, this.#glows.mesh, this.#overlays.root, this.handles.root);
    this.#daylight = makeDaylight(this.#skyState, 0, 0);
    this.#warmUp = new WarmUp(
      (full) => this.#plain.of(full),
      (object) => this.#compile(object),
      () => (this.#isDirty = true),
    );
    this.#pointer = new Pointer(canvas, this.control, () => {
      this.#isDirty = true;
    });
    this.control.groundAt = (x, z): number | null => this.#heightAt(x, z);
    this.control.clearance = (from, to): number => this.#clearance(from, to);
    this.#applyQuality();
    this.#resize = new ResizeObserver(() => this.#fit());
    this.#resize.observe(canvas.parentElement ?? canvas);
    this.#fit();
    this.#unsubscribe.push(
      source.onHello(() => this.#reload()),
      source.onState(() => this.#world?.take(performance.now() / 1000)),
    );
    void this.#compile(this.#scene).then(() => (this.#isReady = true));
    this.#frame = requestAnimationFrame(this.#draw);
  }

  /** What is on the graphics card: geometries and textures. */
  get memory(): { geometries: number; textures: number } {
    const { geometries, textures } = this.#renderer.info.memory;
    return { geometries, textures };
  }

  /** Figures of the last pictures. */
  get stats(): SceneStats {
    const counts = this.#world?.tiles?.counts ?? { shown: 0, wanted: 0, bytes: 0 };
    const { render } = this.#renderer.info;
    const isReady = this.#world !== null && this.#readyWorlds.has(this.#world);
    return {
      ...this.#times.figures,
      triangles: render.triangles,
      calls: render.calls,
      tilesShown: counts.shown,
      tilesWanted: counts.wanted,
      tileBytes: counts.bytes,
      quality: this.#quality.quality.name,
      pixelRatio: this.#renderer.getPixelRatio(),
      renderer: this.#rendererName,
      isComplete: isReady && this.#warmUp.isDone && this.#world?.tiles?.isComplete !== false && this.#pictures > 1,
    };
  }

  /**
   * Chooses a camera.
   *
   * @param kind - what it does.
   * @param robot - the name of the robot that it follows, or the path of a camera device.
   */
  setCamera(kind: CameraKind, robot: string | null): void {
    this.#robot = robot?.split(".")[0] ?? this.#firstRobot();
    this.#device = kind === "device" ? robot : null;
    this.control.mount = this.#mount();
    this.control.choose(kind, this.camera, this.#target());
    this.#isDirty = true;
  }

  /** Sets time of day and weather; what is left out stays. */
  setSky(sky: Partial<SkyState>): void {
    this.#skyState = { ...this.#skyState, ...sky };
    this.#showDaylight();
  }

  /** Time of day and weather. */
  get sky(): SkyState {
    return { ...this.#skyState };
  }

  /** The path in the tree of what lies at a point of the canvas [CSS pixels], null: nothing. */
  pick(x: number, y: number): string | null {
    const world = this.#world;
    if (world === null) return null;
    const ray = this.#rayAt(x, y);
    const found = pickAlong(ray, pickables(world.robots, world.traffic?.things ?? []));
    if (found === null || world.tiles === null) return found?.path ?? null;
    const wall = worldHit(ray, world.tiles.root, found.position.distanceTo(ray.origin) + 20);
    const distance = wall?.distanceTo(ray.origin) ?? Infinity;
    // A house between the eye and the thing hides it.
    return distance < found.position.distanceTo(ray.origin) - 6 ? null : found.path;
  }

  /** The ground (x, y, z in W) under a point of the canvas [CSS pixels], null: sky. */
  groundAt(x: number, y: number): [number, number, number] | null {
    const root = this.#world?.tiles?.root;
    const hit = root === undefined ? null : worldHit(this.#rayAt(x, y), root);
    if (hit === null) return null;
    const at = toWorld(hit);
    return [at.x, at.y, at.z];
  }

  /** Where the knob of the ring is [CSS pixels]; null where it is not seen. */
  get knob(): [number, number] | null {
    const { clientWidth, clientHeight } = this.#canvas;
    return this.handles.knobAt(this.camera, clientWidth, clientHeight);
  }

  /** Direction of the view over the ground [rad counter-clockwise from east]. */
  get heading(): number {
    if (this.control.kind === "map") return Math.PI / 2;
    const { x, z } = this.camera.getWorldDirection(centre);
    return Math.atan2(-z, x);
  }

  /** Highlights a robot, an object or something of traffic by its path; null: nothing. */
  select(path: string | null): void {
    this.#overlays.selected = path;
    this.#isDirty = true;
  }

  /** Shows or hides an overlay. */
  setOverlay(name: OverlayName, isOn: boolean): void {
    this.#overlays.set(name, isOn);
    this.#isDirty = true;
  }

  /** The nodes whose exact values the shown overlays need. */
  overlayNodes(): TreeNode[] {
    return this.#overlays.nodes(this.#source.tree);
  }

  /** Whether keys move the camera. */
  setKeysEnabled(isOn: boolean): void {
    this.#pointer.hasKeys = isOn;
  }

  /** Keeps a quality by its name; null: it follows the time that pictures take. */
  setQuality(name: string | null): void {
    const step = QUALITIES.findIndex((each) => each.name === name);
    this.#quality.isAutomatic = step < 0;
    if (step >= 0 && step !== this.#quality.step) {
      this.#quality.step = step;
      this.#applyQuality();
    }
  }

  /** Resolves when the town around the camera is drawn. */
  async whenComplete(): Promise<void> {
    while (!this.#isGone && !this.stats.isComplete) {
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    this.#isDirty = true;
    const goal = this.#pictures + 2;
    while (!this.#isGone && this.#pictures < goal) {
      this.#isDirty = true;
      await new Promise((resolve) => setTimeout(resolve, 16));
    }
  }

  /** Frees everything; the source stays. */
  dispose(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    cancelAnimationFrame(this.#frame);
    this.#resize.disconnect();
    this.#pointer.dispose();
    for (const each of this.#unsubscribe) each();
    this.#world?.dispose();
    this.#overlays.dispose();
    this.handles.dispose();
    this.#glows.dispose();
    this.#rain.dispose();
    this.#lampMap.dispose();
    this.#bloom?.dispose();
    this.#sky.dispose();
    this.#warmUp.dispose();
    this.#plain.dispose();
    this.#library.dispose();
    this.#light.dispose();
    this.#sun.dispose();
    this.#renderer.dispose();
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
    const isMoving = hasMoved || hasTurned || this.#isDirty || !this.control.isAtRest;
    if (!isMoving && !this.#hasOldShadows) {
      this.#rendered = 0;
      return;
    }
    this.#isDirty = false;
    const began = performance.now();
    this.#prepare(seconds);
    if (!this.#isReady) {
      this.#isDirty = true;
      return;
    }
    this.#render(!isMoving);
    const cost = (performance.now() - began) / 1000;
    const interval = this.#rendered > 0 ? (milliseconds - this.#rendered) / 1000 : cost;
    const isInRow = this.#rendered > 0;
    this.#rendered = milliseconds;
    this.#pictures += 1;
    // The cost of a single picture says little: the graphics card still draws it.
    if (!isInRow) return;
    this.#times.add(interval);
    if (this.#quality.add(cost, interval)) this.#applyQuality();
  };

  /** Compiles programs; settled when they can be used, as far as the browser tells that. */
  async #compile(object: Object3D): Promise<void> {
    const renderer = this.#renderer;
    // Without this extension, three would only complain of it in the console.
    if (renderer.extensions.has("KHR_parallel_shader_compile")) {
      await renderer.compileAsync(object, this.camera, this.#scene);
    } else {
      renderer.compile(object, this.camera, this.#scene);
    }
  }

  /** Moves robots and camera, and fetches what the camera sees. */
  #prepare(seconds: number): void {
    const world = this.#world;
    if (world === null) return;
    this.#light.uniforms.uWeather.value.z = world.playback.time;
    if (!world.playback.isEmpty) world.robots.update(world.playback);
    this.control.update(this.camera, this.#target(), seconds);
    this.#clip();
    world.look(this.camera);
  }

  /** Draws a picture; the last one of a row, `isLast`, has shadows of its own moment. */
  #render(isLast: boolean): void {
    const { camera } = this;
    const world = this.#world;
    const quality = this.#quality.quality;
    this.#renderer.info.reset();
    if (world !== null) {
      world.update(camera, this.#daylight);
      world.glow(camera, this.#daylight, this.#glows);
      if (world.light(this.#lampMap, this.#daylight, this.#centre())) {
        this.#lampMap.render(this.#renderer, this.#centre());
      }
      this.#overlays.update(world, camera, this.#source);
      this.handles.update(world, camera);
      this.#rain.update(world.playback.time, camera.position);
    }
    // With glare, which takes a graphics card, programs are others, and quickly compiled.
    if (this.#bloom === null) this.#warmUp.look(this.#scene);
    this.#sky.follow(camera);
    this.#sun.shadow.camera.far = this.#shadowReach();
    const isPlain = this.#bloom === null && !this.#warmUp.hasBegun;
    const hasShadows = quality.shadows > 0 && !isPlain;
    const isDue = hasShadows && (isLast || this.#pictures % quality.shadowInterval === 0);
    this.#renderer.shadowMap.needsUpdate = isDue;
    this.#hasOldShadows = hasShadows && !isDue;
    if (this.#bloom !== null) this.#bloom.render(this.#daylight);
    else this.#renderer.render(this.#scene, camera);
    this.#showProgress();
  }

  /** For tests and style sheets: whether the picture has any of the town, and all of it. */
  #showProgress(): void {
    const { tilesShown, isComplete } = this.stats;
    this.#canvas.classList.toggle("has-town", tilesShown > 0);
    if (tilesShown > 0 || isComplete) this.#show();
    this.#canvas.classList.toggle("is-complete", isComplete);
  }

  /** Near and far planes that suit the height of the camera: depth is precise where it matters. */
  #clip(): void {
    const near = this.control.kind === "map" ? 1 : this.control.kind === "driver" ? 0.08 : 0.2;
    if (this.camera.near === near) return;
    this.camera.near = near;
    this.camera.far = 9000;
    this.camera.updateProjectionMatrix();
  }

  #shadowReach(): number {
    const { kind, distance } = this.control;
    const reach = this.#quality.quality.shadowReach;
    return kind === "map" || kind === "orbit" ? Math.max(reach, 2.4 * distance) : reach;
  }

  /** Where the picture looks: on the ground some way ahead of the camera. */
  #centre(): Vector3 {
    const { camera } = this;
    if (this.control.kind === "map" || this.control.kind === "orbit") return this.control.focus;
    return camera.getWorldDirection(centre).setY(0).normalize().multiplyScalar(110).add(camera.position);
  }

  #reload(): void {
    const before = this.#world;
    const changed = (): void => {
      this.#isDirty = true;
    };
    const world = new WorldPicture(this.#source, this.#scene, this.#library, changed, before);
    before?.dispose();
    this.#world = world;
    this.#overlays.clear();
    world.choose(this.#quality.quality);
    const { manifest, step } = this.#source;
    if (manifest?.sky !== undefined) this.#skyState = { ...CLEAR_SKY, ...manifest.sky };
    this.#showDaylight();
    if (step >= 0) world.take(performance.now() / 1000);
    void world.ready.then(() => {
      this.#readyWorlds.add(world);
      if (this.#world !== world || this.#isGone) return;
      this.#robot ??= this.#firstRobot();
      const target = this.#target();
      // The camera stays where a person has put it, as long as what it follows is there.
      if (world.tiles !== before?.tiles) this.#begin(target);
      this.#isDirty = true;
    });
    this.#isDirty = true;
  }

  /** Puts the camera behind the robot, or over the town where there is none. */
  #begin(target: Target | null): void {
    const { kind } = this.control;
    if (target !== null || kind === "map" || kind === "orbit") {
      this.control.choose(kind, this.camera, target);
      return;
    }
    const [x0, y0, z0, x1, y1] = this.#source.manifest?.bounds ?? [0, 0, 0, 0, 0, 0];
    this.control.choose("orbit", this.camera, null);
    toScene((x0 + x1) / 2, (y0 + y1) / 2, z0, this.control.focus);
    Object.assign(this.control, { distance: 150, pitch: 0.5 });
  }

  #firstRobot(): string | null {
    for (const robot of this.#world?.robots.robots.values() ?? []) {
      if (!robot.isObject) return robot.name;
    }
    return null;
  }

  #showDaylight(): void {
    const { latitude = 0, longitude = 0 } = this.#source.manifest?.origin ?? {};
    const daylight = makeDaylight(this.#skyState, latitude, longitude);
    this.#daylight = daylight;
    this.#light.show(daylight);
    this.#sky.show(daylight);
    this.#plain.show(daylight);
    this.#rain.show(this.#skyState.rain, this.#skyState.snow);
    this.#sun.position.copy(daylight.caster);
    this.#sun.position.y = Math.max(this.#sun.position.y, 0.035);
    this.#sun.color.copy(daylight.beam);
    this.#probe.sh.copy(daylight.harmonics);
    this.#renderer.toneMappingExposure = daylight.exposure;
    this.#isDirty = true;
  }

  #target(): Target | null {
    const robot = this.#world?.robots.robots.get(this.#robot ?? "");
    if (robot === undefined) return null;
    const part = this.#device?.split(".").slice(0, 2).join(".");
    const body = robot.bodies.find((each) => each.words.path === part) ?? robot.bodies[0];
    if (body === undefined) return null;
    const { min: low, max: high } = robot.bounds;
    return { position: body.node.position, turn: body.node.quaternion, low, high, driverSide: -1 };
  }

  #mount(): Mount | null {
    return this.#device === null ? null : mountOf(this.#source.tree, this.#device);
  }

  #heightAt(x: number, z: number): number | null {
    const root = this.#world?.tiles?.root;
    if (root === undefined) return null;
    down.ray.origin.set(x, this.camera.position.y + 3, z);
    down.ray.direction.set(0, -1, 0);
    down.far = 2000;
    return down.intersectObject(root, true)[0]?.point.y ?? null;
  }

  #clearance(from: Vector3, to: Vector3): number {
    const root = this.#world?.tiles?.root;
    const distance = from.distanceTo(to);
    if (root === undefined || distance < 0.5) return 1;
    down.ray.origin.copy(from);
    down.ray.direction.subVectors(to, from).divideScalar(distance);
    down.far = distance + 0.4;
    const hit = down.intersectObject(root, true)[0];
    return hit === undefined ? 1 : Math.min(Math.max((hit.distance - 0.4) / distance, 0), 1);
  }

  #rayAt(x: number, y: number): Raycaster["ray"] {
    const { clientWidth, clientHeight } = this.#canvas;
    const at = new Vector2((2 * x) / clientWidth - 1, 1 - (2 * y) / clientHeight);
    const caster = new Raycaster();
    caster.setFromCamera(at, this.camera);
    return caster.ray;
  }

  #fit(): void {
    const { clientWidth, clientHeight } = this.#canvas.parentElement ?? this.#canvas;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.#renderer.setSize(clientWidth, clientHeight, false);
    this.#canvas.style.width = `${clientWidth}px`;
    this.#canvas.style.height = `${clientHeight}px`;
    this.camera.aspect = clientWidth / clientHeight;
    this.camera.updateProjectionMatrix();
    this.#bloom?.resize(clientWidth, clientHeight, this.#renderer.getPixelRatio());
    this.#isDirty = true;
  }

  #applyQuality(): void {
    const quality = this.#quality.quality;
    const ratio = Math.min(quality.pixelRatio, Math.max(window.devicePixelRatio, 1));
    this.#renderer.setPixelRatio(ratio);
    this.#sun.castShadow = quality.shadows > 0;
    this.#sun.shadow.mapSize.set(quality.shadows || 1, quality.shadows || 1);
    this.#sun.shadow.map?.dispose();
    this.#sun.shadow.map = null;
    this.#sun.shadow.bias = -0.0004;
    this.#sun.shadow.normalBias = 0.06;
    this.#sun.shadow.radius = quality.isFine ? 2.2 : 1.2;
    if (quality.hasBloom !== (this.#bloom !== null)) {
      this.#bloom?.dispose();
      this.#bloom = quality.hasBloom ? new Bloom(this.#renderer, this.#scene, this.camera) : null;
    }
    this.#world?.choose(quality);
    this.#times.clear();
    this.#fit();
  }
}

const centre = new Vector3();
const down = new Raycaster();
