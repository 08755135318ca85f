/** Mouse, touch and keys on the canvas move the camera. */

import type { CameraControl } from "./cameras";

/** Turn [rad] per height of the canvas that the pointer moves. */
const TURN = 2.6;

const KEYS: Readonly<Record<string, readonly [right: number, up: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

/** Listens to a canvas until it is disposed. */
export class Pointer {
  hasKeys = true;
  readonly #canvas: HTMLCanvasElement;
  readonly #control: CameraControl;
  readonly #onChange: () => void;
  readonly #pointers = new Map<number, { x: number; y: number; pans: boolean }>();
  readonly #pressed = new Set<string>();
  readonly #stop = new AbortController();

  constructor(canvas: HTMLCanvasElement, control: CameraControl, onChange: () => void) {
    this.#canvas = canvas;
    this.#control = control;
    this.#onChange = onChange;
    const { signal } = this.#stop;
    canvas.style.touchAction = "none";
    canvas.addEventListener("pointerdown", this.#down, { signal });
    canvas.addEventListener("pointermove", this.#move, { signal });
    for (const name of ["pointerup", "pointercancel"] as const) {
      canvas.addEventListener(name, this.#up, { signal });
    }
    canvas.addEventListener("wheel", this.#wheel, { signal, passive: false });
    canvas.addEventListener("keydown", this.#keyDown, { signal });
    canvas.addEventListener("keyup", this.#keyUp, { signal });
    canvas.addEventListener("blur", () => this.#pressed.clear(), { signal });
    canvas.addEventListener("contextmenu", prevent, { signal });
  }

  /** Moves by the keys that are held for `seconds`; whether anything has moved. */
  update(seconds: number): boolean {
    if (!this.hasKeys || this.#pressed.size === 0) return false;
    for (const key of this.#pressed) this.#press(key, seconds);
    return true;
  }

  dispose(): void {
    this.#stop.abort();
  }

  #press(key: string, seconds: number): void {
    const arrow = KEYS[key];
    const isFree = this.#control.kind === "orbit" || this.#control.kind === "map";
    if (arrow !== undefined) {
      const [right, up] = arrow;
      if (isFree) this.#control.pan(0.7 * right * seconds, 0.7 * up * seconds);
      else this.#control.turn(-1.4 * right * seconds, 0.8 * up * seconds);
    } else if (key === "+" || key === "=") this.#control.zoom(Math.exp(-1.4 * seconds));
    else if (key === "-") this.#control.zoom(Math.exp(1.4 * seconds));
    else if (key === "[" || key === "]") {
      this.#control.turn((key === "[" ? 1.4 : -1.4) * seconds, 0);
    }
  }

  readonly #down = (event: PointerEvent): void => {
    const pans = event.button === 2 || event.button === 1 || event.shiftKey;
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY, pans });
    this.#canvas.setPointerCapture(event.pointerId);
  };

  readonly #up = (event: PointerEvent): void => {
    this.#pointers.delete(event.pointerId);
  };

  readonly #move = (event: PointerEvent): void => {
    const before = this.#pointers.get(event.pointerId);
    if (before === undefined) return;
    const height = Math.max(this.#canvas.clientHeight, 1);
    const [dx, dy] = [(event.clientX - before.x) / height, (event.clientY - before.y) / height];
    if (this.#pointers.size === 2) this.#pinch(event, before, dx, dy);
    else if (before.pans || this.#control.kind === "map") this.#control.pan(-dx, dy);
    else this.#control.turn(-TURN * dx, TURN * dy);
    before.x = event.clientX;
    before.y = event.clientY;
    this.#onChange();
  };

  #pinch(event: PointerEvent, before: { x: number; y: number }, dx: number, dy: number): void {
    const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other === undefined) return;
    const was = Math.hypot(before.x - other.x, before.y - other.y);
    const now = Math.hypot(event.clientX - other.x, event.clientY - other.y);
    if (now > 1) this.#control.zoom(was / now);
    this.#control.pan(-dx / 2, dy / 2);
  }

  readonly #wheel = (event: WheelEvent): void => {
    event.preventDefault();
    const pixels = event.deltaMode === 1 ? 30 * event.deltaY : event.deltaY;
    this.#control.zoom(Math.exp(0.0012 * Math.min(Math.max(pixels, -400), 400)));
    this.#onChange();
  };

  readonly #keyDown = (event: KeyboardEvent): void => {
    const isOurs = event.key in KEYS || ["+", "=", "-", "[", "]"].includes(event.key);
    if (!this.hasKeys || !isOurs || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.#pressed.add(event.key);
    this.#onChange();
  };

  readonly #keyUp = (event: KeyboardEvent): void => {
    this.#pressed.delete(event.key);
  };
}

function prevent(event: Event): void {
  event.preventDefault();
}
