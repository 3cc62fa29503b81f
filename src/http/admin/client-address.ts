/** Where a request comes from. */
import ipaddr from "ipaddr.js";
import type { IncomingMessage } from "node:http";
import type { ClientInfo } from "../../operations/people/sessions.ts";
import { isForwardedAsSecure, readOrigin } from "../connection/proxies.ts";

export function getClient(req: IncomingMessage, publicUrl: string | null): ClientInfo {
  return { address: getClientAddress(req, publicUrl), userAgent: req.headers["user-agent"] ?? "" };
}

/**
 * The client's address, as reported by trusted proxies (proxies.ts). Without ROSTRUM_TRUST_PROXY, but with ROSTRUM_PUBLIC_URL
 * and a connection from this machine or a private network, it is the last address in X-Forwarded-For, which the nearest proxy
 * added; clients can forge the earlier ones.
 */
export function getClientAddress(req: IncomingMessage, publicUrl: string | null): string {
  const origin = readOrigin(req);
  if (origin !== undefined) return origin.address;
  const peer = req.socket.remoteAddress ?? "";
  const forwarded = req.headers["x-forwarded-for"];
  if (publicUrl === null || forwarded === undefined || !isNear(peer)) return plain(peer);
  const last = forwarded.toString().split(",").at(-1)?.trim() ?? "";
  // The address parser is not meant for long input.
  return last.length <= MAX_ADDRESS_LENGTH && ipaddr.isValid(last) ? plain(last) : plain(peer);
}

/** Whether the browser uses TLS, to this process or to the proxy in front. */
export function isSecure(req: IncomingMessage, publicUrl: string | null): boolean {
  if (publicUrl?.startsWith("https:") === true) return true;
  return readOrigin(req)?.isSecure ?? isForwardedAsSecure(req);
}

/** A full IPv6 address with an embedded IPv4 address has 45 characters; the rest leaves room for a zone. */
const MAX_ADDRESS_LENGTH = 100;

function isNear(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  return ["loopback", "private", "uniqueLocal", "linkLocal"].includes(ipaddr.process(address).range());
}

/** Writes IPv4-mapped IPv6 addresses as IPv4. */
function plain(address: string): string {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
}

/** The service's URL as the browser sees it, for links. */
export function getBaseUrl(req: IncomingMessage, publicUrl: string | null): string {
  return publicUrl ?? `${isSecure(req, null) ? "https" : "http"}://${req.headers.host ?? "localhost"}`;
}
