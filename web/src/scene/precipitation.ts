/** Rain and snow: streaks and flakes in a box that goes with the camera. */

import {
  BufferGeometry,
  DoubleSide,
  Float32BufferAttribute,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  Mesh,
  ShaderMaterial,
  Vector3,
  Vector4,
} from "three";

import { seeded } from "./noise";
import { SKY_FUNCTIONS, type WorldLight } from "./shader_light";

const MOST = 9000;

const VERTEX = /* glsl */ `
uniform vec4 uFall;
uniform vec3 uEye;
uniform vec4 uWeather;
attribute vec4 iSeed;
varying vec2 vAt;
varying float vNear;
void main() {
  float isSnow = uFall.x;
  vec3 box = mix(vec3(26.0, 20.0, 26.0), vec3(24.0, 16.0, 24.0), isSnow);
  float speed = mix(8.5, 1.15, isSnow) * (0.8 + 0.4 * iSeed.w);
  vec3 wind = mix(vec3(0.9, 0.0, 0.4), vec3(0.55, 0.0, 0.3), isSnow);
  vec3 at = iSeed.xyz * box;
  at += wind * uFall.w;
  at.y -= speed * uFall.w;
  at.xz += isSnow * vec2(sin(uFall.w * 1.3 + iSeed.w * 50.0), cos(uFall.w * 1.1 + iSeed.x * 60.0)) * 0.35;
  at = mod(at - uEye, box) - 0.5 * box + uEye;
  vec3 toEye = uEye - at;
  float distance = length(toEye);
  vec3 along = normalize(mix(vec3(wind.x, -speed, wind.z), vec3(0.0, 1.0, 0.0), isSnow));
  vec3 across = normalize(cross(along, toEye));
  if (isSnow > 0.5) along = normalize(cross(toEye, across));
  vec2 size = mix(vec2(0.0038, 0.26), vec2(0.017, 0.017) * (0.6 + 0.8 * iSeed.w), isSnow);
  size.x = max(size.x, distance * 0.0009);
  at += across * position.x * size.x + along * position.y * size.y;
  gl_Position = projectionMatrix * viewMatrix * vec4(at, 1.0);
  vAt = position.xy;
  vNear = smoothstep(0.6, 2.0, distance) * smoothstep(12.5, 8.0, distance);
}
`;

const FRAGMENT = /* glsl */ `
uniform vec4 uFall;
uniform vec4 uWindows;
varying vec2 vAt;
varying float vNear;
${SKY_FUNCTIONS}
void main() {
  float isSnow = uFall.x;
  float shape = mix((1.0 - abs(vAt.y)) * (1.0 - abs(vAt.x)), smoothstep(1.0, 0.3, length(vAt)), isSnow);
  vec3 around = skyRadiance(vec3(0.3, 0.5, 0.3)) * 1.1 + uWindows.x * uWindows.z * vec3(0.5, 0.44, 0.36);
  gl_FragColor = vec4(around * mix(1.0, 1.25, isSnow), shape * vNear * mix(0.33, 0.9, isSnow) * uFall.z);
  #include <tonemapping_fragment>
  #include <colorspace_fragment>
}
`;

/** What falls from the clouds. */
export class Precipitation {
  readonly mesh: Mesh<InstancedBufferGeometry, ShaderMaterial>;
  /** Factor on the number of drops. */
  density = 1;
  #share = 0;

  constructor(light: WorldLight) {
    const random = seeded(17);
    const quad = new BufferGeometry();
    quad.setAttribute("position", new Float32BufferAttribute(QUAD, 3));
    const geometry = new InstancedBufferGeometry();
    geometry.setAttribute("position", quad.getAttribute("position"));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    const seeds = Float32Array.from({ length: 4 * MOST }, random);
    geometry.setAttribute("iSeed", new InstancedBufferAttribute(seeds, 4));
    const material = new ShaderMaterial({
      name: "precipitation",
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: {
        ...light.uniforms,
        uFall: { value: new Vector4() },
        uEye: { value: new Vector3() },
      },
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
    });
    this.mesh = new Mesh(geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.visible = false;
    this.mesh.renderOrder = 300;
    this.mesh.name = "precipitation";
  }

  /** Sets how strongly it rains and snows (0..1). */
  show(rain: number, snow: number): void {
    this.#share = Math.max(rain, snow);
    const fall = this.mesh.material.uniforms.uFall?.value as Vector4;
    fall.x = snow > rain ? 1 : 0;
    fall.z = 0.4 + 0.6 * this.#share;
    this.mesh.visible = this.#share > 0.01;
  }

  /** Moves it to a simulated time [s], around a camera. */
  update(time: number, eye: Vector3): void {
    if (!this.mesh.visible) return;
    const { uniforms } = this.mesh.material;
    (uniforms.uFall?.value as Vector4).w = time;
    (uniforms.uEye?.value as Vector3).copy(eye);
    this.mesh.geometry.instanceCount = Math.round(MOST * Math.min(1, this.density * this.#share));
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}

const QUAD = [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0];
