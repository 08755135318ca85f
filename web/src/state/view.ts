/** What this page's picture shows over the scene, and its day time and weather. */

import { computed, signal } from "@preact/signals";

import type { OverlayName, SkyState } from "../scene/scene_view";

export const OVERLAYS: readonly { name: OverlayName; title: string; key: string }[] = [
  { name: "names", title: "Names", key: "2" },
  { name: "rays", title: "Sensor rays", key: "3" },
  { name: "paths", title: "Driven paths", key: "5" },
  { name: "belief", title: "Belief beside truth", key: "6" },
  { name: "points", title: "Lidar points", key: "7" },
  { name: "lists", title: "Published lists", key: "9" },
];

const DRY = { rain: 0, snow: 0, wetness: 0, snow_cover: 0, visibility: 1e5 };

/** The weathers to choose from, as in the windows of the desktop; "": as in the world file. */
export const WEATHERS: Readonly<Record<string, Partial<SkyState>>> = {
  clear: { ...DRY, clouds: 0.1 },
  cloudy: { ...DRY, clouds: 0.5 },
  overcast: { ...DRY, clouds: 1, visibility: 15_000 },
  fog: { ...DRY, clouds: 0.8, visibility: 120, wetness: 0.2 },
  rain: { ...DRY, clouds: 1, visibility: 2500, rain: 0.7, wetness: 0.9 },
  snow: { ...DRY, clouds: 1, visibility: 1200, snow: 0.7, wetness: 0.4, snow_cover: 1 },
};

/** The qualities of pictures; those of `scene/quality.ts`, which is loaded later than panels. */
export const QUALITY_NAMES = ["lowest", "low", "reduced", "medium", "high", "highest"] as const;

/** [h] Time of day to count from in a world that gives none. */
const NOON = 12;

/** What the user has chosen in place of the world's own sky. */
export class ViewChoice {
  readonly overlays = signal<ReadonlySet<OverlayName>>(new Set<OverlayName>(["names"]));
  /** Time of day [h]; null: that of the world. */
  readonly hours = signal<number | null>(null);
  readonly weather = signal("");
  /** Name of a quality of pictures; "": it follows the time that they take. */
  readonly quality = signal("");
  /** Sky of the world's file. */
  readonly own = signal<Partial<SkyState>>({});

  readonly sky = computed<Partial<SkyState>>(() => ({
    ...this.own.value,
    ...(WEATHERS[this.weather.value] ?? {}),
    hours: this.hours.value ?? this.own.value.hours ?? null,
    // A time of day that the user chooses moves a sun whose place the world states.
    ...(this.hours.value === null ? {} : { sun_elevation: null, sun_azimuth: null }),
  }));

  toggle(name: OverlayName): void {
    const next = new Set(this.overlays.value);
    if (!next.delete(name)) next.add(name);
    this.overlays.value = next;
  }

  /** Moves the time of day on by so many hours. */
  later(hours: number): void {
    const now = this.sky.value.hours ?? NOON;
    this.hours.value = (now + hours + 24) % 24;
  }

  /** The next weather, or the one before; after the last the world's own. */
  nextWeather(way: 1 | -1): void {
    const names = ["", ...Object.keys(WEATHERS)];
    const at = names.indexOf(this.weather.value);
    this.weather.value = names[(at + way + names.length) % names.length] ?? "";
  }

  /** The world's own day time and weather. */
  reset(): void {
    this.hours.value = null;
    this.weather.value = "";
  }
}
