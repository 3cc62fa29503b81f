import { expect, test } from "vitest";
import type { Webhook } from "../../../../src/http/admin/contract/webhooks.ts";
import { isOtherOrigin, type Values, toSettings } from "./form-state.ts";

const VALUES: Values = {
  name: " Site ",
  description: "",
  url: " https://example.com/hook ",
  events: ["article.deleted", "article.published"],
  payload: "full",
  seconds: "1.5",
  headers: [],
  dropsHeaders: false,
  ca: "",
  dropsCa: false,
};
const header = (name: string, value: string) => ({ key: name, name, value });
/** Only its existence matters. */
const EXISTING = { has_ca: true, header_names: ["X-Token"] } as Webhook;

test("a new webhook is wished for in the contract's words and order", () => {
  const values = { ...VALUES, headers: [header(" X-Token ", "abc"), header("", "")] };
  expect(toSettings(values, null)).toEqual({
    name: "Site",
    description: "",
    url: "https://example.com/hook",
    events: ["article.published", "article.deleted"],
    payload: "full",
    coalesce_ms: 1_500,
    headers: { "X-Token": "abc" },
    ca: null,
  });
});

test("an address leads to another receiver by its scheme, host or port, and not by its path", () => {
  const webhook = { ...EXISTING, url: "https://example.com/hook" };
  for (const url of ["https://example.com/other?a=b", " https://EXAMPLE.com:443/hook ", "half an addr", ""]) {
    expect(isOtherOrigin(url, webhook), url).toBe(false);
  }
  for (const url of ["http://example.com/hook", "https://example.org/hook", "https://example.com:8443/hook"]) {
    expect(isOtherOrigin(url, webhook), url).toBe(true);
  }
  expect(isOtherOrigin("https://example.org/", null)).toBe(false);
});

test("what is kept of an existing one stays unless it is replaced or dropped", () => {
  const untouched = toSettings(VALUES, EXISTING);
  expect(untouched).not.toHaveProperty("headers");
  expect(untouched).not.toHaveProperty("ca");
  expect(toSettings({ ...VALUES, dropsHeaders: true, dropsCa: true }, EXISTING)).toMatchObject({
    headers: {},
    ca: null,
  });
  const replaced = { ...VALUES, dropsHeaders: true, dropsCa: true, headers: [header("A", "b")], ca: "PEM" };
  expect(toSettings(replaced, EXISTING)).toMatchObject({ headers: { A: "b" }, ca: "PEM" });
});
