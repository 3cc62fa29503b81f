/**
 * Decides which addresses a webhook may call; the same rule applies when a URL is saved, when it is tested and at every
 * delivery.
 *
 * A customer controls the URL and its DNS, while this process runs in the operator's network. So only numeric addresses
 * are trusted: the URL is parsed by WHATWG's rules (which turn `127.1`, `0x7f.1`, `2130706433` and full-width digits
 * into `127.0.0.1`), the name is resolved again for every connection, every resolved address is checked, and only an
 * address returned here is connected to.
 */
import { isIP } from "node:net";
import { AppError } from "../../domain/system/errors.ts";
import { type Address, embeddedIpv4, isMetadata, isPublic, parseAddress } from "./ip-address.ts";
import { type Lookup, nameLookup } from "./dns.ts";

export interface GuardOptions {
  /** Whether `http:` is allowed besides `https:`. */
  allowHttp: boolean;
  /** Ranges that the operator allows although they are not public. */
  allowCidrs: readonly Cidr[];
  /** Resolves a host name to all its addresses; never called for an IP literal. Default: dns.ts. */
  lookup?: Lookup;
}

/** An address that may be connected to, in its plain spelling; IPv4-mapped IPv6 becomes IPv4. */
export interface AllowedAddress {
  address: string;
  family: 4 | 6;
}

/** The host has a blocked address. The message may be shown to the customer: it does not name the address. */
export class BlockedAddressError extends Error {
  constructor(hostname: string) {
    super(
      `${hostname} has an address that is not public, so it is not called. ` +
        "Use a public address, or have the operator allow this one in ROSTRUM_WEBHOOK_ALLOW_CIDRS.",
    );
    this.name = "BlockedAddressError";
  }
}

export class AddressGuard {
  readonly #allowHttp: boolean;
  readonly #allowCidrs: readonly Cidr[];
  readonly #lookup: Lookup;

  constructor({ allowHttp, allowCidrs, lookup = nameLookup() }: GuardOptions) {
    this.#allowHttp = allowHttp;
    this.#allowCidrs = allowCidrs;
    this.#lookup = lookup;
  }

  /** @returns the URL as it is stored and called. @throws AppError `invalid`, field `url`: malformed, or blocked. */
  async check(text: string): Promise<string> {
    const url = this.parseUrl(text);
    try {
      await this.resolve(url);
    } catch (cause) {
      if (cause instanceof BlockedAddressError) throw invalid(cause.message, cause);
      if (isDnsError(cause)) throw invalid(unresolved(url.hostname, cause.code), cause);
      throw cause;
    }
    return url.href;
  }

