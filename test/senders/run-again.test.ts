/** What was not understood is run again after its sender's mapping was changed, and takes back nothing that came since. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import type { Arrival } from "../../src/domain/articles/senders/sender.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { listArrivals, runAgain, runAllAgain } from "../../src/operations/articles/senders/arrivals.ts";
import { finishWaiting } from "../../src/operations/articles/senders/receive.ts";
import { changeSender, createSender, getSender } from "../../src/operations/articles/senders/senders.ts";
import { getArticle } from "../../src/operations/articles/write/articles.ts";
import { readUnreadCount } from "../../src/operations/people/notifications.ts";
import { listAudit } from "../../src/operations/system/audit.ts";
import { forgetBodies, queueAgain } from "../../src/store/articles/senders/arrivals.ts";
import { insertAccount } from "../../src/store/people/accounts.ts";
import { insertMembership } from "../../src/store/people/memberships.ts";
import { cliJson, runCli } from "../helpers/cli-in-process.ts";
import { records } from "../helpers/http.ts";
import { until } from "../helpers/until.ts";
import { startTestService, type TestService } from "../helpers/service.ts";

const MAPPING = { articles: ["beitrag"], fields: { title: ["kopf"], html: ["rumpf"] }, id: ["nummer"] };
const TEXT = "<p>Flour and water, and a week of patience.</p>";

/** A body whose names are nobody's. */
function strange(nummer: number, kopf: string) {
  return { beitrag: { nummer, kopf, rumpf: TEXT } };
}

