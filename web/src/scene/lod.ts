/** Which tiles are wanted in which detail, and which are given up where memory is short. */

import type { Tile } from "../link/manifest";

/** Share by which a distance must pass a limit until another detail is chosen. */
const HYSTERESIS = 0.08;

/** A tile in a detail that is wanted. */
export interface Wish {
  readonly tile: Tile;
  readonly lod: number;
  /** Distance [m] from the camera to the tile's sphere, less where it is in view. */
  readonly urgency: number;
}

export type Xyz = readonly [x: number, y: number, z: number];

/** Distance [m] of a point from the sphere of a tile; 0 within. */
export function distanceTo(tile: Tile, [x, y, z]: Xyz): number {
  const [cx, cy, cz] = tile.center;
  return Math.max(0, Math.hypot(cx - x, cy - y, cz - z) - tile.radius);
}

/**
 * The detail of a tile at a distance [m]; -1: it is too far to be drawn. The present detail stays
 * until the distance is clearly beyond its limits.
 */
export function lodAt(tile: Tile, distance: number, present: number): number {
  for (let lod = 0; lod < tile.lods.length; lod += 1) {
    const until = tile.lods[lod]?.until ?? 0;
    const limit = present >= 0 && present <= lod ? until * (1 + HYSTERESIS) : until;
    if (distance <= limit) return lod;
  }
  return -1;
}

/** The tiles that are wanted around `eye`, the most urgent first. */
export function wishes(
  tiles: readonly Tile[],
  eye: Xyz,
  forward: Xyz,
  present: (tile: Tile) => number,
): Wish[] {
  const found: Wish[] = [];
  for (const tile of tiles) {
    const distance = distanceTo(tile, eye);
    const lod = lodAt(tile, distance, present(tile));
    if (lod < 0) continue;
    const ahead =
      (tile.center[0] - eye[0]) * forward[0] +
      (tile.center[1] - eye[1]) * forward[1] +
      (tile.center[2] - eye[2]) * forward[2];
    // What is behind the camera may wait.
    found.push({ tile, lod, urgency: ahead > -tile.radius ? distance : 2 * distance + 200 });
  }
  return found.sort((a, b) => a.urgency - b.urgency);
}

/** Something that is loaded: its size [bytes] and how urgently it is wanted; Infinity: not. */
export interface Loaded {
  readonly bytes: number;
  readonly urgency: number;
}

/** What to give up, the least urgent first, so that at most `budget` bytes are kept. */
export function excess<T extends Loaded>(loaded: readonly T[], budget: number): T[] {
  let total = loaded.reduce((sum, each) => sum + each.bytes, 0);
  const gone: T[] = [];
  for (const each of [...loaded].sort((a, b) => b.urgency - a.urgency)) {
    if (total <= budget) break;
    // What is wanted this urgently is in the picture: it stays, whatever it costs.
    if (each.urgency <= 0) break;
    gone.push(each);
    total -= each.bytes;
  }
  return gone;
}
