/** Receives and decodes the stream of states beside the page's own thread. */

import { PacketDecoder, type Hello, type Packet } from "./packets";

/** What the page tells the worker. */
export type ToWorker =
  | { kind: "open"; url: string; token: string; rateHz: number }
  | { kind: "watch"; names: string[]; number: number }
  /** The page has used the last state: it takes another. */
  | { kind: "ready" }
  | { kind: "close" };

/** What the worker tells the page. */
export type FromWorker =
  | { kind: "hello"; hello: Hello }
  | { kind: "packet"; packet: Packet }
  | { kind: "closed"; code: number; reason: string };

const scope = self as unknown as {
  postMessage(message: FromWorker, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
};

let socket: WebSocket | null = null;
let decoder: PacketDecoder | null = null;
/** The newest delta that the page has had no time for; keys are decoded at once. */
let waiting: ArrayBuffer | null = null;
let isPageReady = true;

scope.onmessage = ({ data }): void => {
  switch (data.kind) {
    case "open":
      open(data.url, data.token, data.rateHz);
      break;
    case "watch":
      if (socket?.readyState === WebSocket.OPEN) {
        socket.send(JSON.stringify({ watch: data.names, number: data.number }));
      }
      break;
    case "ready":
      isPageReady = true;
      if (waiting !== null) {
        const packet = waiting;
        waiting = null;
        pass(packet);
      }
      break;
    case "close":
      socket?.close(1000);
      socket = null;
  }
};

function open(url: string, token: string, rateHz: number): void {
  socket?.close(1000);
  decoder = waiting = null;
  isPageReady = true;
  const own = new WebSocket(url);
  socket = own;
  own.binaryType = "arraybuffer";
  own.onopen = (): void => own.send(JSON.stringify({ token, rate_hz: rateHz }));
  own.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>): void => {
    if (socket !== own) return;
    if (typeof data === "string") takeText(data);
    else takePacket(data);
  };
  own.onclose = ({ code, reason }): void => {
    if (socket === own) scope.postMessage({ kind: "closed", code, reason });
  };
}

function takeText(text: string): void {
  const hello = JSON.parse(text) as Hello;
  if (!Array.isArray(hello.channels)) return;
  decoder = new PacketDecoder(hello.channels);
  waiting = null;
  isPageReady = true;
  scope.postMessage({ kind: "hello", hello });
}

function takePacket(packet: ArrayBuffer): void {
  const isDelta = new Uint8Array(packet, 0, 1)[0] === 2;
  if (isDelta && !isPageReady) waiting = packet;
  else pass(packet);
}

function pass(bytes: ArrayBuffer): void {
  let packet: Packet | null | undefined;
  try {
    packet = decoder?.decode(bytes);
  } catch (error) {
    scope.postMessage({ kind: "closed", code: 1007, reason: String(error) });
    socket?.close(4007, "malformed packet");
    socket = null;
    return;
  }
  if (packet === null || packet === undefined) return;
  if (packet.kind === "state") {
    isPageReady = false;
    waiting = null;
  }
  scope.postMessage({ kind: "packet", packet }, "words" in packet ? [packet.words] : []);
}