describe("arrivals that are run again", () => {
  let service: TestService;
  let id: string;
  let secret: string;

  before(async () => {
    service = await startTestService();
  });
  after(() => service[Symbol.asyncDispose]());

  beforeEach(async () => {
    const input = { kind: "generic", name: "Bäckerei", secret: null };
    const made = await createSender(service.app, service.website.id, input, CLI_ORIGIN);
    id = made.sender.id;
    secret = String(made.secret);
  });

  /** @returns the arrival, once its outcome is recorded: the answer does not wait for that. */
  const send = async (body: unknown): Promise<Arrival> => {
    const headers = { "X-API-Key": undefined, "Content-Type": "application/json", Authorization: `Bearer ${secret}` };
    await service.send(`/senders/${id}`, { method: "POST", headers, body: JSON.stringify(body) });
    let newest: Arrival | undefined;
    await until("its outcome is recorded", async () => {
      [newest] = (await listArrivals(service.app, id, { state: null, before: null, limit: 1 })).arrivals;
      return newest !== undefined && newest.state !== "waiting";
    });
    assert.ok(newest !== undefined);
    return newest;
  };

  test("one that was mapped becomes a draft in review, and running it once more changes nothing", async () => {
    const { app } = service;
    const arrival = await send(strange(1, "Sauerteig"));
    assert.equal(arrival.state, "needs_attention", JSON.stringify(arrival.outcome));
    assert.equal((await runAgain(app, arrival.id, CLI_ORIGIN)).state, "needs_attention");
    await changeSender(app, id, { mapping: MAPPING }, CLI_ORIGIN);
    const stored = await runAgain(app, arrival.id, CLI_ORIGIN);
    assert.equal(stored.state, "stored", JSON.stringify(stored.outcome));
    const [made] = stored.outcome?.articles ?? [];
    const { article } = await getArticle(app, made?.articleId ?? "");
    assert.deepEqual([article.title, article.status, article.reviewState], ["Sauerteig", "pending", "in_review"]);
    const [again] = (await runAgain(app, arrival.id, CLI_ORIGIN)).outcome?.articles ?? [];
    assert.deepEqual([again?.outcome, again?.articleId], ["unchanged", article.id]);
    const { entries } = await listAudit(app, { websiteId: service.website.id, about: "keys", after: null, limit: 4 });
    const run = ["arrival.run_again", arrival.id];
    assert.deepEqual(
      entries.map(({ action, targetId }) => [action, targetId]),
      [run, run, ["sender.changed", id], run],
    );
  });

  test("all that need attention are run in the order in which they came, and the service goes on with the rest", async () => {
    const { app } = service;
    for (let version = 1; version <= 3; version++) await send(strange(1, `Version ${version}`));
    for (let nummer = 2; nummer <= 23; nummer++) await send(strange(nummer, `Beitrag ${nummer}`));
    assert.deepEqual((await getSender(app, id)).arrivals, { waiting: 0, needsAttention: 25 });
    await changeSender(app, id, { mapping: MAPPING }, CLI_ORIGIN);
    const result = await runAllAgain(app, id, CLI_ORIGIN);
    assert.deepEqual([result.runs, result.needsAttention, result.done + result.waiting], [25, 0, 25]);
    await finishWaiting(app);
    let arrivals: Arrival[] = [];
    // The service's own task may have claimed some.
    await until("all are stored", async () => {
      ({ arrivals } = await listArrivals(app, id, { state: "stored", before: null, limit: 100 }));
      return arrivals.length === 25;
    });
    const [made] = arrivals.at(-1)?.outcome?.articles ?? [];
    assert.equal((await getArticle(app, made?.articleId ?? "")).article.title, "Version 3");
    assert.deepEqual(await runAllAgain(app, id, CLI_ORIGIN), { runs: 0, done: 0, needsAttention: 0, waiting: 0 });
  });

  test("what a later arrival has brought stays", async () => {
    const { app } = service;
    const first = await send(strange(7, "Erster Stand"));
    const later = await send({ nummer: 7, id: 7, title: "Zweiter Stand", html: TEXT });
    assert.deepEqual([first.state, later.state], ["needs_attention", "stored"]);
    await changeSender(app, id, { mapping: MAPPING }, CLI_ORIGIN);
    const [late] = (await runAgain(app, first.id, CLI_ORIGIN)).outcome?.articles ?? [];
    assert.deepEqual([late?.outcome, late?.message], ["unchanged", "A later delivery of this article has come since."]);
    assert.equal((await getArticle(app, late?.articleId ?? "")).article.title, "Zweiter Stand");
  });

  test("owners are told of what needs attention until nothing does", async () => {
    const { app } = service;
    await app.store.write(async (db) => {
      const account = {
        id: "olga",
        email: "o@example.com",
        name: "Olga",
        passwordHash: "x",
        trustedFor: "every" as const,
      };
      await insertAccount(db, { ...account, createdAt: 1, disabledAt: null, lastSignInAt: null });
      const membership = { id: "m", accountId: "olga", websiteId: null, role: "owner" as const };
      await insertMembership(db, { ...membership, createdAt: 1, acceptedAt: 1 });
    });
    const unread = () => readUnreadCount(app, { accountId: "olga", hasSecondFactor: false });
    const [first] = [await send(strange(31, "Sauerteig")), await send(strange(32, "Vorteig"))];
    assert.equal(await unread(), 1);
    await changeSender(app, id, { mapping: MAPPING }, CLI_ORIGIN);
    const toReview = 1;
    await runAgain(app, first.id, CLI_ORIGIN);
    assert.equal(await unread(), 1 + toReview);
    await runAllAgain(app, id, CLI_ORIGIN);
    await until("the last is stored", async () => (await getSender(app, id)).arrivals.waiting === 0);
    await runAllAgain(app, id, CLI_ORIGIN);
    assert.equal(await unread(), 2 * toReview);
  });

  test("one that is being understood, or whose body is gone, is not run", async () => {
    const { app } = service;
    const arrival = await send(strange(1, "Sauerteig"));
    await app.store.write((db) => queueAgain(db, arrival, app.clock() + 60_000));
    await assert.rejects(runAgain(app, arrival.id, CLI_ORIGIN), /is being understood at the moment/);
    await app.store.write(async (db) => {
      await db.run("UPDATE arrivals SET state = 'needs_attention' WHERE id = ?", arrival.id);
      await forgetBodies(db, [arrival.id]);
    });
    await assert.rejects(runAgain(app, arrival.id, CLI_ORIGIN), /no longer kept/);
    assert.equal((await runAllAgain(app, id, CLI_ORIGIN)).runs, 0);
    await assert.rejects(runAgain(app, "none", CLI_ORIGIN), { code: "not_found" });
  });

  test("the commands show what came, try a mapping without saving it, save it and run again, and remove it", async () => {
    const { dataDir: data, database } = service.app.config;
    const options = { data, env: database.kind === "sqlite" ? {} : { DATABASE_URL: database.url } };
    const [first, second] = [await send(strange(1, "Sauerteig")), await send(strange(2, "Vorteig"))];
    const body = await runCli(["sender", "arrival", first.id], options);
    assert.deepEqual(JSON.parse(body.stdout), strange(1, "Sauerteig"));
    const whole = await cliJson(["sender", "arrival", first.id], options);
    assert.deepEqual([whole["body"], whole["state"]], [JSON.stringify(strange(1, "Sauerteig")), "needs_attention"]);

    const map = (...args: string[]) =>
      runCli(["sender", "map", id, ...args], { ...options, stdin: JSON.stringify(MAPPING) });
    const tried = await map("--try", first.id);
    assert.deepEqual([tried.code, tried.stdout], [1, ""]);
    assert.match(tried.stderr, /No article was found/);
    const fitting = await map("--file", "-", "--try", first.id);
    assert.equal(fitting.code, 0, fitting.stderr);
    assert.match(fitting.stdout, /1 +title +beitrag\.kopf\n/);
    assert.equal((await map()).stdout, "null\n", "nothing is saved");
    assert.match((await map("--file", "-", "--clear")).stderr, /--file or --clear/);

    const saved = await map("--file", "-", "--run-again");
    assert.deepEqual([saved.code, saved.stdout], [0, ""]);
    assert.match(saved.stderr, /^Run again: 2\. Done: [012]\. Still need attention: 0\. Waiting: [012]\.$/m);
    await until("both are stored", async () => {
      const { arrivals } = await listArrivals(service.app, id, { state: "stored", before: null, limit: 9 });
      return arrivals.length === 2 && arrivals.some((one) => one.id === second.id);
    });
    assert.deepEqual((await map()).json(), MAPPING);
    assert.equal((await map("--clear")).stdout, "null\n");
    const wrong = { ...options, stdin: '{"fields": {"titel": ["kopf"]}}' };
    const refused = await runCli(["sender", "map", id, "--file", "-"], wrong);
    assert.deepEqual([refused.code, refused.stdout], [1, ""]);
    assert.match(refused.stderr, /mapping\.fields\.titel is not known; known are title, /);
  });

  test("the fields of a protocol cannot be mapped", async () => {
    const input = { kind: "wordpress", name: "WordPress", secret: null };
    const { sender } = await createSender(service.app, service.website.id, input, CLI_ORIGIN);
    await assert.rejects(changeSender(service.app, sender.id, { mapping: MAPPING }, CLI_ORIGIN), /WordPress/);
  });

  test("the commands connect a sender, show its arrivals, run one again, rotate and delete", async () => {
    const { dataDir: data, database } = service.app.config;
    const options = { data, env: database.kind === "sqlite" ? {} : { DATABASE_URL: database.url } };
    const args = ["sender", "create", "--website", service.website.id, "--kind", "generic", "--name", "n"];
    const made = await cliJson(args, options);
    [id, secret] = [String(made["id"]), String(made["secret"])];
    assert.match(String(made["url"]), new RegExp(`^https?://.+/senders/${id}$`));
    const shown = await runCli(args, options);
    assert.match(shown.stdout, /^https?:\/\/\S+\/senders\/[\da-f]{32}\n[\dA-Za-z]{32}\n$/);
    assert.match(shown.stderr, /Sender "n" \(id [\da-f]{32}\) is connected\. .+\nKeep the secret now/);
    const given = await runCli([...args, "--secret-file", "-"], { ...options, stdin: "made-elsewhere\n" });
    assert.match(given.stdout, /^https?:\/\/\S+\/senders\/[\da-f]{32}\n$/);
    const unknown = await runCli(args.with(5, "Out Rank"), options);
    assert.deepEqual([unknown.code, unknown.stdout], [1, ""]);
    assert.match(unknown.stderr, /did you mean outrank\?/);
    const kinds = records((await runCli(["sender", "kinds", "--json"], options)).json());
    assert.deepEqual(
      kinds.slice(0, 3).map(({ kind }) => kind),
      ["generic", "wordpress", "ghost"],
    );

    const arrival = await send(strange(1, "Sauerteig"));
    const list = await runCli(["sender", "list", "--website", service.website.id, "--json"], options);
    const listed = records(list.json()).find((one) => one["id"] === id);
    assert.deepEqual([listed?.["kind"], listed?.["needs_attention"], listed?.["waiting"]], ["generic", 1, 0]);
    assert.ok(!list.stdout.includes(secret));
    const bad = await runCli(["sender", "arrivals", id, "--state", "needs_attention", "--json"], options);
    assert.deepEqual(
      records(bad.json()).map((one) => [one["id"], one["state"]]),
      [[arrival.id, "needs_attention"]],
    );
    assert.equal((await runCli(["sender", "run-again", arrival.id], options)).code, 1);
    await changeSender(service.app, id, { mapping: MAPPING }, CLI_ORIGIN);
    const stored = await cliJson(["sender", "run-again", arrival.id], options);
    assert.equal(stored["state"], "stored");
    const rotated = await cliJson(["sender", "rotate", id], options);
    assert.notEqual(rotated["secret"], secret);
    assert.equal((await send(strange(1, "Sauerteig"))).state, "stored", "the previous secret is accepted for a day");
    assert.notEqual((await cliJson(["sender", "delete", id], options))["deleted_at"], null);
    assert.equal((await runCli(["sender", "arrivals", id], options)).code, 1);
  });
});
