/** Light and dark colours of the page: those of the system, or of the user's choice. */

import { effect, signal } from "@preact/signals";

import { readStored, writeStored } from "./stored";

export type Appearance = "system" | "light" | "dark";

const KEY = "autosim.appearance";
const dark = window.matchMedia("(prefers-color-scheme: dark)");

export const appearance = signal<Appearance>(stored());

effect(() => {
  writeStored(KEY, appearance.value);
  apply();
});
dark.addEventListener("change", apply);

function stored(): Appearance {
  const value = readStored(KEY);
  return value === "light" || value === "dark" ? value : "system";
}

function apply(): void {
  const isDark = appearance.value === "dark" || (appearance.value === "system" && dark.matches);
  document.documentElement.dataset["appearance"] = isDark ? "dark" : "light";
}
