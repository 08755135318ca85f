/** What rays meet: those through points of the picture, and those that keep the camera out of walls. */

import { type Object3D, type PerspectiveCamera, type Ray, Raycaster, Vector2, type Vector3 } from "three";

import { toWorld } from "./frames";
import { pickables, pickAlong, worldHit } from "./picking";
import type { WorldPicture } from "./world_picture";

/** Distance [m] that the camera keeps from walls. */
const KEPT_FREE = 0.4;
/** Depth [m] by which a wall hides what lies behind it: boxes of things are larger than they are. */
const BEHIND_WALL = 6;

/** Rays in the world that a function gives; null: there is none. */
export class ViewRays {
  readonly #canvas: HTMLCanvasElement;
  readonly #camera: PerspectiveCamera;
  readonly #world: () => WorldPicture | null;
  readonly #caster = new Raycaster();

  constructor(canvas: HTMLCanvasElement, camera: PerspectiveCamera, world: () => WorldPicture | null) {
    this.#canvas = canvas;
    this.#camera = camera;
    this.#world = world;
  }

  /** The path in the tree of what lies at a point of the canvas [CSS pixels], null: nothing. */
  pick(x: number, y: number): string | null {
    const world = this.#world();
    if (world === null) return null;
    const ray = this.#through(x, y);
    const found = pickAlong(ray, pickables(world.robots, world.traffic?.things ?? []));
    if (found === null || world.tiles === null) return found?.path ?? null;
    const away = found.position.distanceTo(ray.origin);
    const wall = worldHit(ray, world.tiles.root, away + 20);
    // A house between the eye and the thing hides it.
    return (wall?.distanceTo(ray.origin) ?? Infinity) < away - BEHIND_WALL ? null : found.path;
  }

  /** The ground (x, y, z in W) under a point of the canvas [CSS pixels], null: sky. */
  groundAt(x: number, y: number): [number, number, number] | null {
    const root = this.#town;
    const hit = root === undefined ? null : worldHit(this.#through(x, y), root);
    if (hit === null) return null;
    const at = toWorld(hit);
    return [at.x, at.y, at.z];
  }

  /** Height [m] of the ground or the roof below the camera at a place of the scene. */
  heightAt(x: number, z: number): number | null {
    const root = this.#town;
    if (root === undefined) return null;
    this.#caster.ray.origin.set(x, this.#camera.position.y + 3, z);
    this.#caster.ray.direction.set(0, -1, 0);
    this.#caster.far = 2000;
    return this.#caster.intersectObject(root, true)[0]?.point.y ?? null;
  }

  /** Share of the way between two places that is free of walls. */
  clearance(from: Vector3, to: Vector3): number {
    const root = this.#town;
    const distance = from.distanceTo(to);
    if (root === undefined || distance < 0.5) return 1;
    this.#caster.ray.origin.copy(from);
    this.#caster.ray.direction.subVectors(to, from).divideScalar(distance);
    this.#caster.far = distance + KEPT_FREE;
    const hit = this.#caster.intersectObject(root, true)[0];
    return hit === undefined ? 1 : Math.min(Math.max((hit.distance - KEPT_FREE) / distance, 0), 1);
  }

  get #town(): Object3D | undefined {
    return this.#world()?.tiles?.root;
  }

  #through(x: number, y: number): Ray {
    const { clientWidth, clientHeight } = this.#canvas;
    const at = new Vector2((2 * x) / clientWidth - 1, 1 - (2 * y) / clientHeight);
    const caster = new Raycaster();
    caster.setFromCamera(at, this.#camera);
    return caster.ray;
  }
}
