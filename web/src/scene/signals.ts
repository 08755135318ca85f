/** Traffic signals: posts and heads that stand, lenses that change. */

import {
  BoxGeometry,
  BufferGeometry,
  CircleGeometry,
  Color,
  CylinderGeometry,
  Float32BufferAttribute,
  Group,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  Quaternion,
  Vector3,
} from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";

import type { Signal } from "../link/manifest";
import { toScene } from "./frames";
import type { Glows } from "./glows";
import type { TableWords } from "./layout";
import type { Playback } from "./playback";
import type { SurfaceLibrary } from "./surfaces";

const HEIGHT = 2.85;
const PEOPLE_HEIGHT = 2.45;
const LENSES = [0.28, 0, -0.28] as const;
const PEOPLE_LENSES = [0.14, 0, -0.14] as const;
const BEFORE = 0.115;
const BLINK = 1;

type Rgb = [number, number, number];
const LIT: readonly Rgb[] = [
  [1, 0.035, 0.015],
  [1, 0.4, 0.02],
  [0.03, 1, 0.32],
];
const DARK: readonly Rgb[] = [
  [0.05, 0.006, 0.006],
  [0.05, 0.026, 0.004],
  [0.004, 0.035, 0.014],
];

interface Lens {
  readonly group: number;
  readonly colour: number;
  readonly place: Vector3;
  readonly away: Vector3;
}

/** Which lenses (red, amber, green) shine where a signal shows `state` at a time [s]. */
export function litLenses(state: number, time: number): [boolean, boolean, boolean] {
  const isFlashing = state === 5 && time % BLINK < 0.5 * BLINK;
  return [state === 1 || state === 2, state === 2 || state === 4 || isFlashing, state === 3];
}

/** All signals of a world. */
export class Signals {
  readonly root = new Group();
  readonly #table: TableWords | null;
  readonly #lenses: Lens[] = [];
  readonly #discs: InstancedMesh | null = null;
  readonly #owned: { dispose(): void }[] = [];
  #lit: boolean[] = [];

  constructor(signals: readonly Signal[], table: TableWords | null, library: SurfaceLibrary) {
    this.#table = table;
    this.root.name = "signals";
    const heads = signals.flatMap(({ group, heads: own }) => own.map((head) => ({ group, head })));
    if (heads.length === 0) return;
    for (const isPeople of [false, true]) {
      const chosen = heads.filter(({ head }) => (head[4] === 1) === isPeople);
      if (chosen.length > 0) this.#addPosts(chosen.map(({ head }) => head), isPeople, library);
    }
    for (const { group, head } of heads) this.#addLenses(group, head);
    const disc = new CircleGeometry(0.1, 14);
    const material = new MeshBasicMaterial({ toneMapped: false });
    const mesh = new InstancedMesh(disc, material, this.#lenses.length);
    const turn = new Quaternion();
    const matrix = new Matrix4();
    this.#lenses.forEach(({ place, away }, k) => {
      turn.setFromUnitVectors(FORWARD, away);
      mesh.setMatrixAt(k, matrix.compose(place, turn, WHOLE));
      mesh.setColorAt(k, new Color(0, 0, 0));
    });
    mesh.computeBoundingSphere();
    this.#discs = mesh;
    this.#owned.push(disc, material, mesh);
    this.root.add(mesh);
  }

  #addPosts(heads: readonly Signal["heads"][number][], isPeople: boolean, library: SurfaceLibrary): void {
    const geometry = postGeometry(isPeople);
    const mesh = new InstancedMesh(geometry, library.material("steel"), heads.length);
    const turn = new Quaternion();
    const matrix = new Matrix4();
    heads.forEach(([x, y, z, yaw], k) => {
      turn.setFromAxisAngle(UP, yaw);
      mesh.setMatrixAt(k, matrix.compose(toScene(x, y, z), turn, WHOLE));
    });
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.computeBoundingSphere();
    this.#owned.push(geometry, mesh);
    this.root.add(mesh);
  }

  #addLenses(group: number, [x, y, z, yaw, isPeople]: Signal["heads"][number]): void {
    const away = new Vector3(Math.cos(yaw), 0, -Math.sin(yaw));
    const [height, offsets] = isPeople === 1 ? [PEOPLE_HEIGHT, PEOPLE_LENSES] : [HEIGHT, LENSES];
    offsets.forEach((offset, colour) => {
      if (isPeople === 1 && colour === 1) return;
      const place = toScene(x, y, z + height + offset).addScaledVector(away, BEFORE);
      this.#lenses.push({ group, colour, place, away });
    });
  }

  /** Shows what all signals show, with glows that are stronger by night. */
  update({ integers, time }: Playback, eye: Vector3, darkness: number, glow: number, glows: Glows): void {
    if (this.#discs === null) return;
    const colour = new Color();
    let changes = 0;
    this.#lenses.forEach((lens, k) => {
      const start = this.#table?.start ?? -1;
      const state = start < 0 ? 0 : Number(integers[start + lens.group] ?? 0n);
      const isLit = litLenses(state, time)[lens.colour] ?? false;
      if (isLit !== this.#lit[k]) {
        this.#lit[k] = isLit;
        const rgb = (isLit ? LIT : DARK)[lens.colour] ?? [0, 0, 0];
        this.#discs?.setColorAt(k, colour.setRGB(...rgb));
        changes += 1;
      }
      const distance = lens.place.distanceTo(eye);
      if (!isLit || distance > 320) return;
      const faces = new Vector3().subVectors(eye, lens.place).dot(lens.away) / distance;
      if (faces <= 0.05) return;
      const strength = (0.35 + 0.65 * darkness) * Math.min(1, faces * 2);
      glows.add(lens.place, 0.35 + 0.5 * darkness, LIT[lens.colour] ?? [1, 1, 1], strength * glow);
    });
    if (changes > 0 && this.#discs.instanceColor !== null) this.#discs.instanceColor.needsUpdate = true;
  }

  dispose(): void {
    for (const each of this.#owned) each.dispose();
    this.root.removeFromParent();
  }
}

