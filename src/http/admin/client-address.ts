/** Where a request comes from. */
import ipaddr from "ipaddr.js";
import type { IncomingMessage } from "node:http";
import type { Client } from "../../operations/people/sessions.ts";
import { originOf } from "../proxies.ts";

export function clientOf(req: IncomingMessage, publicUrl: string | null): Client {
  return { address: addressOf(req, publicUrl), userAgent: req.headers["user-agent"] ?? "" };
}

/**
 * The client's address, as told by trusted proxies (proxies.ts). Without ROSTRUM_TRUST_PROXY, but with ROSTRUM_PUBLIC_URL and
 * a connection from this machine or a private network, it is the last address in X-Forwarded-For, which the nearest proxy
 * added; clients can make up the earlier ones.
 */
export function addressOf(req: IncomingMessage, publicUrl: string | null): string {
  const origin = originOf(req);
  if (origin !== undefined) return origin.address;
  const peer = req.socket.remoteAddress ?? "";
  const forwarded = req.headers["x-forwarded-for"];
  if (publicUrl === null || forwarded === undefined || !isNear(peer)) return plain(peer);
  const last = forwarded.toString().split(",").at(-1)?.trim() ?? "";
  // The parser of addresses is not made for long texts.
  return last.length <= MAX_ADDRESS_LENGTH && ipaddr.isValid(last) ? plain(last) : plain(peer);
}

/** Whether the browser speaks TLS to us, or to the proxy in front. */
export function isSecure(req: IncomingMessage, publicUrl: string | null): boolean {
  if (publicUrl?.startsWith("https:") === true) return true;
  return originOf(req)?.isSecure ?? req.headers["x-forwarded-proto"] === "https";
}

/** An IPv6 address in full with an embedded IPv4 address has 45 characters; more leaves room for a zone. */
const MAX_ADDRESS_LENGTH = 100;

function isNear(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  return ["loopback", "private", "uniqueLocal", "linkLocal"].includes(ipaddr.process(address).range());
}

/** IPv4 as IPv4, however the socket writes it. */
function plain(address: string): string {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
}

/** The address that the browser shows, for links. */
export function baseOf(req: IncomingMessage, publicUrl: string | null): string {
  return publicUrl ?? `${isSecure(req, null) ? "https" : "http"}://${req.headers.host ?? "localhost"}`;
}
