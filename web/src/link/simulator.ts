/** Calls of the server: the service of the wire contract over Connect. */

import { Code, ConnectError, createClient, type Client, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";

import { Simulator } from "./generated/autosim/v1/autosim_pb";

export type SimulatorClient = Client<typeof Simulator>;

/** A client that shows `token` with each call. */
export function connectSimulator(token: string): SimulatorClient {
  const authorise: Interceptor = (next) => async (request) => {
    request.header.set("authorization", `Bearer ${token}`);
    return next(request);
  };
  const transport = createConnectTransport({
    baseUrl: new URL(".", document.baseURI).href.replace(/\/$/, ""),
    useBinaryFormat: true,
    interceptors: [authorise],
    fetch: (input, init) => fetch(input, { ...init, credentials: "omit" }),
    defaultTimeoutMs: 20_000,
  });
  return createClient(Simulator, transport);
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