const UP = new Vector3(0, 1, 0);
const FORWARD = new Vector3(0, 0, 1);
const WHOLE = new Vector3(1, 1, 1);

/** A post with its head; its front is along +x. */
function postGeometry(isPeople: boolean): BufferGeometry {
  const height = isPeople ? PEOPLE_HEIGHT : HEIGHT;
  const size = isPeople ? 0.58 : 0.9;
  const offsets = isPeople ? [PEOPLE_LENSES[0], PEOPLE_LENSES[2]] : LENSES;
  const post = new CylinderGeometry(0.055, 0.055, height + 0.4 + size / 2, 10);
  post.translate(-0.03, (height + size / 2) / 2 - 0.2, 0);
  const housing = new BoxGeometry(0.16, size, 0.3).translate(0.03, height, 0);
  const plate = new BoxGeometry(0.015, size + 0.22, 0.5).translate(-0.02, height, 0);
  const visors = offsets.map((offset) => {
    const visor = new CylinderGeometry(0.125, 0.125, 0.17, 12, 1, true, Math.PI * 0.6, Math.PI * 1.8);
    visor.rotateZ(-Math.PI / 2).rotateX(Math.PI / 2);
    return visor.translate(0.19, height + offset, 0);
  });
  const parts = [
    coloured(post, [0.19, 0.2, 0.21]),
    coloured(housing, [0.014, 0.016, 0.015]),
    ...(isPeople ? [] : [coloured(plate, [0.012, 0.012, 0.012])]),
    ...visors.map((each) => coloured(each, [0.012, 0.013, 0.013])),
  ];
  if (isPeople) plate.dispose();
  const merged = mergeGeometries(parts, false);
  for (const each of parts) each.dispose();
  return merged;
}

function coloured(geometry: BufferGeometry, colour: Rgb): BufferGeometry {
  const { count } = geometry.getAttribute("position");
  const values = Array.from({ length: count }, () => colour).flat();
  geometry.setAttribute("color", new Float32BufferAttribute(values, 3));
  geometry.deleteAttribute("uv");
  return geometry;
}
