/** Articles on their way through the service: saved, read, saved again, exported, imported elsewhere. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { marked } from "marked";
import { type Json, record, records } from "../helpers/http.ts";
import { assertHarmless, assertSilent, assertSound } from "./oracles.ts";
import { markup } from "./markup.ts";
import { nastyText } from "./values.ts";
import type { World } from "./world.ts";

export interface Written {
  as: "content" | "markdown";
  text: string;
  /** Beside title and text. */
  fields: Json;
}

const fields = fc.record(
  {
    excerpt: nastyText,
    meta_description: nastyText,
    target_keyword: nastyText,
    tags: fc.array(nastyText, { maxLength: 3 }),
    categories: fc.array(nastyText, { maxLength: 3 }),
    seo_keywords: fc.array(nastyText, { maxLength: 3 }),
    featured_image_alt: nastyText,
    featured_image_url: fc.constantFrom("https://img.example.com/a.png", "javascript:alert(1)", "/a.png"),
    slug: fc.oneof(fc.constantFrom("tea", "Tea & Water", "../x"), nastyText),
  },
  { requiredKeys: [], noNullPrototype: true },
);

export const written: fc.Arbitrary<Written> = fc.record({
  as: fc.constantFrom("content", "markdown"),
  text: markup,
  fields: fc.oneof(fc.constant({}), fields),
});

/** @param other is the service into which the exports are imported. */
export async function tryContent(world: World, other: World, { as, text, fields: more }: Written): Promise<void> {
  const created = await ask(world, "POST", "/articles", { website_id: world.websiteId, title: "Fuzzed", [as]: text });
  if (created === null) return;
  const id = String(record(created["article"])["id"]);
  try {
    if (Object.keys(more).length > 0)
      await ask(world, "PATCH", `/articles/${id}`, { version: versionOf(created), changes: more });
    await assertIdempotent(world, id);
    await assertMovable(world, other);
    await assertDelivered(world, id);
  } finally {
    await remove(world, id);
    await remove(other, id);
  }
}

/** What it answers; null: it was refused, in a sentence. */
async function ask(world: World, method: string, path: string, body?: Json): Promise<Json | null> {
  const reply = await world.ask(method, path, body);
  assertSound(reply, `${method} ${path}`);
  assertSilent(reply.text, world.secrets, `${method} ${path}`);
  return reply.status < 300 ? record(reply.json()) : null;
}

async function must(world: World, method: string, path: string, body?: Json): Promise<Json> {
  const found = await ask(world, method, path, body);
  assert.ok(found !== null, `${method} ${path} was refused`);
  return found;
}

function versionOf(article: Json): unknown {
  return record(article["line"])["version"];
}

async function assertDelivered(world: World, id: string): Promise<void> {
  const events = async (query: string) => {
    const reply = await world.send(`/api/public/events?${query}`);
    assert.equal(reply.status, 200, reply.text);
    return record(record(reply.json())["data"]);
  };
  const latest = record((await events("limit=1"))["pagination"])["latest_sequence"];
  const shown = await must(world, "GET", `/articles/${id}`);
  await must(world, "POST", `/articles/${id}/approve-and-publish`, { version: versionOf(shown) });
  const [event = {}] = records((await events(`after=${String(latest)}`))["events"]);
  const sent = record(record(event["data"])["content"]);
  const reply = await world.send(`/api/public/articles/${id}`);
  assert.equal(reply.status, 200, reply.text);
  const { content } = record(record(record(reply.json())["data"])["article"]);
  assert.equal(content, sent["html"], "readers and receivers get the same");
  assertHarmless(String(content), "the delivered HTML");
  assertHarmless(await marked.parse(String(sent["markdown"])), "the delivered Markdown");
}

/** What was saved is saved again: nothing changes, whether as HTML or in the form in which it was written. */
async function assertIdempotent(world: World, id: string): Promise<void> {
  const before = await must(world, "GET", `/articles/${id}`);
  const html = record(before["article"])["content"];
  const source = before["source"] === "markdown" ? { markdown: before["markdown"] } : { content: html };
  for (const changes of [source, { content: html }]) {
    const { line } = await must(world, "GET", `/articles/${id}`);
    await must(world, "PATCH", `/articles/${id}`, { version: record(line)["version"], changes });
    const after = await must(world, "GET", `/articles/${id}`);
    assert.equal(record(after["article"])["content"], html, `saved again as ${Object.keys(changes)[0]}`);
  }
}

/** What another service makes of the export is exported there as the same bytes. */
async function assertMovable(world: World, other: World): Promise<void> {
  const exported = await exportOf(world);
  const reply = await other.sendFile(`/imports?website_id=${other.websiteId}&name=all.ndjson`, exported);
  assertSound(reply, "the import");
  const lines = records(
    reply.text
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line)),
  );
  const { failed, skipped, created } = lines.at(-1) ?? {};
  assert.deepEqual({ failed, skipped, created }, { failed: 0, skipped: 0, created: 1 }, reply.text);
  assert.equal(await exportOf(other), exported);
}

async function exportOf(world: World): Promise<string> {
  const reply = await world.ask("GET", `/exports?website_id=${world.websiteId}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.text;
}

/** Into the trash, which no export has. */
async function remove(world: World, id: string): Promise<void> {
  const shown = await ask(world, "GET", `/articles/${id}`);
  if (shown !== null) await must(world, "POST", `/articles/${id}/delete`, { version: versionOf(shown) });
}
