/** Values of an actuator to set by hand. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";

import { isSettable, withNumber } from "../link/commands";
import type { TreeField } from "../link/tree";
import { numbersOf, partNames, unitText } from "../link/values";
import type { Page } from "../state/page";
import { follow } from "./parts";

/** Steps of a slider from one end to the other. */
const STEPS = 200;

/** A slider or a number for each number of a field that may be set; nothing where it may not. */
export function SetField({ page, field }: { page: Page; field: TreeField }): JSX.Element | null {
  if (!page.maySet(field.node) || !isSettable(field)) return null;
  const names = partNames(field);
  return (
    <span class="set-field" data-set={field.path}>
      {Array.from({ length: field.bytes / 8 }, (_, k) => (
        <SetNumber key={k} page={page} field={field} at={k} part={names[k] ?? ""} />
      ))}
    </span>
  );
}

/** Puts the cursor where a field is set; its node is selected. */
export async function setByKeys(field: TreeField): Promise<void> {
  await new Promise((resolve) => requestAnimationFrame(resolve));
  const place = `[data-set="${field.path}"] input[type="number"]`;
  const input = document.querySelector<HTMLInputElement>(place);
  input?.focus();
  input?.select();
}

function SetNumber(props: {
  page: Page;
  field: TreeField;
  at: number;
  part: string;
}): JSX.Element {
  const { page, field, at, part } = props;
  follow(page.tick);
  const held = useSignal<string | null>(null);
  const view = page.source.viewOf(field.node);
  const value = numbersOf(view, field)[at] ?? 0;
  const name = part === "" ? field.name : `${field.name} ${part}`;
  const shown = held.value ?? String(Number(value.toFixed(4)));
  const set = (text: string): void => {
    held.value = null;
    const number = Number(text);
    if (text.trim() === "" || !Number.isFinite(number) || number === value) return;
    void page.setField(field, withNumber(page.source.viewOf(field.node), field, at, number));
  };
  const { limits } = field;
  return (
    <span class="set-number">
      {part !== "" && <span class="set-part">{part}</span>}
      {limits !== null && (
        <input
          type="range"
          aria-label={`Set ${name} by a slider`}
          min={limits.low}
          max={limits.high}
          step={field.type === "integer" ? 1 : (limits.high - limits.low) / STEPS}
          value={shown}
          onInput={(event) => (held.value = event.currentTarget.value)}
          onChange={(event) => set(event.currentTarget.value)}
        />
      )}
      <input
        type="number"
        step="any"
        aria-label={`Set ${name}`}
        min={limits?.low}
        max={limits?.high}
        value={shown}
        onInput={(event) => (held.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") set(event.currentTarget.value);
          if (event.key === "Escape") held.value = null;
        }}
        onBlur={(event) => set(event.currentTarget.value)}
      />
      <span class="unit">{unitText(field)}</span>
    </span>
  );
}
