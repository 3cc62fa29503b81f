import { expect, test } from "vitest";
import { toSent, toTyped } from "./words.tsx";

const PEOPLE = [
  { id: "1", name: "Ann" },
  { id: "2", name: "Ann Lee" },
];

test("names are sent as accounts, and shown as names", () => {
  expect(toSent("@Ann Lee and @Ann: look, @Bob", PEOPLE)).toBe("<@2> and <@1>: look, @Bob");
  expect(toTyped("<@2> and <@1>, <@3>", PEOPLE)).toBe("@Ann Lee and @Ann, <@3>");
});
