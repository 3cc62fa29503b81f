/** Addresses that clients claim to have, and routes for operators only. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { describe, test } from "node:test";
import { Client, records } from "../helpers/http.ts";
import { rawExchange } from "../helpers/raw-http.ts";
import { LIST, startTestService } from "../helpers/service.ts";
import { until } from "../helpers/until.ts";
import { OWNER, people } from "../people/dashboard.ts";

const PATHS = ["/metrics", "/healthz", "/readyz"];
/** The same addresses, as proxies that compare texts do not know them. */
const DISGUISED = ["/%6detrics", "/%6D%65trics", "/healt%68z", "/%72eadyz", "//metrics", "/./metrics", "/metrics?x=1"];

describe("health and metrics", () => {
  test("are only on a port of their own if there is one, however their address is spelled", async () => {
    await using service = await startTestService({ ROSTRUM_METRICS_PORT: "0" });
    assert.ok(service.metricsUrl !== null && service.metricsUrl !== service.url);
    using own = new Client(service.metricsUrl);
    for (const path of PATHS) {
      assert.equal((await own.send(path)).status, 200, path);
      const absolute = `GET http://metrics.example${path} HTTP/1.1\r\nHost: metrics.example\r\nConnection: close\r\n\r\n`;
      assert.match(await rawExchange(service.metricsUrl, absolute, { stays: true }), /^HTTP\/1\.1 200 /);
    }
    for (const path of [...PATHS, ...DISGUISED]) assert.equal((await service.get(path)).status, 404, path);
    for (const path of [LIST, "/docs", "/dashboard", "/"]) assert.equal((await own.send(path)).status, 404, path);
  });

  test("take a limited number of connections on a port of their own, and answer again when these have gone", async () => {
    await using service = await startTestService({ ROSTRUM_METRICS_PORT: "0" });
    assert.ok(service.metricsUrl !== null);
    const { hostname, port } = new URL(service.metricsUrl);
    const sockets = Array.from({ length: 260 }, () => connect(Number(port), hostname).on("error", () => undefined));
    for (const socket of sockets) socket.write("GET /metrics HTTP/1.1\r\n");
    await until("four are closed", () => sockets.filter((socket) => socket.closed).length === 4);
    assert.equal((await service.get(LIST)).status, 200);
    for (const socket of sockets) socket.destroy();
    await until("there is room", async () => {
      using own = new Client(service.metricsUrl ?? "");
      return await own.send("/healthz").then(
        ({ status }) => status === 200,
        () => false,
      );
    });
  });

  test("are on the service's port without one, for everybody", async () => {
    await using service = await startTestService();
    assert.equal(service.metricsUrl, null);
    const headers = { "X-Forwarded-For": "203.0.113.7" };
    for (const path of PATHS) assert.equal((await service.get(path, headers)).status, 200, path);
  });

  test("are available only to requests from the machine itself where a proxy is trusted", async () => {
    await using service = await startTestService({ ROSTRUM_TRUST_PROXY: "127.0.0.1" });
    for (const path of PATHS) assert.equal((await service.get(path)).status, 200, path);
    for (const path of [...PATHS, ...DISGUISED]) {
      for (const forwarded of ["203.0.113.7", "127.0.0.1, 203.0.113.7", "::1,203.0.113.7"]) {
        assert.equal((await service.get(path, { "X-Forwarded-For": forwarded })).status, 404, path);
      }
    }
  });
});

test("cookies are Secure where a trusted proxy, or the first of several, is reached by TLS, however it writes that", async () => {
  await using service = await startTestService({ ROSTRUM_TRUST_PROXY: "127.0.0.1" });
  using all = people(service);
  await all.owner();
  const cookiesBehind = async (protocol: string) => {
    const { headers } = await all.browser({ "X-Forwarded-Proto": protocol }).signIn(OWNER);
    return headers["set-cookie"] ?? [];
  };
  for (const protocol of ["https", "HTTPS", "https, http", "Https,https"]) {
    const cookies = await cookiesBehind(protocol);
    assert.equal(cookies.length, 2, protocol);
    for (const cookie of cookies) assert.match(cookie, /^__Host-rostrum.*; Secure$/, protocol);
  }
  for (const protocol of ["http", "http, https", "", "httpsx"]) {
    const cookies = await cookiesBehind(protocol);
    assert.equal(cookies.length, 2, protocol);
    for (const cookie of cookies) assert.match(cookie, /^rostrum.*SameSite=Lax$/, protocol);
  }
});

