/**
 * First pictures without waiting for the programs of all materials, which take seconds to compile
 * where there is no graphics card: meshes have plain materials until their own programs are there.
 */

import { InstancedMesh, type Material, Mesh, type Object3D } from "three";

/** Compiles the programs for an object with its materials; settled when they can be used. */
export type Compile = (object: Object3D) => Promise<unknown>;

/** Meshes that wait for one program. */
interface Waiting {
  readonly meshes: Map<Mesh, Material>;
  isCompiled: boolean;
  isBusy: boolean;
}

/** Programs that are compiled at a time. */
const AT_ONCE = 2;

/** Gives meshes plain materials until the programs of their own are there. */
export class WarmUp {
  readonly #plainOf: (full: Material) => Material;
  readonly #compile: Compile;
  readonly #rest: () => Promise<unknown>;
  readonly #onChange: () => void;
  readonly #warm = new Set<string>();
  readonly #waiting = new Map<string, Waiting>();
  #isGone = false;
  /** Whether a picture of plain materials is due, on its way, or seen. */
  #first: "due" | "drawn" | "seen" = "due";

  /**
   * @param plainOf - the material in place of another one.
   * @param compile - as `CanvasRenderer.compile` does.
   * @param rest - settled when the first picture of plain materials is on the screen.
   * @param onChange - called when there is something to `look` at again.
   */
  constructor(
    plainOf: (full: Material) => Material,
    compile: Compile,
    rest: () => Promise<unknown>,
    onChange: () => void,
  ) {
    this.#plainOf = plainOf;
    this.#compile = compile;
    this.#rest = rest;
    this.#onChange = onChange;
  }

  /** Whether all meshes have their own materials. */
  get isDone(): boolean {
    return this.#waiting.size === 0;
  }

  /** Whether any mesh has had its own material. */
  get hasBegun(): boolean {
    return this.#warm.size > 0;
  }

  /**
   * To be called before each picture. New meshes become plain. Programs are compiled when a first
   * plain picture is on the screen; each picture then gives their own materials to the meshes of one
   * more program: the first use of a program takes time, too, and pictures go on in between.
   *
   * @param root - where to look for meshes.
   * @param hasTown - whether this picture counts as the first: it has all of the town.
   */
  look(root: Object3D, hasTown: boolean): void {
    root.traverseVisible((node) => {
      if (node instanceof Mesh) this.#take(node as Mesh);
    });
    if (this.isDone) return;
    if (this.#first === "seen") {
      this.#dressNext();
      this.#begin();
    } else if (this.#first === "due" && hasTown) {
      this.#first = "drawn";
      // `look` comes before the picture, and this after it.
      void Promise.resolve()
        .then(this.#rest)
        .then(() => {
          this.#first = "seen";
          if (!this.#isGone) this.#begin();
        });
    }
    if ([...this.#waiting.values()].some((each) => each.isCompiled)) this.#onChange();
  }

  dispose(): void {
    this.#isGone = true;
    this.#waiting.clear();
  }

  #take(mesh: Mesh): void {
    const full = mesh.material;
    if (Array.isArray(full) || full.userData.isSurface !== true) return;
    const key = programOf(mesh, full);
    if (this.#warm.has(key)) return;
    const waiting = this.#waiting.get(key) ?? { meshes: new Map(), isCompiled: false, isBusy: false };
    this.#waiting.set(key, waiting);
    waiting.meshes.set(mesh, full);
    mesh.material = this.#plainOf(full);
  }

  #dressNext(): void {
    for (const [key, { meshes, isCompiled }] of this.#waiting) {
      if (!isCompiled) continue;
      for (const [mesh, full] of meshes) mesh.material = full;
      this.#warm.add(key);
      this.#waiting.delete(key);
      return;
    }
  }

  #begin(): void {
    let busy = 0;
    for (const waiting of this.#waiting.values()) {
      if (busy >= AT_ONCE) return;
      if (!waiting.isBusy) void this.#work(waiting);
      busy += 1;
    }
  }

  async #work(waiting: Waiting): Promise<void> {
    waiting.isBusy = true;
    for (const [mesh, full] of waiting.meshes) {
      const plain = mesh.material;
      try {
        // It begins at once, with the material that the mesh has now.
        mesh.material = full;
        const compiled = this.#compile(mesh);
        mesh.material = plain;
        await compiled;
      } catch (error) {
        // Drawn all the same: the renderer compiles it then, and says what is wrong.
        mesh.material = plain;
        console.warn(`a material is not prepared: ${String(error)}`);
      }
      break; // The other meshes have the same program.
    }
    waiting.isCompiled = true;
    if (!this.#isGone) this.#onChange();
  }
}

/** Meshes with the same key are drawn by one program. */
function programOf(mesh: Mesh, material: Material): string {
  const instances = mesh instanceof InstancedMesh ? (mesh.instanceColor === null ? 1 : 2) : 0;
  const colours = mesh.geometry.hasAttribute("color") ? mesh.geometry.getAttribute("color").itemSize : 0;
  const parts = [
    material.type,
    material.customProgramCacheKey(),
    material.vertexColors,
    material.side,
    material.alphaTest,
    instances,
    colours,
    mesh.geometry.hasAttribute("uv"),
  ];
  return parts.join("|");
}
