/**
 * Whether a request comes from whom it says: over the bytes as they arrived. Nothing in the time of a refusal tells how near
 * it came: every alternative that the request presents is computed, and digests are compared.
 */
import { createHmac, hash, timingSafeEqual } from "node:crypto";
import type { Millis } from "../../system/time.ts";
import type { Credential, Place } from "./dialect.ts";
import type { ArrivalRequest } from "./sender.ts";

/** A request with all that proves where it comes from. */
export interface Presented {
  /** As `joinHeaders` and `joinQuery` write headers and query. */
  request: ArrivalRequest;
  body: Buffer;
  proofs: Proofs;
}

/** What a content process finds at `proofPlaces`: a place that is missing, doubled or holds no text is left out. */
export type Proofs = Readonly<Record<Place, BodyProof>>;

/** Positions are those of the body's text as UTF-8. */
export interface BodyProof {
  value: string;
  valueAt: Span;
  /** The whole member, with one of the commas beside it. */
  memberAt: Span;
}

/** `from` inclusive, `to` exclusive. */
interface Span {
  from: number;
  to: number;
}

const MAX_CLOCK_DIFFERENCE_MS = 5 * 60_000;

/** What two headers of one name have between them: no header's value can contain it. */
const BETWEEN_DOUBLED = "\n";

/** `rawHeaders` as Node gives them, by lower-case name. Its own `headers` hide that one was sent twice. */
export function joinHeaders(rawHeaders: readonly string[]): Record<string, string> {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    pairs.push([(rawHeaders[at] ?? "").toLowerCase(), rawHeaders[at + 1] ?? ""]);
  }
  return join(pairs);
}

export function joinQuery(search: string): Record<string, string> {
  return join([...new URLSearchParams(search)]);
}

function join(pairs: readonly [string, string][]): Record<string, string> {
  const joined = new Map<string, string>();
  for (const [name, value] of pairs) {
    const before = joined.get(name);
    joined.set(name, before === undefined ? value : `${before}${BETWEEN_DOUBLED}${value}`);
  }
  return Object.fromEntries(joined);
}

/** What a content process has to read in the body before `holds`; empty: nothing. */
export function proofPlaces(credentials: readonly Credential[]): Place[] {
  return credentials.flatMap((one) => (one.by === "field" || one.by === "signed-field" ? [one.at] : []));
}

/** Whether one of the credentials holds. A sender whose secret was rotated has two: call it for both. */
export function holds(credentials: readonly Credential[], secret: string, presented: Presented, now: Millis): boolean {
  const digests = new BodyDigests(secret, presented.body);
  const results = credentials.map((credential) => holdsOne(credential, secret, presented, digests, now));
  return secret.trim() !== "" && results.some(Boolean);
}

function holdsOne(
  credential: Credential,
  secret: string,
  { request, body, proofs }: Presented,
  digests: BodyDigests,
  now: Millis,
): boolean {
  switch (credential.by) {
    case "bearer": {
      const { scheme = "Bearer" } = credential;
      const authorization = header(request, "authorization");
      return isSecret(scheme === null ? authorization : afterScheme(authorization, scheme), secret);
    }
    case "header":
      return isSecret(header(request, credential.name), secret);
    case "basic":
      return isSecret(password(afterScheme(header(request, "authorization"), "Basic")), secret);
    case "path":
      return isSecret(lastPart(request.path), secret);
    case "query":
      return isSecret(utf8(once(request.query[credential.name])), secret);
    case "field":
      return isSecret(utf8(proofs[credential.at]?.value), secret);
    case "hmac": {
      const given = header(request, credential.header);
      if (given === undefined) return false;
      const { timestamp, prefix = "" } = credential;
      const sent = timestamp === undefined ? "" : (header(request, timestamp.header)?.toString("latin1") ?? "");
      const digest = digests.of(timestamp === undefined ? "" : `${sent}.`);
      const isRecent = timestamp === undefined || isNear(toMillis(sent, timestamp.unit), now);
      return isSecret(given, `${prefix}${digest}`) && isRecent;
    }
    case "signed-field": {
      const proof = proofs[credential.at];
      const { from, to } = proof?.memberAt ?? { from: 0, to: 0 };
      const text = body.toString();
      const digest = createHmac("sha256", secret).update(text.slice(0, from)).update(text.slice(to)).digest("hex");
      return isSecret(utf8(proof?.value), digest);
    }
    // No other form is left.
    default:
      return isToken(credential, afterScheme(header(request, "authorization"), credential.scheme), secret, now);
  }
}

/** HMACs of the body, hexadecimal: one for each text before it. */
class BodyDigests {
  readonly #secret: string;
  readonly #body: Buffer;
  readonly #digests = new Map<string, string>();

