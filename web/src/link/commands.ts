/** Commands: what the fields of an actuator are to be, as bytes of a state. */

import { numbersOf } from "./values";
import type { TreeField, TreeNode } from "./tree";

/** Numbers of a field at most that are set one by one. */
const MOST_NUMBERS = 4;

/** Whether a page can set a field: some numbers, not a text and not a list. */
export function isSettable(field: TreeField): boolean {
  const isShort = field.bytes <= 8 * MOST_NUMBERS;
  return field.type !== "text" && field.columns.length === 0 && isShort;
}

/**
 * The data of a command: the fields of a node as they are now, but one.
 *
 * @param view - where the values of the node are to be read.
 * @param node - the actuator.
 * @param changed - the field that changes.
 * @param numbers - its new numbers.
 */
export function commandData(
  view: DataView,
  node: TreeNode,
  changed: TreeField,
  numbers: readonly number[],
): Uint8Array<ArrayBuffer> {
  const begin = Math.min(...node.fields.map((each) => each.offset));
  const end = Math.max(...node.fields.map((each) => each.offset + each.bytes));
  const data = new Uint8Array(end - begin);
  data.set(new Uint8Array(view.buffer, view.byteOffset + begin, data.length));
  const written = new DataView(data.buffer);
  numbers.forEach((each, k) => {
    const at = changed.offset - begin + 8 * k;
    if (changed.type === "integer") written.setBigInt64(at, BigInt(Math.round(each)), true);
    else written.setFloat64(at, each, true);
  });
  return data;
}

/** The new numbers of a field of which one changes. */
export function withNumber(view: DataView, field: TreeField, at: number, value: number): number[] {
  return numbersOf(view, field).map((each, k) => (k === at ? value : each));
}
