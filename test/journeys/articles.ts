/** Articles for a journey of its own, and what becomes of them. */
import assert from "node:assert/strict";
import { CLI_ACTOR } from "../../src/cli/command.ts";
import type { ArticleInput } from "../../src/domain/articles/article.ts";
import type { ImportItem } from "../../src/operations/articles/import/import-items.ts";
import { importArticles } from "../../src/operations/articles/import/imports.ts";
import type { Json } from "../helpers/http.ts";
import { record } from "../helpers/http.ts";
import type { Browser as Person } from "../people/dashboard.ts";
import type { Journey } from "./browser.ts";

/** A website with those articles, the first one the newest. Without a status they are pending. @returns their ids. */
export async function websiteWith(journey: Journey, inputs: readonly ArticleInput[]) {
  const { app } = journey.service;
  const website = await journey.service.newWebsite({ name: `Written ${app.newId().slice(-6)}`, url: null });
  const ids = inputs.map(() => app.newId());
  async function* items(): AsyncGenerator<ImportItem> {
    for (const [no, input] of inputs.entries()) {
      const createdAt = Date.UTC(2026, 0, 1) - no * 60_000;
      yield { kind: "draft", source: `${no}`, ref: `written:${no}`, input: { createdAt, ...input, id: ids[no] ?? "" } };
    }
  }
  const summary = await importArticles(app, website.id, items(), { events: false, dryRun: false, actor: CLI_ACTOR });
  assert.equal(summary.created, inputs.length, JSON.stringify(summary.failed));
  return { website, ids };
}

/** So many, with titles that say which. */
export function numbered(count: number, more: ArticleInput = {}): ArticleInput[] {
  return Array.from({ length: count }, (_, no) => ({
    title: `Tea number ${no + 1}`,
    markdown: `A first paragraph about tea number ${no + 1}.\n\n## Water\n\nA second one.`,
    ...more,
  }));
}

/** The article as its page gets it. */
export async function reviewed(person: Person, id: string): Promise<{ line: Json; article: Json; draft: Json | null }> {
  const all = await person.json("GET", `/articles/${id}`);
  const { draft } = all;
  return { line: record(all["line"]), article: record(all["article"]), draft: draft === null ? null : record(draft) };
}
