import { BufferGeometry, Matrix4, PerspectiveCamera, Quaternion, Ray, Vector3, Box3 } from "three";
import { expect, test } from "vitest";

import type { Tile } from "../src/link/manifest";
import { directionAt, sampled, SKY_SIZE, skyTable, transmittance } from "../src/scene/atmosphere";
import { CameraControl, headingOf, type Target } from "../src/scene/cameras";
import { litWindows, makeDaylight } from "../src/scene/daylight";
import { toScene, toWorld, turnOfAngles } from "../src/scene/frames";
import { distanceTo, excess, lodAt, wishes } from "../src/scene/lod";
import { lampLevels, linearPalettes, personModel, vehicleDyes } from "../src/scene/looks";
import { pickAlong } from "../src/scene/picking";
import { firstQuality, QualityControl } from "../src/scene/quality";
import { type Piece, posePiece } from "../src/scene/rigs";
import { litLenses } from "../src/scene/signals";
import { CLEAR_SKY, sunDirection } from "../src/scene/sun";

function tile(id: string, x: number): Tile {
  const lods = [
    { uri: `${id}-near`, bytes: 10, until: 300 },
    { uri: `${id}-far`, bytes: 2, until: 2000 },
  ];
  return { id, center: [x, 0, 0], radius: 100, lods };
}

test("tiles are wanted in the detail of their distance, nearest first", () => {
  const tiles = [tile("far", 900), tile("here", 50), tile("beyond", 5000), tile("behind", -250)];
  const found = wishes(tiles, [0, 0, 0], [1, 0, 0], () => -1);
  expect(found.map(({ tile: each, lod }) => [each.id, lod])).toEqual([
    ["here", 0],
    ["behind", 0],
    ["far", 1],
  ]);
});

test("a detail stays until the distance is clearly beyond it", () => {
  const one = tile("one", 0);
  expect(lodAt(one, 310, -1)).toBe(1);
  expect(lodAt(one, 310, 0)).toBe(0);
  expect(lodAt(one, 330, 0)).toBe(1);
  expect(distanceTo(one, [50, 0, 0])).toBe(0);
});

test("memory is given up from the least urgent on, never what is in view", () => {
  const loaded = [
    { bytes: 5, urgency: 0 },
    { bytes: 5, urgency: 9 },
    { bytes: 5, urgency: Infinity },
  ];
  expect(excess(loaded, 10).map((each) => each.urgency)).toEqual([Infinity]);
  expect(excess(loaded, 1).map((each) => each.urgency)).toEqual([Infinity, 9]);
});

test("the frames of the world and of the scene agree", () => {
  expect(toWorld(toScene(1, 2, 3)).toArray()).toEqual([1, 2, 3]);
  const north = new Vector3(1, 0, 0).applyQuaternion(turnOfAngles(Math.PI / 2, 0, 0));
  expect(toWorld(north).y).toBeCloseTo(1);
  // Pitch is nose down, as in the tables of traffic.
  const down = new Vector3(1, 0, 0).applyQuaternion(turnOfAngles(0, 0.1, 0));
  expect(down.y).toBeLessThan(0);
  expect(headingOf(turnOfAngles(0.7, 0, 0))).toBeCloseTo(0.7);
});

test("the sun stands in the south at noon in Europe, and lower in winter", () => {
  const noon = { ...CLEAR_SKY, hours: 12, utc_offset: null, month: 6, day: 21 };
  const [, north, up] = sunDirection(noon, 52, 13);
  expect(north).toBeLessThan(-0.3);
  expect((Math.asin(up) * 180) / Math.PI).toBeCloseTo(90 - 52 + 23.44, 0);
  const winter = sunDirection({ ...noon, month: 12 }, 52, 13);
  expect((Math.asin(winter[2]) * 180) / Math.PI).toBeCloseTo(90 - 52 - 23.44, 0);
});

test("the sun stands where the world states its place, whatever the time", () => {
  const stated = { ...CLEAR_SKY, hours: 3, sun_elevation: 30, sun_azimuth: 90 };
  const [east, north, up] = sunDirection(stated, 52, 13);
  expect(east).toBeCloseTo(Math.sqrt(0.75), 6);
  expect(north).toBeCloseTo(0, 6);
  expect(up).toBeCloseTo(0.5, 6);
});

