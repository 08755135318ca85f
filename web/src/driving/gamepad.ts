/** Driving by a gamepad with the standard layout: left stick steers, triggers are the pedals. */

import type { Wish } from "./driver_input";

const DEAD_ZONE = 0.08;

/** What the first gamepad in use wants; null where there is none, or where it is at rest. */
export function readGamepad(): Wish | null {
  for (const pad of navigator.getGamepads()) {
    if (pad === null || !pad.connected) continue;
    const steering = -beyond(pad.axes[0] ?? 0);
    const throttle = pad.buttons[7]?.value ?? 0;
    const back = pad.buttons[6]?.value ?? 0;
    const isHandBrake = pad.buttons[0]?.pressed ?? false;
    if (steering === 0 && throttle < DEAD_ZONE && back < DEAD_ZONE && !isHandBrake) continue;
    return { steering, push: throttle - back, brake: isHandBrake ? 1 : 0 };
  }
  return null;
}

function beyond(value: number): number {
  const size = Math.max(0, Math.abs(value) - DEAD_ZONE) / (1 - DEAD_ZONE);
  return Math.sign(value) * size;
}
