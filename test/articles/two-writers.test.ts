/**
 * Machines and people change one article at the same time, in random interleavings. The audit log says in which order their changes
 * were made; replayed in a naive model, it must give what is stored. So no accepted change is lost, and no refused one made.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { ArticleInput, FullArticle } from "../../src/domain/articles/article.ts";
import { externalSource, toApiName } from "../../src/domain/articles/origin.ts";
import { AppError } from "../../src/domain/system/errors.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { upsertArticle } from "../../src/operations/articles/import/upserts.ts";
import { editArticle } from "../../src/operations/articles/write/article-changes.ts";
import * as articles from "../../src/operations/articles/write/articles.ts";
import { applyDraftCopy, discardDraftCopy } from "../../src/operations/articles/write/draft-copies.ts";
import type { Actor } from "../../src/operations/system/deps.ts";
import { updateWebsite } from "../../src/operations/website/websites.ts";
import { findDraftCopy } from "../../src/store/articles/draft-copies.ts";
import { ENGINE } from "../helpers/database.ts";
import { LONG_ONLY } from "../helpers/full-run.ts";
import { cases, fc } from "../helpers/properties.ts";
import { openTeam } from "../helpers/team.ts";

const team = await openTeam();
after(() => team[Symbol.asyncDispose]());
const { service } = team;
const { app } = service;

const PEOPLE: readonly Actor[] = [
  { id: "ann", mayApprove: true },
  { id: "bob", mayApprove: true },
  { id: "eve", mayApprove: false },
];
const MACHINES: readonly Actor[] = [
  { id: "drafter", mayApprove: false, isMachine: true },
  { id: "publisher", mayApprove: true, isMachine: true },
];
const ACTORS = [...PEOPLE, ...MACHINES];
const FIELDS = ["title", "metaTitle", "tags", "content"] as const;
type Field = (typeof FIELDS)[number];
type Values = Partial<Record<Field, string>>;

const VERBS = {
  submit: articles.submitArticle,
  withdraw: articles.withdrawArticle,
  approve: articles.approveArticle,
  unapprove: articles.unapproveArticle,
  publish: articles.publishArticle,
  "approve-and-publish": articles.approveAndPublishArticle,
  unpublish: articles.unpublishArticle,
  delete: articles.deleteArticle,
  restore: articles.restoreArticle,
} as const;

const step = fc.record({
  actor: fc.constantFrom(...ACTORS),
  what: fc.oneof(
    { weight: 4, arbitrary: fc.constant("patch" as const) },
    { weight: 4, arbitrary: fc.constant("upsert" as const) },
    { weight: 1, arbitrary: fc.constant("overwrite" as const) },
    { weight: 1, arbitrary: fc.constant("discard draft" as const) },
    { weight: 2, arbitrary: fc.constant("publish draft" as const) },
    { weight: 2, arbitrary: fc.constant("approve-and-publish" as const) },
    { weight: 5, arbitrary: fc.constantFrom(...(Object.keys(VERBS) as (keyof typeof VERBS)[])) },
  ),
  fields: fc.uniqueArray(fc.constantFrom(...FIELDS), { minLength: 1, maxLength: 3 }),
  /** Whether the writer looks at the article first; otherwise they go by what they saw before. */
  looks: fc.boolean(),
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What each change is to set, by its mark in the audit log. */
interface Made {
  values: Values;
  actor: Actor;
  /** Fields that an upsert left to people. */
  held: readonly string[];
  outcome: "done" | "unchanged" | "refused";
}

let marks = 0;
/** What happened at all, so that the test cannot pass on nothing. */
const happened = new Map<string, number>();
const count = (what: string) => happened.set(what, (happened.get(what) ?? 0) + 1);

const isMachine = (actor: string) => MACHINES.some((machine) => machine.id === actor);

function toInput(values: Values): ArticleInput {
  const { tags, content, ...texts } = values;
  return {
    ...texts,
    ...(tags === undefined ? {} : { tags: [tags] }),
    ...(content === undefined ? {} : { content: `<p>${content}</p>` }),
  };
}

function toValues({ article, body }: FullArticle): Values {
  return {
    title: article.title,
    ...(article.metaTitle === null ? {} : { metaTitle: article.metaTitle }),
    ...(article.tags.length === 0 ? {} : { tags: article.tags.join(",") }),
    content: body.html.replaceAll(/<\/?p>/g, ""),
  };
}

function fromInput(input: ArticleInput): Values {
  const { title, metaTitle, tags, content } = input;
  return {
    ...(title === undefined ? {} : { title }),
    ...(metaTitle == null ? {} : { metaTitle }),
    ...(tags === undefined ? {} : { tags: tags.join(",") }),
    ...(content === undefined ? {} : { content: content.replaceAll(/<\/?p>/g, "") }),
  };
}

async function look(id: string) {
  const full = await team.stored(id);
  const draft = await app.store.read((db) => findDraftCopy(db, full.article.rowNo));
  return { version: full.article.version, draftSavedAt: draft?.savedAt ?? null, full, draft };
}

async function run(websiteId: string, needsSecond: boolean, writers: readonly (readonly Step[])[]): Promise<void> {
  const made = new Map<number, Made>();
  const name = `race ${++marks}`;
  const source = externalSource(name);
  const [machine = PEOPLE[0]] = MACHINES;
  assert.ok(machine !== undefined);
  const begin: Values = { title: name, content: name };
  made.set(marks, { values: begin, actor: machine, held: [], outcome: "done" });
  const item = { source, input: toInput(begin) };
  const { full } = await upsertArticle(app, websiteId, item, { actor: { ...machine, facts: { mark: marks } } });
  const { id } = full.article;
  await Promise.all(
    writers.map(async (steps) => {
      let seen = await look(id);
      for (const one of steps) {
        if (one.looks) seen = await look(id);
        await makeStep(websiteId, id, source, one, seen, made);
      }
    }),
  );
  await judge(id, needsSecond, made);
}

