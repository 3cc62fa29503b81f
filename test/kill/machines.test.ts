/** The service is killed between the requests of a machine and their answers; the machine repeats what it got no answer to. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { serveCli } from "../helpers/cli.ts";
import { cliJson } from "../helpers/cli-in-process.ts";
import { tempFolder } from "../helpers/folder.ts";
import { IS_FULL } from "../helpers/full-run.ts";
import { type Json, records, type Reply } from "../helpers/http.ts";
import { Machine } from "../helpers/machine.ts";
import { IS_THOROUGH } from "../helpers/properties.ts";

/** All 200 by hand, with ROSTRUM_TEST_THOROUGH=1, as each takes a start. */
const FULL_KILLS = IS_THOROUGH ? 200 : 6;
const KILLS = IS_FULL ? FULL_KILLS : 4;
/** The kill comes before, during or after the work. */
const MAX_DELAY_MS = 250;
/** Articles that have a request under way at each kill. */
const LANES = 8;

/** What the machine knows of an article, and what must be stored of it. */
interface Known {
  externalId: string;
  title: string;
  tags: string[];
  comments: number;
  id: string;
  etag: string;
}

interface Request {
  method: string;
  path: string;
  body: Json;
  etag?: string;
  key?: string;
}

/** One after the other, on one article: each changes what must be stored of it. */
const STEPS: readonly ((known: Known, number: number) => Request)[] = [
  ({ externalId, title }) => ({
    method: "POST",
    path: "/articles",
    body: { external_id: externalId, title, markdown: "x" },
    key: `create ${externalId}`,
  }),
  (known, number) => {
    known.title = `Patched ${number}`;
    const { id, etag, title } = known;
    return { method: "PATCH", path: `/articles/${id}`, body: { title }, etag, key: `patch ${number}` };
  },
  (known, number) => {
    known.comments++;
    const body = { text: `Comment ${number}`, passage: null };
    return { method: "POST", path: `/articles/${known.id}/comments`, body, key: `comment ${number}` };
  },
  (known, number) => {
    known.tags = [`tag ${number}`];
    const { externalId, title, tags } = known;
    return { method: "PUT", path: `/articles/by-external-id/${externalId}`, body: { title, markdown: "x", tags } };
  },
  (known, number) => {
    const { id, etag } = known;
    return { method: "POST", path: `/articles/${id}/submit`, body: {}, etag, key: `submit ${number}` };
  },
];

/** An article with the request that has no answer yet. */
interface Lane {
  known: Known;
  request: Request | undefined;
}

test("nothing acknowledged is lost, and nothing repeated is doubled", { timeout: 1_800_000 }, async () => {
  await using folder = await tempFolder();
  const options = { data: folder.path };
  const website = await cliJson(["website", "create", "--name", "W"], options);
  const made = await cliJson(["token", "create", "--website", String(website["id"]), "--name", "M"], options);
  const token = { id: String(made["id"]), secret: String(made["token"]) };
  const lanes: Lane[] = Array.from({ length: LANES }, () => ({ known: makeKnown(""), request: undefined }));
  const counts = { created: 0, answered: 0, unanswered: 0 };
  for (let kill = 0; kill <= KILLS; kill++) {
    await using server = await serveCli(options);
    using machine = new Machine(server.url, token);
    for (const lane of lanes) {
      if (lane.request !== undefined) assertDone(await send(machine, lane.request), lane.request);
      if (lane.known.externalId !== "") await judge(machine, lane.known);
    }
    const { total } = await machine.json("GET", "/articles");
    assert.equal(total, counts.created, `kill ${kill}: a request was made twice`);
    if (kill === KILLS) break;
    const replies = lanes.map(async (lane, index) => {
      const number = kill * LANES + index;
      if (kill % STEPS.length === 0) {
        counts.created++;
        lane.known = makeKnown(`e${number}`);
      }
      const request = STEPS[kill % STEPS.length]?.(lane.known, number);
      assert.ok(request !== undefined);
      lane.request = request;
      const reply = await send(machine, request).catch(() => undefined);
      if (reply === undefined) return counts.unanswered++;
      assertDone(reply, request);
      lane.request = undefined;
      return counts.answered++;
    });
    await setTimeout((kill * 37) % MAX_DELAY_MS);
    await server[Symbol.asyncDispose]();
    await Promise.all(replies);
  }
  process.stdout.write(`${JSON.stringify(counts)}\n`);
});

function makeKnown(externalId: string): Known {
  return { externalId, title: `New ${externalId}`, tags: [], comments: 0, id: "", etag: "" };
}

function assertDone(reply: Reply, { method, path }: Request): void {
  assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`);
}

async function judge(machine: Machine, known: Known): Promise<void> {
  const now = await machine.article("GET", `/articles/by-external-id/${known.externalId}`);
  const { threads } = await machine.json("GET", `/articles/${now.id}/comments`);
  const { title, tags, comments } = known;
  assert.deepEqual([now["title"], now["tags"], records(threads).length], [title, tags, comments]);
  Object.assign(known, { id: now.id, etag: now.etag });
}

function send(machine: Machine, { method, path, body, key, etag }: Request): Promise<Reply> {
  return machine.sendOnce(method, path, body, { etag, ...(key === undefined ? {} : { key }) });
}
