/** Where a request comes from. */
import ipaddr from "ipaddr.js";
import type { IncomingMessage } from "node:http";
import type { Client } from "../../operations/sessions.ts";

export function clientOf(req: IncomingMessage, publicUrl: string | null): Client {
  return { address: addressOf(req, publicUrl), userAgent: req.headers["user-agent"] ?? "" };
}

/**
 * The client's address. Where ROSTRUM_PUBLIC_URL says that a proxy may stand in front, and the connection comes from this
 * machine or a private network, it is the one that the nearest proxy has added; the earlier ones are anybody's claim.
 */
export function addressOf(req: IncomingMessage, publicUrl: string | null): string {
  const peer = req.socket.remoteAddress ?? "";
  const forwarded = req.headers["x-forwarded-for"];
  if (publicUrl === null || forwarded === undefined || !isNear(peer)) return plain(peer);
  const last = forwarded.toString().split(",").at(-1)?.trim() ?? "";
  return ipaddr.isValid(last) ? plain(last) : plain(peer);
}

/** Whether the browser speaks TLS to us, or to the proxy in front. */
export function isSecure(req: IncomingMessage, publicUrl: string | null): boolean {
  return publicUrl?.startsWith("https:") === true || req.headers["x-forwarded-proto"] === "https";
}

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
