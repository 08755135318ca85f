/** A material whose program is short: colours in the light of sun and sky, without shadows and detail. */

import {
  BufferGeometry,
  Color,
  Float32BufferAttribute,
  Group,
  InstancedMesh,
  type IUniform,
  type Material,
  Mesh,
  MeshLambertMaterial,
  ShaderMaterial,
  type SphericalHarmonics3,
  Vector3,
} from "three";

import type { Daylight } from "./daylight";

const VERTEX = /* glsl */ `
#include <common>
#include <color_pars_vertex>
varying vec3 vSide;
void main() {
  #include <color_vertex>
  #include <beginnormal_vertex>
  #include <begin_vertex>
  vSide = objectNormal;
  #ifdef USE_INSTANCING
  vSide = mat3(instanceMatrix) * vSide;
  #endif
  vSide = mat3(modelMatrix) * vSide;
  #include <project_vertex>
}
`;

const FRAGMENT = /* glsl */ `
#include <common>
#include <color_pars_fragment>
uniform vec3 uColour;
uniform vec3 uCaster;
uniform vec3 uBeam;
uniform vec3 uAbove;
uniform vec3 uBelow;
varying vec3 vSide;
void main() {
  vec4 diffuseColor = vec4(uColour, 1.0);
  #include <color_fragment>
  vec3 side = normalize(vSide);
  vec3 light = uBeam * max(dot(side, uCaster), 0.0) + mix(uBelow, uAbove, 0.5 + 0.5 * side.y);
  gl_FragColor = vec4(diffuseColor.rgb * light * RECIPROCAL_PI, 1.0);
  #include <tonemapping_fragment>
  #include <colorspace_fragment>
}
`;

/** Programs of meshes of a town: numbers of a vertex' colour, whether it is instanced, with colours of instances. */
const PROGRAMS: readonly (readonly [number, boolean, boolean])[] = [
  [0, false, false],
  [4, false, false],
  [4, true, false],
  [3, true, false],
  [3, true, true],
];

/** Makes and keeps plain materials; they share their light. */
export class PlainMaterials {
  readonly #light = {
    uCaster: { value: new Vector3(0, 1, 0) },
    uBeam: { value: new Color() },
    uAbove: { value: new Vector3() },
    uBelow: { value: new Vector3() },
  } satisfies Record<string, IUniform>;
  readonly #made = new Map<string, ShaderMaterial>();

  /** Takes over the light of a time of day. */
  show({ beam, caster, harmonics }: Pick<Daylight, "beam" | "caster" | "harmonics">): void {
    this.#light.uCaster.value.copy(caster);
    this.#light.uBeam.value.copy(beam);
    irradiance(harmonics, UP, this.#light.uAbove.value);
    irradiance(harmonics, DOWN, this.#light.uBelow.value);
  }

  /** The plain material that stands for another one. */
  of(full: Material): Material {
    const { vertexColors, side, polygonOffset, polygonOffsetFactor, polygonOffsetUnits } = full;
    // What is cut out of a picture, as leaves are, comes with its own material alone.
    const visible = full.alphaTest === 0;
    const { color } = full as { color?: Color };
    const key = [vertexColors, side, polygonOffset, visible, color?.getHex()].join("|");
    const found = this.#made.get(key);
    if (found !== undefined) return found;
    const made = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: { ...this.#light, uColour: { value: color?.clone() ?? new Color(1, 1, 1) } },
      ...{ vertexColors, side, visible, polygonOffset, polygonOffsetFactor, polygonOffsetUnits },
    });
    this.#made.set(key, made);
    return made;
  }

  /** Meshes by which the programs of all these materials are compiled before there is a town. */
  samples(): Group {
    const group = new Group();
    for (const [colours, isInstanced, hasDyes] of PROGRAMS) {
      const geometry = new BufferGeometry();
      for (const name of ["position", "normal"]) {
        geometry.setAttribute(name, new Float32BufferAttribute([0, 0, 1], 3));
      }
      if (colours > 0) geometry.setAttribute("color", new Float32BufferAttribute([1, 1, 1, 1], colours));
      const material = this.of(new MeshLambertMaterial({ vertexColors: colours > 0 }));
      const mesh = isInstanced ? new InstancedMesh(geometry, material, 1) : new Mesh(geometry, material);
      if (mesh instanceof InstancedMesh && hasDyes) mesh.setColorAt(0, new Color());
      group.add(mesh);
    }
    return group;
  }

  dispose(): void {
    for (const each of this.#made.values()) each.dispose();
    this.#made.clear();
  }
}

const UP = new Vector3(0, 1, 0);
const DOWN = new Vector3(0, -1, 0);

function irradiance(harmonics: SphericalHarmonics3, normal: Vector3, into: Vector3): void {
  harmonics.getIrradianceAt(normal, into);
  into.set(Math.max(into.x, 0), Math.max(into.y, 0), Math.max(into.z, 0));
}
