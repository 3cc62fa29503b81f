/** Requests to the service's own API. Every failure is an `ApiError` with a message that can be shown to the user. */
import { LEFT, SERVICE_BACK, SERVICE_SILENT, SIGNED_OUT } from "./service-events.ts";

const PREFIX = "/dashboard/api";
/** How long after the page was loaded the response to its first request is used. */
const FIRST_MS = 30_000;

declare global {
  var rostrumFirst: { url: string; response: Promise<Response> } | undefined;
}

export class ApiError extends Error {
  override readonly name = "ApiError";
  /** HTTP status; 0 if there was no response. */
  readonly status: number;
  /** The invalid field of the request, by its name in the API. */
  readonly param: string | null;
  /** The request's ID in the service's log. */
  readonly requestId: string | null;

  constructor(status: number, message: string, { param = null, requestId = null }: Partial<ErrorExtras> = {}) {
    super(message);
    this.status = status;
    this.param = param;
    this.requestId = requestId;
  }
}

interface ErrorExtras {
  param: string | null;
  requestId: string | null;
}

export interface RequestOptions {
  /** Undefined and null values are omitted. */
  query?: Record<string, string | number | boolean | null | undefined> | undefined;
  /** Sent as JSON. */
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** Whether the browser completes the request when the page is closed. */
  keepalive?: boolean;
  /** Whether a change waits until the user has signed in again, if the session has ended. Default: true. */
  waits?: boolean;
}

/** `path` begins with a slash and is relative to /dashboard/api; see `apiPath`. @throws ApiError. */
export function get<T>(path: string, options: Omit<RequestOptions, "body"> = {}): Promise<T> {
  return send<T>("GET", path, options);
}

/** @throws ApiError. */
export function post<T = void>(path: string, options: RequestOptions = {}): Promise<T> {
  // The service accepts changes only as JSON.
  return send<T>("POST", path, { ...options, body: options.body ?? {} });
}

/** @throws ApiError. */
export function patch<T = void>(path: string, options: RequestOptions = {}): Promise<T> {
  return send<T>("PATCH", path, options);
}

/** @throws ApiError. */
export function put<T = void>(path: string, options: RequestOptions = {}): Promise<T> {
  return send<T>("PUT", path, options);
}

/** @throws ApiError. */
export function del<T = void>(path: string, options: RequestOptions = {}): Promise<T> {
  return send<T>("DELETE", path, options);
}

/** Builds a path and percent-encodes its parameters: apiPath`/articles/${id}/approve`. */
export function apiPath(texts: TemplateStringsArray, ...parts: (string | number)[]): string {
  return String.raw({ raw: texts }, ...parts.map((part) => encodeURIComponent(part)));
}

/** The URL of something that the browser requests itself: a download, a stream. */
export function buildUrl(path: string, query: RequestOptions["query"] = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value == null ? [] : [[name, String(value)]]));
  const text = new URLSearchParams(given).toString();
  return PREFIX + path + (text === "" ? "" : `?${text}`);
}

/** Returns the raw response, for content that is not JSON; an error status throws as usual. @throws ApiError. */
export async function fetchRaw(
  path: string,
  init: RequestInit,
  query?: RequestOptions["query"],
  waits = init.method !== undefined && init.method !== "GET",
): Promise<Response> {
  const fetched = () => fetchOnce(path, init, query);
  // The sign-in's own refusals.
  return /^\/session(?:\/|$)/.test(path) ? fetched() : sendSignedIn(fetched, waits);
}

const MAX_TRIES = 3;

/** Reports that the session has ended, and sends a change again afterwards: a refused request has changed nothing. */
export async function sendSignedIn<T>(send: () => Promise<T>, waits = true): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      const isAsked = !window.dispatchEvent(new Event(SIGNED_OUT, { cancelable: true }));
      if (!isAsked || !waits || tries === MAX_TRIES || !(await hasSignedIn())) throw error;
    }
  }
}

/** @returns false: whoever was asked has left. */
function hasSignedIn(): Promise<boolean> {
  return new Promise((resolve) => {
    const waiting = new AbortController();
    for (const event of [SERVICE_BACK, LEFT]) {
      const end = () => {
        waiting.abort();
        resolve(event === SERVICE_BACK);
      };
      window.addEventListener(event, end, { signal: waiting.signal });
    }
  });
}

async function fetchOnce(path: string, init: RequestInit, query: RequestOptions["query"]): Promise<Response> {
  let response: Response;
  try {
    const url = buildUrl(path, query);
    // A response that was fetched before a change may be out of date after it.
    if (init.method !== undefined && init.method !== "GET") globalThis.rostrumFirst = undefined;
    response = await (takeFirst(url) ?? fetch(url, { credentials: "same-origin", ...init }));
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    window.dispatchEvent(new Event(SERVICE_SILENT));
    throw toApiError(null);
  }
  if (response.status >= 502 && response.status <= 504) window.dispatchEvent(new Event(SERVICE_SILENT));
  if (!response.ok) {
    const { status, headers } = response;
    throw toApiError({ status, retryAfter: headers.get("Retry-After") }, await response.text().catch(() => ""));
  }
  return response;
}

/** The request that public/first.js has started, once, and only soon after the page was loaded. */
function takeFirst(url: string): Promise<Response> | undefined {
  const { rostrumFirst: first } = globalThis;
  if (first?.url !== url) return undefined;
  globalThis.rostrumFirst = undefined;
  return performance.now() < FIRST_MS ? first.response : undefined;
}

async function send<T>(
  method: string,
  path: string,
  { query, body, signal, keepalive = false, waits = true }: RequestOptions,
): Promise<T> {
  const init: RequestInit = { method, headers: { Accept: "application/json" }, signal: signal ?? null, keepalive };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { Accept: "application/json", "Content-Type": "application/json" };
  }
  const response = await fetchRaw(path, init, query, waits && method !== "GET");
  // Callers that expect no content do not use the value.
  if (response.status === 204) return undefined as T;
  try {
    return (await response.json()) as T;
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new ApiError(0, "The service's response was cut off. Try again.");
  }
}

/** `response`: null if there was none; `text` is its body. */
export function toApiError(response: { status: number; retryAfter: string | null } | null, text = ""): ApiError {
  if (response === null) {
    return new ApiError(0, "The service cannot be reached. Check your connection, then try again.");
  }
  const { status, retryAfter } = response;
  const { message, details, param } = parse(text);
  const requestId = /request (\S+)$/.exec(details ?? "")?.[1] ?? null;
  if (message !== undefined) return new ApiError(status, message, { param: param ?? null, requestId });
  if (status === 429) {
    return new ApiError(status, `Too many attempts. Wait ${retryAfter ?? "some"} seconds, then try again.`);
  }
  const where = requestId === null ? "" : ` The service's log has the cause, under request ${requestId}.`;
  return new ApiError(status, `The service failed (status ${status}). Try again.${where}`, { requestId });
}

function parse(text: string): Partial<Record<"message" | "details" | "param", string>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    // The response comes from a proxy in between.
    return {};
  }
}
