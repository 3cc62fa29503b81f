import { expect, test } from "vitest";
import { groupEntries } from "./groups.ts";
import type { AuditEntry } from "./messages.ts";

function entry(no: number, change: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id: String(no),
    at: new Date(1_000_000 - no * 1_000).toISOString(),
    actor: { id: "ann", name: "Ann", email: "ann@example.com" },
    address: "127.0.0.1",
    website_id: "one",
    action: "article.approved",
    target: { kind: "article", id: `article-${no}` },
    detail: {},
    ...change,
  };
}

function sizes(entries: AuditEntry[]): number[] {
  return groupEntries(entries).map((group) => group.length);
}

test("what one person did to three articles or more in one go is one row", () => {
  expect(sizes([entry(1), entry(2), entry(3), entry(4)])).toEqual([4]);
  expect(sizes([entry(1), entry(2)])).toEqual([1, 1]);
});

test("nothing else is put together", () => {
  const others: Partial<AuditEntry>[] = [
    { actor: { id: "ben", name: null, email: "ben@example.com" } },
    { action: "article.published" },
    { address: "127.0.0.2" },
    { website_id: "two" },
    { target: { kind: "webhook", id: "1" } },
    { target: { kind: "article", id: "article-2" } },
    { at: new Date(1_000_000 - 3_600_000).toISOString() },
  ];
  for (const other of others) expect(sizes([entry(1), entry(2), entry(3, other)])).toEqual([1, 1, 1]);
});
