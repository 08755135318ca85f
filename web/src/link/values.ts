/** Values of a state, and how they are written: as in the windows of the desktop. */

import type { TreeField } from "./tree";

/** The numbers of a field; of a list those of the rows that it has now. */
export function numbersOf(view: DataView, field: TreeField): number[] {
  if (view.byteLength < field.offset + field.bytes || field.type === "text") return [];
  const isList = field.columns.length > 0;
  if (isList) {
    const width = field.columns.length;
    const capacity = field.shape[0] ?? 0;
    const rows = Math.min(Number(view.getBigInt64(field.offset, true)), capacity);
    return read(view, field.offset + 8, Math.max(rows, 0) * width, "float");
  }
  return read(view, field.offset, field.bytes / 8, field.type);
}

function read(view: DataView, offset: number, count: number, type: "float" | "integer"): number[] {
  return Array.from({ length: count }, (_, k) =>
    type === "float"
      ? view.getFloat64(offset + 8 * k, true)
      : Number(view.getBigInt64(offset + 8 * k, true)),
  );
}

const DEVICE_STATES = new Map([
  [0, "INVALID"],
  [1, "READY"],
  [2, "BLOCKED"],
  [4, "ACTIVE"],
  [8, "PAUSED"],
]);
const ACTIVE = 4;

/** How many decimals a value has: all that the windows of the desktop show, or what fits a row. */
export type Detail = "full" | "short";

/** A value for the eye, without its unit. */
export function valueText(
  view: DataView,
  field: TreeField,
  standsStill: boolean,
  detail: Detail = "full",
): string {
  if (view.byteLength < field.offset + field.bytes) return "";
  if (field.type === "text") return textOf(view, field);
  const numbers = numbersOf(view, field);
  if (field.unit === "ns") return (1e-9 * (numbers[0] ?? 0)).toFixed(3);
  if (field.node.kind === "Robot" && field.name === "device_state") {
    const state = numbers[0] ?? 0;
    const shown = state === ACTIVE && standsStill ? 8 : state;
    return DEVICE_STATES.get(shown) ?? String(shown);
  }
  if (field.columns.length > 0) {
    const rows = numbers.length / field.columns.length;
    return `${rows} of ${field.shape[0] ?? 0} rows`;
  }
  const isShort = detail === "short" && numbers.length > 1;
  const write = field.type === "integer" ? String : isShort ? shortText : numberText;
  if (numbers.length > 8) return `${numbers.slice(0, 8).map(write).join("  ")} …`;
  return numbers.map(write).join("  ");
}

function textOf(view: DataView, field: TreeField): string {
  const bytes = new Uint8Array(view.buffer, view.byteOffset + field.offset, field.bytes);
  return new TextDecoder().decode(bytes).replace(/\0+$/, "");
}

/** Four decimals where they fit, else six digits; no minus before zero. */
export function numberText(number: number): string {
  if (!Number.isFinite(number)) return Number.isNaN(number) ? "nan" : number > 0 ? "inf" : "-inf";
  const text = Math.abs(number) < 1e5 ? number.toFixed(4) : number.toPrecision(6);
  return text === "-0.0000" ? "0.0000" : text.replace("-", "−");
}

/** Two decimals, or what has five characters. */
function shortText(number: number): string {
  if (Math.abs(number) < 1e3 || !Number.isFinite(number)) {
    return numberText(number).replace(/(\.\d\d)\d\d$/, "$1").replace(/^−(0\.00)$/, "$1");
  }
  return number.toPrecision(5).replace("-", "−");
}

/** A value of a plot: undefined where a rewind has taken it from the plot, NaN where there was none. */
export type Reading = number | null | undefined;

/** A value of a plot as `write` writes it, "" where there is none. */
export function readingText(value: Reading, write: (value: number) => string): string {
  return value === null || value === undefined || Number.isNaN(value) ? "" : write(value);
}

/** The unit that `valueText` writes in, "" where there is none. */
export function unitText(field: TreeField): string {
  return field.unit === "ns" ? "s" : field.unit;
}

/** The same value in the units of everyday life, "" where there are none. */
export function otherUnits(view: DataView, field: TreeField): string {
  if (field.type !== "float" || field.columns.length > 0) return "";
  if (view.byteLength < field.offset + field.bytes) return "";
  if (field.name === "orientation" && field.bytes === 32) return anglesText(numbersOf(view, field));
  const numbers = field.bytes <= 24 ? numbersOf(view, field) : [];
  const [x = 0, y = 0, z = 0] = numbers;
  switch (field.unit) {
    case "rad":
      return `${numbers.map(degrees).join("  ")}°`;
    case "rad/s":
      return `${numbers.map(degrees).join("  ")} °/s`;
    case "m/s":
      return numbers.length === 1
        ? `${(3.6 * x + 0).toFixed(1)} km/h`
        : `${(3.6 * Math.hypot(x, y, z)).toFixed(1)} km/h`;
    default:
      return "";
  }
}

function degrees(angle: number): string {
  const text = ((180 / Math.PI) * angle).toFixed(1);
  return text === "-0.0" ? "0.0" : text.replace("-", "−");
}

/** Yaw, pitch and roll of ISO 8855: the turns about z, then y, then x. */
function anglesText([x = 0, y = 0, z = 0, w = 0]: number[]): string {
  if (x === 0 && y === 0 && z === 0 && w === 0) return "";
  const yaw = Math.atan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z));
  const pitch = Math.asin(Math.min(1, Math.max(-1, 2 * (w * y - x * z))));
  const roll = Math.atan2(2 * (y * z + w * x), 1 - 2 * (x * x + y * y));
  return `yaw ${degrees(yaw)}°  pitch ${degrees(pitch)}°  roll ${degrees(roll)}°`;
}

/** Names of the parts of a field with several numbers. */
export function partNames(field: TreeField): string[] {
  const count = field.bytes / 8;
  if (field.columns.length > 0 || field.type === "text" || count < 2) return [];
  if (count === 4 && field.name === "orientation") return ["x", "y", "z", "w"];
  if (count === 3) return ["x", "y", "z"];
  return Array.from({ length: count }, (_, k) => String(k));
}
