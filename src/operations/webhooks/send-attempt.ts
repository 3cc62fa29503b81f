/** Makes one attempt: opens what is sealed of the endpoint, composes the message and sends it. */
import type { Millis } from "../../domain/system/time.ts";
import type { PayloadForm } from "../../domain/webhooks/endpoint.ts";
import { LRUCache } from "lru-cache";
import { AppError } from "../../domain/system/errors.ts";
import type { Snapshot, Writer } from "../../store/store.ts";
import {
  findEndpointAnywhere,
  reserveEndpoints,
  type SendSettings,
  signingSecrets,
  type StoredSecret,
} from "../../store/webhooks/endpoints.ts";
import type { Attempt, PostResult } from "../../domain/webhooks/attempt.ts";
import { foreignLine, foreignText } from "../../domain/system/foreign-text.ts";
import { composeMessage, messageBody } from "../../domain/webhooks/webhook-message.ts";
import type { Deps } from "../system/deps.ts";

export interface Sending {
  endpointId: string;
  eventId: string;
  /** null for a test. */
  sequence: number | null;
  /** The event's envelope as JSON; bytes are UTF-8. */
  payload: string | Uint8Array;
  /** The event's (domain/webhooks/event.ts); read for extended payloads only. */
  extension?: string | null;
  traceparent: string | null;
}

const KEPT_BODY_BYTES = 8 * 1_024;
/** Errors about a certificate contain text from the certificate. */
const MAX_ERROR = 1_000;
const MAX_HEADERS = 200;
const MAX_HEADER = 8_000;

/** Signs and sends a POST. `number`: from 1; `spanId`: 8 random bytes. @throws if the message cannot be made. */
export async function makeAttempt(
  deps: Pick<Deps, "clock" | "post">,
  endpoint: UnsealedEndpoint,
  { endpointId, eventId, sequence, payload, extension = null, traceparent }: Sending,
  number: number,
  spanId: Buffer,
  signal?: AbortSignal,
): Promise<{ attempt: Attempt; result: PostResult }> {
  const startedAt = deps.clock();
  const body = messageBody(payload, endpoint.payload, extension);
  const { headers, secrets, url, ca, payload: form } = endpoint;
  const source = { eventId, sequence, attempt: number, body, form, headers, secrets, traceparent };
  const message = composeMessage(source, startedAt, spanId);
  const result = await deps.post({ endpointId, url, ca, body, headers: message.headers }, signal);
  const { outcome, status, responseBody, responseHeaders, error, timings } = result;
  return {
    attempt: {
      outcome,
      status,
      timings,
      number,
      error: error === null ? null : foreignLine(error, MAX_ERROR),
      startedAt,
      requestHeaders: message.shownHeaders,
      responseHeaders: responseHeaders
        .slice(0, MAX_HEADERS)
        .map(([name, value]) => [foreignLine(name, MAX_HEADER), foreignLine(value, MAX_HEADER)]),
      responseBody: cleanBody(responseBody),
    },
    result,
  };
}

function cleanBody(body: Buffer): string {
  return foreignText(body.subarray(0, KEPT_BODY_BYTES).toString("utf8"), KEPT_BODY_BYTES);
}

/** Where and how an endpoint's messages are sent, with its headers and secrets in plain text. */
export interface UnsealedEndpoint {
  url: string;
  ca: string | null;
  payload: PayloadForm;
  headers: Record<string, string>;
  secrets: string[];
}

export async function loadUnsealed(
  db: Snapshot,
  deps: Pick<Deps, "secrets">,
  endpointId: string,
  now: Millis,
): Promise<UnsealedEndpoint | undefined> {
  const endpoint = await findEndpointAnywhere(db, endpointId);
  if (endpoint === undefined) return undefined;
  return unseal(deps, endpoint, (await signingSecrets(db, [endpointId], now)).get(endpointId) ?? []);
}

/** Endpoints with opened secrets. Every transaction reads the stored values, and opens only those that changed. */
export class UnsealedEndpoints {
  readonly #endpoints = new LRUCache<string, { madeOf: Sealed; opened: UnsealedEndpoint }>({ max: 500 });

  /** @throws AppError `misconfigured` when the available key does not open its secrets. */
  get(deps: Pick<Deps, "secrets">, endpoint: SendSettings, secrets: readonly StoredSecret[]): UnsealedEndpoint {
    const known = this.#endpoints.get(endpoint.id);
    const madeOf = { endpoint, secrets };
    if (known !== undefined && isEqual(known.madeOf, madeOf)) return known.opened;
    const opened = unseal(deps, endpoint, secrets);
    this.#endpoints.set(endpoint.id, { madeOf, opened });
    return opened;
  }
}

interface Sealed {
  endpoint: SendSettings;
  secrets: readonly Pick<StoredSecret, "sealed">[];
}

function isEqual(one: Sealed, other: Sealed): boolean {
  const [a, b] = [one.endpoint, other.endpoint];
  return (
    a.url === b.url &&
    a.ca === b.ca &&
    a.payload === b.payload &&
    a.sealedHeaders === b.sealedHeaders &&
    one.secrets.length === other.secrets.length &&
    one.secrets.every(({ sealed }, index) => sealed === other.secrets[index]?.sealed)
  );
}

/** Reserves those that are free. @returns each by id, or an error if its secrets cannot be opened. */
export async function reserveUnsealed(
  db: Writer,
  deps: Pick<Deps, "secrets">,
  endpointIds: readonly string[],
  now: Millis,
  cache: UnsealedEndpoints,
): Promise<Map<string, UnsealedEndpoint | AppError>> {
  const [endpoints, secrets] = await Promise.all([
    reserveEndpoints(db, endpointIds),
    signingSecrets(db, endpointIds, now),
  ]);
  const opened = new Map<string, UnsealedEndpoint | AppError>();
  for (const endpoint of endpoints) {
    const { id } = endpoint;
    try {
      opened.set(id, cache.get(deps, endpoint, secrets.get(id) ?? []));
    } catch (error) {
      // Any error here concerns this endpoint alone and must not stop the others.
      opened.set(id, error instanceof AppError ? error : new AppError("misconfigured", UNREADABLE, { cause: error }));
    }
  }
  return opened;
}

const UNREADABLE = "What is saved of this webhook cannot be read: delete it and create it again.";

/** @throws AppError `misconfigured` when the available key does not open its secrets. */
function unseal(
  deps: Pick<Deps, "secrets">,
  endpoint: SendSettings,
  secrets: readonly Pick<StoredSecret, "sealed">[],
): UnsealedEndpoint {
  const box = deps.secrets();
  return {
    url: endpoint.url,
    ca: endpoint.ca,
    payload: endpoint.payload,
    headers:
      endpoint.sealedHeaders === null
        ? {}
        : // Sealed only by `sealHeaders`.
          (JSON.parse(box.open(endpoint.sealedHeaders, endpoint.id)) as Record<string, string>),
    secrets: secrets.map(({ sealed }) => box.open(sealed, endpoint.id)),
  };
}
