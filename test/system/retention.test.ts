/** docs/operate.md, "What grows": what is past its time is deleted, a deleted website altogether, and nothing else. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { openApp } from "../../src/app/app.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { AppError } from "../../src/domain/system/errors.ts";
import { createKey } from "../../src/operations/people/api-keys.ts";
import { hashKey } from "../../src/domain/people/api-key.ts";
import { findKeyByHash } from "../../src/store/people/api-keys.ts";
import {
  createArticle,
  deleteArticle,
  getArticle,
  publishArticle,
  restoreArticle,
  updateArticle,
} from "../../src/operations/articles/write/articles.ts";
import { listAudit } from "../../src/operations/system/audit.ts";
import { ReadModel } from "../../src/operations/articles/read-model/read-model.ts";
import { listDeadLetters } from "../../src/operations/system/set-aside.ts";
import { Schedule } from "../../src/operations/articles/write/schedule.ts";
import { deleteEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { addMember } from "../../src/operations/people/members.ts";
import { removeOld } from "../../src/operations/website/retention.ts";
import { deleteWebsite, removeDeletedWebsites } from "../../src/operations/website/website-deletion.ts";
import { createWebsite, listWebsites } from "../../src/operations/website/websites.ts";
import { declareRow } from "../../src/store/row.ts";
import { deleteRows, rowsOfWebsite } from "../../src/store/system/delete-in-batches.ts";
import { COPIED_TABLES } from "../../src/store/system/table-copy.ts";
import { lockWebsite } from "../../src/store/system/websites.ts";
import { listEvents } from "../../src/store/webhooks/events.ts";
import { defaultSort } from "../../src/store/articles/article-queries.ts";
import type { Snapshot, Store } from "../../src/store/store.ts";
import { CHIEF, DAY, makeArticle } from "../helpers/articles.ts";
import { spawnCli } from "../helpers/cli.ts";
import { cliJson, runCli } from "../helpers/cli-in-process.ts";
import { ENGINE, openTestStore } from "../helpers/database.ts";
import { poison } from "../helpers/poison.ts";
import { startTestService } from "../helpers/service.ts";
import { until } from "../helpers/until.ts";
import { sentBy } from "../postgres/plans.ts";
import { wrapStore } from "../helpers/wrap-store.ts";
import { eventually, gate, openQueue, ScriptedReceiver, type TestQueue } from "../helpers/webhooks.ts";

const FOR_EVER = { trashMs: null, auditMs: null, arrivalMs: null };
const KEEP = { trashMs: 30 * DAY, auditMs: 365 * DAY, arrivalMs: 30 * DAY };
const WORK_KEPT = 30 * DAY;

async function count(store: Store, table: string, where = "1 = 1"): Promise<number> {
  const row = await store.read((db) => db.get(`SELECT COUNT(*) AS n FROM ${table} WHERE ${where}`));
  return row?.n ?? 0;
}

/** So many entries of the audit log from that time on, a millisecond apart. */
function addEntries({ store }: TestQueue["app"], from: number, entries: number): Promise<number> {
  return store.write((db) =>
    db.run(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO audit_log (id, at, actor, action, target_kind, target_id, detail)
       SELECT 'old-' || CAST(i AS TEXT), CAST(? AS BIGINT) + i, 'cli', 'key.created', 'key', 'x', '{}' FROM n`,
      entries,
      from,
    ),
  );
}

test("expired rows are deleted from every growing table, and others stay", async () => {
  await using queue = await openQueue();
  const { app, website } = queue;
  const { now } = app;
  const account = "INSERT INTO accounts (id, email, name, created_at) VALUES ('a', 'a@example.com', '', 0)";
  const rows: [table: string, columns: string, old: string, fresh: string][] = [
    [
      "sessions",
      "id, account_id, token_hash, created_at, last_seen_at, address, user_agent",
      `'1', 'a', '1', ${now - 20 * DAY}, ${now - 14 * DAY - 1}, '', ''`,
      `'2', 'a', '2', ${now - 80 * DAY}, ${now - DAY}, '', ''`,
    ],
    [
      "sessions",
      "id, account_id, token_hash, created_at, last_seen_at, address, user_agent",
      `'3', 'a', '3', ${now - 90 * DAY - 1}, ${now}, '', ''`,
      `'4', 'a', '4', ${now}, ${now}, '', ''`,
    ],
    [
      "devices",
      "id, account_id, token_hash, created_at, last_used_at",
      `'1', 'a', '1', 0, ${now - 180 * DAY - 1}`,
      `'2', 'a', '2', 0, ${now - 179 * DAY}`,
    ],
    [
      "one_time_links",
      "token_hash, purpose, created_at, expires_at",
      `'1', 'reset', 0, ${now - 1}`,
      `'2', 'reset', 0, ${now + 1}`,
    ],
    [
      "email_changes",
      "token_hash, account_id, kind, email, created_at, expires_at",
      `'1', 'a', 'undo', '', 0, ${now - 1}`,
      `'2', 'a', 'undo', '', 0, ${now + 1}`,
    ],
    [
      "preview_tokens",
      "hash, website_id, article_id, created_by, created_at, expires_at",
      `'1', 'gone', 'a', 'p', 0, ${now - 1}`,
      `'2', 'gone', 'a', 'p', 0, ${now + 1}`,
    ],
    [
      "review_links",
      "id, hash, website_id, article_id, content_hash, label, created_by, created_at, expires_at",
      `'1', '1', 'gone', 'a', 'h', '', 'p', 0, ${now - 400 * DAY - 1}`,
      `'2', '2', 'gone', 'a', 'h', '', 'p', 0, ${now - 399 * DAY}`,
    ],
    [
      "working_copies",
      "account_id, id, website_id, article_id, content, saved_at",
      `'a', '1', 'gone', '', '', ${now - 90 * DAY - 1}`,
      `'a', '2', 'gone', '', '', ${now - 89 * DAY}`,
    ],
    [
      "presence",
      "website_id, article_id, account_id, activity, arrived_at, seen_at",
      `'gone', 'a', 'p', 'reading', 0, ${now - 45_001}`,
      `'gone', 'a', 'p', 'editing', 0, ${now}`,
    ],
    [
      "index_now_pings",
      "id, website_id, at, addresses, outcome",
      `'1', 'gone', ${now - 7 * DAY - 1}, 1, 'sent'`,
      `'2', 'gone', ${now - 6 * DAY}, 1, 'sent'`,
    ],
    ["challenges", "hash, expires_at", `'1', ${now - 1}`, `'2', ${now + 1}`],
    [
      "mails",
      "id, content, created_at, expires_at, tries, ready_at",
      `'1', '', 0, ${now - DAY - 1}, 0, 0`,
      `'2', '', 0, ${now}, 0, 0`,
    ],
    [
      "notifications",
      "id, account_id, website_id, kind, event_key, actor, detail, total, at, read_at, mail",
      `'1', 'a', 'gone', 'comment', '1', 'b', '{}', 1, ${now - 90 * DAY - 1}, ${now}, 0`,
      `'2', 'a', 'gone', 'comment', '2', 'b', '{}', 1, ${now - 364 * DAY}, NULL, 0`,
    ],
    [
      "idempotency_keys",
      "token_id, key, website_id, request_id, hash, article_id, created_at, status",
      `'t', '1', 'w', 'r', 'h', 'a', ${now - DAY - 1}, 200`,
      `'t', '2', 'w', 'r', 'h', 'a', ${now - DAY + 60_000}, 200`,
    ],
    [
      "key_requests",
      "website_id, key_id, hour, requests",
      `'gone', 'k', ${now - 90 * DAY - 1}, 1`,
      `'gone', 'k', ${now - DAY}, 1`,
    ],
    [
      "delivery_counts",
      "website_id, hour, counted_by, delivered, exhausted, retried",
      `'gone', ${now - 90 * DAY - 1}, 'w', 1, 1, 1`,
      `'gone', ${now - DAY}, 'w', 1, 1, 1`,
    ],
    [
      "dead_letters",
      "kind, subject_id, reason, failures, created_at, failed_at",
      `'mail', '1', '', 1, 0, ${now - WORK_KEPT - 1}`,
      `'mail', '2', '', 1, 0, ${now - WORK_KEPT + 1}`,
    ],
    [
      "audit_log",
      "id, at, actor, action, target_kind, target_id, detail",
      `'1', ${now - 365 * DAY - 1}, 'cli', 'key.created', 'key', 'x', '{}'`,
      `'2', ${now - 364 * DAY}, 'cli', 'key.created', 'key', 'x', '{}'`,
    ],
  ];
  await using receiver = await ScriptedReceiver.start();
  const { id } = await queue.endpoint(receiver);
  await app.store.write(async (db) => {
    await db.run(account);
    for (const [table, columns, old, fresh] of rows) {
      await db.run(`INSERT INTO ${table} (${columns}) VALUES (${old}), (${fresh})`);
    }
    const job = "INSERT INTO replay_jobs (id, website_id, endpoint_id, kind, next_no, created_at, finished_at)";
    await db.run(
      `${job} VALUES ('1', ?, ?, 'all', 0, 0, ?), ('2', ?, ?, 'all', 0, 0, NULL)`,
      website.id,
      id,
      now - WORK_KEPT - 1,
      website.id,
      id,
    );
    const secret = "INSERT INTO endpoint_secrets (id, website_id, endpoint_id, secret, created_at, expires_at)";
    await db.run(
      `${secret} VALUES ('1', ?, ?, '', 0, ?), ('2', ?, ?, '', 0, ?)`,
      website.id,
      id,
      now - 1,
      website.id,
      id,
      now + 1,
    );
  });
  const errors: unknown[] = [];
  assert.equal(await removeOld(app, KEEP, WORK_KEPT, (error) => errors.push(error)), rows.length + 2);
  assert.deepEqual(errors, []);
  assert.equal(await removeOld(app, KEEP, WORK_KEPT), 0);
  assert.equal(await count(app.store, "sessions"), 2);
  for (const [table] of rows.slice(2, -1)) assert.equal(await count(app.store, table), 1, table);
});

test("the audit log is kept for ever unless a setting says otherwise, and then deleted batch after batch", async () => {
  await using queue = await openQueue();
  const { app } = queue;
  await addEntries(app, app.now - 400 * DAY, 1_300);
  assert.equal(await removeOld(app, FOR_EVER, WORK_KEPT), 0);
  assert.equal(await removeOld(app, KEEP, WORK_KEPT), 1_300);
  assert.equal(await count(app.store, "audit_log", "action = 'website.created'"), 1);
});

test("a row that cannot be deleted blocks no other in any table, and is retried a day later", async () => {
  await using queue = await openQueue();
  const { app } = queue;
  await addEntries(app, app.now - 400 * DAY, 700);
  const id = await queue.publish("Old");
  await deleteArticle(app, id, CHIEF);
  const heal = await poison(app.store, "DELETE", "audit_log", "id", "old-9");
  const healArticle = await poison(app.store, "DELETE", "articles", "id", id);
  const other = await queue.publish("Another");
  await deleteArticle(app, other, CHIEF);
  app.now += 31 * DAY;
  const messages: string[] = [];
  const remove = () => removeOld(app, KEEP, WORK_KEPT, (_error, message) => messages.push(message));
  assert.equal(await remove(), 699 + 1);
  assert.equal(messages.length, 2);
  assert.deepEqual(
    (await listDeadLetters(app, 10))
      .map(({ kind, subjectId }) => `${kind} ${subjectId}`)
      .toSorted((a, b) => (a < b ? -1 : 1)),
    [`removal articles ${id}`, "removal audit_log old-9"],
  );
  await heal();
  await healArticle();
  assert.equal(await remove(), 0);
  app.now += DAY + 1;
  assert.equal(await remove(), 2);
  assert.equal(messages.length, 2);
});

/** The same snapshot in a database whose sessions cannot be read. */
function withoutSessions(db: Snapshot): Snapshot {
  return {
    engine: db.engine,
    get: (sql, ...params) => db.get(sql, ...params),
    rowNumbers: (sql, ...params) => db.rowNumbers(sql, ...params),
    all: (sql, ...params) =>
      sql.includes("FROM sessions") ? Promise.reject(new Error("no such table")) : db.all(sql, ...params),
  };
}

test("a table that cannot be cleaned at all does not block the next ones", async () => {
  await using queue = await openQueue();
  const { app } = queue;
  await addEntries(app, app.now - 400 * DAY, 3);
  const messages: string[] = [];
  const broken = {
    ...app,
    store: wrapStore(app.store, { read: (work) => app.store.read((db) => work(withoutSessions(db))) }),
  };
  assert.equal(await removeOld(broken, KEEP, WORK_KEPT, (_error, message) => messages.push(message)), 3);
  assert.equal(messages.length, 2);
  assert.match(messages[0] ?? "", /^old rows of sessions could not be deleted; it will be retried$/);
});

test("the history of the last webhook is deleted with it, although no dispatcher runs any more", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const { id } = await queue.endpoint(receiver);
  await queue.publish("Told");
  assert.equal(await removeOld(queue.app, FOR_EVER, WORK_KEPT), 0);
  await deleteEndpoint(queue.app, id, CLI_ORIGIN);
  assert.equal(await removeOld(queue.app, FOR_EVER, WORK_KEPT), 1);
  assert.equal(await count(queue.app.store, "delivery_queue"), 0);
});

test("articles stay in the trash for ever; with a setting they are deleted after that many days, with everything but their events", async () => {
  await using queue = await openQueue();
  const { app, website } = queue;
  const old = await queue.publish("Zeppelin", { tags: ["airship"] });
  await updateArticle(app, old, { content: "<p>Something else.</p>" }, CHIEF);
  const restored = await queue.publish("Comes back");
  const fresh = await queue.publish("Fresh");
  const alive = await queue.publish("Alive");
  for (const id of [old, restored]) await deleteArticle(app, id, CHIEF);
  await restoreArticle(app, restored, CHIEF);
  app.now += 20 * DAY;
  await deleteArticle(app, fresh, CHIEF);
  app.now += 11 * DAY;
  const events = await app.store.read((db) => listEvents(db, website.id, { after: 0, limit: 100 }));
  assert.equal(await removeOld(app, FOR_EVER, WORK_KEPT), 0);
  assert.equal(await removeOld(app, KEEP, WORK_KEPT), 1);
  assert.equal(await removeOld(app, KEEP, WORK_KEPT), 0);
  await assert.rejects(getArticle(app, old), (error) => error instanceof AppError && error.code === "not_found");
  for (const id of [restored, fresh, alive]) assert.equal((await getArticle(app, id)).article.id, id);
  for (const table of ["article_bodies", "article_labels", "revisions", "revision_texts"]) {
    const left = await count(app.store, table, "row_no NOT IN (SELECT row_no FROM articles)");
    assert.equal(left, 0, table);
  }
  assert.deepEqual(await app.store.read((db) => listEvents(db, website.id, { after: 0, limit: 100 })), events);
  const { entries } = await listAudit(app, { websiteId: website.id, about: "articles", after: null, limit: 1 });
  assert.deepEqual(
    entries.map(({ action, targetId, actor, detail }) => [action, targetId, actor, detail]),
    [["article.purged", old, "schedule", { title: "Zeppelin" }]],
  );
  // SQLite may give its row to the next article: nothing that was known of it may lead there.
  const next = await queue.publish("Next");
  const readModel = new ReadModel({ store: app.store, cacheBytes: 1_000_000, onChange: () => undefined });
  const found = (words: string[]) => titles(readModel, website.id, words);
  assert.deepEqual(await found(["zeppelin"]), []);
  assert.deepEqual(await found(["next"]), ["Next"]);
  assert.equal((await getArticle(app, next)).article.title, "Next");
});

async function titles(readModel: ReadModel, websiteId: string, words: string[] = []): Promise<string[]> {
  return readModel.read(websiteId, async (shelf) => {
    const page = await shelf.page({
      status: "published",
      limit: 50,
      offset: 0,
      sort: defaultSort("published"),
      filter: words.length === 0 ? {} : { words },
    });
    return page.rows.map((row) => (JSON.parse(row.toString()) as { title: string }).title);
  });
}

test("a process that has not seen an article's deletion stops showing it when it was purged meanwhile", async () => {
  await using queue = await openQueue();
  const { app, website } = queue;
  const readModel = new ReadModel({ store: app.store, cacheBytes: 1_000_000, onChange: () => undefined });
  const gone = await queue.publish("Gone");
  await queue.publish("Stays");
  assert.deepEqual((await titles(readModel, website.id)).toSorted(), ["Gone", "Stays"]);
  await deleteArticle(app, gone, CHIEF);
  app.now += 31 * DAY;
  assert.equal(await removeOld(app, KEEP, WORK_KEPT), 1);
  assert.deepEqual(await titles(readModel, website.id), ["Stays"]);
});

/** Everything that a website can have. */
const LABELS = { tags: ["x"], authors: [{ name: "x", url: null }] };

async function fill(queue: TestQueue, receiver: { url: string }) {
  const { app, website } = queue;
  const { secret } = await createKey(
    app,
    website.id,
    { name: "k", scope: "all", expiresAt: null, rateLimit: null },
    CLI_ORIGIN,
  );
  const endpoint = await queue.endpoint(receiver);
  const ids: string[] = [];
  for (let index = 0; index < 25; index++) ids.push(await queue.publish(`Article ${index}`, LABELS));
  const [first = ""] = ids;
  await updateArticle(app, first, { content: "<p>Changed.</p>" }, CHIEF);
  await deleteArticle(app, first, CHIEF);
  const planned = await createArticle(app, website.id, makeArticle({ title: "Planned", status: "approved" }), CHIEF);
  await app.store.write((db) =>
    db.run("UPDATE articles SET publish_at = ? WHERE id = ?", app.now + DAY, planned.article.id),
  );
  await addMember(app, { email: "only@example.com", name: "", role: "editor", websiteId: website.id }, CLI_ORIGIN);
  await app.store.write(async (db) => {
    await db.run(
      "INSERT INTO key_requests (website_id, hour, key_id, requests) VALUES (?, ?, 'k', 1)",
      website.id,
      app.now,
    );
    const [second = ""] = ids.slice(1);
    const row = "SELECT row_no FROM articles WHERE id = ?";
    await db.run(`INSERT INTO draft_copies VALUES ((${row}), ?, '{}', 'chief', 0, '[]')`, second, website.id);
    await db.run(`INSERT INTO article_findings VALUES ((${row}), 'todo', ?, 0)`, second, website.id);
    await db.run(`INSERT INTO rechecked_metrics VALUES ((${row}), ?, '2.0.0', '{}')`, second, website.id);
    await db.run(`INSERT INTO finding_overrides VALUES ((${row}), 'h', 'todo', ?, 'r', 'a', 0)`, second, website.id);
    await db.run(
      `INSERT INTO fingerprints VALUES ((${row}), ?, ?) ON CONFLICT DO NOTHING`,
      second,
      website.id,
      Buffer.alloc(256).toString("base64"),
    );
    await db.run(`INSERT INTO review_records VALUES ((${row}), ?, 'h', 'j', 0)`, second, website.id);
    await db.run(`INSERT INTO receipt_versions VALUES ((${row}), ?, 1, 1)`, second, website.id);
    await db.run(
      `INSERT INTO comment_threads (id, row_no, website_id, quote, created_at) VALUES ('t', (${row}), ?, '', 0)`,
      second,
      website.id,
    );
    await db.run(
      `INSERT INTO comments (id, row_no, website_id, thread_id, actor, body, mentions, created_at)
       VALUES ('t', (${row}), ?, 't', 'chief', 'x', '[]', 0)`,
      second,
      website.id,
    );
    await db.run(`INSERT INTO comment_texts VALUES ((${row}), ?, 1, NULL, '')`, second, website.id);
    await db.run(
      "INSERT INTO replay_jobs (id, website_id, endpoint_id, kind, next_no, created_at) VALUES ('r', ?, ?, 'all', 0, 0)",
      website.id,
      endpoint.id,
    );
    await db.run("INSERT INTO delivery_counts VALUES (?, 0, 'w', 1, 1, 1, NULL)", website.id);
    await db.run(
      `INSERT INTO attempts (delivery_no, number, website_id, started_at, outcome, request_headers, response_headers,
         response_body, total_ms)
       SELECT min(no), 1, ?, 0, 'ok', '{}', '{}', '', 1 FROM deliveries`,
      website.id,
    );
    await db.run(
      "INSERT INTO preview_tokens VALUES ('p', ?, ?, 'chief', 0, ?)",
      website.id,
      planned.article.id,
      app.now + DAY,
    );
    await db.run(
      `INSERT INTO review_links (id, hash, website_id, article_id, content_hash, label, created_by, created_at, expires_at)
       VALUES ('l', 'h', ?, ?, 'h', '', 'chief', 0, 0)`,
      website.id,
      planned.article.id,
    );
    await db.run(`INSERT INTO language_redirects VALUES (?, 's', (${row}), 'de', 1)`, website.id, second);
    await db.run("INSERT INTO article_origins VALUES (?, 's', NULL, 'h', '{}', NULL, NULL, '[]')", website.id);
    await db.run("INSERT INTO pushed_files VALUES (?, 'a.md', 't', 'h', NULL)", website.id);
    await db.run(
      "INSERT INTO access_tokens VALUES ('t', ?, 't', 'h', 'rm_abcd', 'wxyz', 'draft', 0, ?, NULL, NULL, NULL)",
      website.id,
      app.now + DAY,
    );
    await db.run(
      "INSERT INTO senders (id, website_id, kind, name, secret, created_at) VALUES ('s', ?, 'generic', 's', 'x', 0)",
      website.id,
    );
    await db.run(
      `INSERT INTO arrivals (id, sender_id, website_id, at, state, claimed_until, request, bytes)
       VALUES ('r', 's', ?, 0, 'waiting', 0, '{}', 0)`,
      website.id,
    );
    await db.run("INSERT INTO arrival_bodies VALUES ('r', ?, 's', 2, '{}')", website.id);
    await db.run("INSERT INTO arrived_articles VALUES (?, 'r', ?)", planned.article.id, website.id);
    await db.run("INSERT INTO sender_numbers VALUES ('s', 'post', 1, ?, 'x')", website.id);
    await db.run("INSERT INTO idempotency_keys VALUES ('t', 'k', ?, 'r', 'h', 'a', 201, 0)", website.id);
    await db.run("INSERT INTO working_copies VALUES ('chief', 'c', ?, '', '{}', 0)", website.id);
    await db.run("INSERT INTO presence VALUES (?, 'a', 'chief', 'reading', 0, 0)", website.id);
    await db.run("INSERT INTO index_now VALUES (?, 0, 0, 0)", website.id);
    await db.run("INSERT INTO index_now_pings VALUES ('p', ?, 0, 1, 'sent', 200, NULL)", website.id);
    await db.run(
      `INSERT INTO notifications (id, account_id, website_id, kind, target_id, event_key, actor, detail, total, at, mail)
       VALUES ('n', 'chief', ?, 'comment', 'x', 'e', 'b', '{}', 1, 0, 0)`,
      website.id,
    );
    await db.run(
      "INSERT INTO assets VALUES (?, ?, ?, 'a.png', 'image/png', 1, 2, 3, '', NULL, 'chief', 0, NULL)",
      app.newId(),
      website.id,
      "0".repeat(64),
    );
    await db.run(
      "INSERT INTO mails (id, website_id, content, created_at, expires_at, tries, ready_at) VALUES ('m', ?, '', 0, ?, 0, 0)",
      website.id,
      app.now + DAY,
    );
  });
  return { secret, endpoint: endpoint.id, ids };
}

/** How many rows name the website, by table; the audit log left out. */
async function rowsOf({ app, website }: TestQueue): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const { name, columns } of COPIED_TABLES) {
    const column = name === "websites" ? "id" : "website_id";
    if (name === "audit_log" || !columns.includes(column)) continue;
    const rows = await count(app.store, name, `${column} = '${website.id}'`);
    if (rows > 0) found[name] = rows;
  }
  return found;
}

test("a deleted website disappears at once for everybody, and its rows later; its audit entries stay, and others keep everything", async () => {
  await using queue = await openQueue();
  const { app, website } = queue;
  await using receiver = await ScriptedReceiver.start();
  const { secret, endpoint, ids } = await fill(queue, receiver);
  const other = await createWebsite(app, { name: "Other", url: null, urlPattern: null }, CLI_ORIGIN);
  const kept = await createArticle(app, other.id, makeArticle({ status: "published" }), CHIEF);
  await assert.rejects(deleteWebsite(app, website.id, "Other", CLI_ORIGIN), /The name of this website is "Test"/);
  const before = await rowsOf(queue);
  const own = COPIED_TABLES.filter(({ columns }) => columns.includes("website_id")).map(({ name }) => name);
  assert.deepEqual(
    new Set(Object.keys(before)),
    new Set(["websites", ...own]).difference(new Set(["audit_log", "dead_letters"])),
    "each table of a website has rows here: a new one needs some, and its place in website-deletion.ts",
  );
  await deleteWebsite(app, website.id, "Test", CLI_ORIGIN);

  assert.deepEqual(
    (await listWebsites(app)).map(({ id }) => id),
    [other.id],
  );
  assert.notEqual((await app.store.read((db) => findKeyByHash(db, hashKey(secret))))?.revokedAt, null);
  await assert.rejects(getArticle(app, ids[5] ?? ""), /There is no article/);
  await assert.rejects(queue.find(endpoint), /There is no webhook/);
  await assert.rejects(updateArticle(app, ids[5] ?? "", { title: "x" }, CHIEF), /There is no article/);
  await assert.rejects(
    createArticle(app, other.id, makeArticle({ id: ids[5] ?? "" }), CHIEF),
    /an article with the id/,
  );
  const readModel = new ReadModel({ store: app.store, cacheBytes: 1_000_000, onChange: () => undefined });
  await assert.rejects(titles(readModel, website.id), /There is no such website/);
  assert.equal(await count(app.store, "accounts", "email = 'only@example.com'"), 0);
  app.now += 2 * DAY;
  assert.equal(await new Schedule(app, () => undefined).publish(), 0);

  assert.equal(await removeDeletedWebsites(app), 1);
  assert.deepEqual(await rowsOf(queue), {});
  assert.equal(await count(app.store, "article_bodies"), 1);
  assert.equal(await count(app.store, "attempts"), 0);
  assert.equal(await removeDeletedWebsites(app), 0);
  assert.equal((await getArticle(app, kept.article.id)).article.websiteId, other.id);
  const { entries } = await listAudit(app, { websiteId: null, about: "websites", after: null, limit: 1 });
  assert.deepEqual(
    entries.map(({ action, targetId, detail }) => [action, targetId, detail]),
    [["website.deleted", website.id, { name: "Test", url: "https://example.com", articles: 26 }]],
  );
  await publishArticle(
    app,
    (await createArticle(app, other.id, makeArticle({ status: "approved" }), CHIEF)).article.id,
    CHIEF,
  );
});

test("a row that cannot be deleted keeps its website from disappearing completely, not from being emptied; it is retried", async () => {
  await using queue = await openQueue();
  const { app, website } = queue;
  await using receiver = await ScriptedReceiver.start();
  await fill(queue, receiver);
  const heal = await poison(app.store, "DELETE", "events", "sequence", 3);
  const second = await createWebsite(app, { name: "Second", url: null, urlPattern: null }, CLI_ORIGIN);
  await deleteWebsite(app, website.id, "Test", CLI_ORIGIN);
  await deleteWebsite(app, second.id, "Second", CLI_ORIGIN);
  const messages: string[] = [];
  assert.equal(await removeDeletedWebsites(app, (_error, message) => messages.push(message)), 1);
  assert.deepEqual(await rowsOf(queue), { websites: 1, events: 1, dead_letters: 1 });
  assert.deepEqual(messages, [`events ${website.id} 3 cannot be deleted; the others are`]);
  assert.deepEqual(await listWebsites(app), []);
  await heal();
  app.now += DAY + 1;
  assert.equal(await removeDeletedWebsites(app), 1);
  assert.deepEqual(await rowsOf(queue), { dead_letters: 1 });
});

test("deliveries in progress of a deleted website's webhook end without errors, and nothing more is sent", async () => {
  await using queue = await openQueue();
  const { app, website } = queue;
  const { script, open } = gate();
  await using receiver = await ScriptedReceiver.start(script);
  await queue.endpoint(receiver);
  await queue.publish("First");
  queue.start();
  await receiver.arrival(1);
  await deleteWebsite(app, website.id, "Test", CLI_ORIGIN);
  open({ status: 200, body: JSON.stringify({ platform_url: "https://example.com/there" }) });
  await eventually(() => receiver.underWay, 0);
  await until(
    "it is gone",
    async () => (await removeDeletedWebsites(app)) === 1 || (await rowsOf(queue))["websites"] === undefined,
  );
  assert.deepEqual(queue.errors, []);
  assert.equal(receiver.received.length, 1);
});

test("a running service answers 401 to the keys of a website that another process has deleted completely", async () => {
  await using service = await startTestService();
  const { app, website } = service;
  assert.equal((await service.get("/api/public/articles")).status, 200);
  const other = await service.newWebsite({ name: "Other" });
  const { secret } = await service.newKey({}, other.id);
  await using second = await openApp(app.config);
  await deleteWebsite(second, website.id, website.name, CLI_ORIGIN);
  await removeDeletedWebsites(second);
  await until("the key is refused", async () => (await service.get("/api/public/articles")).status === 401);
  assert.equal((await service.get("/api/public/articles", { "X-API-Key": secret })).status, 200);
  assert.deepEqual(service.log.failures, []);
});

const SQLITE_ONLY = { skip: ENGINE === "postgres" ? "PostgreSQL plans by its statistics" : false };

test("a batch of rows is found by key, without reading the website's other rows", SQLITE_ONLY, async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  const keys = [1, 2].map((sequence) => ["w", sequence]);
  const [sent] = await sentBy(store, (db) =>
    deleteRows(db, rowsOfWebsite("events", ["website_id", "sequence"], "w"), keys),
  );
  assert.ok(sent !== undefined);
  const plan = await store.read((db) =>
    db.all(declareRow<{ detail: string }>(`EXPLAIN QUERY PLAN ${sent.sql}`), ...sent.params),
  );
  assert.match(String(plan[0]?.detail), /^SEARCH events USING .*\(website_id=\? AND sequence=\?\)$/);
});

test("the command says what would be deleted; killed while deleting, it continues when it is run again", async () => {
  await using queue = await openQueue();
  const { app, website } = queue;
  await using receiver = await ScriptedReceiver.start();
  await fill(queue, receiver);
  const EVENTS = 20_000;
  await app.store.write((db) =>
    db.run(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO events (website_id, sequence, id, kind, article_id, created_at, payload)
       SELECT ?, 1000 + i, 'event-' || CAST(i AS TEXT), 'article.updated', 'x', 0, '{}' FROM n`,
      EVENTS,
      website.id,
    ),
  );
  const { database, dataDir } = app.config;
  const options = { data: dataDir, env: database.kind === "postgres" ? { DATABASE_URL: database.url } : {} };
  const asked = await runCli(["website", "delete", "Test"], options);
  assert.equal(asked.code, 1);
  assert.match(
    asked.stderr,
    /"Test" has articles: 26, events: 20027, API keys: 1, webhooks: 1, members of its own: 1\. To delete/,
  );
  assert.equal((await listWebsites(app)).length, 1);

  const child = spawnCli(["website", "delete", "Test", "--yes"], options);
  const exited = once(child, "exit");
  await until("it deletes events, and is killed before the next batch", () =>
    app.store.write(async (db) => {
      await lockWebsite(db, website.id);
      const row = await db.get("SELECT count(*) AS n FROM events");
      const isUnderWay = (row?.n ?? 0) < EVENTS;
      if (isUnderWay) {
        child.kill("SIGKILL");
        await exited;
      }
      return isUnderWay;
    }),
  );
  assert.deepEqual(await listWebsites(app), []);
  const again = await cliJson(["website", "delete", website.id], options);
  assert.deepEqual(again, { id: website.id, name: "Test", deleted: true, is_complete: true });
  assert.deepEqual(await rowsOf(queue), {});
  const gone = await runCli(["website", "delete", website.id, "--yes"], options);
  assert.deepEqual([gone.code, /There is no website/.test(gone.stderr)], [1, true]);
});
