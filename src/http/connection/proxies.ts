/** The trusted proxies, whose X-Forwarded-For, X-Forwarded-Proto and X-Request-Id are used (ROSTRUM_TRUST_PROXY). */
import ipaddr from "ipaddr.js";
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import type { ClientInfo } from "../../operations/people/sessions.ts";

interface Origin {
  address: string;
  isSecure: boolean;
  requestId: string | undefined;
}

/** Request ids that are safe in headers and logs. Proxies send UUIDs and hexadecimal numbers. */
const REQUEST_ID = /^[\w.-]{1,64}$/;

const origins = new WeakMap<IncomingMessage, Origin>();

export class Proxies {
  readonly #networks = new BlockList();

  /** `cidrs`: separated by commas, validated by config.ts. */
  constructor(cidrs: string) {
    for (const cidr of cidrs.split(",")) {
      const [network = "", bits] = cidr.trim().split("/");
      if (network === "") continue;
      const family = isIP(network) === 6 ? "ipv6" : "ipv4";
      this.#networks.addSubnet(network, bits === undefined ? (family === "ipv6" ? 128 : 32) : Number(bits), family);
    }
  }

  /** Determines the origin of the request once, for `readOrigin`. */
  resolve(request: IncomingMessage): void {
    const peer = plainAddress(request.socket.remoteAddress ?? "");
    if (!this.#includes(peer)) {
      origins.set(request, { address: peer, isSecure: false, requestId: undefined });
      return;
    }
    const forwarded = request.headers["x-forwarded-for"]?.toString().split(",") ?? [];
    let address = peer;
    // From the nearest proxy outwards. The first address that is not a trusted proxy is the client; any before it are
    // its claims.
    for (const one of forwarded.toReversed()) {
      const next = plainAddress(one.trim());
      if (isIP(next) === 0) break;
      address = next;
      if (!this.#includes(next)) break;
    }
    const id = request.headers["x-request-id"];
    origins.set(request, {
      address,
      isSecure: isForwardedAsSecure(request),
      requestId: typeof id === "string" && REQUEST_ID.test(id) ? id : undefined,
    });
  }

  /** The request id that a trusted proxy has set. */
  requestId(request: IncomingMessage): string | undefined {
    return origins.get(request)?.requestId;
  }

  #includes(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#networks.check(address, family === 6 ? "ipv6" : "ipv4");
  }
}

/** Whether X-Forwarded-Proto says TLS. Of several proxies' values the first is the one that the client reached. */
function isForwardedAsSecure({ headers }: IncomingMessage): boolean {
  return headers["x-forwarded-proto"]?.toString().split(",", 1)[0]?.trim().toLowerCase() === "https";
}

/** As reported by the trusted proxies; undefined if none are configured. */
function readOrigin(request: IncomingMessage): Origin | undefined {
  return origins.get(request);
}

/** The address of a reader; without trusted proxies, the connection's. */
export function clientAddress(request: IncomingMessage): string {
  return origins.get(request)?.address ?? plainAddress(request.socket.remoteAddress ?? "");
}

/** The key for limits: for IPv6 the first 64 bits, since a single customer controls the rest. */
export function clientNetwork(request: IncomingMessage): string {
  const address = clientAddress(request);
  if (!ipaddr.IPv6.isValid(address)) return address;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${ipaddr.IPv6.parse(address).toNormalizedString()}/64`).toString()}/64`;
}

function plainAddress(address: string): string {
  const [, mapped] = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address) ?? [];
  return mapped ?? address;
}

export function getClient(req: IncomingMessage, publicUrl: string | null): ClientInfo {
  return { address: getClientAddress(req, publicUrl), userAgent: req.headers["user-agent"] ?? "" };
}

/**
 * The client's address as trusted proxies report it. Without ROSTRUM_TRUST_PROXY, but with ROSTRUM_PUBLIC_URL and a
 * connection from this machine or a private network, it is the last in X-Forwarded-For, which the nearest proxy added:
 * clients can forge the earlier ones.
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

function plain(address: string): string {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
}

/** The service's URL as the browser sees it, for links. */
export function getBaseUrl(req: IncomingMessage, publicUrl: string | null): string {
  return publicUrl ?? `${isSecure(req, null) ? "https" : "http"}://${req.headers.host ?? "localhost"}`;
}
