/** Calls of the server: the service of the wire contract over Connect. */

import type { DescMethodUnary } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createClient,
  type Client,
  type Interceptor,
  type Transport,
} from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";

import {
  type CommandsSchema,
  Simulator,
  type SetDataResultSchema,
} from "./generated/autosim/v1/autosim_pb";

export type SimulatorClient = Client<typeof Simulator>;

/** A client that shows `token` with each call. */
export function connectSimulator(token: string): SimulatorClient {
  return createClient(Simulator, transportOf(token));
}

/** Sets the fields of actuators; browsers cannot stream requests, so each call has one. */
export function actuatorSetter(
  token: string,
): (path: string, data: Uint8Array<ArrayBuffer>) => Promise<void> {
  const transport = transportOf(token);
  const method: DescMethodUnary<typeof CommandsSchema, typeof SetDataResultSchema> = {
    ...Simulator.method.setData,
    methodKind: "unary",
  };
  return async (device, data) => {
    const batch = { commands: [{ device, data }] };
    const { message } = await transport.unary(method, undefined, undefined, undefined, batch);
    if (message.refused > 0n) throw new Error(message.firstRefusal);
  };
}

function transportOf(token: string): Transport {
  const authorise: Interceptor = (next) => async (request) => {
    request.header.set("authorization", `Bearer ${token}`);
    return next(request);
  };
  return createConnectTransport({
    baseUrl: new URL(".", document.baseURI).href.replace(/\/$/, ""),
    useBinaryFormat: true,
    interceptors: [authorise],
    fetch: (input, init) => fetch(input, { ...init, credentials: "omit" }),
    defaultTimeoutMs: 20_000,
  });
}

/** The reason of a failed call in words. */
export function reasonOf(error: unknown): string {
  if (error instanceof ConnectError) {
    return error.rawMessage === "" ? `the server answers: ${Code[error.code]}` : error.rawMessage;
  }
  return error instanceof Error ? error.message : String(error);
}

/** Whether the token is no longer good. */
export function isUnauthenticated(error: unknown): boolean {
  return error instanceof ConnectError && error.code === Code.Unauthenticated;
}
