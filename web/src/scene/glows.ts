/** Glows of lamps: discs of light that face the camera, drawn once for all lamps. */

import {
  AdditiveBlending,
  BufferGeometry,
  Float32BufferAttribute,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  Mesh,
  ShaderMaterial,
  type Vector3,
} from "three";

import { SKY_FUNCTIONS, type WorldLight } from "./shader_light";

const VERTEX = /* glsl */ `
attribute vec4 iPlace;
attribute vec4 iLight;
varying vec2 vAt;
varying vec3 vLight;
varying float vFar;
void main() {
  vec3 toEye = cameraPosition - iPlace.xyz;
  float distance = length(toEye);
  vec3 ahead = iPlace.xyz + toEye / distance * min(0.35, 0.5 * distance);
  vec4 at = viewMatrix * vec4(ahead, 1.0);
  float size = max(iPlace.w, distance * 0.0035 * min(1.0, iPlace.w * 1.6));
  at.xy += position.xy * size;
  gl_Position = projectionMatrix * at;
  vAt = position.xy;
  vLight = iLight.rgb * iLight.a;
  vFar = distance;
}
`;

const FRAGMENT = /* glsl */ `
uniform vec4 uWindows;
varying vec2 vAt;
varying vec3 vLight;
varying float vFar;
${SKY_FUNCTIONS}
void main() {
  float r2 = dot(vAt, vAt);
  if (r2 > 1.0) discard;
  float fade = 1.0 - r2;
  float halo = fade * fade * fade;
  float core = exp(-r2 * 90.0);
  float thick = clamp(uHaze.x * 60.0, 0.0, 1.0);
  vec3 light = vLight * (halo * (0.10 + 0.30 * thick) + core * 1.4) * exp(-uHaze.x * vFar);
  gl_FragColor = vec4(light * uWindows.z, 1.0);
  #include <tonemapping_fragment>
  #include <colorspace_fragment>
}
`;

/** Glows that are set anew for each picture. */
export class Glows {
  readonly mesh: Mesh<InstancedBufferGeometry, ShaderMaterial>;
  readonly #places: InstancedBufferAttribute;
  readonly #lights: InstancedBufferAttribute;
  readonly #capacity: number;
  #count = 0;

  constructor(light: WorldLight, capacity: number) {
    this.#capacity = capacity;
    const quad = new BufferGeometry();
    quad.setAttribute("position", new Float32BufferAttribute(QUAD, 3));
    quad.setIndex([0, 1, 2, 0, 2, 3]);
    const geometry = new InstancedBufferGeometry();
    geometry.index = quad.index;
    geometry.setAttribute("position", quad.getAttribute("position"));
    this.#places = new InstancedBufferAttribute(new Float32Array(4 * capacity), 4);
    this.#lights = new InstancedBufferAttribute(new Float32Array(4 * capacity), 4);
    geometry.setAttribute("iPlace", this.#places);
    geometry.setAttribute("iLight", this.#lights);
    const material = new ShaderMaterial({
      name: "glows",
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: light.uniforms,
      transparent: true,
      depthWrite: false,
      blending: AdditiveBlending,
    });
    this.mesh = new Mesh(geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 200;
    this.mesh.name = "glows";
  }

  begin(): void {
    this.#count = 0;
  }

  /** Adds a glow: place in the scene, radius [m], colour (linear) and strength. */
  add(place: Vector3, radius: number, colour: readonly [number, number, number], strength: number): void {
    if (this.#count >= this.#capacity) return;
    this.#places.setXYZW(this.#count, place.x, place.y, place.z, radius);
    this.#lights.setXYZW(this.#count, ...colour, strength);
    this.#count += 1;
  }

  end(): void {
    this.mesh.visible = this.#count > 0;
    this.mesh.geometry.instanceCount = this.#count;
    this.#places.needsUpdate = true;
    this.#lights.needsUpdate = true;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
    this.mesh.removeFromParent();
  }
}

const QUAD = [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0];