  /** The rules that need no network. @throws AppError `invalid`, field `url`. */
  parseUrl(text: string): URL {
    // Before parsing, so that long input costs nothing.
    assertLength(text);
    if (!URL.canParse(text)) throw invalid("The URL cannot be read. Write it like https://example.com/hook.");
    const url = new URL(text);
    if (url.protocol !== "https:" && !(url.protocol === "http:" && this.#allowHttp)) throw invalid(this.#schemes());
    if (url.username !== "" || url.password !== "") {
      throw invalid(
        "The URL must not contain a user name or a password. Give credentials as a header of the endpoint.",
      );
    }
    // `hash` is empty for a lone "#", too; a serialized URL contains no other "#".
    if (url.href.includes("#")) throw invalid("The URL must not have a fragment: leave out # and what follows it.");
    if (url.port === "0") throw invalid("The URL must not name port 0: nothing listens there.");
    // Checked again because percent-encoding may have made it longer.
    assertLength(url.href);
    return url;
  }

  /**
   * The host's addresses, never empty. Call it for each connection and connect to nothing else: a name may resolve
   * differently the next time. @throws BlockedAddressError if one is blocked, or the resolver's error with its `code`.
   */
  async resolve({ hostname }: URL): Promise<AllowedAddress[]> {
    const literal = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
    const texts = isIP(literal) === 0 ? (await this.#lookup(hostname)).map((answer) => answer.address) : [literal];
    if (texts.length === 0) throw Object.assign(new Error(`${hostname} has no address`), { code: "ENODATA" });
    return texts.map((text) => {
      const address = parseAddress(text);
      if (address === undefined || !this.#isAllowed(address)) throw new BlockedAddressError(hostname);
      return { address: address.toString(), family: address.kind() === "ipv4" ? 4 : 6 };
    });
  }

  /**
   * An allowed range opens itself, not addresses embedded in it: `64:ff9b::/96` lets a NAT64 network call public IPv4
   * hosts, no private ones. Cloud credentials are opened only by their single address.
   */
  #isAllowed(address: Address): boolean {
    const cidrs = isMetadata(address) ? this.#allowCidrs.filter(isSingle) : this.#allowCidrs;
    if (!isPublic(address) && !cidrs.some((cidr) => contains(cidr, address))) return false;
    return embeddedIpv4(address).every((inner) => this.#isAllowed(inner));
  }

  #schemes(): string {
    if (this.#allowHttp) return "The URL must begin with https:// or http://.";
    return "The URL must begin with https://. Only the operator can allow http://, by ROSTRUM_WEBHOOK_ALLOW_HTTP=1.";
  }
}

/** The first `bits` bits of `network`, whose other bits are zero. */
export interface Cidr {
  network: Address;
  bits: number;
}

/**
 * Parses comma-separated ranges; a bare address is a range of one. Strict, as each opens access: no zone, and no bits
 * set after the prefix (`10.1.2.3/8` is probably a mistake). @returns `undefined` when one is malformed.
 */
export function parseCidrs(text: string): Cidr[] | undefined {
  if (text.trim() === "") return [];
  const cidrs = text.split(",").map((part) => parseCidr(part.trim()));
  return cidrs.every((cidr) => cidr !== undefined) ? cidrs : undefined;
}

function parseCidr(text: string): Cidr | undefined {
  const [, address = "", prefix] = /^([^/]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  const network = parseAddress(address);
  if (network === undefined) return undefined;
  const bytes = network.toByteArray();
  const width = bytes.length * 8;
  // An IPv4-mapped range such as ::ffff:10.0.0.0/104 is an IPv4 range.
  const unwrapped = isIP(address) === 6 && width === 32 ? 96 : 0;
  const bits = prefix === undefined ? width : Number(prefix) - unwrapped;
  if (bits < 0 || bits > width) return undefined;
  const isExact = bytes.every((byte, index) => (byte & (0xff >> Math.min(8, Math.max(0, bits - index * 8)))) === 0);
  return isExact ? { network, bits } : undefined;
}

function contains({ network, bits }: Cidr, address: Address): boolean {
  return network.kind() === address.kind() && address.match(network, bits);
}

/** `/32` or `/128`. */
function isSingle({ network, bits }: Cidr): boolean {
  return bits === network.toByteArray().length * 8;
}

const MAX_URL_LENGTH = 2048;

function assertLength(text: string): void {
  if (text.length > MAX_URL_LENGTH) throw invalid("The URL is too long: at most 2,048 characters.");
}

function invalid(message: string, cause?: unknown): AppError {
  return new AppError("invalid", message, { field: "url", cause });
}

function unresolved(hostname: string, code: string): string {
  return TEMPORARY.test(code)
    ? `The address of ${hostname} cannot be found out now (${code}). Try again in a minute.`
    : `${hostname} has no address (${code}). Look for a typing error, or publish its DNS record first.`;
}

/** The name may have an address: the resolver failed or got no response. */
const TEMPORARY = /^(?:EAI_AGAIN|ETIMEOUT|ESERVFAIL)$/;

/** Errors of the resolver have a code; one without is a bug. */
function isDnsError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && "code" in error && typeof error.code === "string" && !(error instanceof AppError);
}
