/** A website with users of every role. */
import assert from "node:assert/strict";
import type { App } from "../../src/app/app.ts";
import type { ArticleInput } from "../../src/domain/articles/article.ts";
import { createArticle, getArticle } from "../../src/operations/articles/write/articles.ts";
import type { StoredFull } from "../../src/store/store.ts";
import { CHIEF, makeArticle } from "./articles.ts";
import { type Json, record, records, type Reply } from "./http.ts";
import { startTestService, type TestService } from "./service.ts";
import { type Browser, type People, people } from "../people/dashboard.ts";

export interface Team extends AsyncDisposable {
  service: TestService;
  people: People;
  owner: Browser;
  editor: Browser;
  approver: Browser;
  viewer: Browser;
  /** Creates an article as the CLI does. @returns its id. */
  newArticle(input?: ArticleInput): Promise<string>;
  /** The article as its page shows it. */
  page(id: string): Promise<ArticlePage>;
  stored(id: string): Promise<StoredFull>;
  /** The actions in its history, oldest first. */
  actions(id: string): Promise<string[]>;
  history(id: string): Promise<Json[]>;
  rows(table: "revisions" | "revision_texts", id: string): Promise<number>;
  /** Asserts that no response had status 500, whether or not its test checked the response. */
  assertNoneFailed(): void;
}

/** The parts of an article's page that tests check most. */
export interface ArticlePage {
  version: number;
  status: unknown;
  article: Json;
  draft: Json | null;
  /** `draft_saved_at` of the response. */
  savedAt: unknown;
  all: Json;
}

/** `wrap` may replace parts of the app, as for `startTestService`. */
export async function openTeam(settings: Record<string, string> = {}, wrap?: (app: App) => App): Promise<Team> {
  await using opened = new AsyncDisposableStack();
  const service = opened.use(await startTestService(settings, wrap));
  const all = opened.use(people(service));
  const owner = await all.owner();
  const [editor, approver, viewer] = await Promise.all([
    all.person("editor"),
    all.person("approver"),
    all.person("viewer"),
  ]);
  const { app, website } = service;
  const history = async (id: string) => records((await owner.json("GET", `/articles/${id}/history`))["entries"]);
  const owned = opened.move();
  return {
    service,
    people: all,
    owner,
    editor,
    approver,
    viewer,
    newArticle: async (input = {}) => (await createArticle(app, website.id, makeArticle(input), CHIEF)).article.id,
    page: async (id) => articlePage(await owner.json("GET", `/articles/${id}`)),
    // It was loaded above, so it exists.
    stored: async (id) => (await getArticle(app, id)) as StoredFull,
    history,
    actions: async (id) => (await history(id)).map(({ action }) => String(action)).toReversed(),
    rows: async (table, id) => {
      const row = await app.store.read((db) =>
        db.get(`SELECT count(*) AS n FROM ${table} WHERE row_no = (SELECT row_no FROM articles WHERE id = ?)`, id),
      );
      return Number(row?.n);
    },
    assertNoneFailed: () =>
      assert.deepEqual(
        service.log.failures.filter(({ url }) => url !== undefined),
        [],
      ),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

export function articlePage(all: Json): ArticlePage {
  const line = record(all["line"]);
  const draft = all["draft"] === null ? null : record(all["draft"]);
  return {
    version: Number(line["version"]),
    status: line["status"],
    article: record(all["article"]),
    draft,
    savedAt: draft?.["saved_at"] ?? null,
    all,
  };
}

/** The message of an error response, which must have this status. */
export async function assertRefused(
  browser: Browser,
  method: string,
  path: string,
  body: Json | undefined,
  status: number,
): Promise<{ message: string; param: unknown }> {
  const { message, param } = await browser.json(method, path, body, status);
  assert.ok(typeof message === "string" && message.endsWith("."), String(message));
  return { message, param };
}

export function statuses(replies: readonly Reply[]): number[] {
  return replies.map(({ status }) => status).toSorted((a, b) => a - b);
}
