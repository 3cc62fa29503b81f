/** The client of the management API against the real service, with a network that fails where that matters. */
import assert from "node:assert/strict";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import { after, test } from "node:test";
import type { AddressInfo } from "node:net";
import * as writes from "../../src/operations/articles/write/articles.ts";
import { createManagementClient, ManagementError, type ManagementOptions } from "../../client/src/management/index.ts";
import type { TokenScope } from "../../src/domain/people/access-token.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createToken } from "../../src/operations/people/access-tokens.ts";
import { requestChangesWithComments } from "../../src/operations/articles/write/articles.ts";
import { LONG_ONLY } from "../helpers/full-run.ts";
import { CHIEF, withClock } from "../helpers/articles.ts";
import { png } from "../helpers/pictures.ts";
import { startTestService } from "../helpers/service.ts";

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());

async function newToken(scope: TokenScope = "draft", websiteId = service.website.id): Promise<string> {
  return (await createToken(service.app, websiteId, { name: "client", scope, expiresAt: null }, CLI_ORIGIN)).secret;
}

const token = await newToken();
const connect = (options: Partial<ManagementOptions> = {}) =>
  createManagementClient({ url: service.url, token, ...options });

type Treat = (incoming: IncomingMessage, response: ServerResponse, forward: () => void) => void;

