/** All that is drawn of one world, from its manifest and its tree: made anew with each of them. */

import { type PerspectiveCamera, Scene, Vector3 } from "three";

import type { SceneSource } from "../link/source";
import type { Daylight } from "./daylight";
import { toScene } from "./frames";
import type { Glows } from "./glows";
import type { LampMap } from "./lamp_map";
import { layoutOf, type SceneLayout } from "./layout";
import { UMBRELLAS_FROM } from "./looks";
import { Playback } from "./playback";
import { Props } from "./props";
import type { Quality } from "./quality";
import { Robots } from "./robots";
import { Signals } from "./signals";
import type { SurfaceLibrary } from "./surfaces";
import { type Fetch, Tiles } from "./tiles";
import { type Thing, Traffic } from "./traffic";

/** Light of street lamps (linear): warm, as of today's lamps. */
const LAMP: [number, number, number] = [1.0, 0.72, 0.42];
const HEAD: [number, number, number] = [1.0, 0.93, 0.8];
const REAR: [number, number, number] = [1.0, 0.03, 0.015];
const AMBER: [number, number, number] = [1.0, 0.36, 0.03];

/** Irradiance below a street lamp and in a beam, in shares of what fits the exposure by night. */
const LAMP_LIGHT = 6;
const BEAM_LIGHT = 8;
const LAMPS_FAR = 260;
const GLOWS_FAR = 700;

/** The picture of a world. */
export class WorldPicture {
  readonly layout: SceneLayout;
  readonly playback: Playback;
  readonly tiles: Tiles | null = null;
  readonly robots: Robots;
  readonly traffic: Traffic | null = null;
  readonly signals: Signals | null = null;
  readonly #props: Props;
  readonly #digest: string;
  /** Whether tiles and props are another picture's by now. */
  #isGiven = false;
  readonly #lamps: { light: Vector3; height: number }[] = [];
  readonly #source: SceneSource;
  /** Settled when the models of robots have come, or failed: cameras can follow robots. */
  readonly hasRobots: Promise<void>;
  /** Settled when all models have come, or failed. */
  readonly ready: Promise<void>;

