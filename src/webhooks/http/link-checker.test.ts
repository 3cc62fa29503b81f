import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { startPlainServer } from "../../../test/helpers/plain-server.ts";
import { until } from "../../../test/helpers/until.ts";
import { AddressGuard, parseCidrs } from "../net/ssrf-guard.ts";
import { LinkChecker } from "./link-checker.ts";

function serve(onRequest: (asked: string) => { status: number; location?: string } | null) {
  return startPlainServer(({ method, url, headers }, response) => {
    assert.deepEqual([headers.cookie, headers.referer], [undefined, undefined]);
    const answer = onRequest(`${method} ${url}`);
    if (answer === null) return;
    response.writeHead(answer.status, answer.location === undefined ? {} : { Location: answer.location }).end("text");
  });
}

const guard = (cidrs: string) => new AddressGuard({ allowHttp: true, allowCidrs: parseCidrs(cidrs) ?? [] });

async function result(checker: LinkChecker, url: string) {
  await until("it is checked", () => checker.check("website", url, false).state !== "waiting");
  return checker.check("website", url, false);
}

test("a link is reachable, redirected, broken or unclear, and is asked about once until it is checked again", async () => {
  let now = 1_000_000;
  await using host = await serve((asked) => {
    if (asked === "HEAD /moved") return { status: 301, location: "/here#part" };
    if (asked.endsWith("/loop")) return { status: 302, location: "/loop" };
    if (asked.endsWith("/gone")) return { status: 410 };
    if (asked === "HEAD /no-head") return { status: 405 };
    if (asked.endsWith("/members")) return { status: 403 };
    return { status: 200 };
  });
  using checker = new LinkChecker(guard("127.0.0.1/32"), () => now);
  const of = async (path: string) => {
    const { state, reason, leadsTo } = await result(checker, `${host.url}${path}`);
    return [state, reason, leadsTo];
  };
  assert.deepEqual(await of("/here#part"), ["reachable", null, null]);
  assert.deepEqual(await of("/moved"), ["redirected", null, `${host.url}/here`]);
  assert.deepEqual(await of("/loop"), ["broken", "Too many redirects", null]);
  assert.deepEqual(await of("/gone"), ["broken", "HTTP 410", null]);
  assert.deepEqual(await of("/no-head"), ["reachable", null, null]);
  assert.deepEqual(await of("/members"), ["unclear", "HTTP 403", null]);
  const count = host.asked.length;
  assert.deepEqual(await of("/here"), ["reachable", null, null]);
  checker.check("website", `${host.url}/here`, true);
  assert.equal(host.asked.length, count, "checked a moment ago");
  now += 60_000;
  assert.equal(checker.check("website", `${host.url}/here`, true).state, "waiting");
  await of("/here");
  assert.equal(host.asked.length, count + 1);
});

test("no address is called that is not allowed, not even behind a redirect, and a website's links take turns", async () => {
  const inner = await serve(() => ({ status: 200 }));
  await using host = await serve((asked) =>
    asked.endsWith("/in") ? { status: 302, location: inner.url.replace("127.0.0.1", "127.0.0.2") } : null,
  );
  using checker = new LinkChecker(guard("127.0.0.1/32"), () => Date.now(), 300);
  assert.equal((await result(checker, `${host.url}/in`)).state, "broken");
  assert.deepEqual(inner.asked, []);
  for (const scheme of ["file:///etc/passwd", "ftp://127.0.0.1/"]) {
    assert.equal((await result(checker, scheme)).state, "unclear", scheme);
  }
  await inner[Symbol.asyncDispose]();
  using patient = new LinkChecker(guard("127.0.0.1/32"), () => Date.now());
  for (let no = 0; no < 400; no += 1) patient.check("website", `${host.url}/${no}`, false);
  assert.match(patient.check("website", `${host.url}/399`, false).reason ?? "", /Too many links/);
  await until("the first are asked", () => host.asked.length === 3);
});

test("whether a port is closed, an address refused or a host silent, the result is the same and comes at the same time", async () => {
  await using host = await serve((asked) => {
    if (asked.endsWith("/in")) return { status: 302, location: "http://127.0.0.2/" };
    return asked.endsWith("/silent") ? null : { status: 200 };
  });
  const closed = await serve(() => null);
  await closed[Symbol.asyncDispose]();
  const timeoutMs = 300;
  using checker = new LinkChecker(guard("127.0.0.1/32"), () => 1, timeoutMs);
  await result(checker, host.url);
  for (const url of [
    closed.url,
    "http://127.0.0.2/",
    "http://169.254.169.254/",
    "http://no-host.invalid/",
    `${host.url}/silent`,
    `${host.url}/in`,
  ]) {
    const start = performance.now();
    const expected = { state: "broken", reason: "The host cannot be reached", leadsTo: null, checkedAt: 1 };
    assert.deepEqual(await result(checker, url), expected, url);
    assert.ok(performance.now() - start >= timeoutMs - 1, url);
  }
});

test("while no host has responded, links are unclear; once one has, those that nothing is behind are broken", async () => {
  let now = 1_000_000;
  await using host = await serve(() => ({ status: 200 }));
  using checker = new LinkChecker(guard("127.0.0.1/32"), () => now, 100);
  const dead = "http://no-host.invalid/";
  const state = async () => (await result(checker, dead)).state;
  assert.match((await result(checker, dead)).reason ?? "", /may have no internet/);
  assert.equal(await state(), "unclear");
  await result(checker, host.url);
  assert.equal(await state(), "broken");
  now += 2 * 3_600_000;
  assert.equal(await state(), "unclear");
});

test("a website neither learns which links another has checked, nor waits for them", async () => {
  await using host = await serve((asked) => (asked.endsWith("/slow") ? null : { status: 200 }));
  using checker = new LinkChecker(guard("127.0.0.1/32"), () => Date.now());
  await result(checker, `${host.url}/page`);
  assert.equal(checker.check("other", `${host.url}/page`, false).state, "waiting");
  for (const no of [1, 2]) checker.check("website", `${host.url}/${no}/slow`, false);
  checker.check("website", `${host.url}/queued`, false);
  await until(
    "it is checked for the other",
    () => checker.check("other", `${host.url}/queued`, false).state === "reachable",
  );
  assert.equal(checker.check("website", `${host.url}/queued`, false).state, "waiting");
});

test("a host that wants to switch protocols cannot be reached", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  server.on("connection", (socket) =>
    socket.once("data", () =>
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"),
    ),
  );
  await once(server, "listening");
  try {
    using checker = new LinkChecker(guard("127.0.0.1/32"), () => Date.now(), 100);
    const { port } = server.address() as AddressInfo;
    const { state, reason } = await result(checker, `http://127.0.0.1:${port}/`);
    assert.deepEqual([state, reason?.startsWith("No host responds")], ["unclear", true]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