  constructor(secret: string, body: Buffer) {
    this.#secret = secret;
    this.#body = body;
  }

  of(before: string): string {
    const known = this.#digests.get(before);
    if (known !== undefined) return known;
    // Headers have one byte for each character.
    const hmac = createHmac("sha256", this.#secret).update(before, "latin1");
    const digest = hmac.update(this.#body).digest("hex");
    this.#digests.set(before, digest);
    return digest;
  }
}

function isSecret(given: Buffer | undefined, secret: string): boolean {
  // Whoever sent the request knows what it lacks.
  if (given === undefined || given.length === 0) return false;
  return timingSafeEqual(sha256(given), sha256(Buffer.from(secret)));
}

function sha256(bytes: Buffer): Buffer {
  return hash("sha256", bytes, "buffer");
}

/** The header's bytes; undefined: it is missing, was sent twice, or is no header's value. */
function header({ headers }: ArrivalRequest, name: string): Buffer | undefined {
  const key = name.toLowerCase();
  const value = Object.hasOwn(headers, key) ? once(headers[key]) : undefined;
  const bytes = Buffer.from(value ?? "", "latin1");
  // Node would cut other characters down to one byte.
  return value === undefined || bytes.toString("latin1") !== value ? undefined : bytes;
}

function once(value: string | undefined): string | undefined {
  return value?.includes(BETWEEN_DOUBLED) ? undefined : value;
}

function utf8(value: string | undefined): Buffer | undefined {
  return value === undefined ? undefined : Buffer.from(value);
}

/** What follows the scheme, whose case is free (RFC 9110, 11.1). */
function afterScheme(authorization: Buffer | undefined, scheme: string): Buffer | undefined {
  const text = authorization?.toString("latin1") ?? "";
  const space = text.indexOf(" ");
  if (space === -1 || text.slice(0, space).toLowerCase() !== scheme.toLowerCase()) return undefined;
  return authorization?.subarray(space + 1);
}

/** The password of `base64(user:password)`. */
function password(credentials: Buffer | undefined): Buffer | undefined {
  const text = credentials?.toString("latin1") ?? "";
  const decoded = Buffer.from(text, "base64");
  const encoded = decoded.toString("base64");
  const colon = decoded.indexOf(":");
  // Node ignores what is not Base64; the padding may be missing.
  const isExact = text === encoded || text === encoded.replaceAll("=", "");
  return colon === -1 || !isExact ? undefined : decoded.subarray(colon + 1);
}

function lastPart(path: string): Buffer | undefined {
  try {
    return Buffer.from(decodeURIComponent(path.slice(path.lastIndexOf("/") + 1)));
  } catch {
    return undefined;
  }
}

function toMillis(sent: string, unit: "s" | "ms" | "iso"): Millis {
  if (unit !== "iso") return /^\d{1,15}$/.test(sent) ? Number(sent) * (unit === "s" ? 1_000 : 1) : Number.NaN;
  const isIso = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/.test(sent);
  return isIso ? Date.parse(sent) : Number.NaN;
}

function isNear(at: Millis, now: Millis): boolean {
  return Math.abs(at - now) <= MAX_CLOCK_DIFFERENCE_MS;
}

/** @param secret `ID:KEY`, with a hexadecimal key. */
function isToken(
  { audience, maxAgeSeconds }: Extract<Credential, { by: "jwt" }>,
  token: Buffer | undefined,
  secret: string,
  now: Millis,
): boolean {
  const [id = "", key = "", ...more] = secret.split(":");
  const isKey = id !== "" && more.length === 0 && /^(?:[\da-f]{2})+$/i.test(key);
  const [head = "", payload = "", signature = "", ...rest] = token?.toString("latin1").split(".") ?? [];
  const digest = createHmac("sha256", Buffer.from(isKey ? key : "00", "hex"))
    .update(`${head}.${payload}`)
    .digest("base64url");
  const isSigned = isSecret(Buffer.from(signature, "latin1"), digest);
  if (!isSigned || !isKey || rest.length > 0) return false;
  const { alg, kid, crit } = parseObject(head);
  const { aud, exp, nbf = 0, iat } = parseObject(payload);
  return (
    alg === "HS256" &&
    kid === id &&
    crit === undefined &&
    [aud].flat().includes(audience) &&
    toSeconds(exp) * 1_000 > now &&
    toSeconds(nbf) * 1_000 <= now + MAX_CLOCK_DIFFERENCE_MS &&
    toSeconds(iat) * 1_000 <= now + MAX_CLOCK_DIFFERENCE_MS &&
    toSeconds(iat) * 1_000 >= now - maxAgeSeconds * 1_000
  );
}

function toSeconds(claim: unknown): number {
  return typeof claim === "number" ? claim : Number.NaN;
}

/** Only of signed tokens. */
function parseObject(part: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
