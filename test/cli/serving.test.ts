/** `serve` as a process: starting, stopping, dying, and what other commands do beside it. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { cliJson, runCli, serveCli } from "../helpers/cli.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { Client } from "../helpers/http.ts";
import { until } from "../helpers/until.ts";

interface Site extends AsyncDisposable {
  folder: Folder;
  data: string;
  website: string;
  key: string;
  create(title: string): Promise<string>;
}

async function newSite(): Promise<Site> {
  const folder = await tempFolder();
  const data = folder.path;
  const website = String((await cliJson(["website", "create", "--name", "W"], { data }))["id"]);
  const key = String((await cliJson(["key", "create", "--website", website, "--name", "k"], { data }))["key"]);
  const create = async (title: string) => {
    const stdin = JSON.stringify({ title, content: "<p>x</p>", status: "published" });
    return String((await cliJson(["article", "create", "--website", website, "--file", "-"], { data, stdin }))["id"]);
  };
  return { folder, data, website, key, create, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

const LIST = "/api/public/articles";

test("SIGTERM lets a request in flight be answered, closes the port, takes the claim back and exits with 0", async () => {
  await using site = await newSite();
  await using server = await serveCli({ data: site.data });
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(`GET ${LIST} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${site.key}\r\n`);
  await until("the claim is there", () => existsSync(`${site.data}/rostrum.db.serving`));
  using client = new Client(server.url);
  assert.equal((await client.send("/healthz")).status, 200);
  server.child.kill("SIGTERM");
  await until("new connections are refused", () => isRefused(server.url));
  socket.end("\r\n");
  assert.match(await text(socket), /^HTTP\/1\.1 200 OK/);
  assert.deepEqual(await server.ended, { code: 0, signal: null });
  assert.ok(!existsSync(`${site.data}/rostrum.db.serving`));
});

test("a connection that is kept alive and busy does not hold up the stop", async () => {
  await using site = await newSite();
  await using server = await serveCli({ data: site.data });
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  const closed = text(socket);
  const request = `GET ${LIST} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${site.key}\r\n`;
  socket.write(request);
  using client = new Client(server.url);
  assert.equal((await client.send("/healthz")).status, 200);
  server.child.kill("SIGTERM");
  await until("new connections are refused", () => isRefused(server.url));
  // Answered, and not asked to stay.
  socket.write("\r\n");
  await closed;
  assert.deepEqual(await server.ended, { code: 0, signal: null });
});

async function isRefused(url: string): Promise<boolean> {
  using client = new Client(url);
  return client.send("/healthz").then(
    () => false,
    () => true,
  );
}

test("a server that is killed loses nothing that was acknowledged, and the next one serves it", async () => {
  await using site = await newSite();
  const ids: string[] = [];
  for (let turn = 0; turn < 2; turn++) {
    await using server = await serveCli({ data: site.data });
    using client = new Client(server.url);
    ids.push(await site.create(`Turn ${turn}`));
    for (const id of ids) {
      assert.equal((await client.send(`${LIST}/${id}`, { headers: { "X-API-Key": site.key } })).status, 200);
    }
    server.child.kill("SIGKILL");
    assert.equal((await server.ended).signal, "SIGKILL");
  }
});

test("a port that is in use is told in a sentence, with exit code 1", async () => {
  await using site = await newSite();
  await using server = await serveCli({ data: site.data });
  const { port } = new URL(server.url);
  const { code, stderr } = await runCli(["serve"], { data: site.data, env: { PORT: port } });
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`^Port ${port} on 127.0.0.1 is in use`));
});

test(
  "a server does not outlive its launcher, however that ends",
  { skip: existsSync("/usr/bin/node") ? false : "no other Node to launch with" },
  async () => {
    await using site = await newSite();
    await using server = await serveCli({ data: site.data, runtime: "/usr/bin/node" });
    server.child.kill("SIGKILL");
    await server.ended;
    await until("the port is closed", () => isRefused(server.url));
  },
);

describe("backup and restore", () => {
  test("a backup is taken while the service serves; restoring is refused until it stops", async () => {
    await using site = await newSite();
    const first = await site.create("First");
    const file = site.folder.at("backup.db");
    let etag: string | undefined;
    let second: string;
    {
      await using server = await serveCli({ data: site.data });
      using client = new Client(server.url);
      const get = (path: string, headers = {}) => client.send(path, { headers: { "X-API-Key": site.key, ...headers } });
      const { bytes } = await cliJson(["backup", file], { data: site.data });
      assert.ok(Number(bytes) > 0);
      assert.equal((await runCli(["backup", file], { data: site.data })).code, 1, "the file exists");
      await cliJson(["backup", file, "--force"], { data: site.data });
      second = await site.create("Second");
      ({ etag } = (await get(LIST)).headers);
      const refused = await runCli(["restore", file], { data: site.data });
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /The service is running/);
      assert.equal((await get(`${LIST}/${second}`)).status, 200);
      server.child.kill("SIGTERM");
      await server.ended;
    }
    const { kept } = await cliJson(["restore", file], { data: site.data });
    assert.ok(existsSync(String(kept)));
    await using server = await serveCli({ data: site.data });
    using client = new Client(server.url);
    const get = (path: string, headers = {}) => client.send(path, { headers: { "X-API-Key": site.key, ...headers } });
    assert.equal((await get(`${LIST}/${first}`)).status, 200);
    assert.equal((await get(`${LIST}/${second}`)).status, 404);
    const third = await site.create("Third");
    assert.equal((await get(LIST, { "If-None-Match": etag })).status, 200, "no ETag of before is valid");
    assert.ok((await get(LIST)).text.includes(third));
    const deleted = await runCli(["article", "delete", third], { data: site.data });
    assert.equal(deleted.code, 0);
    // A receiver that had followed the events up to the lost one, and asks what came after it.
    const { events, pagination } = JSON.parse((await get("/api/public/events?after=1000")).text).data;
    assert.deepEqual(
      events.map((event: { data: { article_id: string } }) => event.data.article_id),
      [third, third],
      "no event after the restoration has a number of before",
    );
    assert.equal(pagination.has_more, false);
  });

  test("a backup over the database itself is refused, also with --force", async () => {
    await using site = await newSite();
    const id = await site.create("Kept");
    const { code } = await runCli(["backup", `${site.data}/rostrum.db`, "--force"], { data: site.data });
    assert.equal(code, 1);
    assert.equal((await cliJson(["article", "show", id], { data: site.data }))["title"], "Kept");
  });

  test("what is no backup is refused and the data stays", async () => {
    await using site = await newSite();
    const id = await site.create("Kept");
    for (const [name, content] of [
      ["text", "not a database at all, but long enough to be read as one ".repeat(100)],
      ["empty", ""],
    ] as const) {
      await writeFile(site.folder.at(name), content);
      const { code, stderr } = await runCli(["restore", site.folder.at(name)], { data: site.data });
      assert.equal(code, 1, `${name}: ${stderr}`);
    }
    assert.equal((await cliJson(["article", "show", id], { data: site.data }))["title"], "Kept");
  });
});
