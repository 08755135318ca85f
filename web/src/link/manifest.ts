/**
 * The manifest of a world: what is to be drawn of it, and where its files are.
 *
 * World coordinates (W): x east, y north, z up [m]. glTF files are y-up: (x east, y up, z south).
 */

export type Point = [x: number, y: number, z: number];

export interface Manifest {
  world_digest: string;
  origin?: { latitude: number; longitude: number; height: number };
  /** In W: min x, y, z, max x, y, z. */
  bounds: [number, number, number, number, number, number];
  tiles: Tile[];
  /** A glTF file with one node per kind that is placed many times (EXT_mesh_gpu_instancing). */
  instances?: { uri: string };
  /** Positions of street lamps in W. */
  lamps?: Point[];
  signals?: Signal[];
  models?: Models;
  /** Base values of physically based materials by name. */
  materials?: Record<string, MaterialValues>;
}

export interface Tile {
  id: string;
  center: Point;
  radius: number;
  /** From fine to coarse; each is good up to `until` [m] from the camera. */
  lods: { uri: string; bytes: number; until: number }[];
}

export interface Signal {
  node: string | number;
  /** x, y, z in W and yaw [rad] counter-clockwise from east. */
  heads: [number, number, number, number][];
}

export interface Models {
  robots?: Record<string, { uri: string; bodies: Record<string, string> }>;
  vehicles?: RowModel[];
  people?: RowModel[];
  bicycles?: RowModel[];
}

export interface RowModel {
  /** As in the rows of traffic. */
  kind: number;
  uri: string;
  length?: number;
  width?: number;
  height?: number;
}

export interface MaterialValues {
  color?: [number, number, number] | string;
  roughness?: number;
  metalness?: number;
  [name: string]: unknown;
}
