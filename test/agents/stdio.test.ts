/** `rostrum mcp`, as agents start it. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createToken, revokeToken } from "../../src/operations/people/access-tokens.ts";
import { Agent, PROTOCOLS } from "../helpers/agent.ts";
import { runCli } from "../helpers/cli.ts";
import { tempFolder } from "../helpers/folder.ts";
import { record } from "../helpers/http.ts";
import { startTestService } from "../helpers/service.ts";

const LAUNCHER = join(import.meta.dirname, "..", "..", "bin", "rostrum.js");

const service = await startTestService();
const folder = await tempFolder();
after(async () => {
  await service[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const input = { name: "An agent", scope: "draft", expiresAt: null } as const;
const { secret } = await createToken(service.app, service.website.id, input, CLI_ORIGIN);
const file = folder.at("token");
await writeFile(file, `${secret}\n`);
const ARGS = ["mcp", "--url", service.url, "--token-file", file];

for (const protocol of PROTOCOLS) {
  test(`an agent works through it on ${protocol}`, async () => {
    const command = { command: process.execPath, args: [LAUNCHER, ...ARGS], stderr: "ignore" as const };
    await using agent = await Agent.connect(new StdioClientTransport(command), protocol);
    const { id, etag } = await agent.call("create_draft", { title: protocol, markdown: "Grün und blau\n" });
    await agent.call("edit_article", { id, etag, edits: [{ old: "blau", new: "gelb" }] });
    assert.equal((await agent.call("read_article", { id })).text, "Grün und gelb\n");
    assert.equal((await agent.refused("read_article", { id: "none" }))["code"], "not_found");
    // As many as a token may send at once, and more.
    const lists = await Promise.all(Array.from({ length: 60 }, () => agent.call("list_articles")));
    assert.equal(lists.length, 60);
  });
}

test("what it cannot pass on is an error that says why", async () => {
  const { token: other, secret: revoked } = await createToken(service.app, service.website.id, input, CLI_ORIGIN);
  await revokeToken(service.app, other.id, CLI_ORIGIN);
  await writeFile(folder.at("revoked"), revoked);
  const stdin = `${JSON.stringify({ jsonrpc: "2.0", id: 7, method: "ping" })}\nno JSON\n`;
  const args = ["mcp", "--url", service.url, "--token-file", folder.at("revoked")];
  const { code, stdout, stderr } = await runCli(args, { stdin });
  const answers = new Map(
    stdout
      .trim()
      .split("\n")
      .map((line) => [record(JSON.parse(line))["id"], line]),
  );
  assert.equal(code, 0);
  assert.match(stderr, /was revoked/);
  assert.match(answers.get(7) ?? "", /"code":-32603,"message":"This access token is unknown, was revoked/);
  assert.match(answers.get(null) ?? "", /This is not JSON/);
  const away = await runCli(["mcp", "--url", "http://127.0.0.1:1", "--token-file", file], { stdin });
  assert.match(away.stdout, /cannot be reached/);
});

test("wrong usage is named", async () => {
  const { code, stderr } = await runCli(["mcp", "--url", "ftp://x", "--token-file", file]);
  assert.deepEqual([code, /must begin with https/.test(stderr)], [2, true]);
  assert.equal((await runCli(["mcp", "--url", service.url, "--token-file", "-"])).code, 2);
});
