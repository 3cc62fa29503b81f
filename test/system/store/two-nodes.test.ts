/**
 * Two nodes change and read one website at once, in random ways. Each change that succeeds says which content version it
 * made: in that order the changes, made one after the other in the simplest model there is, must give what the database
 * and both nodes show, and the events that were made of them.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CLI_ORIGIN } from "../../../src/domain/system/audit.ts";
import { AppError } from "../../../src/domain/system/errors.ts";
import * as articles from "../../../src/operations/articles/write/articles.ts";
import type { ListQuery } from "../../../src/operations/articles/read-model/list-query.ts";
import { ReadModel } from "../../../src/operations/articles/read-model/read-model.ts";
import { newId } from "../../../src/process/uuid.ts";
import { createWebsite } from "../../../src/operations/website/websites.ts";
import { listEvents } from "../../../src/store/webhooks/events.ts";
import { defaultSort } from "../../../src/store/articles/article-queries.ts";
import type { Database } from "../../../src/store/store.ts";
import { CHIEF, makeArticle, TODAY, deriveHere, testSecrets } from "../../helpers/articles.ts";
import { openTestStore, type TestStore } from "../../helpers/database.ts";
import { cases, fc } from "../../helpers/properties.ts";

const STATES = ["published", "approved", "pending"] as const;
type State = (typeof STATES)[number];
const KINDS = ["retitle", "retag", "approve", "publish", "unpublish", "send back", "delete", "restore"] as const;

interface Step {
  kind: "create" | (typeof KINDS)[number];
  /** Which article, and which node. */
  pick: number;
  status: State;
  /** Few different times: equal ones must be told apart by id. */
  time: number;
}

/** What a reader can tell of an article. */
interface Model {
  status: State;
  title: string;
  tag: string;
  createdAt: number;
  publishedAt: number | null;
  isDeleted: boolean;
}

interface Done {
  id: string;
  version: number;
  /** What became of the article; undefined: the change is not allowed in that state. */
  change: (before: Model | undefined) => Model | undefined;
  /** Of the event, by what it was and what it became. */
  event: (before: Model | undefined, after: Model) => string | null;
}

let opened: TestStore;
let nodes: { deps: ReturnType<typeof depsOf>; readModel: ReadModel }[];
let clock = TODAY;

before(async () => {
  opened = await openTestStore();
  nodes = [opened.store, opened.another()].map((store) => ({
    deps: depsOf(store),
    readModel: new ReadModel({ store, cacheBytes: 100_000, onChange: () => undefined }),
  }));
});
after(() => opened[Symbol.asyncDispose]());

function depsOf(store: Database) {
  return {
    store,
    clock: () => clock,
    newId,
    randomBytes: (size: number) => Buffer.alloc(size, 7),
    deriveContent: deriveHere,
    secrets: testSecrets,
  };
}

function nodeOf(pick: number) {
  const node = nodes[pick % nodes.length];
  assert.ok(node !== undefined);
  return node;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom("create", "create", ...KINDS),
  pick: fc.nat(1_000),
  status: fc.constantFrom(...STATES),
  time: fc.nat(2),
});

test("whatever two nodes do at once has the effect of doing it in turn, and each change has its event, numbered without gaps", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { minLength: 2, maxLength: 7 }),
      async (rounds) => {
        const website = await createWebsite(nodeOf(0).deps, { name: "W", url: null, urlPattern: null }, CLI_ORIGIN);
        const ids: string[] = [];
        const done: Done[] = [];
        for (const [round, steps] of rounds.entries()) {
          clock = TODAY + round;
          const results = await Promise.all([
            ...steps.map((one, index) => take(website.id, ids, one, `${round}.${index}`)),
            // Read while they write: what is kept of it must not be wrong afterwards.
            ...nodes.map(async (node) => void (await page(node.readModel, website.id, "published"))),
          ]);
          for (const result of results) if (result !== undefined) done.push(result);
          for (const { id } of done) if (!ids.includes(id)) ids.push(id);
          await compare(website.id, done);
        }
      },
    ),
    { numRuns: cases(30), endOnFailure: true },
  );
});