async function makeStep(
  websiteId: string,
  id: string,
  source: string,
  { actor: given, what, fields }: Step,
  seen: { version: number; draftSavedAt: number | null },
  made: Map<number, Made>,
): Promise<void> {
  const mark = ++marks;
  const actor: Actor = { ...given, facts: { mark } };
  const values = Object.fromEntries(fields.map((field) => [field, `${field} ${mark}`])) as Values;
  const note: Made = { values: {}, actor: given, held: [], outcome: "done" };
  made.set(mark, note);
  try {
    if (what === "patch") {
      note.values = values;
      await editArticle(app, id, { changes: toInput(values), seen, asDraft: true }, actor);
    } else if (what === "upsert" || what === "overwrite") {
      note.values = values;
      const overwrite = what === "overwrite";
      const machine = given.isMachine === true ? actor : { ...actor, ...MACHINES[0], facts: { mark } };
      note.actor = machine;
      const done = await upsertArticle(
        app,
        websiteId,
        { source, input: toInput(values) },
        { actor: machine, overwrite },
      );
      note.held = done.heldFields;
      if (done.outcome === "unchanged" || done.heldFields.length === fields.length) note.outcome = "unchanged";
    } else if (what === "discard draft") await discardDraftCopy(app, id, actor, seen);
    else if (what === "publish draft") {
      if (given.mayApprove) await applyDraftCopy(app, id, actor, seen);
      else note.outcome = "unchanged";
    } else if (given.mayApprove || what === "submit" || what === "withdraw") await VERBS[what](app, id, actor, seen);
    else note.outcome = "unchanged";
  } catch (error) {
    if (!(error instanceof AppError) || !["conflict", "busy", "forbidden"].includes(error.code)) throw error;
    note.outcome = "refused";
  }
}

/** Replays the audit log, and compares. */
async function judge(id: string, needsSecond: boolean, made: ReadonlyMap<number, Made>): Promise<void> {
  const entries = await app.store.read((db) =>
    db.all("SELECT actor, action, detail FROM audit_log WHERE target_id = ? ORDER BY at, id", id),
  );
  const live: Values = {};
  let draft: Values = {};
  let isApproved = false;
  const seen = new Set<number>();
  for (const { actor, action, detail: facts } of entries) {
    const detail = JSON.parse(facts) as { mark: number };
    const note = made.get(detail.mark);
    count(action);
    assert.ok(note !== undefined, `${action} has no mark`);
    assert.notEqual(note.outcome, "refused", `${action} ${detail.mark} was refused, and made`);
    seen.add(detail.mark);
    const values = withoutHeld(note);
    if (action === "article.created" || action === "article.edited") {
      Object.assign(live, values);
      if (isMachine(actor) || needsSecond) isApproved = false;
    } else if (action === "article.draft_saved") Object.assign(draft, values);
    else if (action === "article.draft_discarded") draft = {};
    else if (action === "article.updated") {
      Object.assign(live, draft);
      draft = {};
      assert.ok(!(needsSecond && isMachine(actor)), "a machine published a draft copy");
    } else if (action === "article.approved") {
      isApproved = true;
      assert.ok(!(needsSecond && isMachine(actor)), "a machine approved");
    } else if (action === "article.published") assert.ok(isApproved, "what nobody approved was published");
    else if (action === "article.unapproved") isApproved = false;
  }
  for (const [mark, { outcome, values, held }] of made) {
    count(outcome);
    if (held.length > 0) count("held");
    const isWrite = Object.keys(values).length > held.length;
    if (outcome === "done" && isWrite)
      assert.ok(seen.has(mark), `an accepted change is lost: ${JSON.stringify(values)}`);
  }
  const now = await look(id);
  assert.deepEqual({ live: toValues(now.full), draft: fromInput(now.draft?.changes ?? {}) }, { live, draft });
  const { status, approvedHash, contentHash } = now.full.article;
  if (status === "published") assert.equal(approvedHash, contentHash, "what is live is not what was approved");
}

function withoutHeld({ values, held }: Made): Values {
  return Object.fromEntries(Object.entries(values).filter(([field]) => !held.includes(toApiName(field))));
}

const interleavings = (needsSecond: boolean) => async () => {
  const { id } = await service.newWebsite({ name: needsSecond ? "Two people" : "One person" });
  await updateWebsite(app, id, { requiresSecondPerson: needsSecond }, CLI_ORIGIN);
  const writers = fc.array(fc.array(step, { minLength: 2, maxLength: 6 }), { minLength: 2, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(writers, (steps) => run(id, needsSecond, steps)),
    { numRuns: cases(500, 20), endOnFailure: true },
  );
};

test(
  "of two writers at the same time no accepted change is lost, and nothing unapproved is published",
  interleavings(false),
);
test("the same where a second person is required, whom no machine is", interleavings(true));

const TOO_FEW = { skip: "PostgreSQL repeats a sixth of the cases, in which not all of it happens" };
test("all of it happened", ENGINE === "sqlite" ? LONG_ONLY : TOO_FEW, () => {
  for (const what of [
    "done",
    "unchanged",
    "refused",
    "held",
    "article.edited",
    "article.draft_saved",
    "article.draft_discarded",
    "article.updated",
    "article.approved",
    "article.published",
    "article.unpublished",
    "article.deleted",
  ]) {
    assert.ok((happened.get(what) ?? 0) > 5, `${what}: ${happened.get(what) ?? 0}`);
  }
});
