import assert from "node:assert/strict";
import { test } from "node:test";
import { actionsAbout, AUDIT_SUBJECTS, CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createKey } from "../../src/operations/people/api-keys.ts";
import { records } from "../helpers/http.ts";
import { startTestService } from "../helpers/service.ts";
import { auditActions, type Browser, people } from "../people/dashboard.ts";

test("the audit log is filtered by kind, page by page", async () => {
  await using service = await startTestService();
  using all = people(service);
  const owner = await all.owner();
  const common = { scope: "all", expiresAt: null, rateLimit: null } as const;
  for (const name of ["one", "two", "three"]) {
    await createKey(service.app, service.website.id, { ...common, name }, CLI_ORIGIN);
    await owner.json("PATCH", `/websites/${service.website.id}`, { name: `For ${name}` });
  }
  const websiteId = service.website.id;
  const keys = await pages(owner, `website_id=${websiteId}&about=keys&limit=2`);
  assert.deepEqual(keys, [
    ["three", "two"],
    ["one", "test"],
  ]);
  const accounts = await pages(owner, "about=accounts");
  assert.equal(accounts.length, 1);
  const { entries } = await owner.json("GET", `/audit?website_id=${websiteId}&about=accounts`);
  assert.deepEqual(entries, [], "nobody signs in to a website");
  assert.equal((await owner.send("GET", "/audit?about=weather")).status, 400);

  const known = AUDIT_SUBJECTS.flatMap((about) => actionsAbout(about));
  for (const action of await auditActions(owner)) assert.ok((known as string[]).includes(action), action);
});

test("a key that somebody pasted by mistake is not stored in the audit log", async () => {
  await using service = await startTestService();
  using all = people(service);
  const owner = await all.owner();
  const name = `Blog ${service.key} and whsec_${"A".repeat(32)}`;
  await owner.json("PATCH", `/websites/${service.website.id}`, { name });
  const { text } = await owner.send("GET", "/audit?limit=200");
  assert.ok(!text.includes(service.key) && !text.includes("whsec_A"), text);
  assert.ok(text.includes("Blog rs_[redacted] and whsec_[redacted]"), text);
});

/** Names of the things, page after page. */
async function pages(owner: Browser, query: string): Promise<unknown[][]> {
  const found: unknown[][] = [];
  let cursor = "";
  do {
    const { entries, next_cursor: next } = await owner.json("GET", `/audit?${query}${cursor}`);
    found.push(records(entries).map(({ detail }) => (detail as { name?: unknown }).name));
    cursor = typeof next === "string" ? `&cursor=${encodeURIComponent(next)}` : "";
  } while (cursor !== "");
  return found;
}
