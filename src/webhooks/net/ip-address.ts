/** Parses and classifies IP addresses, and finds the IPv4 addresses embedded in IPv6 ones. */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** IPv4-mapped IPv6 becomes IPv4. `undefined`: not an address in its plain spelling, or with a zone (`%eth0`). */
export function parseAddress(text: string): Address | undefined {
  const family = isIP(text);
  if (family === 4) return ipaddr.IPv4.parse(text);
  if (family !== 6 || text.includes("%")) return undefined;
  // ipaddr.js 2.5.0 mistakes the IPv4-compatible `::127.0.0.1`, as the system's resolver spells it, for the IPv4-mapped
  // `::ffff:127.0.0.1`. WHATWG URL turns it into hexadecimal groups, which are parsed correctly.
  const address = ipaddr.IPv6.parse(new URL(`https://[${text}]`).hostname.slice(1, -1));
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/**
 * Whether the address means the same host everywhere on the Internet and is not reserved.
 *
 * ipaddr.js calls everything without another name `unicast`, and it has none for `::/96` (IPv4-compatible),
 * `100:0:0:1::/64` (RFC 9780) and the unassigned seven eighths of IPv6; public addresses are only within `2000::/3`
 * (RFC 4291, section 2.4, and IANA's registry).
 */
export function isPublic(address: Address): boolean {
  if (address.range() !== "unicast") return false;
  if (address instanceof ipaddr.IPv6) return (group(address, 0) & 0xe000) === 0x2000;
  return address.toString() !== AZURE_HOST;
}

/** Whether AWS, Google, Azure, Alibaba or Oracle serve credentials there, to this machine alone: no range opens it. */
export function isMetadata(address: Address): boolean {
  return NORMALIZED_METADATA.has(address.toNormalizedString());
}

export const METADATA_ADDRESSES: readonly string[] = [
  "169.254.169.254",
  "169.254.170.2",
  "169.254.170.23",
  "168.63.129.16",
  "100.100.100.200",
  "192.0.0.192",
  "fd00:ec2::254",
  "fd00:ec2::23",
  "fd20:ce::254",
];

const NORMALIZED_METADATA: ReadonlySet<string> = new Set(
  METADATA_ADDRESSES.map((text) => ipaddr.parse(text).toNormalizedString()),
);

/** Represents the host to every virtual machine on Azure and serves its settings. Public by number only. */
const AZURE_HOST = "168.63.129.16";

/** IPv4-compatible (RFC 4291), NAT64 (RFC 6052, 8215), SIIT (RFC 6145), 6to4 (RFC 3056), both of Teredo (RFC 4380). */
export function embeddedIpv4(address: Address): ipaddr.IPv4[] {
  if (!(address instanceof ipaddr.IPv6)) return [];
  switch (address.range() as string) {
    // In 64:ff9b:1::/48 the position depends on the translator's prefix. The last 32 bits are right for a prefix of 96
    // bits; for shorter ones they are mostly zeros, and 0.0.0.0 is blocked.
    case "rfc6052":
    case "rfc6145":
      return [ipv4At(address, 6)];
    case "6to4":
      return [ipv4At(address, 1)];
    case "teredo":
      return [ipv4At(address, 2), ipv4At(address, 6, 0xffff)];
    case "unicast":
      return address.parts.slice(0, 6).every((part) => part === 0) ? [ipv4At(address, 6)] : [];
    default:
      return [];
  }
}

function ipv4At(address: ipaddr.IPv6, index: number, mask = 0): ipaddr.IPv4 {
  const [high, low] = [group(address, index) ^ mask, group(address, index + 1) ^ mask];
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
}

/** One of the eight groups of 16 bits. */
function group(address: ipaddr.IPv6, index: number): number {
  return address.parts[index] ?? 0;
}
