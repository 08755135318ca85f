/** Which panels are shown, and how large: remembered for the next time. */

import { effect, signal } from "@preact/signals";

import { readStored, writeStored } from "./stored";

export type RightTab = "plots" | "programs" | "network" | "time";
export type Sheet = "objects" | "properties" | "messages" | RightTab;

interface Layout {
  left: number;
  right: number;
  bottom: number;
  properties: number;
  isLeftOpen: boolean;
  isRightOpen: boolean;
  isBottomOpen: boolean;
  tab: RightTab;
}

const KEY = "autosim.layout";

const USUAL: Layout = {
  left: 320,
  right: 340,
  bottom: 168,
  properties: 280,
  isLeftOpen: true,
  isRightOpen: true,
  isBottomOpen: false,
  tab: "plots",
};

export const layout = signal<Layout>({ ...USUAL, ...stored() });

/** The panel that lies over the picture of a narrow page; null: none. */
export const sheet = signal<Sheet | null>(null);

export function arrange(change: Partial<Layout>): void {
  layout.value = { ...layout.value, ...change };
}

/** Hides all panels, or shows them again. */
export function toggleAll(): void {
  const { isLeftOpen, isRightOpen, isBottomOpen } = layout.value;
  const isAny = isLeftOpen || isRightOpen || isBottomOpen;
  arrange({ isLeftOpen: !isAny, isRightOpen: !isAny, isBottomOpen: false });
}

effect(() => writeStored(KEY, JSON.stringify(layout.value)));

function stored(): Partial<Layout> {
  try {
    return JSON.parse(readStored(KEY) ?? "{}") as Partial<Layout>;
  } catch {
    return {};
  }
}