test("behind a trusted proxy, sign-in attempts are counted by the client's address, which sessions and the audit log show", async () => {
  await using service = await startTestService({ ROSTRUM_TRUST_PROXY: "127.0.0.1" });
  using all = people(service);
  const owner = await all.owner();
  const from = (address: string) => all.browser({ "X-Forwarded-For": `198.51.100.1, ${address}` });
  const guesser = from("203.0.113.7");
  let status = 401;
  // 30 tries, and one more for every three seconds that pass.
  for (let tries = 0; tries < 100 && status === 401; tries++) {
    ({ status } = await guesser.signIn(`guess-${tries}@example.com`));
  }
  assert.equal(status, 429);
  assert.equal((await guesser.signIn(OWNER)).status, 429);
  const other = from("203.0.113.8");
  assert.equal((await other.signIn(OWNER)).status, 200);
  const { sessions } = await other.json("GET", "/sessions");
  assert.equal(records(sessions).find(({ current }) => current)?.["address"], "203.0.113.8");
  const { entries } = await owner.json("GET", "/audit?limit=1&about=accounts");
  assert.equal(records(entries)[0]?.["address"], "203.0.113.8");
});

describe("unknown keys are counted by the address of the client", () => {
  const unknown = { "X-API-Key": "rs_unknown" };

  test("behind a trusted proxy, as the proxy names it and not the client", async () => {
    await using service = await startTestService({ ROSTRUM_TRUST_PROXY: "127.0.0.0/8,10.0.0.0/8" });
    const ask = async (forwarded: string) =>
      (await service.get(LIST, { ...unknown, "X-Forwarded-For": forwarded })).status;
    for (let count = 0; count < 100; count++)
      assert.equal(await ask(`198.51.100.${count}, 203.0.113.7, 10.1.2.3`), 401);
    assert.equal(await ask("198.51.100.200, 203.0.113.7"), 429);
    assert.equal(await ask("203.0.113.8"), 401);
  });

  test("by its network for IPv6, since a client may have all addresses of it", async () => {
    await using service = await startTestService({ ROSTRUM_TRUST_PROXY: "127.0.0.1" });
    const ask = async (forwarded: string) =>
      (await service.get(LIST, { ...unknown, "X-Forwarded-For": forwarded })).status;
    for (let count = 0; count < 100; count++) assert.equal(await ask(`2001:db8::${count.toString(16)}:1`), 401);
    assert.equal(await ask("2001:db8:0:0:ffff::1"), 429);
    assert.equal(await ask("2001:db8:0:1::1"), 401);
  });

  test("without a trusted proxy, as the connection says", async () => {
    await using service = await startTestService({ ROSTRUM_TRUST_PROXY: "10.0.0.0/8" });
    const ask = async (forwarded: string) =>
      (await service.get(LIST, { ...unknown, "X-Forwarded-For": forwarded })).status;
    for (let count = 0; count < 100; count++) assert.equal(await ask(`203.0.113.${count}`), 401);
    assert.equal(await ask("203.0.113.200"), 429);
  });
});

describe("request ids", () => {
  const paths = [
    LIST,
    "/api/public/nothing",
    "/docs",
    "/dashboard",
    "/healthz",
    "/nothing",
    "/%zz",
    "/dashboard/api/session",
  ];
  const uuid = "6f1c9a52-3f0e-4c1e-9d7a-1f2e3d4c5b6a";

  test("are different for each response, and in the log", async () => {
    await using service = await startTestService();
    const ids = new Set<string>();
    for (const path of paths) {
      const { status, headers } = await service.get(path, { "X-Request-Id": uuid });
      const id = String(headers["x-request-id"]);
      assert.match(id, /^[\w.-]+-\d+$/, path);
      ids.add(id);
      if (status >= 400 && path !== "/%zz") await until(`${path} is in the log`, () => service.log.requestIds.has(id));
    }
    assert.equal(ids.size, paths.length);
  });

  test("of a trusted proxy are used, unless they are unsafe", async () => {
    await using service = await startTestService({ ROSTRUM_TRUST_PROXY: "127.0.0.1", ROSTRUM_METRICS_PORT: "0" });
    for (const path of paths) {
      assert.equal((await service.get(path, { "X-Request-Id": uuid })).headers["x-request-id"], uuid, path);
      for (const bad of ["", "x".repeat(65), "a b", 'a"b', ["a", "b"]]) {
        const id = (await service.get(path, { "X-Request-Id": bad })).headers["x-request-id"];
        assert.match(String(id), /^[\w.-]+-\d+$/, path);
      }
    }
  });
});