/** @returns undefined when it was refused. */
async function take(websiteId: string, ids: readonly string[], given: Step, name: string): Promise<Done | undefined> {
  const { pick, status, time } = given;
  const { deps } = nodeOf(pick);
  const at = TODAY + time;
  const now = clock;
  const id = ids[(pick >>> 1) % Math.max(1, ids.length)];
  const title = `Title ${name}`;
  const tag = `tag ${name}`;
  try {
    if (given.kind === "create" || id === undefined) {
      const input = makeArticle({ title, tags: [tag], status, createdAt: at, publishedAt: at });
      const { article } = await articles.createArticle(deps, websiteId, input, CHIEF);
      const made: Model = { status, title, tag, createdAt: at, publishedAt: at, isDeleted: false };
      return { id: article.id, version: article.version, change: () => made, event: ifPublished("article.published") };
    }
    const outcome = async (
      changing: ReturnType<typeof articles.approveArticle>,
      change: Done["change"],
      event: Done["event"],
    ): Promise<Done> => {
      const { article } = await changing;
      return { id, version: article.version, change, event };
    };
    switch (given.kind) {
      case "retitle":
        return await outcome(
          articles.updateArticle(deps, id, { title }, CHIEF),
          edit({ title }),
          ifPublished("article.updated"),
        );
      case "retag":
        return await outcome(
          articles.updateArticle(deps, id, { tags: [tag] }, CHIEF),
          edit({ tag }),
          ifPublished("article.updated"),
        );
      case "approve":
        return await outcome(
          articles.approveArticle(deps, id, CHIEF),
          to("pending", () => ({ status: "approved" })),
          never,
        );
      case "publish":
        return await outcome(
          articles.publishArticle(deps, id, CHIEF),
          to("approved", ({ publishedAt }) => ({ status: "published", publishedAt: publishedAt ?? now })),
          () => "article.published",
        );
      case "unpublish":
        return await outcome(
          articles.unpublishArticle(deps, id, CHIEF),
          to("published", () => ({ status: "approved" })),
          () => "article.deleted",
        );
      case "send back":
        return await outcome(
          articles.requestChanges(deps, id, "Because.", CHIEF),
          to("approved", () => ({ status: "pending" })),
          never,
        );
      case "delete":
        return await outcome(
          articles.deleteArticle(deps, id, CHIEF),
          edit({ isDeleted: true }),
          () => "article.deleted",
        );
      default:
        return await outcome(
          articles.restoreArticle(deps, id, CHIEF),
          (before) => (before?.isDeleted === true ? { ...before, isDeleted: false } : undefined),
          ifPublished("article.published"),
        );
    }
  } catch (error) {
    if (!(error instanceof AppError) || !["conflict", "forbidden"].includes(error.code)) throw error;
    return undefined;
  }
}

function isLive(one: Model | undefined): one is Model {
  return one !== undefined && !one.isDeleted;
}

function edit(fields: Partial<Model>): Done["change"] {
  return (before) => (isLive(before) ? { ...before, ...fields } : undefined);
}

function to(from: State, next: (before: Model) => Partial<Model>): Done["change"] {
  return (before) => (isLive(before) && before.status === from ? { ...before, ...next(before) } : undefined);
}

function ifPublished(event: string): Done["event"] {
  return (_before, after) => (after.status === "published" ? event : null);
}

function never(): null {
  return null;
}

async function compare(websiteId: string, done: readonly Done[]): Promise<void> {
  const model = new Map<string, Model>();
  const expected: string[] = [];
  const versions = new Set<number>();
  for (const { id, version, change, event } of done.toSorted((a, b) => a.version - b.version)) {
    const before = model.get(id);
    const after = change(before);
    assert.ok(after !== undefined, `version ${version} was allowed although the article was ${JSON.stringify(before)}`);
    model.set(id, after);
    assert.ok(!versions.has(version), `version ${version} was made twice`);
    const kind = event(before, after);
    if (kind !== null) expected.push(`${kind} ${id}`);
    versions.add(version);
  }
  const events = await opened.store.read((db) => listEvents(db, websiteId, { after: 0, limit: 10_000 }));
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_event, index) => index + 1),
  );
  assert.deepEqual(
    events.map(({ kind, articleId }) => `${kind} ${articleId}`),
    expected,
  );
  assert.equal(new Set(events.map(({ id }) => id)).size, events.length);
  for (const { readModel } of nodes) {
    for (const status of STATES) {
      const shown = await page(readModel, websiteId, status);
      assert.deepEqual(shown, listOf(model, status));
    }
  }
}

function listOf(model: ReadonlyMap<string, Model>, status: State) {
  const at = (one: Model) => (status === "published" ? Number(one.publishedAt) : one.createdAt);
  const matching = [...model].filter(([, one]) => one.status === status && !one.isDeleted);
  matching.sort(([a, one], [b, other]) => at(other) - at(one) || (a < b ? -1 : 1));
  return { total: matching.length, rows: matching.map(([id, { title, tag }]) => ({ id, title, tags: [tag] })) };
}

async function page(readModel: ReadModel, websiteId: string, status: State) {
  const query: ListQuery = { status, limit: 100, offset: 0, sort: defaultSort(status), filter: {} };
  const { total, rows } = await readModel.read(websiteId, (shelf) => shelf.page(query));
  const articlesOf = rows.map((row) => JSON.parse(row.toString()) as { id: string; title: string; tags: string[] });
  return { total, rows: articlesOf.map(({ id, title, tags }) => ({ id, title, tags })) };
}
