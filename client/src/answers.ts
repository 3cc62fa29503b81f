/** What the service answers to any request, and what a failed one means. */
import { RostrumError } from "./errors.ts";

/** Statuses that another attempt may change. */
export const RETRIED: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

/** Maximum wait that a server can request. */
const MAX_RETRY_AFTER_MS = 60_000;

export function retryAfterMs(response: Response): number {
  return Math.min(Number(response.headers.get("Retry-After") ?? 0) * 1000 || 0, MAX_RETRY_AFTER_MS);
}

/** @returns the address without a slash at its end. @throws TypeError */
export function parseAddress(url: string | undefined): string {
  const address = url?.trim() ?? "";
  if (address === "") throw new TypeError("The address of the service is missing: pass it as url.");
  if (!/^https?:\/\//i.test(address)) {
    throw new TypeError(`The address of the service must begin with https:// or http://, not "${address}".`);
  }
  if (!URL.canParse(address) || /[?#]/.test(address)) {
    throw new TypeError(`"${address}" is no address of a service; write it like https://articles.example.com.`);
  }
  return address.replace(/\/+$/, "");
}

/** The body of a refusal; empty where it is a proxy's error page. */
export function readRefusal(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

export function refusal(url: string, response: Response, text: string): RostrumError {
  const body = readRefusal(text);
  const explanation = [body["message"], body["details"], response.statusText].find((text) => typeof text === "string");
  const code = response.headers.get("X-Error-Code");
  const source = code === null ? ` (${url} is not answered by Rostrum itself; is the address right?)` : "";
  return new RostrumError(response.status, `${response.status}: ${explanation ?? ""}${source}`, {
    code,
    param: typeof body["param"] === "string" ? body["param"] : null,
    requestId: response.headers.get("X-Request-Id"),
  });
}

export function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? error.cause : error;
  // Of several addresses that were tried, each failed in its own way.
  if (cause instanceof AggregateError) return Array.from(cause.errors, reason).join(", ");
  return cause.message;
}