/** A proxy to the service. */
async function startProxy(treat: Treat) {
  const seen: IncomingMessage[] = [];
  const server = createServer((incoming, response) => {
    seen.push(incoming);
    const forward = () => {
      const { url = "/", method, headers } = incoming;
      const onward = request(new URL(url, service.url), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      onward.on("error", () => response.destroy());
      incoming.pipe(onward);
    };
    treat(incoming, response, forward);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    seen,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function refused(call: Promise<unknown>): Promise<ManagementError> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ManagementError, String(error));
  return error;
}

test("an article is written, read, changed, reviewed and removed; each action names what was seen", async () => {
  const { articles, me } = connect();
  assert.deepEqual((await me()).token.scope, "draft");
  const made = await articles.create({ title: "Tea", markdown: "# One\n\nText", external_id: "tea/1 ä" });
  assert.equal(made.state, "draft");
  assert.equal((await articles.getByExternalId("tea/1 ä"))?.id, made.id);
  assert.equal(await articles.getByExternalId("none"), null);
  assert.equal(await articles.get(crypto.randomUUID()), null);
  const changed = await articles.update(made, { title: "Water", tags: ["a"] });
  assert.deepEqual([changed.title, changed.tags], ["Water", ["a"]]);
  const stale = await refused(articles.update(made, { title: "Lost" }));
  assert.deepEqual([stale.status, stale.code, stale.etag], [412, "stale", changed.etag]);
  assert.equal(stale.changedBy, "client");
  const inReview = await articles.submit(changed);
  assert.equal(inReview.state, "in_review");
  const twice = await refused(articles.submit(inReview));
  assert.deepEqual([twice.status, twice.code, twice.state], [409, "conflict", "in_review"]);
  assert.ok(twice.allowed.includes("withdraw"));
  const forbidden = await refused(articles.approve(inReview));
  assert.deepEqual([forbidden.status, forbidden.code], [403, "forbidden"]);
  assert.equal((await articles.requestRemoval(made.id, "old")).removal_request?.reason, "old");

  const publisher = connect({ token: await newToken("publish") }).articles;
  const live = await publisher.approveAndPublish(inReview);
  assert.equal(live.state, "published");
  const drafted = await articles.update(live, { title: "Later" });
  assert.deepEqual([drafted.title, drafted.draft?.changes.title], ["Water", "Later"]);
  assert.equal((await articles.discardDraft(drafted)).draft, null);
  const again = await articles.update({ id: live.id, etag: "*" }, { title: "Later" });
  const updated = await publisher.publishDraft(again);
  assert.equal(updated.title, "Later");
  const down = await publisher.unpublish(updated);
  const planned = await publisher.schedule(down, new Date(Date.now() + 86_400_000));
  assert.equal(planned.state, "scheduled");
  const gone = await publisher.delete(planned);
  assert.equal(gone.state, "trash");
  assert.notEqual((await publisher.restore(gone)).state, "trash");
  const { entries } = await articles.history(made.id);
  const { revision } = entries.find((one) => one.revision !== null) ?? { revision: null };
  assert.equal((await articles.revision(made.id, revision ?? "")).id, revision);
  assert.deepEqual([await articles.translations(made.id), await articles.deliveries(made.id)], [[], []]);
  assert.equal((await articles.redline(made.id, { from: revision ?? "", to: "current" })).content.length > 0, true);
});

test("what was written wrongly is refused with the field's name", async () => {
  const { articles } = connect();
  const wrong = await refused(articles.create({ title: "x", markdown: "x", tittle: "x" } as { title: string }));
  assert.deepEqual([wrong.status, wrong.param], [400, "tittle"]);
  const key = await refused(connect({ token: "rm_unknown" }).me());
  assert.deepEqual([key.status, key.code], [401, "unauthenticated"]);
  assert.throws(() => connect({ token: "rs_key" }), /begins with "rm_"/);
  assert.throws(() => connect({ url: "articles.test" }), /must begin with https/);
});

test("comments, labels, pictures, checks and exports", async () => {
  const { articles, labels, assets, exports } = connect();
  const made = await articles.create({ title: "Talk", markdown: "x", tags: ["talked"] });
  const { threads } = await articles.comment(made.id, { text: "Why?", passage: null });
  const thread = threads[0]?.id ?? "";
  assert.equal((await articles.reply(made.id, thread, "So.")).threads[0]?.comments.length, 2);
  assert.ok((await articles.resolve(made.id, thread)).threads[0]?.resolved);
  assert.equal((await articles.reopen(made.id, thread)).threads[0]?.resolved, null);
  assert.equal((await articles.comments(made.id)).threads.length, 1);
  assert.ok((await labels()).tags.includes("talked"));
  const upload = { name: "a.png", bytes: new Uint8Array(png(3, 2)) };
  const asset = await assets.upload(upload);
  assert.equal((await assets.upload(upload)).id, asset.id);
  assert.equal((await assets.update(asset.id, { alt: "A" })).alt, "A");
  assert.equal((await assets.list()).assets[0]?.id, asset.id);
  const check = await articles.check({ title: "x", content: "<p>x</p><script>1</script>" });
  assert.equal(check.content, "<p>x</p>");
  const titles = await Array.fromAsync(exports(), (one) => one["title"]);
  assert.ok(titles.includes("Talk"));
});

test("an upsert creates, changes, does nothing or holds", async () => {
  const { upsert } = connect().articles;
  const first = await upsert("up", { title: "Up", markdown: "One" });
  assert.equal(first.outcome, "created");
  assert.equal((await upsert("up", { title: "Up", markdown: "One" })).outcome, "unchanged");
  assert.equal((await upsert("up", { title: "Up 2", markdown: "One" })).outcome, "updated");
  await writes.updateArticle(service.app, first.article.id, { title: "People's" }, CHIEF);
  const held = await upsert("up", { title: "Up 3", markdown: "One" });
  assert.deepEqual([held.outcome, held.held_fields, held.article.title], ["held", ["title"], "People's"]);
  const forced = connect({ token: await newToken("publish") }).articles;
  const overwritten = await forced.upsert("up", { title: "Up 3", markdown: "One" }, { overwrite: true });
  assert.equal(overwritten.article.title, "Up 3");
});

async function* generate() {
  for (let no = 1; no <= 25; no++)
    yield { external_id: `b${no}`, title: no === 7 ? "" : `B ${no}`, markdown: "x".repeat(90) };
}

test(
  "a batch takes what a generator yields, in as many requests as it needs, and says what became of each",
  LONG_ONLY,
  async () => {
    await using proxy = await startProxy((_incoming, _response, forward) => forward());
    const { articles } = connect({ url: proxy.url });
    const items = await Array.fromAsync(articles.batch(generate(), { maxCharacters: 1_000 }));
    assert.deepEqual(
      items.map(({ line, external_id: id, outcome }) => [line, id, outcome]),
      Array.from({ length: 25 }, (_none, index) => [index + 1, `b${index + 1}`, index === 6 ? "failed" : "created"]),
    );
    assert.ok(proxy.seen.length > 2, `${proxy.seen.length} requests`);
    const again = await Array.fromAsync(articles.batch(generate()), ({ outcome }) => outcome);
    assert.equal(again.filter((outcome) => outcome === "unchanged").length, 24);
  },
);

test("a batch goes on where its connection broke off, and answers each article once", LONG_ONLY, async () => {
  let cuts = 2;
  await using proxy = await startProxy((incoming, response, forward) => {
    if (cuts-- <= 0) {
      forward();
      return;
    }
    const onward = request(new URL(incoming.url ?? "/", service.url), { method: "POST", headers: incoming.headers });
    onward.on("response", (answer) => {
      response.writeHead(200, answer.headers);
      answer.on("data", (chunk: Buffer) => {
        const at = chunk.indexOf('"kind":"item"');
        // The first answer goes through, and nothing after it.
        if (at >= 0) response.write(chunk.subarray(0, chunk.indexOf(10, at) + 1), () => response.destroy());
        else response.write(chunk);
      });
    });
    incoming.pipe(onward);
  });
  const { articles } = connect({ url: proxy.url });
  const some = Array.from({ length: 30 }, (_none, no) => ({
    external_id: `cut${no}`,
    title: `Cut ${no}`,
    markdown: "x",
  }));
  const items = await Array.fromAsync(articles.batch(some));
  assert.deepEqual(
    items.map(({ line }) => line),
    some.map((_one, index) => index + 1),
  );
  const found = await Array.fromAsync(articles.all({ q: "Cut" }));
  assert.equal(found.length, 30);
});

test("what was done and not answered is not done twice", async () => {
  let lost = 0;
  await using proxy = await startProxy((incoming, response, forward) => {
    if (lost >= 3) {
      forward();
      return;
    }
    lost++;
    const onward = request(new URL(incoming.url ?? "/", service.url), { method: "POST", headers: incoming.headers });
    onward.on("response", (answer) => answer.resume().on("end", () => response.destroy()));
    incoming.pipe(onward);
  });
  const { articles } = connect({ url: proxy.url });
  const made = await articles.create({ title: "Once and only once", markdown: "x" });
  assert.equal(lost, 3);
  const keys = new Set(proxy.seen.map(({ headers }) => headers["idempotency-key"]));
  assert.equal(keys.size, 1);
  const found = await Array.fromAsync(articles.all({ q: "Once and only once" }));
  assert.deepEqual(
    found.map(({ id }) => id),
    [made.id],
  );
});

test("refusals for the moment are waited out as the service asks, for all requests", async () => {
  let busy = 1;
  let isTold = false;
  await using proxy = await startProxy((_incoming, response, forward) => {
    if (busy-- > 0) {
      isTold = true;
      response.writeHead(429, { "Retry-After": "1" }).end();
    } else {
      forward();
    }
  });
  const { me } = connect({ url: proxy.url, maxConcurrent: 1 });
  await Promise.all([me(), me(), me()]);
  assert.ok(isTold);
  // One was refused, and the others waited for the end of its pause.
  assert.equal(proxy.seen.length, 4);
  const { articles } = connect({ token: await newToken() });
  const many = Array.from({ length: 60 }, (_none, no) =>
    articles.upsert(`p${no}`, { title: `P ${no}`, markdown: "x" }),
  );
  assert.ok((await Promise.all(many)).every(({ outcome }) => outcome === "created"));
});

test("an outage ends in an error, and a signal ends a call", async () => {
  await using proxy = await startProxy((_incoming, response) => void response.destroy());
  const down = await refused(connect({ url: proxy.url, giveUpAfterMs: 300 }).me());
  assert.equal(down.status, 0);
  await using silent = await startProxy(() => undefined);
  const late = await refused(connect({ url: silent.url, timeoutMs: 100, giveUpAfterMs: 0 }).me());
  assert.equal(late.status, 0);
  const stop = new AbortController();
  const calls = connect({ url: silent.url });
  const waiting = [
    calls.me({ signal: stop.signal }),
    calls.articles.batch([{ external_id: "a", title: "a" }], { signal: stop.signal }).next(),
  ];
  stop.abort(new Error("stopped"));
  for (const one of waiting) await assert.rejects(one, /stopped/);
});

test("feedback is followed, and goes on where it was left", async () => {
  const website = await service.newWebsite();
  // Feedback is two seconds behind.
  const app = withClock(service.app, Date.now() - 60_000);
  const { articles, feedback } = connect({ token: await newToken("draft", website.id) });
  const made = await articles.create({ title: "F", markdown: "x", external_id: "f", review_state: "in_review" });
  const change = (reason: string) => requestChangesWithComments(app, made.id, { reason, threadIds: [] }, CHIEF);
  await change("Shorter.");
  const followed = feedback.follow({ intervalMs: 50 });
  const { value: first } = await followed.next();
  assert.deepEqual([first?.kind, first?.reason, first?.article.external_id], ["changes_requested", "Shorter.", "f"]);
  const waiting = followed.next();
  const now = await articles.get(made.id);
  await articles.submit(now ?? made);
  await change("Longer.");
  assert.equal((await waiting).value?.reason, "Longer.");
  await followed.return();
  const later = feedback.follow({ after: first?.next });
  assert.equal((await later.next()).value?.reason, "Longer.");
  assert.equal((await feedback.list({ limit: 1 })).feedback.length, 1);
});
