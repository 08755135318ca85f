/** The sky as it is seen: gradient, sun, moon, stars, and clouds that drift. */

import {
  BackSide,
  Mesh,
  type PerspectiveCamera,
  ShaderMaterial,
  SphereGeometry,
  Vector3,
  Vector4,
} from "three";

import type { Daylight } from "./daylight";
import { SKY_FUNCTIONS, type WorldLight } from "./shader_light";

const VERTEX = /* glsl */ `
varying vec3 vRay;
void main() {
  vRay = position;
  vec4 at = projectionMatrix * mat4(mat3(viewMatrix)) * vec4(position, 1.0);
  gl_Position = at.xyww;
}
`;

const FRAGMENT = /* glsl */ `
uniform sampler2D uNoise;
uniform vec4 uWindows;
uniform vec3 uMoonDir;
uniform vec3 uSunDisc;
uniform vec3 uLitCloud;
uniform vec3 uShadyCloud;
uniform vec4 uClouds;
varying vec3 vRay;
${SKY_FUNCTIONS}

float hash31(vec3 p) {
  p = fract(p * 0.1031);
  p += dot(p, p.zyx + 31.32);
  return fract((p.x + p.y) * p.z);
}
float heap(vec2 p) {
  vec4 a = texture2D(uNoise, p);
  vec4 b = texture2D(uNoise, p * 3.1 + 0.2);
  vec4 c = texture2D(uNoise, p.yx * 8.3);
  return a.r * 0.62 + b.r * 0.26 + c.a * 0.12;
}
void main() {
  vec3 d = normalize(vRay);
  vec3 light = skyRadiance(d);
  float clear = 1.0 - uHaze.y;
  float above = smoothstep(-0.01, 0.03, d.y);
  /* Stars: a few of each cell of a grid of directions. */
  if (uWindows.x > 0.3) {
    vec3 cell = floor(d * 190.0);
    float h = hash31(cell);
    vec3 off = fract(d * 190.0) - 0.5;
    float star = step(0.9965, h) * smoothstep(0.45, 0.0, length(off)) * (0.3 + 0.7 * hash31(cell + 7.0));
    light += vec3(0.85, 0.9, 1.0) * star * 0.5 * uWindows.z * clear * above * smoothstep(0.55, 1.0, uWindows.x) * smoothstep(0.0, 0.35, d.y);
  }
  float cosine = dot(d, uSunDir);
  float disc = smoothstep(0.99992, 0.99997, cosine);
  float moon = smoothstep(0.99985, 0.99990, dot(d, uMoonDir)) * smoothstep(0.5, 0.9, uWindows.x);
  /* Clouds: a layer seen through the plane that they lie in. */
  vec2 plane = d.xz / (max(d.y, 0.0) + 0.11);
  vec2 drift = vec2(0.00042, 0.00023) * uWeather.z;
  vec2 p = plane * 0.055 + drift;
  float h = heap(p);
  float toSun = heap(p + normalize(uSunDir.xz + 1e-4) * 0.012 * (1.2 - max(uSunDir.y, 0.0)));
  float density = smoothstep(uClouds.x, uClouds.x + 0.20, h);
  float wisps = smoothstep(0.50, 0.95, texture2D(uNoise, plane.yx * vec2(0.012, 0.05) + drift * 0.7).r) * uClouds.y;
  float thick = clamp((toSun - uClouds.x) * 3.2, 0.0, 1.0);
  vec3 lit = mix(uLitCloud, uShadyCloud, clamp(thick * 0.75 + 0.25 * smoothstep(0.1, 0.9, density), 0.0, 1.0));
  float silver = pow(max(cosine, 0.0), 12.0);
  lit += uLitCloud * silver * (1.0 - thick) * 1.1;
  float far = smoothstep(0.015, 0.20, d.y);
  vec3 through = mix(light, lit, 0.35 + 0.65 * far);
  float cover = density * far * clear;
  light = mix(light, uLitCloud, wisps * far * 0.38 * clear);
  light = mix(light, through, cover * 0.94);
  float veil = 1.0 - cover;
  light += uSunDisc * disc * veil * clear * above;
  float maria = 0.72 + 0.5 * texture2D(uNoise, d.xz * 14.0 + d.y * 9.0).r;
  light += vec3(1.0, 0.97, 0.90) * moon * maria * veil * clear * uWindows.z * 1.4;
  /* A broken layer under a closed cover. */
  float dark = heap(plane * 0.03 + drift * 2.0);
  light *= 1.0 - uHaze.y * 0.34 * smoothstep(0.42, 0.66, dark) * far * uClouds.z;
  /* Below the horizon: the haze over the plain. */
  gl_FragColor = vec4(light, 1.0);
  #include <tonemapping_fragment>
  #include <colorspace_fragment>
}
`;

const MOON = new Vector3(0.4, 0.67, 0.62).normalize();

/** A dome around the camera. */
export class SkyDome {
  readonly mesh: Mesh<SphereGeometry, ShaderMaterial>;

  constructor(light: WorldLight) {
    const material = new ShaderMaterial({
      name: "sky",
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: {
        ...light.uniforms,
        uMoonDir: { value: MOON },
        uSunDisc: { value: new Vector3() },
        uLitCloud: { value: new Vector3() },
        uShadyCloud: { value: new Vector3() },
        uClouds: { value: new Vector4(1, 0, 0, 0) },
      },
      side: BackSide,
      depthWrite: false,
      depthTest: true,
      toneMapped: true,
    });
    this.mesh = new Mesh(new SphereGeometry(1, 32, 20), material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 100;
    this.mesh.name = "sky";
  }

  /** Takes over the light of a time of day. */
  show(daylight: Daylight): void {
    const { uniforms } = this.mesh.material;
    const { beam, sky, overcast } = daylight;
    const isDay = daylight.isMoonlit ? 0 : 1;
    const disc = 40 / Math.max(1, 1 / Math.max(daylight.exposure, 1e-3));
    vector(uniforms.uSunDisc).set(beam.r, beam.g, beam.b).multiplyScalar(isDay * (6 + disc));
    const first = daylight.harmonics.coefficients[0];
    const ambient = new Vector3(first?.x ?? 0, first?.y ?? 0, first?.z ?? 0).multiplyScalar(0.3);
    vector(uniforms.uLitCloud)
      .set(beam.r, beam.g, beam.b)
      .multiplyScalar(0.20)
      .addScaledVector(ambient, 1.0);
    vector(uniforms.uShadyCloud)
      .set(beam.r, beam.g, beam.b)
      .multiplyScalar(0.055)
      .addScaledVector(ambient, 0.85);
    (uniforms.uClouds?.value as Vector4).set(
      0.70 - 0.42 * sky.clouds,
      Math.min(1, 0.35 + sky.clouds),
      overcast,
      0,
    );
  }

  /** Keeps the dome around a camera. */
  follow(camera: PerspectiveCamera): void {
    this.mesh.position.copy(camera.position);
  }

  /** Frees what is on the graphics card. */
  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}

function vector(uniform: { value: unknown } | undefined): Vector3 {
  return uniform?.value as Vector3;
}
