/** A store with data of every kind, and what readers and receivers may expect of it. */
import { openApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/process/settings/config.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createToken } from "../../src/operations/people/access-tokens.ts";
import { createKey, revokeKey } from "../../src/operations/people/api-keys.ts";
import {
  approveArticle,
  createArticle,
  deleteArticle,
  scheduleArticle,
  updateArticle,
} from "../../src/operations/articles/write/articles.ts";
import type { Arrival, ArrivalOutcome } from "../../src/domain/articles/senders/sender.ts";
import { changeSender, createSender, rotateSender } from "../../src/operations/articles/senders/senders.ts";
import { finishArrival, insertArrival } from "../../src/store/articles/senders/arrivals.ts";
import { addComment, replyToComment } from "../../src/operations/articles/review/comments.ts";
import { saveDraftCopy } from "../../src/operations/articles/write/draft-copies.ts";
import { enableEndpoint } from "../../src/operations/webhooks/catch-up.ts";
import { createEndpoint, pauseEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { saveReceipt } from "../../src/operations/articles/lists/receipts.ts";
import { createWebsite } from "../../src/operations/website/websites.ts";
import { Dispatcher } from "../../src/webhooks/dispatch/dispatcher.ts";
import { CHIEF, fullArticle, FUTURE, makeArticle, oneOfEach } from "./articles.ts";
import type { Value } from "../../src/store/store.ts";
import { FAILS, LOOPBACK, ScriptedReceiver } from "./webhooks.ts";
import { until } from "./until.ts";

/** Decrypts the secrets of the store, also after the store was moved. */
const SECRET_KEY = "a key that all of them share, and no test needs to hide";

/** Settings of the service that takes over the store: one retry, immediately. */
export const FULL_STORE_SETTINGS = { ...LOOPBACK, ROSTRUM_SECRET_KEY: SECRET_KEY, ROSTRUM_WEBHOOK_RETRY_SECONDS: "0" };

const HOSTILE = `"; DROP TABLE articles; -- ' ? $1 \\ \u0001 \u2028 ﷺ 𝕏 👩‍👩‍👧 e\u0301 %s {"a":[1]}`;

export interface FullStore {
  websiteId: string;
  /** API key of the first website. */
  key: string;
  revokedKey: string;
  /** A word that only one article contains, and a word of a Japanese text. */
  word: string;
  wordIn: string;
  /** The endpoint with a pending delivery, and its secret. */
  waiting: { id: string; secret: string };
}

/** Fills the store. @param receiver gets the first article's event, and has another delivery pending. */
export async function fillStore(settings: Record<string, string>, receiver: { url: string }): Promise<FullStore> {
  await using failing = await ScriptedReceiver.start(FAILS);
  const config = readConfig({ ...FULL_STORE_SETTINGS, ROSTRUM_LOG_LEVEL: "silent", ...settings }, "/nowhere");
  await using app = await openApp(config);
  const website = await createWebsite(app, { name: "First", url: "https://example.com", urlPattern: null }, CLI_ORIGIN);
  const other = await createWebsite(app, { name: HOSTILE, url: null, urlPattern: null }, CLI_ORIGIN);
  const keyInput = { name: HOSTILE, scope: "all" as const, expiresAt: null, rateLimit: null };
  const { secret: key } = await createKey(app, website.id, keyInput, CLI_ORIGIN);
  const revoked = await createKey(app, website.id, { ...keyInput, expiresAt: FUTURE, rateLimit: 3 }, CLI_ORIGIN);
  await revokeKey(app, revoked.key.id, CLI_ORIGIN);
  await createToken(app, website.id, { name: HOSTILE, scope: "draft", expiresAt: FUTURE }, CLI_ORIGIN);

  const { sender } = await createSender(app, website.id, { kind: "generic", name: HOSTILE, secret: null }, CLI_ORIGIN);
  await rotateSender(app, sender.id, null, CLI_ORIGIN);
  await changeSender(app, sender.id, { mapping: { fields: { title: ["überschrift"] } } }, CLI_ORIGIN);

  const waiting = await createEndpoint(
    app,
    website.id,
    { url: receiver.url, headers: { "X-Own": "of the receiver" } },
    CLI_ORIGIN,
  );
  const broken = await createEndpoint(app, website.id, { url: `${failing.url}/broken` }, CLI_ORIGIN);
  const paused = await createEndpoint(app, website.id, { url: `${failing.url}/paused`, payload: "thin" }, CLI_ORIGIN);
  await pauseEndpoint(app, paused.endpoint.id, CLI_ORIGIN);

  const errors: unknown[] = [];
  const dispatcher = new Dispatcher({
    deps: app,
    policy: config.webhooks,
    saveReceipt,
    random: () => 0.5,
    worker: "filling",
    onRecorded: () => undefined,
    onError: (error) => errors.push(error),
  });
  dispatcher.start();
  const each = await oneOfEach(app, website.id);
  const isQueueEmpty = async () =>
    (await app.store.read((db) => db.get("SELECT 1 FROM delivery_queue LIMIT 1"))) === undefined;
  await until("the first deliveries are done", isQueueEmpty);
  await dispatcher.stop(1_000);
  if (errors.length > 0) throw new AggregateError(errors, "the dispatcher");

  const { article } = await createArticle(
    app,
    website.id,
    fullArticle({
      authors: [{ name: "Ada", url: "https://ada.example" }],
      metaTitle: "Another title",
      canonicalUrl: "https://other.example/a",
      aliases: ["/old/path", "old"],
      language: "pt-BR",
      translationGroup: "a",
      content: "<p>Only here: xylophonist. 緑茶は美味しい。</p>",
      status: "published",
      tags: [HOSTILE, "ä", "Ä"],
    }),
    CHIEF,
  );
  await saveDraftCopy(app, article.id, { title: HOSTILE, content: `<p>${HOSTILE}</p>` }, CHIEF);
  const hostile = { title: HOSTILE, content: `<p>${HOSTILE.repeat(400)}</p>`, categories: [HOSTILE], excerpt: HOSTILE };
  const published = (await createArticle(app, other.id, makeArticle({ ...hostile, status: "published" }), CHIEF))
    .article.id;
  const moves = [{ slug: "renamed" }, { language: "de" }, { slug: "again" }, { slug: "renamed", language: null }];
  for (const move of moves) await updateArticle(app, published, move, CHIEF);
  const pending = makeArticle({ markdown: "# Head\n\n*text* | x\n", status: "pending" });
  const edited = (await createArticle(app, other.id, pending, CHIEF)).article.id;
  await updateArticle(app, edited, { title: HOSTILE, content: `<p>${HOSTILE}</p>`, excerpt: HOSTILE }, CHIEF);
  await updateArticle(app, edited, { markdown: HOSTILE }, CHIEF);
  await app.store.write((db) =>
    saveReceipt(db, app, { websiteId: other.id, articleId: published }, { platformUrl: null, platformPostId: HOSTILE }),
  );
  const passage = { start: 0, end: 1, quote: HOSTILE.charAt(0) };
  const thread = await addComment(app, article.id, { text: HOSTILE, passage, replacement: HOSTILE }, CHIEF);
  await replyToComment(app, article.id, thread, HOSTILE, CHIEF);
  const guest = { name: HOSTILE, invitedBy: CHIEF.id, admit: () => Promise.resolve() };
  await replyToComment(app, article.id, thread, HOSTILE, { id: "l1", mayApprove: false }, guest);
  const scheduled = await createArticle(app, other.id, makeArticle({ status: "pending" }), CHIEF);
  await approveArticle(app, scheduled.article.id, CHIEF);
  await scheduleArticle(app, scheduled.article.id, FUTURE, CHIEF);
  await deleteArticle(app, each.approved.article.id, CHIEF);
  await pauseEndpoint(app, broken.endpoint.id, CLI_ORIGIN);
  await enableEndpoint(app, broken.endpoint.id, "latest", CLI_ORIGIN);
  await app.store.write(async (db) => {
    for (const [table, ...values] of OTHERS) {
      await db.run(`INSERT INTO ${table} VALUES (${values.map(() => "?").join(", ")})`, ...values);
    }
    await insertArrival(db, { ...ARRIVAL, senderId: sender.id }, { body: HOSTILE, claimedUntil: 1 });
    await finishArrival(db, ARRIVAL, "needs_attention", ARRIVAL.outcome);
    await db.run("INSERT INTO signing_keys VALUES ('k1', ?, NULL, 1, 2, NULL)", HOSTILE);
    const row = "SELECT row_no FROM articles WHERE id = ?";
    await db.run(`INSERT INTO article_findings VALUES ((${row}), 'todo', ?, 0)`, published, other.id);
    await db.run(`INSERT INTO rechecked_metrics VALUES ((${row}), ?, '2.0.0', ?)`, published, other.id, HOSTILE);
    await db.run(
      `INSERT INTO finding_overrides VALUES ((${row}), 'h', 'todo', ?, ?, 'a1', 1)`,
      published,
      other.id,
      HOSTILE,
    );
    await db.run(
      `INSERT INTO fingerprints VALUES ((${row}), ?, ?) ON CONFLICT DO NOTHING`,
      published,
      other.id,
      Buffer.alloc(256).toString("base64"),
    );
    await db.run(`INSERT INTO review_records VALUES ((${row}), ?, 'h', ?, 1)`, published, other.id, HOSTILE);
    await db.run("INSERT INTO sender_numbers VALUES (?, 'post', 1, 'w1', ?)", sender.id, HOSTILE);
  });
  // Simulates a worker that died while holding leases.
  await app.store.write((db) =>
    db.run("UPDATE delivery_queue SET lease_token = 't', lease_until = 1, worker = 'dead' WHERE ready_at IS NOT NULL"),
  );
  return {
    websiteId: website.id,
    key,
    revokedKey: revoked.secret,
    word: "xylophonist",
    wordIn: "美味",
    waiting: { id: waiting.endpoint.id, secret: waiting.secret },
  };
}

const ARRIVAL: Omit<Arrival, "senderId"> & { outcome: ArrivalOutcome } = {
  id: "ar1",
  websiteId: "w1",
  at: 1,
  state: "waiting",
  request: { method: "POST", path: "", query: {}, headers: { "x-name": HOSTILE } },
  bytes: 7,
  outcome: {
    kind: "article",
    event: HOSTILE,
    problem: null,
    articles: [
      {
        externalId: HOSTILE,
        title: HOSTILE,
        outcome: "held",
        articleId: "a1",
        message: HOSTILE,
        places: { title: "t" },
      },
    ],
  },
};

/** Rows for the tables that the operations above leave empty: the table, and the row's values. */
const OTHERS: readonly (readonly [table: string, ...Value[]])[] = [
  ["accounts", "a1", "owner@example.com", HOSTILE, "$argon2id$…", "*", 1, null, 2],
  ["memberships", "m1", "a1", null, "owner", 1, 1],
  ["sessions", "s1", "a1", "hash", 1, 2, 2, 1, "127.0.0.1", HOSTILE],
  ["one_time_links", "hash", "set-up", null, "*", null, null, null, 1, 2],
  ["email_changes", "hash", "a1", "undo", "earlier@example.com", null, 1, 2],
  ["totp", "a1", "sealed", 1, null, 0],
  ["recovery_codes", "a1", "hash"],
  ["passkeys", "p1", "a1", "key", 0, "[]", HOSTILE, 1, null],
  ["devices", "d1", "a1", "hash", 1, 2],
  ["preview_tokens", "hash", "w1", "a1", "a1", 1, 2],
  ["assets", "as1", "w1", "hash", "a.png", "image/png", 1, 2, 3, HOSTILE, null, "a1", 1, null],
  ["review_links", "l1", "hash", "w1", "a1", "hash", HOSTILE, "a1", 1, 2, null, HOSTILE, "approve", 2],
  ["article_origins", "w1", "markdown:a.md", 1, "hash", "{}", HOSTILE, 1, HOSTILE],
  ["pushed_files", "w1", HOSTILE, "t1", "hash", "a1"],
  ["working_copies", "a1", "wc1", "w1", "a1", HOSTILE, FUTURE],
  ["presence", "w1", "a1", "a1", "editing", 1, FUTURE],
  ["index_now", "w1", 3, 1, FUTURE],
  ["index_now_pings", "ping1", "w1", 1, 2, "retried", null, HOSTILE],
  ["challenges", "hash", null, 1],
  ["key_requests", "w1", 3_600_000, "k1", 7],
  ["idempotency_keys", "t1", HOSTILE, "w1", "request", "hash", "a1", 201, FUTURE],
  ["mails", "mail1", null, "sealed", 1, FUTURE, 0, FUTURE],
  ["notifications", "n1", "a1", "w1", "changes_requested", "a1", "e1", "a2", "{}", 1, 2, null, 1],
  ["notification_settings", "a1", "daily", '["comment"]', "Europe/Berlin"],
  ["dead_letters", "delivery", "d1", "w1", HOSTILE, 2, 1, 3],
  ["content_removals", "w1", "a1", 7],
  ["audit_log", "l1", 1, null, "a1", "sign-in", "account", "a1", "{}", null],
  ["settings", "some setting", HOSTILE],
];
