/** The colours and lights of traffic by the rows of its state. */

import { Color } from "three";

import type { Colour, Palettes } from "../link/manifest";
import { LIGHT } from "./layout";

/** Period [s] of indicators: 83 a minute. */
const BLINK = 0.72;
/** Number of colours of vehicles after which their models repeat. */
export const MODEL_COLOURS = 8;
/** Number of kinds of people in the state, and of figures that are drawn. */
const PEOPLE_KINDS = 4;
const FIGURES = 8;
/** Numbers of colours after which the second four figures, and the next group, begin. */
const FIGURE_STEP = 20;
const GROUP_STEP = 40;
/** Whether each figure has an umbrella in the rain: not those with a hood or a cap. */
const HAS_UMBRELLA = [true, true, true, true, false, false, true, true];
/** Intensity of rain (1 is 50 mm/h) from which on umbrellas are open. */
export const UMBRELLAS_FROM = 0.06;

/** Where a manifest has none. */
const PALETTES: Palettes = {
  paints: [
    [198, 200, 203],
    [44, 46, 50],
    [232, 233, 232],
    [96, 99, 104],
    [36, 62, 112],
    [150, 30, 32],
    [52, 84, 66],
    [168, 152, 124],
  ],
  buses: [[206, 166, 48]],
  clothes: [[62, 84, 132]],
  trousers: [[54, 66, 92]],
  skins: [[204, 156, 122]],
};

/** Colours as three has them: linear. */
export interface LinearPalettes {
  readonly paints: readonly Color[];
  readonly buses: readonly Color[];
  readonly clothes: readonly Color[];
  readonly trousers: readonly Color[];
  readonly skins: readonly Color[];
}

/** The palettes of a manifest. */
export function linearPalettes(palettes: Palettes | undefined): LinearPalettes {
  const from = palettes ?? PALETTES;
  return {
    paints: from.paints.map(linear),
    buses: from.buses.map(linear),
    clothes: from.clothes.map(linear),
    trousers: from.trousers.map(linear),
    skins: from.skins.map(linear),
  };
}

function linear([red, green, blue]: Colour): Color {
  return new Color().setRGB(red / 255, green / 255, blue / 255, "srgb");
}

/** First, second and third dye of something. */
export type Dyes = readonly [Color, Color, Color];

const WHITE = new Color(1, 1, 1);

/** The dyes of a vehicle by its number of colour. */
export function vehicleDyes(from: LinearPalettes, colour: number, isBus: boolean): Dyes {
  return [
    pick(isBus ? from.buses : from.paints, colour),
    pick(from.trousers, colour * 5 + 1),
    pick(from.skins, Math.floor(colour / 2)),
  ];
}

/** The dyes of a person by their number of colour. */
export function personDyes(from: LinearPalettes, colour: number): Dyes {
  return [
    pick(from.clothes, colour),
    pick(from.trousers, Math.floor(colour / 3)),
    pick(from.skins, Math.floor(colour / 7)),
  ];
}

/** The model of a person by its kind and its number of colour. */
export function personModel(
  choices: readonly (readonly number[])[] | undefined,
  kind: number,
  colour: number,
  isRaining: boolean,
): number {
  const base = kind % PEOPLE_KINDS;
  if (choices === undefined) return base;
  const figure = base + PEOPLE_KINDS * (Math.floor(colour / FIGURE_STEP) % 2);
  const groups = choices[figure] ?? [figure];
  const model = groups[Math.floor(colour / GROUP_STEP) % groups.length] ?? figure;
  const isOpen = isRaining && HAS_UMBRELLA[figure] === true && Math.floor(colour / 5) % 3 > 0;
  return isOpen && model < FIGURES ? model + FIGURES : model;
}

function pick(colours: readonly Color[], number: number): Color {
  return colours[Math.abs(number) % Math.max(colours.length, 1)] ?? WHITE;
}

/** How bright the lamps of a vehicle are (0..1): rear, left, right, head. */
export type LampLevels = [rear: number, left: number, right: number, head: number];

/** The lamps of a vehicle by the bits of its lights at a time [s]. */
export function lampLevels(lights: number, time: number, needsLights: boolean): LampLevels {
  const isOn = time % BLINK < 0.5 * BLINK;
  const head = (lights & LIGHT.head) !== 0 || needsLights;
  const brake = (lights & LIGHT.brake) !== 0;
  return [
    brake ? 1 : head ? 0.4 : 0,
    (lights & LIGHT.left) !== 0 && isOn ? 1 : 0,
    (lights & LIGHT.right) !== 0 && isOn ? 1 : 0,
    head ? 1 : 0,
  ];
}