  /**
   * @param before - the picture that this one replaces, not yet disposed: where the town is the
   * same, as when a robot was added, its tiles and props are taken over.
   */
  constructor(
    source: SceneSource,
    scene: Scene,
    library: SurfaceLibrary,
    onChange: () => void,
    before: WorldPicture | null = null,
  ) {
    this.#source = source;
    this.#digest = source.manifest?.world_digest ?? "";
    this.layout = layoutOf(source.tree);
    this.playback = new Playback(this.layout);
    this.robots = new Robots(this.layout, library);
    const town = before === null ? null : before.#give(this.#digest);
    this.#props = town?.props ?? new Props(library);
    scene.add(this.robots.root, this.#props.root);
    const { manifest } = source;
    const fetch: Fetch = (uri, signal) => source.fetchBinary(uri, signal);
    const tasks: Promise<void>[] = [];
    let robots = Promise.resolve();
    if (manifest !== null) {
      this.tiles = town?.tiles ?? new Tiles(manifest, fetch, library, onChange);
      this.traffic = new Traffic(manifest, this.layout);
      this.signals = new Signals(manifest.signals ?? [], this.layout.signals, library);
      scene.add(this.tiles.root, this.traffic.root, this.signals.root);
      robots = this.robots.load(manifest, fetch);
      tasks.push(robots, this.traffic.load(manifest, fetch, library));
      const { instances } = manifest;
      if (instances !== undefined && town === null) tasks.push(this.#props.load(instances.uri, fetch));
      for (const [x, y, z] of manifest.lamps ?? []) {
        this.#lamps.push({ light: toScene(x, y, z), height: LAMP_HEIGHT });
      }
    }
    this.hasRobots = robots.catch(() => undefined);
    this.ready = Promise.all(tasks.map((each) => each.catch(warn))).then(() => {
      onChange();
    });
  }

  /** Takes over the newest state at `now` [s, wall clock]. */
  take(now: number): void {
    const { mirror, step, stepSeconds } = this.#source;
    this.playback.take(mirror, step, stepSeconds, now);
  }

  /** Fits detail to a quality. */
  choose(quality: Quality): void {
    this.#props.reach = quality.reach;
    if (this.traffic !== null) this.traffic.reach = 1.6 * quality.reach;
  }

  /** Moves everything to what the playback shows, as far as a camera needs it. */
  update(camera: PerspectiveCamera, daylight: Daylight, rain: number): void {
    if (this.playback.isEmpty) return;
    if (this.traffic !== null) {
      this.traffic.needsLights = daylight.needsLights;
      this.traffic.isRaining = rain > UMBRELLAS_FROM;
      this.traffic.update(this.playback, camera);
    }
  }

  /** Chooses what of the town is drawn. */
  look(camera: PerspectiveCamera): void {
    this.tiles?.look(camera);
    this.#props.look(camera);
  }

  /** Sets the glows of all lamps. */
  glow(camera: PerspectiveCamera, daylight: Daylight, glows: Glows): void {
    const { darkness } = daylight;
    glows.begin();
    this.signals?.update(this.playback, camera.position, darkness, 1, glows);
    const isOn = daylight.needsLights;
    if (isOn) {
      for (const { light } of this.#lamps) {
        const distance = light.distanceTo(camera.position);
        if (distance < GLOWS_FAR) glows.add(light, 1.1, LAMP, 0.9 * Math.max(darkness, 0.4));
      }
    }
    for (const each of this.traffic?.things ?? []) glowThing(each, camera, darkness, glows);
    if (isOn) for (const each of this.#robotThings()) glowThing(each, camera, darkness, glows);
    glows.end();
  }

  /** Draws the map of the light on the ground. */
  light(map: LampMap, daylight: Daylight, around: Vector3): boolean {
    if (daylight.darkness < 0.2) {
      map.switchOff();
      return false;
    }
    map.begin();
    const unit = 1 / daylight.exposure;
    const lamp = LAMP.map((each) => each * LAMP_LIGHT * unit) as [number, number, number];
    for (const { light, height } of this.#lamps) {
      if (light.distanceToSquared(around) > LAMPS_FAR ** 2) continue;
      ground.copy(light).setY(light.y - height);
      map.addLamp(ground, height, lamp);
    }
    const head = HEAD.map((each) => each * BEAM_LIGHT * unit) as [number, number, number];
    const rear = REAR.map((each) => each * 0.35 * unit) as [number, number, number];
    for (const { position, turn, size, lamps } of this.traffic?.things ?? []) {
      if (lamps[3] === 0 || position.distanceToSquared(around) > LAMPS_FAR ** 2) continue;
      ahead.set(1, 0, 0).applyQuaternion(turn);
      ground.copy(position).addScaledVector(ahead, size.x / 2);
      map.addBeam(ground, ahead.x, ahead.z, 38, head);
      ground.copy(position).addScaledVector(ahead, -size.x / 2 - 0.6);
      const level = lamps[0];
      map.addLamp(ground, 0.9, rear.map((each) => each * level) as [number, number, number]);
    }
    this.#robotBeams(map, daylight, head);
    return true;
  }

  /** Robots with wheels, as things with rear and head lights on. */
  *#robotThings(): Generator<Thing> {
    for (const { name, bodies, wheels, bounds, isObject } of this.robots.robots.values()) {
      const node = bodies[0]?.node;
      if (isObject || wheels.length === 0 || node === undefined) continue;
      const position = node.position.clone();
      position.y += bounds.min.y - wheelDrop(bounds.min.y);
      const size = bounds.getSize(new Vector3());
      yield { path: name, row: 0, position, turn: node.quaternion, size, lamps: [0.5, 0, 0, 1], speed: 0 };
    }
  }

  #robotBeams(map: LampMap, daylight: Daylight, head: [number, number, number]): void {
    if (!daylight.needsLights) return;
    for (const robot of this.robots.robots.values()) {
      const node = robot.bodies[0]?.node;
      if (robot.isObject || robot.wheels.length === 0 || node === undefined) continue;
      ahead.set(1, 0, 0).applyQuaternion(node.quaternion);
      ground.copy(node.position).addScaledVector(ahead, robot.bounds.max.x);
      ground.y += robot.bounds.min.y;
      map.addBeam(ground, ahead.x, ahead.z, 38, head);
    }
  }

  /** Hands over the town where it is the one with this digest. */
  #give(digest: string): { tiles: Tiles; props: Props } | null {
    if (this.tiles === null || digest === "" || digest !== this.#digest) return null;
    this.#isGiven = true;
    return { tiles: this.tiles, props: this.#props };
  }

  /** Frees everything; the source stays. */
  dispose(): void {
    if (!this.#isGiven) {
      this.tiles?.dispose();
      this.#props.dispose();
    }
    this.robots.dispose();
    this.traffic?.dispose();
    this.signals?.dispose();
  }
}

/** Lamps of vehicles are at heights over the ground, which is below the lowest point of a body. */
function wheelDrop(lowest: number): number {
  return Math.max(0.02, 0.1 * -lowest);
}

const LAMP_HEIGHT = 7;
const ground = new Vector3();
const ahead = new Vector3();
const aside = new Vector3();
const place = new Vector3();

function glowThing(thing: Thing, camera: PerspectiveCamera, darkness: number, glows: Glows): void {
  const { position, turn, size, lamps } = thing;
  if (lamps[0] + lamps[1] + lamps[2] + lamps[3] === 0) return;
  const distance = position.distanceTo(camera.position);
  if (distance > 350) return;
  ahead.set(1, 0, 0).applyQuaternion(turn);
  aside.set(0, 0, 1).applyQuaternion(turn);
  const isNarrow = size.z < 1;
  const toEye = place.subVectors(camera.position, position).dot(ahead) / distance;
  const strength = 0.12 + 0.88 * darkness;
  for (const side of isNarrow ? [0] : [-1, 1]) {
    const z = side * 0.36 * size.z;
    const at = (x: number, y: number): Vector3 =>
      place.copy(position).addScaledVector(ahead, x).addScaledVector(aside, z).setY(position.y + y);
    const height = Math.min(0.68, 0.45 * size.y);
    if (toEye > 0.05 && lamps[3] > 0) {
      glows.add(at(size.x / 2, height), 0.9 * darkness + 0.3, HEAD, strength * lamps[3] * toEye * 1.2);
    }
    if (toEye < -0.05 && lamps[0] > 0) {
      glows.add(at(-size.x / 2, height + 0.12), 0.4, REAR, strength * lamps[0] * -toEye);
    }
    const blinks = side < 0 ? lamps[1] : lamps[2];
    if (blinks > 0 && side !== 0) {
      const end = toEye > 0 ? size.x / 2 : -size.x / 2;
      glows.add(at(end, height), 0.35, AMBER, strength * blinks);
    }
  }
}

function warn(error: unknown): void {
  console.warn(`part of the world is not shown: ${String(error)}`);
}
