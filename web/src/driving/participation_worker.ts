/**
 * Takes part in the step beside the page's own thread: a picture that takes long to draw does not
 * make the car miss its turn. Where the page is silent, the car comes to a stop, gently.
 */

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";

import {
  AttachSchema,
  LeaveSchema,
  ProgramMessageSchema,
  ServerMessageSchema,
  WaitSchema,
  type ProgramMessage,
} from "../link/generated/autosim/v1/autosim_pb";
import { actuatorValues, AWAY, type Steering, type Wish } from "./driver_input";
import { KeyDriver, type DriveKey } from "./keys";

/** Real time [ms] without a word from the page after which nothing is known of its keys. */
const SILENT = 1000;

/** What the page knows of its driver. */
export interface Controls {
  down: DriveKey[];
  /** What a finger or a gamepad wants; null where they are at rest. */
  other: Wish | null;
  hasFocus: boolean;
  /** Of the car, forwards [m/s]. */
  speed: number;
}

export type ToParticipation =
  | {
      kind: "begin";
      url: string;
      token: string;
      robot: string;
      layoutDigest: string;
      device: string;
      steering: Steering;
      stepsPerTurn: number;
      period: number;
    }
  | { kind: "controls"; controls: Controls }
  | { kind: "leave" };

/** The part is over; `reason` "" where the page itself has ended it. */
export interface FromParticipation {
  kind: "ended";
  reason: string;
}

const scope = self as unknown as {
  postMessage(message: FromParticipation): void;
  onmessage: ((event: MessageEvent<ToParticipation>) => void) | null;
};

let socket: WebSocket | null = null;
let controls: Controls = { down: [], other: null, hasFocus: true, speed: 0 };
let heard = 0;
let isLeaving = false;
let isOver = false;

scope.onmessage = ({ data }): void => {
  switch (data.kind) {
    case "begin":
      begin(data);
      break;
    case "controls":
      controls = data.controls;
      heard = performance.now();
      break;
    case "leave":
      leave();
  }
};

function begin(order: ToParticipation & { kind: "begin" }): void {
  const keys = new KeyDriver();
  const own = new WebSocket(order.url);
  socket = own;
  own.binaryType = "arraybuffer";
  own.onopen = (): void => {
    own.send(JSON.stringify({ token: order.token }));
    const { robot, layoutDigest } = order;
    send({ case: "attach", value: create(AttachSchema, { program: "browser", robot, layoutDigest }) });
  };
  own.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>): void => {
    if (!(data instanceof ArrayBuffer) || isLeaving) return;
    const { kind } = fromBinary(ServerMessageSchema, new Uint8Array(data));
    if (kind.case === "turnStarted") {
      const begun = performance.now();
      const values = actuatorValues(wishOf(keys, order.period), controls.speed, order.steering);
      const wait = create(WaitSchema, {
        commands: [{ device: order.device, data: new Uint8Array(new Float64Array(values).buffer) }],
        untilStep: kind.value.step + BigInt(order.stepsPerTurn),
        turnSeconds: 1e-3 * (performance.now() - begun),
      });
      send({ case: "wait", value: wait });
    } else if (kind.case === "refused" || kind.case === "dismissed") {
      isLeaving = true;
      own.close(1000);
      end(kind.value.reason);
    }
  };
  own.onclose = ({ reason, code }): void =>
    end(isLeaving ? "" : reason === "" ? `the connection has ended (${code})` : reason);
}

function wishOf(keys: KeyDriver, seconds: number): Wish {
  const isSilent = performance.now() - heard > SILENT;
  const down = new Set(isSilent ? [] : controls.down);
  const wish = keys.step(down, controls.speed, seconds);
  if (down.size > 0) return wish;
  if (isSilent) return AWAY;
  return controls.other ?? (controls.hasFocus ? wish : AWAY);
}

function leave(): void {
  if (isLeaving) return;
  isLeaving = true;
  if (socket?.readyState === WebSocket.OPEN) {
    send({ case: "leave", value: create(LeaveSchema, { hasFailed: false, reason: "given back" }) });
  }
  socket?.close(1000);
  end("");
}

function send(kind: ProgramMessage["kind"]): void {
  socket?.send(toBinary(ProgramMessageSchema, create(ProgramMessageSchema, { kind })));
}

function end(reason: string): void {
  if (isOver) return;
  isOver = true;
  scope.postMessage({ kind: "ended", reason });
}
