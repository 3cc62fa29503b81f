import { expect, test } from "vitest";
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import type { Action } from "../../../shared/session.tsx";
import { listOffers } from "./actions.ts";
import { daysToMonday, fromLocalField, localField, morning } from "./local-time.ts";

interface State {
  status?: "pending" | "approved" | "published";
  publish_at?: string | null;
  deleted_at?: string | null;
  hasDraft?: boolean;
  is_current?: boolean;
}

function offered(state: State, refused: readonly Action[] = []): string[] {
  const { status = "pending", publish_at = null, deleted_at = null, hasDraft = false, is_current = true } = state;
  const reviewed = {
    line: { status, publish_at, deleted_at },
    draft: hasDraft ? {} : null,
    approval: { is_current },
  };
  // Only the fields that `listOffers` reads.
  return listOffers(reviewed as ReviewedArticle, (action) => !refused.includes(action)).map(({ decision }) => decision);
}

test("each state offers what the workflow lets it do", () => {
  expect(offered({})).toEqual(["edit", "delete", "approve-and-publish", "approve"]);
  expect(offered({ status: "approved" })).toEqual(["edit", "delete", "request-changes", "schedule", "publish"]);
  expect(offered({ status: "published" })).toEqual(["edit", "delete", "unpublish"]);
  expect(offered({ status: "published", hasDraft: true })).toEqual(["edit", "delete", "unpublish", "publish-draft"]);
  expect(offered({ status: "published", deleted_at: "2026-01-01" })).toEqual(["restore"]);
});

test("a text that is not the approved one is not published", () => {
  expect(offered({ status: "approved", is_current: false })).toEqual(["edit", "delete", "request-changes"]);
});

test("nobody is offered what they may not do", () => {
  const editor: Action[] = ["articles.approve", "articles.publish", "articles.delete"];
  expect(offered({}, editor)).toEqual(["edit"]);
  expect(offered({ deleted_at: "2026-01-01" }, editor)).toEqual([]);
  expect(offered({}, ["articles.publish"])).toEqual(["edit", "delete", "approve"]);
  expect(offered({}, [...editor, "articles.edit"])).toEqual([]);
});

test("no state has two actions under one key", () => {
  for (const status of ["pending", "approved", "published"] as const) {
    const reviewed = {
      line: { status, publish_at: null, deleted_at: null },
      draft: {},
      approval: { is_current: true },
    };
    const keys = listOffers(reviewed as ReviewedArticle, () => true).map((offer) => offer.keys);
    expect(new Set(keys).size).toBe(keys.length);
  }
});

test("a field of the day and the time is of where the person is", () => {
  const date = new Date(2030, 4, 4, 9, 30);
  expect(localField(date)).toBe("2030-05-04T09:30");
  expect(fromLocalField("2030-05-04T09:30")).toEqual(date);
  expect(fromLocalField("")).toBeNull();
  expect(fromLocalField("soon")).toBeNull();
});

test("the next Monday is never today", () => {
  const monday = new Date(2026, 0, 5, 12);
  expect(daysToMonday(monday)).toBe(7);
  expect(daysToMonday(new Date(2026, 0, 4))).toBe(1);
  expect(morning(monday, daysToMonday(monday))).toEqual(new Date(2026, 0, 12, 9));
});
