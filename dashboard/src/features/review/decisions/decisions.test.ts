import { expect, test } from "vitest";
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import { chooseButtons, listOffers } from "./actions.ts";

type Verbs = ReviewedArticle["verbs"];

interface State {
  publish_at?: string | null;
  review_state?: ReviewedArticle["line"]["review_state"];
  hasDraft?: boolean;
  is_current?: boolean;
}

function offers(verbs: Verbs, state: State = {}) {
  const { publish_at = null, review_state = null, hasDraft = false, is_current = true } = state;
  const reviewed = {
    verbs,
    line: { publish_at, review_state },
    draft: hasDraft ? {} : null,
    approval: { is_current },
    gate: { holds: false },
  };
  // Only the fields that `listOffers` reads.
  return listOffers(reviewed as ReviewedArticle);
}

function offered(verbs: Verbs, state: State = {}): string[] {
  return offers(verbs, state).map(({ decision }) => decision);
}

function buttons(verbs: Verbs, state: State = {}): string[] {
  return chooseButtons(offers(verbs, state)).map(({ decision }) => decision);
}

const IN_REVIEW: Verbs = [
  "edit",
  "assign",
  "withdraw",
  "request-changes",
  "approve",
  "approve-and-publish",
  "approve-and-schedule",
  "delete",
];
const APPROVED: Verbs = ["edit", "assign", "request-changes", "unapprove", "publish", "schedule", "delete"];
const PUBLISHED: Verbs = ["edit", "assign", "unpublish", "delete"];
const OWN_DRAFT: Verbs = ["edit", "submit", "approve", "approve-and-publish", "approve-and-schedule", "delete"];

test("the two likely decisions have buttons, the main one last; the others are in the menu", () => {
  expect(buttons(IN_REVIEW)).toEqual(["request-changes", "approve"]);
  expect(buttons(APPROVED)).toEqual(["schedule", "publish"]);
  expect(buttons(PUBLISHED)).toEqual(["edit", "unpublish"]);
  expect(buttons(PUBLISHED, { hasDraft: true })).toEqual(["edit", "publish-draft"]);
  expect(buttons(OWN_DRAFT)).toEqual(["edit", "submit"]);
  expect(buttons(["restore"])).toEqual(["restore"]);
  expect(buttons(["edit", "withdraw"])).toEqual(["edit"]);
});

test("what the server allows is offered, in the order of the buttons", () => {
  expect(offered(IN_REVIEW)).toEqual([
    "edit",
    "withdraw",
    "delete",
    "request-changes",
    "approve-and-schedule",
    "approve-and-publish",
    "approve",
  ]);
  expect(offered(APPROVED)).toEqual(["edit", "unapprove", "delete", "request-changes", "schedule", "publish"]);
  expect(offered(PUBLISHED)).toEqual(["edit", "delete", "unpublish"]);
  expect(offered(PUBLISHED, { hasDraft: true })).toEqual(["edit", "delete", "unpublish", "publish-draft"]);
  expect(offered(["restore"])).toEqual(["restore"]);
  expect(offered([])).toEqual([]);
});

test("a text that is not the approved one is not published", () => {
  expect(offered(APPROVED, { is_current: false })).toEqual(["edit", "unapprove", "delete", "request-changes"]);
});

test("a draft is submitted as a rule; approving one's own is in the menu", () => {
  const main = offers(OWN_DRAFT).filter(({ isMain }) => isMain);
  expect(main.map(({ decision, label }) => [decision, label])).toEqual([["submit", "Submit for review"]]);
  expect(offers(OWN_DRAFT).filter(({ isMinor }) => isMinor)).toHaveLength(3);
  expect(offers(["submit"], { review_state: "changes_requested" })[0]?.label).toBe("Resubmit");
});

test("no state has two actions under one key", () => {
  for (const verbs of [IN_REVIEW, APPROVED, PUBLISHED, OWN_DRAFT]) {
    const keys = offers(verbs, { hasDraft: true }).map((offer) => offer.keys);
    expect(new Set(keys).size).toBe(keys.length);
  }
});
