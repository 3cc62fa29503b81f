/** Review records: who gets one, what ends it, where it is delivered, and what its keys do (docs/review-records.md). */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { CHIEF } from "../helpers/articles.ts";
import { type Json, record, records } from "../helpers/http.ts";
import { openTeam } from "../helpers/team.ts";
import { jsonLd, type SiteArticle } from "../../client/src/site/index.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { parseMetrics } from "../../src/domain/articles/article.ts";
import { type ReviewRecord, readOwnRecord, verifyReviewRecord } from "../../src/domain/articles/review-record.ts";
import { toSigningKey } from "../../src/domain/system/signing-key.ts";
import { exportArticles } from "../../src/operations/articles/import/exports.ts";
import { saveReceipt } from "../../src/operations/articles/lists/receipts.ts";
import { saveDraftCopy } from "../../src/operations/articles/write/draft-copies.ts";
import * as articles from "../../src/operations/articles/write/articles.ts";
import { revokeReviewKey, rotateReviewKey } from "../../src/operations/system/signing-keys.ts";

const team = await openTeam({ ROSTRUM_PUBLIC_URL: "https://articles.example.com" });
after(() => team[Symbol.asyncDispose]());
after(() => team.assertNoneFailed());
const { service } = team;
const { app, website } = service;

async function setWebsite(changes: Json): Promise<void> {
  await team.owner.json("PATCH", `/websites/${website.id}`, changes);
}

await setWebsite({ responsible_name: "Example GmbH", responsible_url: "https://example.com/imprint" });

async function act(id: string, verb: string, by = team.approver): Promise<void> {
  const { version } = await team.page(id);
  await by.json("POST", `/articles/${id}/${verb}`, { version });
}

async function keySet(): Promise<Json> {
  return record((await service.get("/.well-known/rostrum-keys.json")).json());
}

const ALL = "include=review_record,language&format=html,markdown";

async function read(id: string): Promise<Json> {
  return service.detail(id, `?${ALL}`);
}

/** The record that readers get; null: none. */
async function recordOf(id: string): Promise<ReviewRecord | null> {
  const { review_record: jws } = await read(id);
  return typeof jws === "string" ? readOwnRecord(jws) : null;
}

async function assertValid(id: string): Promise<ReviewRecord> {
  const article = await read(id);
  const result = verifyReviewRecord(article, String(article["review_record"]), await keySet());
  assert.ok(result.valid, result.valid ? "" : result.reason);
  assert.deepEqual(result.notCompared, []);
  return result.record;
}

test("an approval in the dashboard makes a record, which readers get once the article is published", async () => {
  const id = await team.newArticle({ metaDescription: "About kettles.", language: "de" });
  await act(id, "approve");
  assert.equal((await read(id))["review_record"], null, "it is not published");
  await act(id, "publish");
  const made = await assertValid(id);
  const { article, body } = await team.stored(id);
  assert.deepEqual(
    {
      ...made,
      iat: 0,
      digests: 0,
      review: { ...made.review, person: "" },
      checks: { ...made.checks, engine_version: "" },
    },
    {
      iss: "https://articles.example.com",
      sub: id,
      iat: 0,
      website: "https://example.com",
      version: made.version,
      url: null,
      digests: 0,
      review: {
        person: "",
        is_pseudonym: true,
        role: "approver",
        approved_at: new Date(article.approvedAt ?? 0).toISOString(),
        is_second_person: true,
        signed_in_with: "one_factor",
      },
      responsible: { name: "Example GmbH", url: "https://example.com/imprint" },
      checks: { engine_version: "", blocking: parseMetrics(body.metricsJson).integrity.blocking, overridden: [] },
    },
  );
  assert.ok(made.iat <= Date.now() / 1_000);
  const bySlug = await service.get(`/api/public/articles/by-slug/${article.slug}?include=review_record`);
  assert.equal(
    record(record(record(bySlug.json())["data"])["article"])["review_record"],
    (await read(id))["review_record"],
  );
  const site = { url: "https://example.com", title: "Example" };
  // The article has what a page asks for, as far as the structured data looks at it.
  const [posting] = records(record(JSON.parse(jsonLd(site, (await read(id)) as unknown as SiteArticle)))["@graph"]);
  assert.deepEqual(posting?.["publisher"], {
    "@type": "Organization",
    name: "Example GmbH",
    url: "https://example.com/imprint",
  });
  assert.equal((await service.detail(id))["review_record"], undefined);
  assert.equal((await service.get("/api/public/articles?include=review_record&strict=1")).status, 400);
});

test("only a person who is signed in makes one, and only for a website that says who is responsible", async () => {
  const byCommand = await team.newArticle({ status: "approved" });
  await articles.publishArticle(app, byCommand, CHIEF);
  assert.equal(await recordOf(byCommand), null);
  await setWebsite({ responsible_name: null });
  const without = await team.newArticle();
  await act(without, "approve-and-publish");
  await setWebsite({ responsible_name: "Example GmbH" });
  assert.equal(await recordOf(without), null);
});

