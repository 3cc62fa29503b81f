/** Parses the values of settings. A parser returns undefined for a value that is not valid. */
import { isAbsolute, resolve } from "node:path";
import { isSecretKey } from "../domain/system/secret-box.ts";
import { DAY_MS } from "../domain/system/time.ts";
import { withoutTrailing } from "../domain/system/trailing.ts";
import { parseCidrs } from "../webhooks/net/ssrf-guard.ts";

/** Days in milliseconds; null: forever (0). At least `min`: events must last as long as a delivery can wait. */
export function daysFrom(min: number) {
  return (value: string): number | null | undefined => {
    if (value === "0") return null;
    const days = wholeNumber(min, 36_500)(value);
    return days === undefined ? undefined : days * DAY_MS;
  };
}

export function secretKey(value: string): string | undefined {
  return isSecretKey(value) ? value : undefined;
}

export function nonEmpty(value: string): string | undefined {
  return value.trim() === "" ? undefined : value.trim();
}

export function wholeNumber(least: number, most: number) {
  return (value: string): number | undefined => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    return number >= least && number <= most ? number : undefined;
  };
}

export const CIDRS = "networks such as 10.0.0.0/8,fd00::/8, separated by commas";

export function cidrs(value: string): string | undefined {
  return parseCidrs(value) === undefined ? undefined : value;
}

export function flag(value: string): boolean | undefined {
  if (value === "1" || value === "true") return true;
  return value === "0" || value === "false" ? false : undefined;
}

/** Parses seconds with up to three decimals. @returns milliseconds. */
export function seconds(least: number, most: number) {
  return (value: string): number | undefined => {
    const number = /^\d{1,6}(\.\d{1,3})?$/.test(value) ? Number(value) : Number.NaN;
    return number >= least && number <= most ? Math.round(number * 1_000) : undefined;
  };
}

/** Parses up to ten waits of at most a week each. */
export function waits(value: string): number[] | undefined {
  const waitsMs = value.split(",").map((part) => seconds(0, 604_800)(part.trim()) ?? Number.NaN);
  return waitsMs.length <= 10 && !waitsMs.some(Number.isNaN) ? waitsMs : undefined;
}

export function httpUrl(value: string): string | undefined {
  return URL.canParse(value) && /^https?:/.test(value) ? withoutTrailing(value, "/") : undefined;
}

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

export function sqlitePath(value: string, directory: string): string | undefined {
  if (!value.startsWith("sqlite:") || value === "sqlite:") return undefined;
  const path = value.slice("sqlite:".length).replace(/^\/\/(?=\/)/, "");
  return isAbsolute(path) ? path : resolve(directory, path);
}

/** `URL` rejects several hosts separated by commas. */
export function isPostgresUrl(value: string): boolean {
  return /^postgres(?:ql)?:\/\/[^\s/?]*(?:\/[^\s/?]+)?(?:\?\S*)?$/.test(value);
}
