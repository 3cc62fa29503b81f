/** docs/webhooks.md: its JavaScript runs, its examples are what is sent, its tables name what there is. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { EVENT_KINDS, type EventKind } from "../../src/domain/webhooks/event.ts";
import { composeMessage, mintSecret } from "../../src/domain/webhooks/webhook-message.ts";
import { tempFolder } from "../helpers/folder.ts";
import { record } from "../helpers/http.ts";
import { until } from "../helpers/until.ts";
import { assertDescribed, ROOT, schemaNamed } from "./described.ts";

const DOCS = readFileSync(join(ROOT, "docs", "webhooks.md"), "utf8");
const EVENT_ID = "01a1fd3e-5150-7a4c-8f21-6b0e9d2c7a35";
const SCHEMAS: Record<EventKind, string> = {
  "article.published": "ArticlePublishedEvent",
  "article.updated": "ArticleUpdatedEvent",
  "article.deleted": "ArticleDeletedEvent",
};

function blocks(language: string): string[] {
  return Array.from(DOCS.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms")), ([, code = ""]) => code);
}

/** The names in the first column of the table with that first heading. */
function namesIn(heading: string): string[] {
  const [, rows = ""] = new RegExp(`^\\| ${heading} \\|.*\\n\\|[-|]+\\n((?:\\|.*\\n)+)`, "m").exec(DOCS) ?? [];
  return Array.from(rows.matchAll(/^\| `([\w-]+)/gm), ([, name = ""]) => name);
}

const examples = blocks("json").map((text) => record(JSON.parse(text)));
const [published = {}] = examples;
const BODY = JSON.stringify({ ...published, ü: "Größe 茶 🍵" });

/** As it is sent, signed by each of the secrets. */
function message(secrets: string[], { at = Date.now(), body = BODY, eventId = EVENT_ID, sequence = 1 } = {}) {
  return composeMessage(
    { eventId, sequence, attempt: 1, body, form: "full", headers: {}, secrets, traceparent: null },
    at,
    randomBytes(8),
  ).headers;
}

/** The receiver of the document, as a program of its own. */
async function startReceiver(code: string, secret: string) {
  const folder = await tempFolder();
  await symlink(join(ROOT, "node_modules"), folder.at("node_modules"), "dir");
  await writeFile(folder.at("receiver.mjs"), code);
  const child = spawn(process.execPath, [folder.at("receiver.mjs")], {
    env: { PORT: "0", WEBHOOK_SECRET: secret },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  await until("it listens", () => lines.length > 0 || child.exitCode !== null);
  const port = /listening on port (\d+)/.exec(lines.shift() ?? "")?.[1];
  return {
    lines,
    post: async (headers: Record<string, string>, body = BODY): Promise<number> => {
      const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body });
      await response.arrayBuffer();
      return response.status;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await ended;
      await folder[Symbol.asyncDispose]();
    },
  };
}

for (const code of blocks("js")) {
  const [name = ""] = code.split("\n");
  test(`${name} takes what Rostrum signed, also while its secret is changed, and nothing else`, async () => {
    const secret = mintSecret(randomBytes);
    const other = mintSecret(randomBytes);
    await using receiver = await startReceiver(code, secret);
    assert.equal(await receiver.post(message([other])), 401, "another's signature");
    assert.equal(await receiver.post(message([secret]), BODY.replace("Tea", "tea")), 401, "another body");
    for (const minutes of [-6, 6]) {
      assert.equal(
        await receiver.post(message([secret], { at: Date.now() + minutes * 60_000 })),
        401,
        `${minutes} min`,
      );
    }
    assert.equal(await receiver.post({ ...message([secret]), "webhook-id": "msg_0" }), 401, "another id");
    assert.equal(await receiver.post({ "Content-Type": "application/json" }), 401, "no signature");
    assert.deepEqual(receiver.lines, []);
    assert.equal(await receiver.post(message([other, secret])), 204);
    await until("it is handled", () => receiver.lines.length === 1);
    assert.match(receiver.lines[0] ?? "", /^article\.published 01a1fd3e-514d-73a1-9b37-2af8b51009f2 Water for Tea$/);
  });
}

test("the receiver of the quick start handles an event once, and none that is older than what it has", async () => {
  const secret = mintSecret(randomBytes);
  await using receiver = await startReceiver(blocks("js")[0] ?? "", secret);
  const [, updated, deleted] = examples.map((example) => JSON.stringify(example));
  const send = (body: string, sequence: number | undefined) => {
    const headers = message([secret], { body, eventId: crypto.randomUUID(), sequence: sequence ?? 0 });
    if (sequence === undefined) delete headers["webhook-sequence"];
    return receiver.post(headers, body);
  };
  assert.equal(await send(BODY, undefined), 204, "a test");
  const first = message([secret], { sequence: 3 });
  for (const headers of [first, first, { ...first, "webhook-attempt": "2" }]) {
    assert.equal(await receiver.post(headers), 204);
  }
  assert.equal(await send(updated ?? "", 5), 204);
  assert.equal(await send(BODY, 4), 204, "older");
  assert.equal(await send(deleted ?? "", 6), 204);
  await until("all is handled", () => receiver.lines.length >= 3);
  assert.deepEqual(
    receiver.lines.map((line) => line.split(" ")[0]),
    ["article.published", "article.updated", "article.deleted"],
  );
});

test("its examples are events as they are described: one of each kind, a thin one and an extended one", () => {
  const events = examples.filter(({ event }) => event !== undefined);
  const full = events.slice(0, EVENT_KINDS.length);
  assert.deepEqual(
    full.map(({ event }) => event),
    EVENT_KINDS,
  );
  for (const example of full) {
    assertDescribed(schemaNamed(SCHEMAS[String(example["event"]) as EventKind]), example, String(example["event"]));
  }
  assert.equal(events.length, full.length + 2);
  assertDescribed(schemaNamed("ThinArticleEvent"), events.at(-2), "the thin one");
  assertDescribed(schemaNamed("ExtendedArticleDeletedEvent"), events.at(-1), "the extended one");
});

test("its table of headers names those that are sent, and no other", () => {
  assert.deepEqual(namesIn("Header"), Object.keys(message([mintSecret(randomBytes)])));
});
