/** Requests to hosts in texts: only to checked addresses, without cookies, referrer or kept connections. */
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { AddressGuard } from "../net/ssrf-guard.ts";

export type UrlGuard = Pick<AddressGuard, "parseUrl" | "resolve">;

export interface GuardedRequest {
  method: "GET" | "HEAD";
  accept: string;
  signal: AbortSignal;
}

/** Resolves at the response's head; the caller reads or destroys it. @throws if the address is blocked. */
export async function guardedRequest(
  guard: UrlGuard,
  url: URL,
  { method, accept, signal }: GuardedRequest,
): Promise<IncomingMessage> {
  const addresses = await guard.resolve(url);
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = (url.protocol === "https:" ? requestHttps : requestHttp)(url, {
    method,
    agent: false,
    signal,
    headers: { Accept: accept, "Accept-Encoding": "identity", "User-Agent": "Rostrum" },
    // Connects only to the addresses that were checked.
    lookup: (_hostname, { all }, callback) => {
      const [first] = addresses;
      if (all === true) callback(null, addresses);
      else callback(null, first?.address ?? "", first?.family);
    },
  });
  request.once("response", resolve).once("error", reject);
  // Without an error if the host wants to switch protocols.
  request.once("close", () => reject(new Error("The host did not respond"))).end();
  return promise;
}

/** Where a redirect leads; null if the response is none. */
export function redirectTarget({ statusCode = 0, headers }: IncomingMessage, url: URL): string | null {
  if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) return null;
  return new URL(headers.location, url).href;
}
