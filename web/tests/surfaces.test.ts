/** Materials of many looks with few programs. */

import { type Material, MeshStandardMaterial, ShaderLib, type WebGLProgramParametersWithUniforms } from "three";
import { expect, test } from "vitest";

import { WorldLight } from "../src/scene/shader_light";
import { SurfaceLibrary } from "../src/scene/surfaces";

interface Patched {
  readonly text: string;
  readonly surface: unknown;
}

/** The program of a material as three compiles it, and which look of it the material has. */
function patched(material: Material): Patched {
  const { vertexShader, fragmentShader } =
    material instanceof MeshStandardMaterial ? ShaderLib.standard : ShaderLib.lambert;
  const shader = { uniforms: {}, vertexShader, fragmentShader } as unknown as WebGLProgramParametersWithUniforms;
  material.onBeforeCompile(shader, undefined as never);
  return { text: shader.vertexShader + shader.fragmentShader, surface: shader.uniforms.uSurface?.value };
}

test("materials with the key of one program have one program, and looks of their own", () => {
  const library = new SurfaceLibrary(new WorldLight(), false);
  const names = ["ground", "kerb", "carriageway", "roof", "timber", "shop_window", "paint", "steel", "hedge", "house"];
  const programs = new Map<string, string>();
  const surfaces = new Set<unknown>();
  for (const name of [...names, "wall", "kerb_tunnel", "water", "glass"]) {
    const material = library.material(name);
    const key = `${material.type}|${material.customProgramCacheKey()}`;
    const { text, surface } = patched(material);
    expect(programs.get(key) ?? text).toBe(text);
    programs.set(key, text);
    if (names.includes(name)) surfaces.add(surface);
  }
  expect(surfaces.size).toBe(names.length);
  // Matt, glossy, a front of a house, and a tunnel: each takes a second to compile without a graphics card.
  expect(programs.size).toBe(4);
});

test("without shared programs each look has its own", () => {
  const library = new SurfaceLibrary(new WorldLight(), false, false);
  const [ground, roof, park] = ["ground", "roof", "park"].map((name) => library.material(name));
  expect(ground?.customProgramCacheKey()).not.toBe(roof?.customProgramCacheKey());
  expect(ground?.customProgramCacheKey()).toBe(park?.customProgramCacheKey());
  expect(ground === undefined ? "" : patched(ground).text).not.toContain("if (uSurface");
});

test("shadows are switched off without another program", () => {
  const light = new WorldLight();
  const { text } = patched(new SurfaceLibrary(light, false).material("ground"));
  expect(text).toContain("#define receiveShadow (uShadows > 0.5)");
  expect(text.indexOf("#define receiveShadow")).toBeGreaterThan(text.indexOf("#include <lights_pars_begin>"));
  expect(light.uniforms.uShadows.value).toBe(1);
});
