/** Sun, sky, and what falls from it, by the time of day and the weather. */

import { LightProbe, type Object3D, type PerspectiveCamera, type Scene, type WebGLRenderer } from "three";
import { SunLight } from "three/examples/jsm/lights/SunLight.js";

import type { CameraControl } from "./cameras";
import { type Daylight, makeDaylight } from "./daylight";
import type { PlainMaterials } from "./plain_material";
import { Precipitation } from "./precipitation";
import type { Quality } from "./quality";
import type { WorldLight } from "./shader_light";
import { SkyDome } from "./sky_dome";
import { CLEAR_SKY, type SkyState } from "./sun";

/** Heights [rad] of the sun over the horizon below which its shadows would have no end. */
const LOWEST = 0.035;

/** The light of a scene, and the sky around it. */
export class SkyLight {
  #state: SkyState = { ...CLEAR_SKY };
  #daylight: Daylight | null = null;
  /** Of what sky and where `daylight` is: it takes a while to compute. */
  #shown = "";
  readonly #light: WorldLight;
  readonly #dome: SkyDome;
  readonly #rain: Precipitation;
  readonly #sun = new SunLight(0xffffff, 1);
  readonly #probe = new LightProbe();

  constructor(scene: Scene, light: WorldLight) {
    this.#light = light;
    this.#dome = new SkyDome(light);
    this.#rain = new Precipitation(light);
    // Always: programs depend on it. Without shadows, `WorldLight` tells the programs so.
    this.#sun.castShadow = true;
    scene.add(this.#dome.mesh, this.#sun, this.#probe, this.#rain.mesh);
  }

  /** A mesh by which the program of the sky is compiled. */
  sample(): Object3D {
    return this.#dome.mesh.clone();
  }

  /** Time of day and weather. */
  get state(): SkyState {
    return this.#state;
  }

  /** The light of sun and sky. */
  get daylight(): Daylight {
    this.#daylight ??= makeDaylight(this.#state, 0, 0);
    return this.#daylight;
  }

  /** Takes over a time of day and a weather at a place [°]. */
  show(
    state: SkyState,
    [latitude, longitude]: readonly [number, number],
    plain: PlainMaterials,
    renderer: WebGLRenderer,
  ): void {
    this.#state = state;
    const shown = JSON.stringify([state, latitude, longitude]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    const daylight = makeDaylight(state, latitude, longitude);
    this.#daylight = daylight;
    this.#light.show(daylight);
    this.#dome.show(daylight);
    plain.show(daylight);
    this.#rain.show(state.rain, state.snow);
    this.#sun.position.copy(daylight.caster);
    this.#sun.position.y = Math.max(this.#sun.position.y, LOWEST);
    this.#sun.color.copy(daylight.beam);
    this.#probe.sh.copy(daylight.harmonics);
    renderer.toneMappingExposure = daylight.exposure;
  }

  /** Fits shadows to a quality. */
  choose(quality: Quality): void {
    const { shadow } = this.#sun;
    const size = quality.shadows || 1;
    this.#light.uniforms.uShadows.value = quality.shadows > 0 ? 1 : 0;
    shadow.mapSize.set(size, size);
    shadow.map?.dispose();
    shadow.map = null;
    shadow.bias = -0.0004;
    shadow.normalBias = 0.06;
    shadow.radius = quality.isFine ? 2.2 : 1.2;
  }

  /** Goes with a camera, at a simulated time [s]. */
  follow(camera: PerspectiveCamera, { kind, distance }: CameraControl, quality: Quality, time: number): void {
    this.#rain.update(time, camera.position);
    this.#dome.follow(camera);
    const isFar = kind === "map" || kind === "orbit";
    const reach = quality.shadowReach;
    this.#sun.shadow.camera.far = isFar ? Math.max(reach, 2.4 * distance) : reach;
  }

  /** Frees what is on the graphics card. */
  dispose(): void {
    this.#rain.dispose();
    this.#dome.dispose();
    this.#sun.dispose();
  }
}
