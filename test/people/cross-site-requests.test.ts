/** No other site makes a browser change anything here. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, type SendOptions } from "../helpers/http.ts";
import { startTestService } from "../helpers/service.ts";
import { API, OWNER, PASSWORD, people } from "./dashboard.ts";

const JSON_TYPE = { "Content-Type": "application/json" };
const OWN = { ...JSON_TYPE, "Sec-Fetch-Site": "same-origin" };

test("requests that another site makes a browser send are refused, even with the cookie", async () => {
  await using service = await startTestService();
  using all = people(service);
  using client = new Client(service.url);
  const { cookie } = await all.owner();
  const { host } = new URL(service.url);
  const hostile: NonNullable<SendOptions["headers"]>[] = [
    { "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "same-site" },
    { "Sec-Fetch-Site": "cross-site", Origin: service.url },
    { "Sec-Fetch-Site": "Same-Origin, same-origin" },
    { Origin: "https://evil.example" },
    { Origin: "null" },
    { Origin: `http://evil.example/@${host}` },
    { Origin: `http://${host}.evil.example` },
    { Origin: `file://${host}` },
    { Referer: `${service.url}/dashboard` },
    {},
  ];
  for (const headers of hostile) {
    const reply = await client.send(`${API}/session`, {
      method: "DELETE",
      headers: { ...JSON_TYPE, Cookie: cookie, ...headers },
    });
    assert.equal(reply.status, 403, JSON.stringify(headers));
  }
  const forms = ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x", undefined];
  for (const type of forms) {
    const reply = await client.send(`${API}/session`, {
      method: "POST",
      headers: { "Sec-Fetch-Site": "same-origin", "Content-Type": type, Cookie: cookie },
      body: JSON.stringify({ email: OWNER, password: PASSWORD }),
    });
    assert.equal(reply.status, 403, String(type));
  }
  const still = await client.send(`${API}/session`, { headers: { Cookie: cookie } });
  assert.equal(still.status, 200, "the session goes on");
});

test("requests of our own pages are accepted, from browsers that say where a request is from and from those that do not", async () => {
  await using service = await startTestService({ ROSTRUM_PUBLIC_URL: "http://rostrum.example.com" });
  using all = people(service);
  using client = new Client(service.url);
  await all.owner();
  const body = JSON.stringify({ email: OWNER, password: PASSWORD });
  const own: NonNullable<SendOptions["headers"]>[] = [
    OWN,
    { ...JSON_TYPE, "Sec-Fetch-Site": "none" },
    { ...JSON_TYPE, Origin: service.url },
    { ...JSON_TYPE, Origin: "http://rostrum.example.com" },
    { "Content-Type": "application/json; charset=utf-8", "Sec-Fetch-Site": "same-origin" },
  ];
  for (const headers of own) {
    const reply = await client.send(`${API}/session`, { method: "POST", headers, body });
    assert.equal(reply.status, 200, JSON.stringify(headers));
  }
});

test("no response allows another origin to read it", async () => {
  await using service = await startTestService();
  using client = new Client(service.url);
  for (const method of ["GET", "OPTIONS"]) {
    const reply = await client.send(`${API}/session`, { method, headers: { Origin: "https://evil.example" } });
    assert.equal(reply.headers["access-control-allow-origin"], undefined);
    assert.ok(reply.status >= 400);
  }
});

test("requests that violate the contract are refused with the name of the field", async () => {
  await using service = await startTestService();
  using client = new Client(service.url);
  const bodies: [string, number][] = [
    ["{", 400],
    ["", 400],
    ["[]", 400],
    [`{"email": 1, "password": "x"}`, 400],
    [`{"email": "a@example.com"}`, 400],
    [`{"email": "a@example.com", "password": "x", "role": "owner"}`, 400],
    [`{"email": "a@example.com", "password": "x", "__proto__": {"isAdmin": true}}`, 400],
    [JSON.stringify({ email: "a@example.com", password: "x".repeat(70_000) }), 413],
  ];
  for (const [body, status] of bodies) {
    const reply = await client.send(`${API}/session`, { method: "POST", headers: OWN, body });
    assert.equal(reply.status, status, `${body.slice(0, 80)}: ${reply.text}`);
  }
  const body = `{"email": 1, "password": "x"}`;
  const reply = await client.send(`${API}/session`, { method: "POST", headers: OWN, body });
  assert.deepEqual(reply.json(), { error: "Bad Request", message: "body/email must be string.", param: "email" });
  assert.equal((await client.send(`${API}/nothing`, { headers: OWN })).status, 404);
});

test("behind a proxy the address is the one that the proxy adds, and nothing that a client claims", async () => {
  for (const [publicUrl, expected] of [
    [{ ROSTRUM_PUBLIC_URL: "http://rostrum.example.com" }, "203.0.113.9"],
    [{}, "127.0.0.1"],
  ] as const) {
    await using service = await startTestService(publicUrl);
    using all = people(service);
    await all.owner();
    const browser = all.browser({ "X-Forwarded-For": "198.51.100.1, 203.0.113.9" });
    await browser.signIn(OWNER);
    const sessions = await browser.json("GET", "/sessions");
    assert.ok(JSON.stringify(sessions).includes(`"address":"${expected}"`), JSON.stringify(sessions));
    assert.ok(!JSON.stringify(sessions).includes("198.51.100.1"));
  }
});
