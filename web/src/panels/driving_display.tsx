/** The display of who drives: speed, gear and controls; and the controls for fingers. */

import { signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";

import type { Page } from "../state/page";
import { follow } from "./parts";

/** Whether the display is there for robots that programs drive, too. */
export const isDisplayOn = signal(false);

export function DrivingDisplay({ page }: { page: Page }): JSX.Element | null {
  follow(page.tick);
  const driven = page.driver.robot.value;
  const robot = driven === "" ? page.followed.value : driven;
  if (driven === "" && !isDisplayOn.value) return null;
  const reading = page.driver.read(robot);
  if (reading === null) return null;
  const { speed, gear, steering, throttle, brake } = reading;
  const left = steering > 0 ? 50 * (1 - steering) : 50;
  return (
    <div class="hud" role="group" aria-label={`Driving ${robot}`}>
      <div class="hud-speed">
        <span class="hud-number" data-speed={speed}>
          {(3.6 * Math.abs(speed)).toFixed(0)}
        </span>
        <span class="hud-unit">km/h</span>
      </div>
      <div class="hud-gear" aria-label={`Gear ${gear}`}>
        {gear}
      </div>
      <dl class="hud-bars">
        <div>
          <dt>steering</dt>
          <dd class="hud-track is-steering">
            <span style={{ left: `${left}%`, width: `${50 * Math.abs(steering)}%` }} />
          </dd>
        </div>
        <div>
          <dt>throttle</dt>
          <dd class="hud-track is-throttle">
            <span style={{ left: "0", width: `${100 * throttle}%` }} />
          </dd>
        </div>
        <div>
          <dt>brake</dt>
          <dd class="hud-track is-brake">
            <span style={{ left: "0", width: `${100 * brake}%` }} />
          </dd>
        </div>
      </dl>
      <p class="hud-hint">
        {driven === ""
          ? robot
          : "W A S D or arrows · Space: hand brake · Ctrl+D: give back"}
      </p>
    </div>
  );
}

/** A pad that steers and two pedals, where a finger is what there is. */
export function TouchControls({ page }: { page: Page }): JSX.Element | null {
  const steering = useSignal(0);
  const push = useSignal(0);
  const pad = useRef<HTMLDivElement>(null);
  if (page.driver.robot.value === "") return null;
  const show = (): void => {
    const isTouched = steering.value !== 0 || push.value !== 0;
    page.driver.touch = isTouched ? { steering: steering.value, push: push.value, brake: 0 } : null;
  };
  const steer = (event: PointerEvent): void => {
    const box = pad.current?.getBoundingClientRect();
    if (box === undefined) return;
    const share = (2 * (event.clientX - box.left)) / box.width - 1;
    steering.value = -Math.max(-1, Math.min(1, share));
    show();
  };
  const pedal = (name: string, value: number): JSX.Element => (
    <button
      type="button"
      class={`pedal is-${name}`}
      aria-pressed={push.value === value}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        push.value = value;
        show();
      }}
      onPointerUp={() => {
        push.value = 0;
        show();
      }}
      onPointerCancel={() => {
        push.value = 0;
        show();
      }}
    >
      {name}
    </button>
  );
  return (
    <div class="touch" aria-label="Controls for touch" role="group">
      <div
        ref={pad}
        class="touch-pad"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          steer(event);
        }}
        onPointerMove={(event) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId)) steer(event);
        }}
        onPointerUp={() => {
          steering.value = 0;
          show();
        }}
        onPointerCancel={() => {
          steering.value = 0;
          show();
        }}
      >
        <span class="touch-knob" style={{ left: `${50 - 42 * steering.value}%` }} />
        <span class="touch-label">steering</span>
      </div>
      <div class="pedals">
        {pedal("brake", -1)}
        {pedal("throttle", 1)}
      </div>
    </div>
  );
}
