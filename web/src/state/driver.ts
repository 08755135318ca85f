/** A person who drives a robot from this page: takes over, drives, gives back. */

import { signal } from "@preact/signals";

import { forwardSpeed, gearOf, steeringLimit, type Wish } from "../driving/driver_input";
import { readGamepad } from "../driving/gamepad";
import type { DriveKey } from "../driving/keys";
import type { FromParticipation, ToParticipation } from "../driving/participation_worker";
import { drivable, type Drivable } from "../driving/vehicle";
import { ProgramOrder_Action } from "../link/generated/autosim/v1/autosim_pb";
import type { PageLink } from "../link/page_link";
import { reasonOf } from "../link/simulator";
import type { SceneSource } from "../link/source";
import { numbersOf } from "../link/values";

/** Simulated time [s] between two looks at the controls. */
const PERIOD = 0.05;

/** Real time [ms] between two looks of the page at its keys, fingers and gamepads. */
const LOOK = 30;

/** Real time [ms] that a part has to say goodbye. */
const FAREWELL = 500;

/** What the display shows. Shares: steering -1 (right) to 1 (left), throttle and brake 0 to 1. */
export interface Reading {
  speed: number;
  gear: "D" | "R" | "N";
  steering: number;
  throttle: number;
  brake: number;
}

export class Driver {
  /** The robot that this page drives, "" where it drives none. */
  readonly robot = signal("");
  readonly isStarting = signal(false);
  /** Keys that are down; the page's keyboard fills it. */
  readonly down = new Set<DriveKey>();
  /** What fingers on the screen want; null while there are none. */
  touch: Wish | null = null;
  /** Whether the page has the keyboard. */
  hasFocus = true;
  #worker: Worker | null = null;
  #hasTaken = false;

  constructor(
    private readonly link: PageLink,
    private readonly source: SceneSource,
    private readonly mayTakeOver: boolean,
    private readonly report: (level: "info" | "error", text: string) => void,
  ) {}

  /** Takes part in the step for `robot`, and ends the program that drives it. */
  async takeOver(robot: string): Promise<void> {
    const found = drivable(this.source.tree, robot);
    if (found === null) {
      this.report("error", `${robot} has no drive actuator: it cannot be driven from here`);
      return;
    }
    this.giveBack();
    this.isStarting.value = true;
    try {
      if (this.mayTakeOver) {
        await this.link.client.controlProgram({ action: ProgramOrder_Action.TAKE_OVER, robot });
        this.#hasTaken = true;
      }
      this.#begin(found);
    } catch (error) {
      this.report("error", `${robot} cannot be taken over: ${reasonOf(error)}`);
    } finally {
      this.isStarting.value = false;
    }
  }

  /** Leaves the robot to its program. */
  giveBack(): void {
    this.#send({ kind: "leave" });
  }

  /** The display's values of any robot that can be driven; null of others. */
  read(robot: string): Reading | null {
    const found = drivable(this.source.tree, robot);
    if (found === null) return null;
    const speed = speedOf(found, this.source.mirror);
    const [angle = 0, push = 0, brake = 0] = found.actuator.fields.map(
      (each) => numbersOf(this.source.mirror, each)[0] ?? 0,
    );
    const limit = steeringLimit(found.steering, speed);
    return {
      speed,
      gear: gearOf(speed, push),
      steering: Math.max(-1, Math.min(1, limit === 0 ? 0 : angle / limit)),
      throttle: Math.abs(push),
      brake,
    };
  }

  #begin(found: Drivable): void {
    this.robot.value = found.robot;
    const url = new URL("participate", document.baseURI);
    url.protocol = url.protocol.replace("http", "ws");
    const worker = this.link.startParticipation();
    this.#worker = worker;
    this.#send({
      kind: "begin",
      url: url.href,
      token: this.link.entry.token,
      robot: found.robot,
      layoutDigest: this.source.tree.digest,
      device: found.actuator.path,
      steering: found.steering,
      stepsPerTurn: Math.max(1, Math.round(PERIOD / this.source.stepSeconds)),
      period: PERIOD,
    });
    const timer = setInterval(() => this.#look(found), LOOK);
    worker.onmessage = ({ data }: MessageEvent<FromParticipation>): void => {
      clearInterval(timer);
      setTimeout(() => worker.terminate(), FAREWELL);
      this.#ended(found.robot, data.reason);
    };
  }

  /** Passes on what the driver does now. */
  #look(found: Drivable): void {
    const controls = {
      down: [...this.down],
      other: this.touch ?? readGamepad(),
      hasFocus: this.hasFocus,
      speed: speedOf(found, this.source.mirror),
    };
    this.#send({ kind: "controls", controls });
  }

  #send(message: ToParticipation): void {
    this.#worker?.postMessage(message);
  }

  #ended(robot: string, reason: string): void {
    this.#worker = null;
    this.robot.value = "";
    this.down.clear();
    if (reason !== "") this.report("error", `driving ${robot} has ended: ${reason}`);
    if (!this.#hasTaken) return;
    this.#hasTaken = false;
    this.link.client
      .controlProgram({ action: ProgramOrder_Action.GIVE_BACK, robot })
      .catch((error: unknown) => {
        // The server gives back by itself when the driver's part ends.
        if (!reasonOf(error).includes("not taken")) this.report("info", reasonOf(error));
      });
  }
}

function speedOf(found: Drivable, view: DataView): number {
  return forwardSpeed(numbersOf(view, found.orientation), numbersOf(view, found.velocity));
}
