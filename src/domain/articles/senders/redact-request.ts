/** What is kept of a request holds none of the sender's secrets, however they are written. */
import type { Credential } from "./dialect.ts";
import type { BodyProof, Presented } from "./credentials.ts";
import type { ArrivalRequest } from "./sender.ts";

const REDACTED = "•";

/** Headers whose whole value is a secret, whatever the sender's own is. */
const SECRET_HEADERS = /authorization|cookie|secret|token|password|api-?key/;

/** Shorter parts of Base64 occur in other texts, too. */
const MIN_BASE64_CHARACTERS = 8;

/**
 * The request as it is stored and read: with its body as text, in which the sender's secrets have become `•`. Signatures of
 * the body stay.
 */
export function redactRequest(
  credentials: readonly Credential[],
  secrets: readonly string[],
  { request, body, proofs }: Presented,
): { request: ArrivalRequest; body: string } {
  const isToken = credentials.some(({ by }) => by === "jwt");
  const forms = secrets
    .flatMap((secret) => (isToken ? [secret, ...secret.split(":").slice(1)] : [secret]))
    .flatMap(toForms);
  const withoutForms = (text: string) => forms.reduce((kept, form) => kept.replaceAll(form, REDACTED), text);
  const withoutSecrets = (text: string) => withoutForms(withoutSignedTokens(text));

  const headers = new Set(credentials.flatMap((one) => (one.by === "header" ? [one.name.toLowerCase()] : [])));
  const parameters = new Set(credentials.flatMap((one) => (one.by === "query" ? [one.name] : [])));
  const isInPath = credentials.some(({ by }) => by === "path");
  const atFields = credentials.flatMap((one) => (one.by === "field" ? (proofs[one.at]?.valueAt ?? []) : []));
  return {
    request: {
      method: request.method,
      path: withoutSecrets(isInPath ? withoutLastPart(request.path) : request.path),
      query: Object.fromEntries(
        Object.entries(request.query).map(([name, value]) => [
          withoutSecrets(name),
          parameters.has(name) ? REDACTED : withoutSecrets(value),
        ]),
      ),
      headers: mapValues(request.headers, (value, name) =>
        headers.has(name) || SECRET_HEADERS.test(name) ? REDACTED : withoutSecrets(value),
      ),
    },
    body: withoutForms(cutOut(body.toString(), atFields)),
  };
}

function mapValues(
  record: Readonly<Record<string, string>>,
  map: (value: string, name: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}

function withoutLastPart(path: string): string {
  return path === "" ? "" : `${path.slice(0, path.lastIndexOf("/") + 1)}${REDACTED}`;
}

/** JSON Web Tokens, also those of others. */
function withoutSignedTokens(text: string): string {
  return text.replaceAll(/[\w.-]+/g, (word) => {
    const parts = word.split(".");
    return parts.length === 3 && parts[0]?.startsWith("eyJ") ? REDACTED : word;
  });
}

function cutOut(text: string, spans: readonly BodyProof["valueAt"][]): string {
  return spans
    .toSorted((a, b) => b.from - a.from)
    .reduce((kept, { from, to }) => `${kept.slice(0, from)}"${REDACTED}"${kept.slice(to)}`, text);
}

/** The secret as it is, as in JSON, in an address, and within Base64. */
function toForms(secret: string): string[] {
  if (secret.trim() === "") return [];
  const json = JSON.stringify(secret).slice(1, -1);
  const units = json.split("");
  const ascii = units.map((unit) => (unit > "~" ? toEscape(unit) : unit)).join("");
  const encoded = encodeURIComponent(secret.toWellFormed());
  const lowerCase = encoded.replaceAll(/%../g, (byte) => byte.toLowerCase());
  return [
    ...new Set([
      secret,
      // Headers have one character for each byte.
      Buffer.from(secret).toString("latin1"),
      ...[json, ascii].flatMap((text) => [text, text.replaceAll("/", String.raw`\/`)]),
      ...[encoded, lowerCase].flatMap((text) => [text, text.replaceAll("%20", "+")]),
      ...toBase64(secret),
    ]),
  ].toSorted((a, b) => b.length - a.length);
}

function toEscape(unit: string): string {
  return String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** The characters of Base64 that the secret alone decides, after any text before it, such as the user's name. */
function toBase64(secret: string): string[] {
  return [0, 1, 2]
    .map((before) => {
      const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
      const from = Math.ceil((before * 8) / 6);
      return bytes.toString("base64").slice(from, Math.floor((bytes.length * 8) / 6));
    })
    .filter(({ length }) => length >= MIN_BASE64_CHARACTERS)
    .flatMap((text) => [text, text.replaceAll("+", "-").replaceAll("/", "_")]);
}
