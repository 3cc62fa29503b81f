import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { test } from "node:test";
import { type SigningKey, toJwks, toSigningKey } from "../system/signing-key.ts";
import type { FullArticle } from "./article.ts";
import { composeReviewRecord, describeOrigin, reissue, signReviewRecord, verifyReviewRecord } from "./review-record.ts";

const MADE = Date.UTC(2026, 10, 20, 10);
const HOUR = 3_600_000;
const seed = Buffer.alloc(32, 7);
const key = toSigningKey(seed, MADE);
const KEYS = toJwks([key]);

const delivered = {
  id: "0198a3b2-4c1d-7e5f-8a6b-9c0d1e2f3a4b",
  title: "How to descale a kettle",
  content: "<p>Hard water leaves a crust – “limescale”.</p>",
  content_markdown: "Hard water leaves a crust – “limescale”.",
  meta_description: "Citric acid works.",
  language: null,
  featured_image_url: null,
};

// Only what a record covers is read.
const full = {
  article: {
    id: delivered.id,
    websiteId: "w1",
    title: delivered.title,
    metaDescription: delivered.meta_description,
    language: null,
    featuredImageUrl: null,
    platformUrl: null,
    approvedAt: MADE + HOUR,
    version: 4,
  },
  body: {
    html: delivered.content,
    markdown: delivered.content_markdown,
    metricsJson: JSON.stringify({ engine_version: "2.0.0", integrity: { blocking: 1 } }),
  },
} as FullArticle;

const record = composeReviewRecord(
  full,
  {
    issuer: "https://rostrum.example.org",
    website: { id: "w1", url: "https://blog.example.org", responsibleUrl: "https://blog.example.org/imprint" },
    responsibleName: "Example GmbH",
    review: {
      person: "Ann Lee",
      is_pseudonym: false,
      role: "approver",
      is_second_person: true,
      signed_in_with: "two_factors",
    },
    origin: undefined,
    overridden: [{ kind: "todo", reason: "It is quoted." }],
  },
  MADE + HOUR,
);
const jws = signReviewRecord(record, { id: key.id, seed });

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** The text with another letter at one place. */
function changeAt(index: number, text: string): string {
  const place = (index * 7_919) % text.length;
  return `${text.slice(0, place)}${text[place] === "A" ? "B" : "A"}${text.slice(place + 1)}`;
}

function reasonOf(article: unknown, signed: string, keys: unknown = KEYS): string {
  const result = verifyReviewRecord(article, signed, keys);
  return result.valid ? "valid" : result.reason;
}

test("a record is valid for the article as the read API, an export and a webhook have it", () => {
  const { id, content, content_markdown, ...others } = delivered;
  const forms = [
    delivered,
    { success: true, data: { article: delivered } },
    { id, title: others.title, content },
    {
      event: "article.published",
      data: { ...others, article_id: id, content: { html: content, markdown: content_markdown } },
    },
  ];
  for (const form of forms) assert.equal(reasonOf(form, jws), "valid");
  assert.equal(reasonOf(delivered, `${jws}\n`), "valid");
  const known = verifyReviewRecord({ id, title: others.title, content }, jws, KEYS);
  assert.deepEqual(known.valid && known.notCompared, [
    "content_markdown",
    "meta_description",
    "language",
    "featured_image_url",
  ]);
  assert.deepEqual(record.checks, {
    engine_version: "2.0.0",
    blocking: 1,
    overridden: [{ kind: "todo", reason_sha256: createHash("sha256").update("It is quoted.").digest("hex") }],
  });
});

