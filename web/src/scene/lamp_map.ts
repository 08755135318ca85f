/**
 * The light of street lamps and head lights on the ground: a picture from above around the camera,
 * which all materials read. Any number of lamps costs one small pass.
 */

import {
  BufferGeometry,
  Float32BufferAttribute,
  HalfFloatType,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  LinearFilter,
  Mesh,
  OneFactor,
  AddEquation,
  CustomBlending,
  OrthographicCamera,
  RGBAFormat,
  Scene,
  ShaderMaterial,
  type Vector3,
  Vector4,
  type WebGLRenderer,
  WebGLRenderTarget,
  Color,
} from "three";

import type { WorldLight } from "./shader_light";

/** Width [m] of the square that is lit. */
const WIDTH = 380;
const CAPACITY = 2048;

const VERTEX = /* glsl */ `
uniform vec4 uFrame;
attribute vec4 iPlace;
attribute vec4 iAxis;
attribute vec3 iLight;
varying vec2 vAt;
varying vec4 vAxis;
varying vec3 vLight;
varying float vHeight;
void main() {
  vAt = position.xy * iPlace.w;
  vec2 centre = iPlace.xz;
  if (iAxis.w > 0.0) {
    vAt.x = (position.x * 0.5 + 0.5) * iPlace.w * 1.02 - iPlace.w * 0.02;
    vAt.y = position.y * iPlace.w * 0.45;
    centre += iAxis.xy * vAt.x + vec2(-iAxis.y, iAxis.x) * vAt.y;
  } else centre += vAt;
  gl_Position = vec4((centre - uFrame.xy) * uFrame.z * 2.0, 0.0, 1.0);
  vAxis = iAxis;
  vLight = iLight;
  vHeight = iPlace.y;
}
`;

const FRAGMENT = /* glsl */ `
varying vec2 vAt;
varying vec4 vAxis;
varying vec3 vLight;
varying float vHeight;
void main() {
  float share;
  if (vAxis.w > 0.0) {
    /* A dipped beam: a flat cone, cut off above, brightest some metres ahead. */
    float ahead = max(vAt.x, 0.01);
    float across = vAt.y / (0.8 + 0.30 * ahead);
    float falls = smoothstep(0.4, 4.5, ahead) / (1.0 + ahead * ahead * 0.0045);
    float ends = 1.0 - smoothstep(0.6, 1.0, ahead / vAxis.w);
    share = exp(-across * across * 1.6) * falls * ends;
  } else {
    /* A lamp over the ground: Lambert's law for a source at its height. */
    float h = vAxis.z;
    float r2 = dot(vAt, vAt);
    float near = h * h / (r2 + h * h);
    share = near * sqrt(near) * near * smoothstep(4.2, 2.4, sqrt(r2) / h);
  }
  vec3 light = vLight * share;
  gl_FragColor = vec4(light, dot(light, vec3(1.0)) * vHeight);
}
`;

/** A pool of light: its place on the ground, its reach [m], and its irradiance. */
export class LampMap {
  readonly #target: WebGLRenderTarget;
  readonly #scene = new Scene();
  readonly #camera = new OrthographicCamera();
  readonly #light: WorldLight;
  readonly #mesh: Mesh<InstancedBufferGeometry, ShaderMaterial>;
  readonly #attributes: InstancedBufferAttribute[];
  readonly #clear = new Color(0);
  #count = 0;

  constructor(light: WorldLight, size: number) {
    this.#light = light;
    this.#target = new WebGLRenderTarget(size, size, {
      type: HalfFloatType,
      format: RGBAFormat,
      minFilter: LinearFilter,
      magFilter: LinearFilter,
      depthBuffer: false,
    });
    const quad = new BufferGeometry();
    const geometry = new InstancedBufferGeometry();
    quad.setAttribute("position", new Float32BufferAttribute(QUAD, 3));
    geometry.setAttribute("position", quad.getAttribute("position"));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    this.#attributes = [4, 4, 3].map(
      (width) => new InstancedBufferAttribute(new Float32Array(width * CAPACITY), width),
    );
    ["iPlace", "iAxis", "iLight"].forEach((name, k) => {
      const attribute = this.#attributes[k];
      if (attribute !== undefined) geometry.setAttribute(name, attribute);
    });
    const material = new ShaderMaterial({
      name: "lamp map",
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: { uFrame: { value: new Vector4() } },
      depthTest: false,
      depthWrite: false,
      transparent: true,
      blending: CustomBlending,
      blendEquation: AddEquation,
      blendSrc: OneFactor,
      blendDst: OneFactor,
      blendSrcAlpha: OneFactor,
      blendDstAlpha: OneFactor,
      toneMapped: false,
    });
    this.#mesh = new Mesh(geometry, material);
    this.#mesh.frustumCulled = false;
    this.#scene.add(this.#mesh);
    light.uniforms.uLamps.value = this.#target.texture;
  }

  begin(): void {
    this.#count = 0;
  }

  /** Adds the pool below a lamp `height` [m] over `ground`. */
  addLamp(ground: Vector3, height: number, light: readonly [number, number, number]): void {
    this.#add(ground, 4.2 * height, [0, 0, height, 0], light);
  }

  /** Adds the beam of head lights at `ground`, ahead along (x, z), `reach` [m] far. */
  addBeam(
    ground: Vector3,
    x: number,
    z: number,
    reach: number,
    light: readonly [number, number, number],
  ): void {
    this.#add(ground, reach, [x, z, 0, reach], light);
  }

  #add(
    at: Vector3,
    reach: number,
    axis: readonly [number, number, number, number],
    light: readonly [number, number, number],
  ): void {
    const [places, axes, lights] = this.#attributes;
    if (this.#count >= CAPACITY || !places || !axes || !lights) return;
    places.setXYZW(this.#count, at.x, at.y, at.z, reach);
    axes.setXYZW(this.#count, ...axis);
    lights.setXYZ(this.#count, ...light);
    this.#count += 1;
  }

  /** Draws the map around a place. */
  render(renderer: WebGLRenderer, around: Vector3): void {
    const step = (WIDTH / this.#target.width) * 4;
    const [x, z] = [Math.round(around.x / step) * step, Math.round(around.z / step) * step];
    this.#light.uniforms.uLampFrame.value.set(x, z, 1 / WIDTH, 0);
    const { uniforms } = this.#mesh.material;
    (uniforms.uFrame?.value as Vector4).set(x, z, 1 / WIDTH, 0);
    this.#mesh.geometry.instanceCount = this.#count;
    this.#mesh.visible = this.#count > 0;
    for (const each of this.#attributes) each.needsUpdate = true;
    const before = renderer.getRenderTarget();
    const colour = renderer.getClearColor(new Color());
    const alpha = renderer.getClearAlpha();
    renderer.setRenderTarget(this.#target);
    renderer.setClearColor(this.#clear, 0);
    renderer.clear(true, false, false);
    renderer.render(this.#scene, this.#camera);
    renderer.setRenderTarget(before);
    renderer.setClearColor(colour, alpha);
  }

  /** Says that no lamp is lit. */
  switchOff(): void {
    this.#light.uniforms.uLampFrame.value.setZ(0);
  }

  dispose(): void {
    this.#target.dispose();
    this.#mesh.geometry.dispose();
    this.#mesh.material.dispose();
    this.#light.uniforms.uLamps.value = null;
  }
}

const QUAD = [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0];