test("the sky is blue above and red about a low sun", () => {
  const table = (y: number): Float32Array => {
    const level = Math.sqrt(1 - y * y);
    return skyTable([{ direction: [level, y, 0], irradiance: [16, 16, 16] }], [0, 0, 0]);
  };
  const [red, , blue] = sampled(table(0.8), 0, 1, 0.01);
  expect(blue).toBeGreaterThan(1.8 * red);
  const low = sampled(table(0.03), 1, 0.03, 0);
  expect(low[0]).toBeGreaterThan(low[2]);
  const [r, , b] = transmittance(0.05);
  expect(r).toBeGreaterThan(2 * b);
});

test("a place in the table of the sky is the one that its direction finds", () => {
  const texels = new Float32Array(4 * SKY_SIZE * SKY_SIZE);
  for (let k = 0; k < SKY_SIZE * SKY_SIZE; k += 1) texels[4 * k] = k;
  for (const [i, j] of [[48, 48], [20, 60], [70, 40]] as const) {
    const [x, y, z] = directionAt((i + 0.5) / SKY_SIZE, (j + 0.5) / SKY_SIZE);
    expect(sampled(texels, x, y, z)[0]).toBe(j * SKY_SIZE + i);
  }
});

test("nights are dark and lamps are on, days are not, fog switches lamps on", () => {
  const at = (hours: number, more = {}): ReturnType<typeof makeDaylight> =>
    makeDaylight({ ...CLEAR_SKY, hours, month: 6, ...more }, 52, 13);
  expect(at(13).darkness).toBeLessThan(0.05);
  expect(at(0).darkness).toBeGreaterThan(0.9);
  expect(at(0).needsLights).toBe(true);
  expect(at(13).needsLights).toBe(false);
  expect(at(13, { visibility: 200 }).needsLights).toBe(true);
  expect(at(0).exposure).toBeGreaterThan(5 * at(13).exposure);
  expect(litWindows(21)).toBeGreaterThan(litWindows(3));
});

test("indicators blink, brakes are brighter than rear lamps, signals show their state", () => {
  expect(lampLevels(1, 0.1, false)).toEqual([0, 1, 0, 0]);
  expect(lampLevels(1, 0.5, false)).toEqual([0, 0, 0, 0]);
  expect(lampLevels(4, 0, true)[0]).toBeGreaterThan(lampLevels(0, 0, true)[0]);
  expect(litLenses(2, 0)).toEqual([true, true, false]);
  expect(litLenses(5, 0.2)).toEqual([false, true, false]);
  expect(litLenses(5, 0.7)).toEqual([false, false, false]);
});

test("a bus has a colour of buses, a car one of cars", () => {
  const palettes = linearPalettes({
    paints: [[255, 0, 0]],
    buses: [[0, 255, 0]],
    clothes: [],
    trousers: [[0, 0, 255]],
    skins: [[255, 255, 255]],
  });
  expect(vehicleDyes(palettes, 5, false)[0].r).toBe(1);
  expect(vehicleDyes(palettes, 5, true)[0].g).toBe(1);
});

test("a person has the model of its figure and group, and an umbrella in the rain", () => {
  const choices = Array.from({ length: 8 }, (_, figure) => [figure, 16 + figure]);
  expect(personModel(choices, 1, 5, false)).toBe(1);
  expect(personModel(choices, 1, 5, true)).toBe(9);
  expect(personModel(choices, 1, 25, false)).toBe(5);
  expect(personModel(choices, 1, 25, true)).toBe(5);
  expect(personModel(choices, 1, 45, true)).toBe(17);
  expect(personModel(undefined, 6, 45, true)).toBe(2);
});

function piece(motion: Piece["motion"], numbers: Piece["numbers"], parent = -1): Piece {
  return { geometry: new BufferGeometry(), motion, pivot: new Vector3(0, 0.9, 0), parent, numbers };
}

test("wheels roll forward, legs swing about the hip and the knee hangs from them", () => {
  const matrix = new Matrix4();
  const wheel = piece("wheel", { radius: 0.3, steers: 1, turned: 0 });
  posePiece(wheel, [wheel], { rolled: 0.3 * (Math.PI / 2), steering: 0, speed: 1 }, matrix);
  // What was on top is in front after a quarter of a turn.
  const top = new Vector3(0, 0.3, 0).applyMatrix4(matrix);
  expect(top.x).toBeCloseTo(0.3);
  expect(top.y).toBeCloseTo(0.9);
  const thigh = piece("limb", { mean: 0, swing: 0.5, stride: 1.4, phase: 0, idle: 0 });
  const gait = { rolled: 0.35, steering: 0, speed: 2 };
  posePiece(thigh, [thigh], gait, matrix);
  const knee = new Vector3(0, -0.4, 0).applyMatrix4(matrix);
  expect(knee.x).toBeCloseTo(0.4 * Math.sin(0.5));
  const shank = { ...piece("shank", { mean: 0, swing: 0, lift: 0 }, 0), pivot: new Vector3(0, -0.4, 0) };
  posePiece(shank, [thigh, shank], gait, matrix);
  expect(new Vector3().applyMatrix4(matrix).distanceTo(knee)).toBeCloseTo(0);
});