test("RFC 8037's key has the thumbprint that the RFC gives", () => {
  const rfc = toSigningKey(Buffer.from("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A", "base64url"), 0);
  assert.equal(rfc.publicKey, "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo");
  assert.equal(rfc.id, "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
});

test("of 2,000 forged, changed, replayed, revoked and untimely records none is valid", () => {
  const [head = "", payload = "", signature = ""] = jws.split(".");
  const stranger = generateKeyPairSync("ed25519");
  const { x = "" } = stranger.publicKey.export({ format: "jwk" });
  const header = { alg: "EdDSA", kid: key.id, typ: "rostrum-review+jwt" };
  const forged = (of: object, body: object) => {
    const input = `${encode(of)}.${encode(body)}`;
    return `${input}.${sign(null, Buffer.from(input), stranger.privateKey).toString("base64url")}`;
  };
  const revoked = (since: number): SigningKey => ({ ...key, retiredAt: MADE + 9 * HOUR, revokedAt: since });
  const attacks: ((index: number) => string)[] = [
    // Signed by another key, under each name that it may take.
    (index) => reasonOf(delivered, forged(header, { ...record, iat: record.iat + index })),
    (index) => reasonOf(delivered, forged({ ...header, kid: x }, { ...record, iat: record.iat + index })),
    (index) => reasonOf(delivered, forged({ ...header, jwk: { kty: "OKP", crv: "Ed25519", x } }, { ...record, index })),
    (index) => reasonOf(delivered, `${encode({ ...header, alg: "none" })}.${encode({ ...record, index })}.`),
    (index) =>
      reasonOf(delivered, `${encode({ ...header, alg: index % 2 ? "HS256" : "ES256" })}.${payload}.${signature}`),
    // One letter of the record, or of the article, is another.
    (index) => reasonOf(delivered, `${changeAt(index, head)}.${payload}.${signature}`),
    (index) => reasonOf(delivered, `${head}.${changeAt(index, payload)}.${signature}`),
    // The last letter holds bits that are no part of the signature.
    (index) => reasonOf(delivered, `${head}.${payload}.${changeAt(index, signature)}`),
    (index) => reasonOf({ ...delivered, content: changeAt(index, delivered.content) }, jws),
    (index) => reasonOf({ ...delivered, title: changeAt(index, delivered.title) }, jws),
    (index) => reasonOf({ ...delivered, content_markdown: changeAt(index, delivered.content_markdown) }, jws),
    (index) =>
      reasonOf({ ...delivered, meta_description: index % 2 ? null : changeAt(index, "Citric acid works.") }, jws),
    (index) => reasonOf({ ...delivered, language: index % 2 ? "de" : 1 }, jws),
    (index) => reasonOf({ ...delivered, featured_image_url: `https://example.org/${index}.png` }, jws),
    // Of another article, and of no text.
    (index) => reasonOf({ ...delivered, id: delivered.id.replace(/.{4}$/, String(1_000 + index)) }, jws),
    (index) => reasonOf([{ id: delivered.id }, {}, null, [delivered], "x"][index % 5], jws),
    // By a key that is revoked, was not made yet, was replaced before, or is not in the set.
    (index) => reasonOf(delivered, jws, toJwks([revoked(MADE + HOUR - index * 1_000)])),
    (index) => reasonOf(delivered, jws, toJwks([{ ...key, createdAt: MADE + HOUR + (index + 1) * 1_000 }])),
    (index) => reasonOf(delivered, jws, toJwks([{ ...key, retiredAt: MADE + HOUR - (index + 1) * 1_000 }])),
    (index) =>
      reasonOf(delivered, jws, [{ keys: [] }, {}, null, { keys: [{ ...KEYS.keys[0], x }] }, { keys: "x" }][index % 5]),
  ];
  let tried = 0;
  for (let index = 0; index < 100; index++) {
    for (const [kind, attack] of attacks.entries()) {
      assert.notEqual(attack(index), "valid", `attack ${kind}, ${index}`);
      tried++;
    }
  }
  assert.equal(tried, 2_000);
});

test("a record stays valid when its key is replaced, and when the key is revoked for later ones", () => {
  const other = toSigningKey(Buffer.alloc(32, 8), MADE + 2 * HOUR);
  assert.equal(reasonOf(delivered, jws, toJwks([{ ...key, retiredAt: MADE + 2 * HOUR }, other])), "valid");
  const revoked = { ...key, retiredAt: MADE + 2 * HOUR, revokedAt: MADE + 2 * HOUR };
  assert.equal(reasonOf(delivered, jws, toJwks([revoked, other])), "valid");
});

test("a record that is signed again says the same about the article's new address", () => {
  const live = { ...full, article: { ...full.article, platformUrl: "https://blog.example.org/kettle", version: 5 } };
  const again = reissue(record, live, MADE + 2 * HOUR);
  assert.deepEqual(again, { ...record, iat: record.iat + 3_600, version: 5, url: "https://blog.example.org/kettle" });
});

test("a machine's text is named as one, with the people's part in it, and nobody else's is", () => {
  const step = { metadata: { generator: "acme-writer", model: "acme-1", other: 1 } };
  const steps = [step] as unknown as Parameters<typeof describeOrigin>[1];
  const start = "http://cv.iptc.org/newscodes/digitalsourcetype/";
  const told = { generator: "acme-writer", model: "acme-1" };
  assert.deepEqual(describeOrigin("sender", [], false), { digital_source_type: `${start}trainedAlgorithmicMedia` });
  assert.deepEqual(describeOrigin("file", steps, true), {
    digital_source_type: `${start}compositeWithTrainedAlgorithmicMedia`,
    ...told,
  });
  for (const origin of ["written", "import", "file"] as const) {
    assert.equal(describeOrigin(origin, [], true), undefined);
  }
});
