/** Icons: strokes on a grid of 16, in the colour of the text. */

import type { JSX } from "preact";

const PATHS = {
  run: <path d="M4.5 2.8v10.4L13 8Z" fill="currentColor" stroke="none" />,
  pause: <path d="M4 3h2.8v10H4zM9.2 3H12v10H9.2z" fill="currentColor" stroke="none" />,
  step: <path d="M3 3v10l7-5ZM11 3h2v10h-2z" fill="currentColor" stroke="none" />,
  back: <path d="M3 8a5 5 0 1 0 1.6-3.7M3 2.6v2.6h2.6" />,
  record: <circle cx="8" cy="8" r="4.6" fill="currentColor" stroke="none" />,
  stop: <rect x="4" y="4" width="8" height="8" rx="1" fill="currentColor" stroke="none" />,
  keep: <path d="M4.5 2.5h7v11L8 10.8l-3.5 2.7Z" />,
  chevron: <path d="m6 4 4 4-4 4" />,
  plot: <path d="M2.5 13.5h11M3 10.5l3-4 2.6 2.4L13 3.5" />,
  close: <path d="m4 4 8 8M12 4l-8 8" />,
  tree: <path d="M3 3.5h10M6 8h7M6 12.5h7M3 3.5v9h2.5M3 8h2.5" />,
  list: <path d="M3 4h10M3 8h10M3 12h7" />,
  program: <path d="m5.5 5-3 3 3 3M10.5 5l3 3-3 3" />,
  network: <path d="M8 2.5v4M3 13.5v-3h10v3M8 6.5v4M2 13.5h2M7 13.5h2M12 13.5h2M8 10.5v3" />,
  clock: <path d="M8 4.5V8l2.5 1.6M8 2.2a5.8 5.8 0 1 1 0 11.6A5.8 5.8 0 0 1 8 2.2Z" />,
  info: <path d="M8 7.2v4M8 4.6v.3M8 2.2a5.8 5.8 0 1 1 0 11.6A5.8 5.8 0 0 1 8 2.2Z" />,
  warning: <path d="M8 2.6 14 13H2ZM8 6.6v3M8 11.2v.2" />,
  error: <path d="M5.7 2.4h4.6l3.3 3.3v4.6l-3.3 3.3H5.7l-3.3-3.3V5.7ZM8 5v3.6M8 10.6v.3" />,
  wheel: (
    <path d="M8 2.2a5.8 5.8 0 1 1 0 11.6A5.8 5.8 0 0 1 8 2.2ZM8 6.6a1.4 1.4 0 1 1 0 2.8 1.4 1.4 0 0 1 0-2.8ZM2.4 7.4l4.2.4M13.6 7.4l-4.2.4M8 9.4v4.2" />
  ),
  add: <path d="M8 3v10M3 8h10" />,
  undo: <path d="M3 6.5h6.5a3.5 3.5 0 0 1 0 7H6M3 6.5 6 3.4M3 6.5l3 3.1" />,
  light: (
    <path d="M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6ZM8 1.5v1.4M8 13.1v1.4M1.5 8h1.4M13.1 8h1.4M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1" />
  ),
  dark: <path d="M13 9.6A5.6 5.6 0 0 1 6.4 3 5.6 5.6 0 1 0 13 9.6Z" />,
  system: <path d="M2.5 3h11v7.5h-11ZM6 13.5h4M8 10.5v3" />,
  keys: <path d="M1.8 4h12.4v8H1.8ZM4 6.4h.2M6.6 6.4h.2M9.2 6.4h.2M11.8 6.4h.2M4.8 9.6h6.4" />,
  full: <path d="M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3" />,
  more: <path d="M3.5 8h.2M8 8h.2M12.5 8h.2" stroke-width="2" />,
  move: <path d="M8 2v12M2 8h12M6.4 3.6 8 2l1.6 1.600M6.4 12.4 8 14l1.6-1.600M3.6 6.4 2 8l1.6 1.600M12.4 6.4 14 8l-1.6 1.6" />,
  bin: <path d="M3 4.500h10M6.5 4.500v-2h3v2M4.5 4.500l.6 9h5.800l.6-9M6.8 7v4M9.2 7v4" />,
  eye: <path d="M1.8 8S4 3.8 8 3.8 14.2 8 14.2 8 12 12.2 8 12.2 1.8 8 1.8 8ZM8 6.2a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6Z" />,
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }): JSX.Element {
  return (
    <svg
      class="icon"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.35"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {PATHS[name]}
    </svg>
  );
}
