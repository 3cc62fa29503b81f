/**
 * A review record: a signed statement that a person, who was signed in, approved exactly this text (docs/review-records.md).
 * It is a JWS (RFC 7515, compact, EdDSA) over a JSON object. Each delivered field is named with the SHA-256 of its UTF-8,
 * so that nothing has to be written in a canonical form to be checked.
 */
import { createHash, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { toPrivateKey, toSeconds } from "../system/signing-key.ts";
import { isoTime, isoTimeOrNull, type Millis } from "../system/time.ts";
import type { Website } from "../system/website.ts";
import { findAssetHash } from "./assets/asset.ts";
import { type ArticleOrigin, type FullArticle, isMachineWritten, parseMetrics, type PipelineStep } from "./article.ts";

const TYPE = "rostrum-review+jwt";
const IPTC = "http://cv.iptc.org/newscodes/digitalsourcetype/";

/** The fields that are covered, by their names in the API. One that an article lacks counts as an empty text. */
const DIGESTED = [
  "title",
  "content",
  "content_markdown",
  "meta_description",
  "language",
  "featured_image_url",
] as const;

type Digests = Record<(typeof DIGESTED)[number], string>;

export interface ReviewRecord {
  /** Address of the service. */
  iss: string;
  /** Id of the article. */
  sub: string;
  /** When it was signed, in seconds. */
  iat: number;
  /** Address of the website; null: it has none. */
  website: string | null;
  /** The article's version, which rises with each change that readers see. */
  version: number;
  /** Address of the article's page as it was known then. */
  url: string | null;
  digests: Digests;
  /** SHA-256 of the featured image's file, if it is in the website's library. */
  featured_image_sha256?: string;
  /** Absent unless a machine delivered the text. */
  origin?: { digital_source_type: string; generator?: string; model?: string };
  review: {
    /** A name, or a pseudonym that is the same in all records of the website. */
    person: string;
    is_pseudonym: boolean;
    role: string;
    approved_at: string;
    /** Whether nothing of the text is by this person. */
    is_second_person: boolean;
    signed_in_with: SignInStrength;
  };
  responsible: { name: string; url: string | null };
  checks: {
    engine_version: string;
    /** How many kinds of findings block. */
    blocking: number;
    /** Those that a person accepted, with the SHA-256 of the reason. */
    overridden: { kind: string; reason_sha256: string }[];
  };
}

export type SignInStrength = "one_factor" | "two_factors";

export interface ReviewFacts {
  issuer: string;
  website: Pick<Website, "id" | "url" | "responsibleUrl">;
  responsibleName: string;
  review: Omit<ReviewRecord["review"], "approved_at">;
  origin: ReviewRecord["origin"];
  overridden: readonly { kind: string; reason: string }[];
}

/** The statement about an approved article. */
export function composeReviewRecord(full: FullArticle, facts: ReviewFacts, now: Millis): ReviewRecord {
  const { issuer, website, responsibleName, review, origin, overridden } = facts;
  const { engine_version, integrity } = parseMetrics(full.body.metricsJson);
  return withContent(
    {
      iss: issuer,
      sub: full.article.id,
      iat: toSeconds(now),
      website: website.url,
      ...(origin === undefined ? {} : { origin }),
      review: { ...review, approved_at: isoTimeOrNull(full.article.approvedAt) ?? isoTime(now) },
      responsible: { name: responsibleName, url: website.responsibleUrl },
      checks: {
        engine_version,
        blocking: integrity.blocking,
        overridden: overridden.map(({ kind, reason }) => ({ kind, reason_sha256: sha256(reason) })),
      },
    },
    full,
  );
}

/** The same statement about what changed with a publication: the article's version and address. */
export function reissue(record: ReviewRecord, full: FullArticle, now: Millis): ReviewRecord {
  return withContent({ ...record, iat: toSeconds(now) }, full);
}

function withContent(
  record: Omit<ReviewRecord, "version" | "url" | "digests">,
  { article, body }: FullArticle,
): ReviewRecord {
  const { websiteId, featuredImageUrl } = article;
  const picture = featuredImageUrl === null ? undefined : findAssetHash(websiteId, featuredImageUrl);
  return {
    ...record,
    version: article.version,
    url: article.platformUrl,
    digests: toDigests({
      title: article.title,
      content: body.html,
      content_markdown: body.markdown,
      meta_description: article.metaDescription,
      language: article.language,
      featured_image_url: featuredImageUrl,
    }),
    ...(picture === undefined ? {} : { featured_image_sha256: picture }),
  };
}

function toDigests(fields: Partial<Record<keyof Digests, string | null>>): Digests {
  // `fromEntries` returns exactly these names.
  return Object.fromEntries(DIGESTED.map((name) => [name, sha256(fields[name] ?? "")])) as Digests;
}

function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

/** By the vocabulary of the IPTC. What people wrote, or imported, has no type: nobody knows what they wrote it with. */
export function describeOrigin(
  origin: ArticleOrigin,
  suppliedSteps: readonly PipelineStep[],
  isEditedByPerson: boolean,
): ReviewRecord["origin"] {
  if (!isMachineWritten(origin, suppliedSteps)) return undefined;
  const told = (name: string) =>
    suppliedSteps.map(({ metadata }) => metadata[name]).find((value) => typeof value === "string" && value !== "");
  const [generator, model] = [told("generator"), told("model")];
  return {
    digital_source_type: `${IPTC}${isEditedByPerson ? "compositeWithTrainedAlgorithmicMedia" : "trainedAlgorithmicMedia"}`,
    ...(typeof generator === "string" ? { generator: generator.slice(0, MAX_NAME) } : {}),
    ...(typeof model === "string" ? { model: model.slice(0, MAX_NAME) } : {}),
  };
}

const MAX_NAME = 200;

/** @returns the JWS in its compact form. */
export function signReviewRecord(record: ReviewRecord, { id, seed }: { id: string; seed: Buffer }): string {
  const input = `${encode({ alg: "EdDSA", kid: id, typ: TYPE })}.${encode(record)}`;
  return `${input}.${sign(null, Buffer.from(input), toPrivateKey(seed)).toString("base64url")}`;
}

/** What a record of this service says. */
export function readOwnRecord(jws: string): ReviewRecord {
  // Signed by `signReviewRecord`.
  return decode(jws.split(".")[1] ?? "") as ReviewRecord;
}

export type Verification =
  | { valid: true; record: ReviewRecord; kid: string; notCompared: string[] }
  | { valid: false; reason: string };

/**
 * Checks a record offline.
 *
 * @param article as the read API, an export or a webhook has it: fields that it lacks are not compared, apart from the
 * title and the content.
 * @param jwks the key set of the service that signed it.
 */
export function verifyReviewRecord(article: unknown, jws: string, jwks: unknown): Verification {
  const parts = jws.trim().split(".");
  const [head = "", payload = "", signature = ""] = parts;
  const header = parts.length === 3 ? asObject(decode(head)) : null;
  if (header === null) return invalid("this is not a review record");
  if (header["alg"] !== "EdDSA" || header["typ"] !== TYPE || "crit" in header) {
    return invalid("this is not a review record of Rostrum");
  }
  const { kid } = header;
  const keys = asObject(jwks)?.["keys"];
  const key = Array.isArray(keys) ? keys.map(asObject).find((one) => one !== null && one["kid"] === kid) : undefined;
  if (typeof kid !== "string" || key == null) return invalid("the key that signed it is not in the key set");
  const publicKey = importKey(key);
  if (publicKey === null) return invalid("the key set has no usable key for it");
  const bytes = Buffer.from(signature, "base64url");
  // Another spelling of the same bytes would be another record with the same signature.
  const isSigned =
    bytes.toString("base64url") === signature && verify(null, Buffer.from(`${head}.${payload}`), publicKey, bytes);
  if (!isSigned) return invalid("the signature is wrong");
  // What a service's key signed has this form.
  const record = decode(payload) as ReviewRecord;
  const untimely = findUntimely(record.iat, key);
  if (untimely !== null) return invalid(untimely);
  return compare(record, kid, article);
}

function compare(record: ReviewRecord, kid: string, given: unknown): Verification {
  const article = toApiFields(given);
  if (article["id"] !== record.sub) return invalid("it is about another article");
  if (typeof article["title"] !== "string" || !CONTENTS.some((name) => typeof article[name] === "string")) {
    return invalid("the article has no title or no content to compare");
  }
  const names = Object.keys(record.digests).filter((name) => DIGESTED.some((one) => one === name));
  const notCompared = names.filter((name) => article[name] === undefined);
  const changed = names.filter((name) => {
    const value = article[name];
    if (value === undefined) return false;
    return (typeof value !== "string" && value !== null) || sha256(value ?? "") !== Reflect.get(record.digests, name);
  });
  if (changed.length > 0) return invalid(`changed since the approval: ${changed.join(", ")}`);
  return { valid: true, record, kid, notCompared };
}

const CONTENTS = ["content", "content_markdown"] as const;

/** The fields as the read API names them, from its answer, an export's line, or the payload of a webhook. */
function toApiFields(given: unknown): Record<string, unknown> {
  const outer = asObject(given) ?? {};
  const data = asObject(outer["data"]) ?? outer;
  const article = asObject(data["article"]) ?? data;
  const contents = asObject(article["content"]);
  if (contents === null) return article;
  return { ...article, id: article["article_id"], content: contents["html"], content_markdown: contents["markdown"] };
}

/** Why the key must not have signed at that time; null if it may have. */
function findUntimely(iat: unknown, { nbf, exp, revoked_at: revoked }: Record<string, unknown>): string | null {
  if (typeof iat !== "number") return "it does not say when it was signed";
  if (typeof nbf === "number" && iat < nbf) return "it was signed before its key was made";
  if (typeof exp === "number" && iat > exp) return "it was signed after its key was replaced";
  if (revoked === undefined) return null;
  if (typeof revoked !== "string") return "its key was revoked";
  // Whoever has the key may choose the second: the one in which it was revoked counts as after it.
  return iat < toSeconds(Date.parse(revoked)) ? null : `its key was revoked (${revoked})`;
}

function importKey({ kty, crv, x }: Record<string, unknown>): KeyObject | null {
  if (kty !== "OKP" || crv !== "Ed25519" || typeof x !== "string") return null;
  try {
    return createPublicKey({ key: { kty, crv, x }, format: "jwk" });
  } catch {
    return null;
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** Null for what is no JSON. */
function decode(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
  } catch {
    return null;
  }
}

function asObject(value: unknown): Record<string, unknown> | null {
  // An object of JSON has no other keys than strings.
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

function invalid(reason: string): Verification {
  return { valid: false, reason };
}