test("the nearest thing on a ray is picked, none behind the given distance", () => {
  const bounds = new Box3(new Vector3(-2, 0, -1), new Vector3(2, 1.5, 1));
  const at = (path: string, x: number): Parameters<typeof pickAlong>[1][number] => {
    return { path, position: new Vector3(x, 0, 0), turn: new Quaternion(), bounds };
  };
  const ray = new Ray(new Vector3(-20, 1, 0), new Vector3(1, 0, 0));
  expect(pickAlong(ray, [at("far", 30), at("near", 10)])?.path).toBe("near");
  expect(pickAlong(ray, [at("near", 10)], 5)).toBeNull();
  expect(pickAlong(new Ray(ray.origin, new Vector3(0, 1, 0)), [at("near", 10)])).toBeNull();
});

test("the chase camera stands behind the robot and looks at it", () => {
  const control = new CameraControl();
  const camera = new PerspectiveCamera();
  const target = {
    position: new Vector3(5, 0, -3),
    turn: turnOfAngles(0.5, 0, 0),
    low: new Vector3(-2, -0.5, -0.9),
    high: new Vector3(2, 0.9, 0.9),
    driverSide: 1,
  };
  control.choose("chase", camera, target);
  control.update(camera, target, 0.1);
  const ahead = new Vector3(1, 0, 0).applyQuaternion(target.turn);
  expect(camera.position.clone().sub(target.position).dot(ahead)).toBeLessThan(-4);
  expect(camera.getWorldDirection(new Vector3()).dot(ahead)).toBeGreaterThan(0.9);
  const free = camera.position.distanceTo(target.position);
  control.clearance = (): number => 0.5;
  control.update(camera, target, 0.1);
  expect(camera.position.distanceTo(target.position)).toBeLessThan(0.7 * free);
  control.choose("driver", camera, target);
  control.update(camera, target, 0.1);
  expect(camera.getWorldDirection(new Vector3()).dot(ahead)).toBeGreaterThan(0.99);
  control.choose("map", camera, target);
  control.update(camera, target, 0.1);
  expect(camera.getWorldDirection(new Vector3()).y).toBeCloseTo(-1);
});

test("quality falls while pictures are slow and rises while there is time, without flutter", () => {
  const control = new QualityControl(firstQuality("ANGLE (NVIDIA, RTX)"));
  const first = control.step;
  for (let k = 0; k < 24; k += 1) control.add(0.004, 0.08);
  expect(control.step).toBe(first - 1);
  for (let k = 0; k < 200; k += 1) control.add(0.004, 1 / 60);
  // The step that was too slow is not tried again soon.
  expect(control.step).toBe(first - 1);
  expect(firstQuality("SwiftShader Device")).toBeLessThan(firstQuality("NVIDIA"));
  control.isAutomatic = false;
  for (let k = 0; k < 100; k += 1) control.add(1, 0.7);
  expect(control.step).toBe(first - 1);
});

test("the chase camera comes to rest behind a robot that stands still, and stays there", () => {
  const control = new CameraControl();
  const camera = new PerspectiveCamera();
  const stand = (yaw: number): Target => ({
    position: new Vector3(),
    turn: turnOfAngles(yaw, 0, 0),
    low: new Vector3(-2, 0, -1),
    high: new Vector3(2, 1.5, 1),
    driverSide: 1,
  });
  control.choose("chase", camera, stand(0));
  control.update(camera, stand(0), 1 / 60);
  expect(control.isAtRest).toBe(true);
  control.update(camera, stand(0.4), 1 / 60);
  expect(control.isAtRest).toBe(false);
  let pictures = 0;
  for (; !control.isAtRest && pictures < 400; pictures++) control.update(camera, stand(0.4), 1 / 60);
  expect(pictures).toBeLessThan(200);
  const place = camera.position.clone();
  control.update(camera, stand(0.4), 1);
  expect(camera.position.distanceTo(place)).toBe(0);
});
