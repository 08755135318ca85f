/** What lies over the picture, its day time and its weather. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

import type { Page } from "../state/page";
import { OVERLAYS, QUALITY_NAMES, WEATHERS } from "../state/view";
import { Icon } from "./icons";
import { isDisplayOn } from "./driving_display";

export function ViewMenu({ page }: { page: Page }): JSX.Element {
  const isOpen = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const close = (event: Event): void => {
      if (!(box.current?.contains(event.target as Node) ?? false)) isOpen.value = false;
    };
    window.addEventListener("pointerdown", close);
    return () => window.removeEventListener("pointerdown", close);
  }, [isOpen]);
  return (
    <div
      class="view-menu"
      ref={box}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen.value) return;
        isOpen.value = false;
        box.current?.querySelector("button")?.focus();
      }}
    >
      <button
        type="button"
        class="view-button"
        aria-expanded={isOpen.value}
        aria-haspopup="true"
        title="View: what is drawn over the picture, day time, weather and quality"
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        <Icon name="eye" />
        <span class="view-button-text">View</span>
      </button>
      {isOpen.value && <Choices page={page} />}
    </div>
  );
}

function Choices({ page }: { page: Page }): JSX.Element {
  const { view } = page;
  const hours = view.sky.value.hours;
  const clock =
    hours === null || hours === undefined
      ? "–"
      : `${Math.floor(hours)}:${String(Math.floor((hours % 1) * 60)).padStart(2, "0")}`;
  return (
    <div class="view-choices" role="group" aria-label="View">
      {OVERLAYS.map(({ name, title, key }) => (
        <label key={name} class="check">
          <input
            type="checkbox"
            checked={view.overlays.value.has(name)}
            onChange={() => view.toggle(name)}
          />
          <span>{title}</span>
          <kbd>{key}</kbd>
        </label>
      ))}
      <label class="check">
        <input
          type="checkbox"
          checked={isDisplayOn.value}
          onChange={() => (isDisplayOn.value = !isDisplayOn.value)}
        />
        <span>Speed, gear and controls</span>
        <kbd>8</kbd>
      </label>
      <label class="view-line">
        <span>
          Day Time <output>{clock}</output>
        </span>
        <input
          type="range"
          min={0}
          max={23.75}
          step={0.25}
          value={hours ?? 12}
          onInput={(event) => (view.hours.value = Number(event.currentTarget.value))}
        />
      </label>
      <label class="view-line">
        <span>Weather</span>
        <select
          value={view.weather.value}
          onChange={(event) => (view.weather.value = event.currentTarget.value)}
        >
          <option value="">as in the world file</option>
          {Object.keys(WEATHERS).map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      <label class="view-line">
        <span>Quality</span>
        <select
          value={view.quality.value}
          title="Pixels, shadows and reflections of the picture"
          onChange={(event) => (view.quality.value = event.currentTarget.value)}
        >
          <option value="">automatic</option>
          {QUALITY_NAMES.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
    </div>
  );
}
