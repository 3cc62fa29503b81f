/** Links that turn e-mails off: they need no session, work by POST only, and nobody can make one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MailScope } from "../../src/domain/people/notification.ts";
import { changeSettings, getSettings } from "../../src/operations/people/notifications.ts";
import { sealUnsubscribeToken } from "../../src/operations/people/unsubscribe.ts";
import { findAccountByEmail, setEmail } from "../../src/store/people/accounts.ts";
import { Client } from "../helpers/http.ts";
import { startTestService } from "../helpers/service.ts";
import { API, OWNER, people } from "./dashboard.ts";

const ONE_CLICK = "List-Unsubscribe=One-Click";
const FORM = { "Content-Type": "application/x-www-form-urlencoded" };
const MULTIPART = { "Content-Type": "multipart/form-data; boundary=x" };
const PARTS = `--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n`;

async function openHouse() {
  await using opened = new AsyncDisposableStack();
  const service = opened.use(await startTestService());
  const all = opened.use(people(service));
  await all.owner();
  const { app } = service;
  const account = await app.store.read((db) => findAccountByEmail(db, OWNER));
  assert.ok(account !== undefined);
  const client = opened.use(new Client(service.url));
  const owned = opened.move();
  return {
    app,
    all,
    account,
    token: (scope: MailScope) =>
      sealUnsubscribeToken(app.secrets(), { accountId: account.id, email: account.email, scope }),
    settings: () => app.store.read((db) => getSettings(db, account.id)),
    /** As a mail service sends it. */
    post: (token: string, headers: Record<string, string> = FORM, body = ONE_CLICK) =>
      client.send(`${API}/unsubscribe?token=${token}`, { method: "POST", headers, body }),
    open: (token: string) => client.send(`${API}/unsubscribe?token=${token}`),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

test("a mail service turns e-mails off by one POST, also twice; opening the link changes nothing", async () => {
  await using house = await openHouse();
  const token = house.token(["to_review", "comment"]);
  const opened = await house.open(token);
  assert.deepEqual([opened.status, opened.headers.location], [302, `/dashboard/unsubscribe#${token}`]);
  const page = house.all.browser();
  const look = () => page.json("POST", "/unsubscribe/link", { token });
  assert.deepEqual(await look(), { email: OWNER, kinds: ["to_review", "comment"], is_off: false });
  assert.deepEqual((await house.settings()).muted, []);
  for (const [headers, body] of [
    [FORM, ONE_CLICK],
    [MULTIPART, PARTS],
    [{ "Sec-Fetch-Site": "cross-site" }, ""],
  ] as const) {
    assert.equal((await house.post(token, headers, body)).status, 204);
    assert.deepEqual((await house.settings()).muted, ["to_review", "comment"]);
  }
  assert.equal((await look())["is_off"], true);
  await changeSettings(house.app, house.account.id, { mail: "daily", muted: ["reply"], timeZone: "UTC" });
  await page.json("POST", `/unsubscribe?token=${house.token("daily")}`, {}, 204);
  assert.deepEqual(await house.settings(), { mail: "never", muted: ["reply"], timeZone: "UTC" });
  const statuses = new Set<number>();
  for (let time = 0; time < 30; time++) statuses.add((await house.post(token)).status);
  assert.deepEqual([...statuses], [204, 429]);
});

test("changed, invented and outdated links turn nothing off", async () => {
  await using house = await openHouse();
  const { app, account } = house;
  const token = house.token(["to_review"]);
  const assertRefused = async (one: string) => assert.equal((await house.post(one)).status, 404, one);
  const sealed = app
    .secrets()
    .seal(JSON.stringify({ accountId: account.id, email: OWNER, scope: "daily" }), account.id);
  const shorter = token.slice(0, -1);
  const other = `${token.slice(0, 30)}${token[30] === "A" ? "B" : "A"}${token.slice(31)}`;
  for (const wrong of [sealed, shorter, other, "v1.", "x", "v1.AAAA"]) await assertRefused(wrong);
  await app.store.write((db) => setEmail(db, account.id, "new@example.com"));
  // Somebody else may have the earlier address.
  await assertRefused(token);
  assert.deepEqual((await house.settings()).muted, []);
  let isLimited = false;
  for (let time = 0; time < 40 && !isLimited; time++) isLimited = (await house.post("x")).status === 429;
  assert.ok(isLimited);
});
