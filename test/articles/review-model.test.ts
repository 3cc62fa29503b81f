/** Random people do random things with random articles, and a naive model says what comes of it. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { record } from "../helpers/http.ts";
import { cases, fc } from "../helpers/properties.ts";
import { openTeam } from "../helpers/team.ts";

const team = await openTeam();
after(() => team[Symbol.asyncDispose]());
after(() => team.assertNoneFailed());

const ROLES = ["viewer", "editor", "approver", "owner"] as const;
type Role = (typeof ROLES)[number];
const STEPS = [
  "submit",
  "withdraw",
  "request-changes",
  "approve",
  "unapprove",
  "approve-and-publish",
  "approve-and-schedule",
  "publish",
  "schedule",
  "cancel",
  "unpublish",
  "delete",
  "restore",
  "edit",
] as const;
type Step = (typeof STEPS)[number];

interface Model {
  place: "draft" | "review" | "again" | "author" | "approved" | "planned" | "published";
  isGone: boolean;
  author: Role;
  lastWriter: Role;
}

/** The next state of the model, or the status code of the refusal. Written out, not derived. */
function next(was: Model, step: Step, role: Role, needsSecond: boolean): Model | 403 | 409 {
  const isApprover = role === "approver" || role === "owner";
  const isWriting = step === "submit" || step === "withdraw" || step === "edit";
  if (role === "viewer" || (role === "editor" && !isWriting)) return 403;
  if (step === "restore") return was.isGone ? { ...was, isGone: false } : 409;
  if (was.isGone) return 409;
  const { place } = was;
  const isInReview = place === "review" || place === "again";
  const isApproved = place === "approved" || place === "planned";
  const mayPass = isInReview || (place === "draft" && was.author === role);
  const isSecond = !needsSecond || (was.author !== role && was.lastWriter !== role);
  switch (step) {
    case "submit":
      if (place === "draft") return { ...was, place: "review" };
      return place === "author" ? { ...was, place: "again" } : 409;
    case "withdraw":
      return isInReview ? { ...was, place: "draft" } : 409;
    case "request-changes":
      return isInReview || isApproved ? { ...was, place: "author" } : 409;
    case "approve":
      return mayPass && isSecond ? { ...was, place: "approved" } : 409;
    case "unapprove":
      return isApproved ? { ...was, place: "review" } : 409;
    case "approve-and-publish":
      return mayPass && isSecond ? { ...was, place: "published" } : 409;
    case "approve-and-schedule":
      return mayPass && isSecond ? { ...was, place: "planned" } : 409;
    case "publish":
      return isApproved ? { ...was, place: "published" } : 409;
    case "schedule":
      return isApproved ? { ...was, place: "planned" } : 409;
    case "cancel":
      return place === "planned" ? { ...was, place: "approved" } : 409;
    case "unpublish":
      return place === "published" ? { ...was, place: "approved" } : 409;
    case "delete":
      return { ...was, isGone: true };
    default: {
      // A published article gets a draft copy, which the model leaves out.
      if (place === "published") return 409;
      const goesBack = isApproved && (!isApprover || needsSecond);
      return { ...was, lastWriter: role, ...(goesBack ? { place: "review" as const } : {}) };
    }
  }
}

const OUTSIDE: Record<Model["place"], [string, string | null, boolean]> = {
  draft: ["pending", "draft", false],
  review: ["pending", "in_review", false],
  again: ["pending", "in_review", true],
  author: ["pending", "changes_requested", false],
  approved: ["approved", null, false],
  planned: ["approved", null, false],
  published: ["published", null, false],
};

const LATER = "2900-01-01T00:00:00.000Z";
const BODIES: Partial<Record<Step, object>> = {
  "request-changes": { reason: "Say more." },
  schedule: { publish_at: LATER },
  cancel: { publish_at: null },
  "approve-and-schedule": { publish_at: LATER },
};

const sequences = fc.record({
  needsSecond: fc.boolean(),
  author: fc.constantFrom("editor", "approver", "owner"),
  steps: fc.array(fc.tuple(fc.constantFrom(...ROLES), fc.constantFrom(...STEPS)), { minLength: 5, maxLength: 40 }),
});

test("whatever people do, in whatever order, each action is done or refused as the states say", async () => {
  const { website } = team.service;
  let edits = 0;
  await fc.assert(
    fc.asyncProperty(sequences, async ({ needsSecond, author, steps }) => {
      await team.owner.json("PATCH", `/websites/${website.id}`, { requires_second_person: needsSecond });
      const created = await team[author].json(
        "POST",
        "/articles",
        { website_id: website.id, title: "A model", markdown: "A text." },
        201,
      );
      const id = String(record(created["article"])["id"]);
      let model: Model = { place: "draft", isGone: false, author, lastWriter: author };
      for (const [role, step] of steps) {
        if (step === "edit" && model.place === "published" && !model.isGone && role !== "viewer") continue;
        const before = await team.page(id);
        const outcome = next(model, step, role, needsSecond);
        const status = typeof outcome === "number" ? outcome : 200;
        const what = `${role} ${step} ${JSON.stringify(model)}`;
        const name = step === "cancel" ? "schedule" : step;
        const { version } = before;
        const shown = await team[role].json("GET", `/articles/${id}`);
        const verb = step === "cancel" ? "unschedule" : step;
        assert.equal((shown["verbs"] as string[]).includes(verb), status === 200, `shown: ${what}`);
        if (step === "edit") {
          const body = { version, changes: { title: `A model ${++edits}` } };
          await team[role].json("PATCH", `/articles/${id}`, body, status);
        } else {
          await team[role].json("POST", `/articles/${id}/${name}`, { version, ...BODIES[step] }, status);
        }
        const now = await team.page(id);
        const line = record(now.all["line"]);
        if (typeof outcome === "number") {
          assert.deepEqual(now.all, before.all, what);
          continue;
        }
        const isUnseen =
          step === "submit" || step === "withdraw" || (step === "request-changes" && before.status === "pending");
        assert.equal(now.version === version, isUnseen, what);
        model = outcome;
        assert.deepEqual([line["status"], line["review_state"], line["is_resubmitted"]], OUTSIDE[model.place], what);
        assert.equal(line["deleted_at"] !== null, model.isGone, what);
        assert.equal(line["publish_at"] !== null, model.place === "planned", what);
      }
    }),
    { numRuns: cases(60) },
  );
});
