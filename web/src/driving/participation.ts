/** Taking part in the step through the gateway: as a user program does, so one drives at a time. */

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";

import {
  AttachSchema,
  LeaveSchema,
  ProgramMessageSchema,
  ServerMessageSchema,
  WaitSchema,
  type ProgramMessage,
  type Woken,
} from "../link/generated/autosim/v1/autosim_pb";

export interface ParticipationEvents {
  /** It is this driver's turn: what comes back are the actuator's values, or null to wait only. */
  turn(woken: Woken): { device: string; values: readonly number[] } | null;
  /** The part is over; `reason` "" where the page itself has ended it. */
  ended(reason: string): void;
}

/** A part in the step from `attach` to `leave`. */
export class Participation {
  #socket: WebSocket;
  #isLeaving = false;
  #isOver = false;

  constructor(
    token: string,
    attach: { program: string; robot: string; layoutDigest: string },
    private readonly stepsPerTurn: number,
    private readonly events: ParticipationEvents,
  ) {
    const url = new URL("participate", document.baseURI);
    url.protocol = url.protocol.replace("http", "ws");
    this.#socket = new WebSocket(url);
    this.#socket.binaryType = "arraybuffer";
    this.#socket.onopen = (): void => {
      this.#socket.send(JSON.stringify({ token }));
      this.#send({ case: "attach", value: create(AttachSchema, attach) });
    };
    this.#socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>): void => {
      if (data instanceof ArrayBuffer) this.#take(new Uint8Array(data));
    };
    this.#socket.onclose = ({ reason, code }): void =>
      this.#end(this.#isLeaving ? "" : reason || `the connection has ended (${code})`);
  }

  /** Ends the part; the robot brakes. */
  leave(): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    if (this.#socket.readyState === WebSocket.OPEN) {
      this.#send({
        case: "leave",
        value: create(LeaveSchema, { hasFailed: false, reason: "given back" }),
      });
    }
    this.#socket.close(1000);
    this.#end("");
  }

  #take(bytes: Uint8Array): void {
    const { kind } = fromBinary(ServerMessageSchema, bytes);
    switch (kind.case) {
      case "woken":
        this.#turn(kind.value);
        break;
      case "refused":
      case "dismissed":
        this.#isLeaving = true;
        this.#socket.close(1000);
        this.#end(kind.value.reason);
        break;
      default: // moments kept and restored need no answer
    }
  }

  #turn(woken: Woken): void {
    if (this.#isLeaving) return;
    const begin = performance.now();
    const command = this.events.turn(woken);
    this.#send({
      case: "wait",
      value: create(WaitSchema, {
        commands: command === null ? [] : [{ device: command.device, data: floats(command.values) }],
        untilStep: woken.step + BigInt(this.stepsPerTurn),
        turnSeconds: 1e-3 * (performance.now() - begin),
      }),
    });
  }

  #send(kind: ProgramMessage["kind"]): void {
    const message = create(ProgramMessageSchema, { kind });
    this.#socket.send(toBinary(ProgramMessageSchema, message));
  }

  #end(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.events.ended(reason);
  }
}

function floats(values: readonly number[]): Uint8Array {
  return new Uint8Array(new Float64Array(values).buffer);
}