test("a person has one pseudonym per website, or their name where the website says so", async () => {
  const people: string[] = [];
  for (const by of [team.approver, team.approver, team.owner]) {
    const id = await team.newArticle();
    await act(id, "approve-and-publish", by);
    people.push((await assertValid(id)).review.person);
  }
  assert.equal(people[0], people[1]);
  assert.notEqual(people[0], people[2]);
  assert.match(people[0] ?? "", /^[\w-]{22}$/);
  await setWebsite({ names_reviewers: true });
  const id = await team.newArticle();
  await act(id, "approve-and-publish", team.owner);
  const { review } = await assertValid(id);
  assert.equal(review.is_pseudonym, false);
  assert.equal(review.person, (await team.owner.json("GET", "/session"))["name"] ?? review.person);
  await setWebsite({ names_reviewers: false });
});

test("an edit ends it, and so does a lost approval; an update by a person who may approve makes another", async () => {
  const id = await team.newArticle();
  await act(id, "approve-and-publish");
  const first = await assertValid(id);
  await articles.updateArticle(app, id, { title: "Another title" }, CHIEF);
  assert.equal(await recordOf(id), null);
  await saveDraftCopy(app, id, { title: "A third title" }, CHIEF);
  const { version, savedAt } = await team.page(id);
  await team.approver.json("POST", `/articles/${id}/draft/publish`, { version, draft_saved_at: savedAt });
  const second = await assertValid(id);
  assert.notDeepEqual(second.digests, first.digests);
  assert.ok(second.review.is_second_person);
  await act(id, "unpublish");
  await act(id, "unapprove");
  await articles.approveArticle(app, id, CHIEF);
  await articles.publishArticle(app, id, CHIEF);
  assert.equal(await recordOf(id), null, "a command approved it");
});

test("a publication that gives it an address signs it again, and a receipt leaves it as it is", async () => {
  await setWebsite({ url_pattern: "https://example.com/blog/{slug}" });
  const id = await team.newArticle();
  await act(id, "approve");
  await act(id, "publish");
  await setWebsite({ url_pattern: null });
  const { article } = await team.stored(id);
  assert.equal((await assertValid(id)).url, `https://example.com/blog/${article.slug}`);
  const before = await read(id);
  const receipt = { platformUrl: null, platformPostId: "p7" };
  await app.store.write((db) => saveReceipt(db, app, { websiteId: website.id, articleId: id }, receipt));
  assert.equal((await read(id))["review_record"], before["review_record"]);
  await assertValid(id);
});

test("the ETag changes with the record", async () => {
  const id = await team.newArticle();
  const path = `/api/public/articles/${id}?include=review_record`;
  const etags = new Set<unknown>();
  for (const verb of ["approve-and-publish", "unpublish", "publish"]) {
    await act(id, verb);
    etags.add((await service.get(path)).headers["etag"]);
  }
  await articles.updateArticle(app, id, { title: "Changed" }, CHIEF);
  etags.add((await service.get(path)).headers["etag"]);
  assert.equal(etags.size, 4);
});

test("an extended webhook and an export have it", async () => {
  const id = await team.newArticle();
  await act(id, "approve-and-publish");
  const { review_record: jws } = await read(id);
  const row = await app.store.read((db) =>
    db.get("SELECT extension FROM events WHERE article_id = ? AND kind = 'article.published'", id),
  );
  assert.equal(record(JSON.parse(row?.extension ?? ""))["review_record"], jws);
  const lines: Json[] = [];
  for await (const line of exportArticles(app, website.id)) lines.push(record(JSON.parse(line)));
  const exported = lines.find((line) => line["id"] === id);
  assert.equal(exported?.["review_record"], jws);
  assert.ok(verifyReviewRecord(exported, String(jws), await keySet()).valid);
});

test("after a rotation earlier records stay valid, and after a revocation those since then are not", async () => {
  const [early, late] = [await team.newArticle(), await team.newArticle()];
  await act(early, "approve-and-publish");
  const { id: kid } = await rotateReviewKey(app, CLI_ORIGIN);
  await act(late, "approve-and-publish");
  await assertValid(early);
  await assertValid(late);
  const { iat } = await assertValid(late);
  await revokeReviewKey(app, kid, iat * 1_000, CLI_ORIGIN);
  await assertValid(early);
  const article = await read(late);
  const revoked = verifyReviewRecord(article, String(article["review_record"]), await keySet());
  assert.match(revoked.valid ? "" : revoked.reason, /^its key was revoked/);
  const next = await team.newArticle();
  await act(next, "approve-and-publish");
  await assertValid(next);
  const { keys } = await keySet();
  assert.ok(Array.isArray(keys) && keys.length === 3);
  assert.ok(!JSON.stringify(keys).includes('"d"'));
});

test("no key has an id that the command line would take for an option", async () => {
  const seed = Buffer.alloc(32);
  seed.writeUInt32BE(11);
  assert.match(toSigningKey(seed, 0).id, /^-/);
  let given = 0;
  const randomBytes = (size: number) => (given++ === 0 ? seed : app.randomBytes(size));
  const { id } = await rotateReviewKey({ ...app, randomBytes }, CLI_ORIGIN);
  assert.match(id, /^[^-]/);
  assert.equal(given, 2);
});
