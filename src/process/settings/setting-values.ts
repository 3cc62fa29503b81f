/** Kinds of values that settings have. */
import { isSecretKey } from "../../domain/system/secret-box.ts";
import { DAY_MS } from "../../domain/system/time.ts";
import { withoutTrailing } from "../../domain/system/trailing.ts";
import { parseCidrs } from "../../webhooks/net/ssrf-guard.ts";

export interface Kind<T> {
  /** Undefined: the value is invalid. */
  parse: (value: string) => T | undefined;
  /** What the value must be, in words. */
  expected: string;
}

/** Days in milliseconds; null: forever (0). At least `min`: events must last as long as a delivery can wait. */
export function daysFrom(min: number): Kind<number | null> {
  const days = wholeNumber(min, 36_500);
  return {
    parse: (value) => (value === "0" ? null : (days.parse(value) ?? 0) * DAY_MS || undefined),
    expected: `0, which is for ever, or whole days from ${min} to 36500`,
  };
}

export const secretKey = (value: string) => (isSecretKey(value) ? value : undefined);

export function filled(expected: string): Kind<string> {
  return { parse: (value) => value.trim() || undefined, expected };
}

export function wholeNumber(
  least: number,
  most: number,
  expected = `a whole number from ${least} to ${most}`,
): Kind<number> {
  return { parse: (value) => within(least, most, /^\d+$/.test(value) ? Number(value) : Number.NaN), expected };
}

function within(least: number, most: number, number: number): number | undefined {
  return number >= least && number <= most ? number : undefined;
}

export const cidrs: Kind<string> = {
  parse: (value) => (parseCidrs(value) === undefined ? undefined : value),
  expected: "networks such as 10.0.0.0/8,fd00::/8, separated by commas",
};

export const flag: Kind<boolean> = {
  parse: (value) => (/^(?:1|true)$/.test(value) ? true : /^(?:0|false)$/.test(value) ? false : undefined),
  expected: "1 or 0",
};

export const otelFlag: Kind<boolean> = {
  parse: (value) => flag.parse(value.toLowerCase()),
  expected: "true or false, 1 or 0",
};

export function oneOf<const T extends string>(...values: readonly T[]): Kind<T> {
  return { parse: (value) => values.find((one) => one === value), expected: `one of ${values.join(", ")}` };
}

/** Seconds with up to three decimals, in milliseconds. */
export function seconds(least: number, most: number): Kind<number> {
  return { parse: (value) => toMs(least, most, value), expected: `seconds from ${least} to ${most}` };
}

function toMs(least: number, most: number, value: string): number | undefined {
  const number = within(least, most, /^\d{1,6}(\.\d{1,3})?$/.test(value) ? Number(value) : Number.NaN);
  return number === undefined ? undefined : Math.round(number * 1_000);
}

/** Up to ten waits of at most a week each. */
export const waits: Kind<readonly number[]> = {
  parse: (value) => {
    const waitsMs = value.split(",").map((part) => toMs(0, 604_800, part.trim()) ?? Number.NaN);
    return waitsMs.length <= 10 && !waitsMs.some(Number.isNaN) ? waitsMs : undefined;
  },
  expected: "seconds such as 10,120,1440",
};

export function httpUrl(example: string): Kind<string> {
  return {
    parse: (value) => (URL.canParse(value) && /^https?:/.test(value) ? withoutTrailing(value, "/") : undefined),
    expected: `an address like ${example}`,
  };
}

/** `name=value` pairs with commas between them, percent-encoded, as OpenTelemetry writes them. */
export function pairs(example: string): Kind<Record<string, string>> {
  return { parse: parsePairs, expected: `pairs such as ${example}, separated by commas` };
}

function parsePairs(value: string): Record<string, string> | undefined {
  const found: Record<string, string> = {};
  for (const part of value.split(",").filter((text) => text.trim() !== "")) {
    const at = part.indexOf("=");
    const name = part.slice(0, at).trim();
    if (at < 0 || name === "") return undefined;
    try {
      found[name] = decodeURIComponent(part.slice(at + 1).trim());
    } catch {
      // A % that starts no escape.
      return undefined;
    }
  }
  return found;
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[\t -~]*$/;

/** Names and values that may stand in a request. */
export const headers: Kind<Record<string, string>> = {
  parse: (value) => {
    const found = parsePairs(value);
    if (found === undefined) return undefined;
    const areValid = Object.entries(found).every(([name, text]) => HEADER_NAME.test(name) && HEADER_VALUE.test(text));
    return areValid ? found : undefined;
  },
  expected: "headers such as api-key=abc, separated by commas, with values that are percent-encoded",
};

export const share: Kind<number> = {
  parse: (value) => within(0, 1, /^(?:\d+(?:\.\d*)?|\.\d+)$/.test(value) ? Number(value) : Number.NaN),
  expected: "a number from 0 to 1",
};

export function mailServer(value: string): string | undefined {
  if (!URL.canParse(value)) return undefined;
  const { protocol, hostname, username, password } = new URL(value);
  if ((protocol !== "smtp:" && protocol !== "smtps:") || hostname === "") return undefined;
  try {
    decodeURIComponent(username + password);
    return value;
  } catch {
    // A % that starts no escape.
    return undefined;
  }
}

export function sender(value: string): string | undefined {
  const address = /^[^\s@<>]+@[^\s@<>]+$/;
  const [, inBrackets] = /^[^<>\p{Cc}]*<([^<>]*)>$/u.exec(value.trim()) ?? [];
  return address.test(inBrackets ?? value.trim()) ? value.trim() : undefined;
}

/** The user that signs in, because most servers require it as the sender; else `rostrum@` the public host. */
export function defaultSender(smtpUrl: string, publicUrl: string | null): string {
  const user = decodeURIComponent(new URL(smtpUrl).username);
  const host = publicUrl === null ? "localhost" : new URL(publicUrl).hostname;
  return `Rostrum <${sender(user) ?? `rostrum@${host}`}>`;
}

/** Those that node-postgres knows. It takes any other for `verify-full`. */
const SSL_MODES: ReadonlySet<string> = new Set([
  "disable",
  "prefer",
  "require",
  "no-verify",
  "verify-ca",
  "verify-full",
]);

/** `URL` rejects several hosts separated by commas. */
export function isPostgresUrl(value: string): boolean {
  const match = /^postgres(?:ql)?:\/\/[^\s/?]*(?:\/[^\s/?]+)?(?:\?(\S*))?$/.exec(value);
  return match !== null && new URLSearchParams(match[1]).getAll("sslmode").every((mode) => SSL_MODES.has(mode));
}
