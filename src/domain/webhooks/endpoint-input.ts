import { X509Certificate } from "node:crypto";
import { AppError } from "../system/errors.ts";
import { singleLine } from "../system/foreign-text.ts";
import { EVENT_KINDS, type EventKind } from "./event.ts";

const MAX_HEADERS = 20;
const MAX_HEADER = 4_096;
/** An hour: receivers would take a longer silence for a fault. */
const MAX_COALESCE_MS = 3_600_000;
/** RFC 9110, section 5.6.2. */
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
/** Visible characters, spaces and tabs, so that no line break can end the header. */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Headers that belong to the message itself or to the connection. */
const OURS =
  /^(host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|date|traceparent|user-agent|content-.*|proxy-.*|webhook-.*|sec-.*)$/i;

/** @returns the kinds in the specification's order; all of them if `names` is undefined. @throws AppError `invalid`. */
export function parseEventKinds(names: readonly string[] | undefined): EventKind[] {
  if (names === undefined) return [...EVENT_KINDS];
  for (const name of names) {
    if (!EVENT_KINDS.some((kind) => kind === name)) {
      throw new AppError("invalid", `There is no event "${name}"; choose from ${EVENT_KINDS.join(", ")}.`, {
        field: "events",
      });
    }
  }
  const kinds = EVENT_KINDS.filter((kind) => names.includes(kind));
  if (kinds.length === 0) throw new AppError("invalid", "Name at least one event.", { field: "events" });
  return kinds;
}

/** @throws AppError `invalid` for a header that is malformed, or that Rostrum sets itself. */
export function checkHeaders(headers: Readonly<Record<string, string>>): void {
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS) throw refuse(`An endpoint has at most ${MAX_HEADERS} custom headers.`);
  const names = new Set<string>();
  for (const [name, value] of entries) {
    if (!TOKEN.test(name)) throw refuse(`"${name.slice(0, 100)}" is not a valid name of a header.`);
    if (OURS.test(name)) throw refuse(`The header ${name} is set by Rostrum itself; choose another name.`);
    if (names.has(name.toLowerCase())) throw refuse(`The header ${name} is given twice.`);
    names.add(name.toLowerCase());
    if (value.length > MAX_HEADER || !FIELD_VALUE.test(value)) {
      throw refuse(
        `The value of ${name} has a line break or another character that headers cannot contain, or is too long.`,
      );
    }
  }
}

function refuse(sentence: string): AppError {
  return new AppError("invalid", sentence, { field: "headers" });
}

/** @throws AppError `invalid`. */
export function checkCoalesce(ms: number): void {
  if (!Number.isInteger(ms) || ms < 0 || ms > MAX_COALESCE_MS) {
    throw new AppError(
      "invalid",
      `Coalescing must be a whole number of milliseconds from 0 (off) to ${MAX_COALESCE_MS}.`,
      {
        field: "coalesce_ms",
      },
    );
  }
}

/** @throws AppError `invalid` unless the text is a certificate in PEM. */
export function checkCertificate(pem: string): void {
  try {
    void new X509Certificate(pem).subject;
  } catch (error) {
    throw new AppError(
      "invalid",
      "The certificate authority must be a certificate in PEM (-----BEGIN CERTIFICATE-----).",
      {
        field: "ca",
        cause: error,
      },
    );
  }
}

const MAX_NAME = 100;
const MAX_DESCRIPTION = 1_000;

/** Parses a name of one line. @throws AppError `invalid`. */
export function parseWebhookName(text: string): string {
  const name = singleLine(text);
  if (name.length <= MAX_NAME) return name;
  throw new AppError("invalid", `The name has at most ${MAX_NAME} characters.`, { field: "name" });
}

/** @throws AppError `invalid`. */
export function parseWebhookDescription(text: string): string {
  const description = text.trim();
  if (description.length <= MAX_DESCRIPTION) return description;
  throw new AppError("invalid", `The description has at most ${MAX_DESCRIPTION.toLocaleString("en")} characters.`, {
    field: "description",
  });
}
