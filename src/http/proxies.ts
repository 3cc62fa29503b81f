/** The proxies in front whose X-Forwarded-For, X-Forwarded-Proto and X-Request-Id count (ROSTRUM_TRUST_PROXY). */
import ipaddr from "ipaddr.js";
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";

interface Origin {
  address: string;
  isSecure: boolean;
  /** As the proxy has named the request. */
  requestId: string | undefined;
}

/** What may stand in a header and in a log as it is; proxies make UUIDs and hexadecimal figures. */
const REQUEST_ID = /^[\w.-]{1,64}$/;

const origins = new WeakMap<IncomingMessage, Origin>();

export class Proxies {
  readonly #networks = new BlockList();

  /** `cidrs`: separated by commas, as config.ts has checked them. */
  constructor(cidrs: string) {
    for (const cidr of cidrs.split(",")) {
      const [network = "", bits] = cidr.trim().split("/");
      if (network === "") continue;
      const family = isIP(network) === 6 ? "ipv6" : "ipv4";
      this.#networks.addSubnet(network, bits === undefined ? (family === "ipv6" ? 128 : 32) : Number(bits), family);
    }
  }

  /** Finds out once where the request comes from, for `originOf`. */
  resolve(request: IncomingMessage): void {
    const peer = plainAddress(request.socket.remoteAddress ?? "");
    if (!this.#includes(peer)) {
      origins.set(request, { address: peer, isSecure: false, requestId: undefined });
      return;
    }
    const forwarded = request.headers["x-forwarded-for"]?.toString().split(",") ?? [];
    let address = peer;
    // From the nearest proxy outwards. The first one that is no proxy of ours is the client; what stands before it is its claim.
    for (const one of forwarded.toReversed()) {
      const next = plainAddress(one.trim());
      if (isIP(next) === 0) break;
      address = next;
      if (!this.#includes(next)) break;
    }
    const id = request.headers["x-request-id"];
    origins.set(request, {
      address,
      isSecure: request.headers["x-forwarded-proto"] === "https",
      requestId: typeof id === "string" && REQUEST_ID.test(id) ? id : undefined,
    });
  }

  #includes(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#networks.check(address, family === 6 ? "ipv6" : "ipv4");
  }
}

/** As the trusted proxies say it; undefined where none are named. */
export function originOf(request: IncomingMessage): Origin | undefined {
  return origins.get(request);
}

/** The client's address; without trusted proxies, the connection's. */
export function clientAddress(request: IncomingMessage): string {
  return origins.get(request)?.address ?? plainAddress(request.socket.remoteAddress ?? "");
}

/** What limits count by: of IPv6 the first 64 bits, as the rest is one customer's to choose. */
export function clientNetwork(request: IncomingMessage): string {
  const address = clientAddress(request);
  return ipaddr.IPv6.isValid(address) ? ipaddr.IPv6.parse(address).parts.slice(0, 4).join(":") : address;
}

/** IPv4 as IPv4, however the socket writes it. */
function plainAddress(address: string): string {
  const [, mapped] = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address) ?? [];
  return mapped ?? address;
}
