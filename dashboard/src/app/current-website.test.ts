import { beforeEach, expect, test } from "vitest";
import type { WhoAmI } from "../../../src/http/admin/contract/session.ts";
import { chooseWebsite, rememberWebsite } from "./current-website.ts";

beforeEach(() => localStorage.clear());

function memberOf(...ids: string[]): WhoAmI {
  return {
    account: { id: "a", email: "ada@example.com", name: "" },
    session: { id: "s", created_at: "2026-01-01T00:00:00.000Z" },
    everywhere: { role: null, permissions: [] },
    second_factor: false,
    trash_days: null,
    live: null,
    websites: ids.map((id) => ({
      id,
      name: id,
      time_zone: "UTC",
      role: "viewer",
      permissions: [],
      needs_second_factor: false,
    })),
  };
}

test("the address decides, then the last one, then the first", () => {
  const session = memberOf("one", "two", "three");
  expect(chooseWebsite(session, undefined)).toBe("one");
  rememberWebsite("two");
  expect(chooseWebsite(session, undefined)).toBe("two");
  expect(chooseWebsite(session, "three")).toBe("three");
});

test("one that somebody is no member of is nobody's choice, whether the address names it or the past", () => {
  const session = memberOf("one");
  expect(chooseWebsite(session, "gone")).toBe(null);
  rememberWebsite("gone");
  expect(chooseWebsite(session, undefined)).toBe("one");
  expect(chooseWebsite(memberOf(), undefined)).toBe(null);
});
