/**
 * The manifest of a world: what is to be drawn of it, and where its files are.
 *
 * World coordinates (W): x east, y north, z up [m]. glTF files are y-up: (x east, y up, z south).
 */

export type Point = [x: number, y: number, z: number];

export interface Manifest {
  world_digest: string;
  name?: string;
  attribution?: string;
  origin?: { latitude: number; longitude: number; height: number };
  /** In W: min x, y, z, max x, y, z. */
  bounds: [number, number, number, number, number, number];
  tiles: Tile[];
  /** A glTF file with the land around the tiles, up to the horizon. */
  beyond?: { uri: string };
  /** A glTF file with one node per kind that is placed many times (EXT_mesh_gpu_instancing). */
  instances?: { uri: string };
  /** Positions of street lamps in W. */
  lamps?: Point[];
  signals?: Signal[];
  models?: Models;
  /** Base values of physically based materials by name. */
  materials?: Record<string, MaterialValues>;
  /** Colours (sRGB, 0..255) that the rows of traffic choose from. */
  palettes?: Palettes;
  /** Time of day and weather of the world file. */
  sky?: SkyValues;
}

export interface Tile {
  id: string;
  /** In W. */
  center: Point;
  radius: number;
  /** From fine to coarse; each is good up to `until` [m] from the camera to the tile's ball. */
  lods: { uri: string; bytes: number; until: number }[];
}

export interface Signal {
  /** Its place in `traffic.signals`. */
  group: number;
  /** x, y, z of the ground in W, yaw [rad] counter-clockwise from east, 1 for people. */
  heads: [number, number, number, number, number][];
}

export interface Models {
  robots?: Record<string, RobotModel>;
  /** By the name of their node. */
  objects?: Record<string, { uri: string; node: string }>;
  vehicles?: RowModel[];
  people?: RowModel[];
  /** The model of each figure of people in each group of colours. */
  people_choices?: number[][];
}

export interface RobotModel {
  uri: string;
  /** Nodes of the file by the names of parts. */
  bodies: Record<string, string>;
  wheels?: Record<string, WheelModel>;
}

export interface WheelModel {
  /** The node of the file. */
  node: string;
  /** The part that it is on, and its position there [m]. */
  body: string;
  position: Point;
  /** Whether its suspension moves it. */
  hangs: boolean;
  radius: number;
}

export interface RowModel {
  /** As in the rows of traffic; of people the number of the model. */
  kind: number;
  /** The colours (modulo 8) of vehicles of this kind that have this model; without, all. */
  colours?: number[];
  uri: string;
  name?: string;
  is_bus?: boolean;
  levels?: { uri: string; until: number }[];
  length?: number;
  width?: number;
  height?: number;
}

export type Colour = [red: number, green: number, blue: number];

export interface Palettes {
  paints: Colour[];
  buses: Colour[];
  clothes: Colour[];
  trousers: Colour[];
  skins: Colour[];
}

export interface SkyValues {
  hours: number | null;
  utc_offset: number | null;
  month: number;
  day: number;
  sun_elevation?: number | null;
  sun_azimuth?: number | null;
  clouds: number;
  visibility: number;
  rain: number;
  snow: number;
  wetness: number;
  snow_cover: number;
}

export interface MaterialValues {
  /** sRGB, 0..255. */
  colour?: number[];
  roughness?: number;
  metalness?: number;
}
