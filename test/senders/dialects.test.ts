/** Each kind's sample, sent as its product sends it, becomes the right drafts and is answered as it expects, repeated or not. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import type { Dialect } from "../../src/domain/articles/senders/dialect.ts";
import { ANY_KIND, DIALECTS } from "../../src/domain/articles/senders/dialects.ts";
import { toPhpJson, writeReply } from "../../src/domain/articles/senders/reply.ts";
import type { ArrivedOutcome } from "../../src/domain/articles/senders/sender.ts";
import { countArticles, findFullArticleAnywhere } from "../../src/store/articles/articles.ts";
import { listArrivals } from "../../src/store/articles/senders/arrivals.ts";
import { startTestService } from "../helpers/service.ts";
import { until } from "../helpers/until.ts";
import { type Draft, EXPECTED, type Expected } from "./expected.ts";
import { newSender, type NewSender, warmUp } from "./new-sender.ts";
import { prove } from "./prove.ts";

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
await warmUp(service);

const WITH_SAMPLE = DIALECTS.filter(({ sample }) => sample !== undefined);

test("every tried kind has a sample, and each sample says what it must become", () => {
  const untried = DIALECTS.filter(({ isTried, protocol, sample }) => isTried && !protocol && sample === undefined);
  assert.deepEqual(untried, []);
  assert.deepEqual(Object.keys(EXPECTED).toSorted(), WITH_SAMPLE.map(({ kind }) => kind).toSorted());
});

const STORYCHIEF = join(import.meta.dirname, "../../../shared/corpora/generators/storychief.json");

test("answers are signed as StoryChief's own receivers sign them", { skip: !existsSync(STORYCHIEF) }, () => {
  const { samples } = JSON.parse(readFileSync(STORYCHIEF, "utf8")) as {
    samples: { event: string; key: string; raw: string; body: { mac: string } }[];
  };
  const vector = samples.find(({ event }) => event === "signed answer");
  assert.ok(vector);
  const { mac: _mac, ...body } = vector.body;
  const dialect: Dialect = { ...ANY_KIND, reply: { body, signedIn: "mac" } };
  assert.equal(writeReply(dialect, null, new Map(), () => vector.key).body, vector.raw);
});

for (const dialect of WITH_SAMPLE) {
  const { kind } = dialect;
  const expected = EXPECTED[kind] as Expected;

  describe(kind, () => {
    test("three deliveries are one, each answered in its form", async () => {
      const website = await service.newWebsite({ name: kind, urlPattern: "https://blog.example/{slug}" });
      const sender = await newSender({ app: service.app, website }, { kind });
      const deliveries = [];
      for (let count = 0; count < 3; count++) deliveries.push(await deliver(dialect, sender));
      const [first, ...repeats] = deliveries;
      assert.deepEqual(
        first?.arrival.outcome?.articles.map(({ outcome }) => outcome),
        expected.articles.map(() => "created"),
      );
      for (const { arrival } of repeats) {
        assert.deepEqual(
          arrival.outcome?.articles.map(({ outcome }) => outcome),
          expected.articles.map(() => "unchanged"),
        );
      }
      const found = await Promise.all((first?.arrival.outcome?.articles ?? []).map(readDraft));
      assert.deepEqual(
        found.map((one, index) => pick(one, expected.articles[index] ?? {})),
        expected.articles,
      );
      assert.ok(found.every(({ status, reviewState }) => status === "pending" && reviewState === "in_review"));
      const counts = await service.app.store.read((db) => countArticles(db, website.id));
      assert.equal(counts.pending, expected.articles.length);
      const ids = found.map(({ id }) => id);
      for (const { reply, secret } of deliveries) {
        const { status, text } = reply;
        assert.equal(status, 200, text);
        const body = checkSignature(dialect, text, secret);
        assert.deepEqual(
          withoutIds(body, ids),
          reply === first?.reply ? expected.reply : (expected.repeated ?? expected.reply),
        );
      }
    });

    for (const [name, change] of Object.entries(expected.others ?? {})) {
      test(`${name} is answered with success and saves nothing`, async () => {
        const sender = await newSender(service, { kind });
        const { reply, arrival, secret } = await deliver(
          { ...dialect, sample: { ...dialect.sample, ...change } },
          sender,
        );
        assert.equal(reply.status, 200, reply.text);
        checkSignature(dialect, reply.text, secret);
        assert.deepEqual([arrival.state, arrival.outcome?.articles], ["ignored", []]);
      });
    }

    if (expected.removal !== undefined) {
      test("a deletion asks people to delete the article", async () => {
        const sender = await newSender(service, { kind });
        await deliver(dialect, sender);
        const { reply, arrival } = await deliver({ ...dialect, sample: { body: expected.removal } }, sender);
        assert.equal(reply.status, 200, reply.text);
        assert.deepEqual(
          arrival.outcome?.articles.map(({ outcome }) => outcome),
          ["removal_requested"],
        );
      });
    }
  });
}

function pick(draft: Draft, { ...wanted }: Partial<Draft>): Partial<Draft> {
  return Object.fromEntries(Object.entries(draft).filter(([name]) => Object.hasOwn(wanted, name)));
}

async function deliver(dialect: Dialect, { sender, secret, path }: NewSender) {
  const { headers, below, body } = toRequest(dialect, secret);
  const all = { "X-API-Key": undefined, "Content-Type": "application/json", ...headers };
  const reply = await service.send(path + below, { method: "POST", headers: all, body });
  assert.notEqual(reply.status, 401, reply.text);
  const newest = () =>
    service.app.store.read((db) => listArrivals(db, sender.id, { state: null, before: null, limit: 1 }));
  // Pictures are copied after the answer.
  await until("the arrival is finished", async () => (await newest()).every(({ state }) => state !== "waiting"));
  const [arrival] = await newest();
  assert.ok(arrival);
  return { reply, secret, arrival };
}

/** The sample with the first credential of its kind. */
function toRequest({ credentials: [credential], sample }: Dialect, secret: string) {
  // Samples are objects.
  const { body, below = "", headers } = prove(credential, secret, sample?.body as object);
  return { headers: { ...sample?.headers, ...headers }, below, body };
}

/** The answer without its signature, which has to hold. */
function checkSignature({ reply: { signedIn } }: Dialect, text: string, secret: string): unknown {
  const body = JSON.parse(text) as Record<string, unknown>;
  if (signedIn === undefined) return body;
  const { [signedIn]: mac, ...signed } = body;
  assert.equal(mac, createHmac("sha256", secret).update(toPhpJson(signed)).digest("hex"));
  return signed;
}

function withoutIds(body: unknown, ids: readonly string[]): unknown {
  return JSON.parse(ids.reduce((text, id) => text.replaceAll(id, "ID"), JSON.stringify(body)));
}

async function readDraft({ articleId, externalId }: ArrivedOutcome): Promise<Draft> {
  const full = await service.app.store.read((db) => findFullArticleAnywhere(db, articleId ?? ""));
  assert.ok(full);
  const { authors, ...article } = full.article;
  return { ...article, externalId, html: full.body.html, authors: authors.map(({ name }) => name) };
}
