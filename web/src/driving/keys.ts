/** Driving by keys: how steering and pedals follow keys that are only up or down. */

import { STANDING, type Wish } from "./driver_input";

/** What a key does. BACKWARDS brakes while the car goes forwards; BRAKE is the hand brake. */
export type DriveKey = "forwards" | "backwards" | "left" | "right" | "brake";

/** The keys of the desktop client. */
export const KEY_CODES: Readonly<Record<string, DriveKey>> = {
  KeyW: "forwards",
  ArrowUp: "forwards",
  KeyS: "backwards",
  ArrowDown: "backwards",
  KeyA: "left",
  ArrowLeft: "left",
  KeyD: "right",
  ArrowRight: "right",
  Space: "brake",
};

/** Shares of the limit a second with which a key turns the steering. */
const STEER_RATE = 2;
/** Shares a second with which the steering returns: at a standstill, and from RETURN_SPEED on. */
const RETURN_RATES = [0.8, 3] as const;
/** [m/s] */
const RETURN_SPEED = 10;
/** Shares of the motor's and the brakes' force a second, and of a pedal that comes up. */
const PUSH_RATE = 1;
const BRAKE_RATE = 2.5;
const RELEASE_RATE = 5;

/** Turns keys into what the driver wants, over time. */
export class KeyDriver {
  #steering = 0;
  #push = 0;
  #brake = 0;

  /** What the driver wants after `seconds` with the keys `down`, at a speed [m/s] forwards. */
  step(down: ReadonlySet<DriveKey>, speed: number, seconds: number): Wish {
    this.#steer(down, speed, seconds);
    this.#press(down, speed, seconds);
    return { steering: this.#steering, push: this.#push, brake: this.#brake };
  }

  #steer(down: ReadonlySet<DriveKey>, speed: number, seconds: number): void {
    const [slow, fast] = RETURN_RATES;
    const way = Number(down.has("left")) - Number(down.has("right"));
    const rate =
      way === 0
        ? slow + (fast - slow) * Math.min(Math.abs(speed) / RETURN_SPEED, 1)
        : STEER_RATE + (way * this.#steering < 0 ? fast : 0);
    this.#steering = approach(this.#steering, way, rate * seconds);
  }

  #press(down: ReadonlySet<DriveKey>, speed: number, seconds: number): void {
    if (down.has("brake")) {
      this.#push = 0;
      this.#brake = 1;
      return;
    }
    const way = Number(down.has("forwards")) - Number(down.has("backwards"));
    const isMoving = Math.abs(speed) > STANDING;
    const brakes = isMoving ? way * speed < 0 : way === 0;
    this.#brake = approach(
      this.#brake,
      Number(brakes),
      (brakes ? BRAKE_RATE : RELEASE_RATE) * seconds,
    );
    const push = brakes ? 0 : way;
    if (this.#push * push < 0) this.#push = 0;
    this.#push = approach(this.#push, push, (push === 0 ? RELEASE_RATE : PUSH_RATE) * seconds);
  }
}

function approach(value: number, target: number, most: number): number {
  return value + Math.min(Math.max(target - value, -most), most);
}
