/** `rostrum webhook`, from creating one to what its receiver got. */
import assert from "node:assert/strict";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { explainFailure, type Io, runCommand } from "../../src/cli/command.ts";
import { webhook } from "../../src/cli/webhooks/webhook.ts";
import { serveCli, SERVES_MS, spawnCli } from "../helpers/cli.ts";
import { cliJson, runCli } from "../helpers/cli-in-process.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { type Json, records } from "../helpers/http.ts";
import { closedPort } from "../helpers/receivers.ts";
import { makeSite, type Site } from "../helpers/site.ts";
import { until } from "../helpers/until.ts";
import { assertSigned, isSignedBy, LOOPBACK, type Received, ScriptedReceiver } from "../helpers/webhooks.ts";

const NO_ID = "01900000-0000-7000-8000-000000000000";

let folder: Folder;
let data: string;
let website: string;
let key: string;
let site: Site;

before(async () => {
  folder = await tempFolder();
  data = folder.path;
  site = await makeSite(data);
  ({ website, key } = site);
});
after(() => folder[Symbol.asyncDispose]());

const run = (...args: string[]) => runCli(args, { data, env: LOOPBACK });
const json = (...args: string[]) => cliJson(args, { data, env: LOOPBACK });

async function rows(...args: string[]): Promise<Json[]> {
  const result = await run(...args, "--json");
  assert.equal(result.code, 0, result.stderr);
  return records(result.json());
}

function publish(title: string): Promise<string> {
  return site.create({ title, content: "<p>Grüße ✓</p>", status: "published" });
}

function retitle(id: string, title: string): Promise<void> {
  return site.update(id, { title });
}

function messageId({ headers }: Received): unknown {
  return headers["webhook-id"];
}

describe("arguments", () => {
  test("every command explains its usage", async () => {
    const subs = [
      "create",
      "list",
      "update",
      "test",
      "pause",
      "enable",
      "rotate",
      "delete",
      "deliveries",
      "redeliver",
      "replay",
    ];
    for (const name of ["", "listen", ...subs]) {
      const { code, stdout, stderr } = await runHere([name, "--help"].filter((word) => word !== ""));
      assert.deepEqual([code, stderr], [0, ""], name);
      assert.match(stdout, new RegExp(`^Usage: rostrum ${`webhook ${name}`.trim()}`), name);
    }
  });

  const CREATE = ["create", "--website", "W", "--url", "https://example.com/"];
  const LISTEN = ["listen", "--website", "W", "--key", "rs_x", "--forward"];
  test("wrong usage is exit code 2, with one sentence on standard error", async () => {
    const wrong: [string[], RegExp][] = [
      [["create", "--website", "W"], /^--url is missing/],
      [[...CREATE, "--events", "article.published,article.read"], /^--events is "article.read"; it must be one of/],
      [[...CREATE, "--header", "s3cret"], /^A --header has no name/],
      [[...CREATE, "--header", "X-A: 1", "--header", "X-A: 2"], /^The header X-A is given twice/],
      [[...CREATE, "--coalesce", "soon"], /^--coalesce is "soon"/],
      [["update", "--name", "A"], /^The webhook's id is missing/],
      [["update", NO_ID], /^Say what to change/],
      [["update", NO_ID, "--full", "--thin"], /^Give --full or --thin, not both/],
      [["update", NO_ID, "--no-headers", "--header", "X-A: 1"], /^Give headers or --no-headers, not both/],
      [["update", NO_ID, "--no-ca", "--ca", "-"], /^Give --ca or --no-ca, not both/],
      [["test"], /^The webhook's id is missing/],
      [["enable", NO_ID, "--replay", "some"], /^--replay is "some"/],
      [["rotate", NO_ID, "--overlap", "soon"], /^--overlap is "soon"/],
      [["deliveries", NO_ID, "--state", "lost"], /^--state is "lost"/],
      [["deliveries", NO_ID, "--limit", "1001"], /^--limit is "1001"/],
      [["redeliver"], /^The delivery's id is missing/],
      [["replay", NO_ID], /^--since is missing/],
      [["replay", NO_ID, "--since", "yesterday"], /^--since is "yesterday"/],
      [[...LISTEN, "localhost:3000"], /^--forward is "localhost:3000"; write it like http:/],
      [[...LISTEN, "http://localhost", "--secret", "whsec_short"], /^--secret must be whsec_/],
      [[...LISTEN, "http://localhost", "--key-file", "key.txt"], /^Give either --key or --key-file/],
      [["listen", "--website", "W", "--forward", "http://localhost"], /^--key-file is missing/],
      [
        ["listen", "--website", "W", "--forward", "http://localhost", "--key-file", "-", "--secret-file", "-"],
        /^Standard input holds one of/,
      ],
      [[...LISTEN, "http://localhost", "--after", "last"], /^--after is "last"/],
      [[...LISTEN, "http://localhost", "--url", "here"], /^--url is "here"/],
    ];
    await expectAll(2, wrong);
  });

  test("a refusal is exit code 1, with a sentence that says why", async () => {
    const url = ["create", "--website", "W", "--url"];
    const refused: [string[], RegExp][] = [
      [
        ["create", "--website", "Nobody", "--url", "https://10.0.0.1/"],
        /^There is no website with the id or name Nobody/,
      ],
      [["list", "--website", "Nobody"], /^There is no website/],
      ...["test", "pause", "enable", "rotate", "delete", "deliveries"].map((sub): [string[], RegExp] => [
        [sub, NO_ID],
        /^There is no webhook with the id 01900000/,
      ]),
      [["update", NO_ID, "--name", "A"], /^There is no webhook/],
      [["replay", NO_ID, "--since", "2026-01-01"], /^There is no webhook/],
      [["redeliver", NO_ID], /^There is no delivery with the id/],
      [[...url, "http://example.com/"], /https/],
      [[...url, "https://10.0.0.1/"], /not public/],
      [[...url, "nonsense"], /URL/],
      [[...url, "https://10.0.0.1/", "--header", "Host: x"], /^The header Host is set by Rostrum itself/],
      [[...url, "https://10.0.0.1/", "--ca", folder.at("no.pem")], /no\.pem cannot be read: there is no such file/],
      [["rotate", NO_ID, "--overlap", "8d"], /0 to 7 days/],
    ];
    await expectAll(1, refused);
  });
});

async function expectAll(code: number, cases: [string[], RegExp][]): Promise<void> {
  for (const [args, sentence] of cases) {
    const result = await runHere(args);
    assert.deepEqual([result.code, result.stdout], [code, ""], `${args.join(" ")}: ${result.stderr}`);
    assert.match(result.stderr, sentence);
    assert.match(result.stderr, /^[^\n]+\n$/, args.join(" "));
  }
}

/** `rostrum webhook …` in this process, with no other setting than the data folder. */
async function runHere(args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  let stdout = "";
  let stderr = "";
  const io: Io = {
    stdin: process.stdin,
    out: (text) => (stdout += text),
    write: (_text, done) => done(),
    err: (text) => (stderr += text),
    redraw: () => undefined,
    openScreen: () => assert.fail("there is no terminal"),
    isTerminal: false,
    columns: null,
    isJournal: false,
    environment: { ROSTRUM_DATA_DIR: data },
    directory: data,
    exit: (code) => assert.fail(`it ended with ${code}`),
    whenStopped: () => new Promise(() => undefined),
  };
  try {
    return { code: await runCommand("webhook", webhook, args, io), stdout, stderr };
  } catch (error) {
    const failure = explainFailure(error);
    if (failure === null) throw error;
    return { code: failure.code, stdout, stderr: `${stderr}${failure.message}\n` };
  }
}

test("an update changes what is given, leaves the rest, and removes headers when it is told to", async () => {
  await using first = await ScriptedReceiver.start();
  await using second = await ScriptedReceiver.start();
  const create = ["webhook", "create", "--website", "W", "--url", first.url, "--thin", "--header", "X-Own: s3cret"];
  const id = String((await json(...create))["id"]);
  const update = (...args: string[]) => json("webhook", "update", id, ...args);

  const named = await update("--name", "Shop", "--description", "of the team", "--events", "article.deleted");
  assert.deepEqual(
    [named["name"], named["description"], named["events"], named["url"], named["payload"], named["has_headers"]],
    ["Shop", "of the team", ["article.deleted"], first.url, "thin", true],
  );
  assert.equal((await update("--no-headers", "--full"))["has_headers"], false);
  const moved = await update("--url", second.url, "--header", "X-Own: other");
  assert.deepEqual([moved["name"], moved["payload"], moved["url"]], ["Shop", "full", second.url]);

  const tested = await run("webhook", "test", id);
  assert.equal(tested.code, 0, tested.stderr);
  assert.equal((await second.arrival(1)).headers["x-own"], "other");
  const sentence = await run("webhook", "update", id, "--name", "");
  assert.deepEqual([sentence.code, sentence.stdout], [0, `Webhook ${id} is changed.\n`], sentence.stderr);
  assert.equal((await run("webhook", "delete", id)).code, 0);
});

test("a published article reaches its receiver, signed, and the history shows how", async () => {
  await using receiver = await ScriptedReceiver.start();
  const created = await run("webhook", "create", "--website", "W", "--url", receiver.url, "--header", "X-Own: s3cret");
  const secret = created.stdout.trim();
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const id = String(/[0-9a-f-]{36}/.exec(created.stderr)?.[0]);

  const tested = await run("webhook", "test", id);
  assert.equal(tested.code, 0, tested.stderr);
  assert.match(tested.stdout, /^Delivered: 204 after \d+ ms\.\n$/);
  assertSigned(await receiver.arrival(1), secret);

  await using _server = await serveCli({ data, env: LOOPBACK });
  const article = await publish("First");
  const arrived = await receiver.arrival(2);
  assertSigned(arrived, secret);
  assert.equal(arrived.headers["x-own"], "s3cret");

  const delivered = () => rows("webhook", "deliveries", id, "--state", "delivered", "--limit", "1");
  await until("it is written down", async () => (await delivered())[0]?.["article_id"] === article);
  const [row = {}] = await delivered();
  const [attempt = {}] = records(row["attempts"]);
  assert.equal(
    Object.keys(row).join(),
    "id,event_id,event,article_id,state,origin,attempts,created_at,finished_at,next_attempt_at",
  );
  assert.equal(row["event_id"], messageId(arrived));
  assert.deepEqual([row["event"], row["state"], row["origin"]], ["article.published", "delivered", "event"]);
  assert.equal(
    Object.keys(attempt).join(),
    "number,at,status,ms,error,outcome,request_headers,response_headers,response_body,timings",
  );
  assert.deepEqual([attempt["number"], attempt["status"], attempt["error"]], [1, 204, null]);
  assert.equal(new Date(String(attempt["at"])).toISOString(), attempt["at"]);
  assert.ok(Number(attempt["ms"]) > 0);
  assert.ok(!JSON.stringify(row).includes("s3cret"));

  const listed = await run("webhook", "list", "--website", "W", "--json");
  assert.ok(!/s3cret|whsec_/.test(listed.stdout));
  const [health = {}] = records(listed.json());
  assert.deepEqual(
    [health["id"], health["state"], health["consecutive_failures"], health["has_headers"], health["last_error"]],
    [id, "enabled", 0, true, null],
  );
  assert.ok(health["last_success_at"]);

  // Again, with the id that receivers know it by.
  const again = await json("webhook", "redeliver", String(row["id"]));
  assert.notEqual(again["id"], row["id"]);
  assert.equal(messageId(await receiver.arrival(3)), messageId(arrived));
  assert.deepEqual(await json("webhook", "replay", id, "--since", "2026-01-01T00:00:00Z"), { events: 1 });
  assert.equal(messageId(await receiver.arrival(4)), messageId(arrived));

  assert.deepEqual(await json("webhook", "delete", id), { id, website_id: website, url: receiver.url, deleted: true });
  assert.deepEqual(await rows("webhook", "list", "--website", "W"), []);
});

test("after a rotation both secrets sign; with no overlap only the new one", async () => {
  await using receiver = await ScriptedReceiver.start();
  const made = await json("webhook", "create", "--website", website, "--url", receiver.url);
  assert.deepEqual(Object.keys(made).slice(0, 3), ["id", "url", "secret"]);
  const id = String(made["id"]);
  const second = await json("webhook", "rotate", id, "--overlap", "2h");
  const left = Date.parse(String(second["previous_until"])) - Date.now();
  assert.ok(left > 7_100_000 && left <= 7_200_000, String(left));
  await json("webhook", "test", id);
  const third = await run("webhook", "rotate", id, "--overlap", "0");
  assert.match(third.stderr, /^The previous secret has stopped signing/);
  await json("webhook", "test", id);
  const signs = (secret: unknown) => receiver.received.map((message) => isSignedBy(message, String(secret)));
  assert.deepEqual(signs(made["secret"]), [true, false]);
  assert.deepEqual(signs(second["secret"]), [true, false]);
  assert.deepEqual(signs(third.stdout.trim()), [false, true]);
  await json("webhook", "delete", id);
});

test("a test that fails is exit code 1 and says why, also in the history", async () => {
  await using receiver = await ScriptedReceiver.start(() => ({ status: 503 }));
  const { id } = await json("webhook", "create", "--website", website, "--url", receiver.url);
  const failed = await run("webhook", "test", String(id));
  assert.deepEqual([failed.code, failed.stderr], [1, ""]);
  assert.match(failed.stdout, /^Not delivered: 503 after \d+ ms\. The receiver answered 503\.\n$/);
  const shown = await run("webhook", "deliveries", String(id));
  assert.match(
    shown.stdout,
    /^ID +CREATED AT +EVENT +ARTICLE ID +STATE +ATTEMPTS +LAST ATTEMPT AT +LAST\n\S+ .* exhausted +1 +\S+ +The receiver answered/,
  );
  await json("webhook", "delete", String(id));
});

test("events that a paused webhook missed are sent as requested when it is enabled: the latest of each article", async () => {
  await using receiver = await ScriptedReceiver.start();
  const made = await json(
    "webhook",
    "create",
    "--website",
    website,
    "--url",
    receiver.url,
    "--events",
    "article.updated",
  );
  const id = String(made["id"]);
  const article = await publish("One");
  assert.equal((await json("webhook", "pause", id))["state"], "paused");
  await retitle(article, "Two");
  await retitle(article, "Three");
  assert.deepEqual(
    (await rows("webhook", "deliveries", id, "--state", "parked")).map((row) => row["event"]),
    ["article.updated", "article.updated"],
  );
  const enabled = await run("webhook", "enable", id);
  assert.equal(enabled.code, 0, enabled.stderr);
  assert.match(enabled.stderr, /^The service is not running/);
  const twice = await run("webhook", "enable", id);
  assert.deepEqual([twice.code, twice.stderr], [1, "The webhook is enabled already.\n"]);
  await using _server = await serveCli({ data, env: LOOPBACK });
  await receiver.arrival(1);
  await until("the history is complete", async () => {
    const states = (await rows("webhook", "deliveries", id)).map((row) => row["state"]);
    return states.join() === "delivered,coalesced";
  });
  assert.deepEqual(receiver.titles, ["Three"]);
  await json("webhook", "delete", id);
});

describe("listen", () => {
  test("sends events signed and in order, through refusals and restarts, byte for byte as to a webhook", async () => {
    await using local = await ScriptedReceiver.start((_request, index) => ({ status: index === 1 ? 500 : 200 }));
    await using remote = await ScriptedReceiver.start();
    const { id } = await json("webhook", "create", "--website", website, "--url", remote.url);
    await using listening = new AsyncDisposableStack();
    let secret: string;
    let port: string;
    let listener: Listening;
    {
      await using server = await serveCli({ data, env: LOOPBACK });
      ({ port } = new URL(server.url));
      // By its name, through the database beside it; the address is what the running service has noted.
      listener = listening.use(await startListening(["--website", "W", "--forward", local.url], data));
      secret = String(/whsec_\S+/.exec(listener.stderr())?.[0]);
      await publish("A");
      await publish("B");
      await publish("C");
      await local.arrival(4);
    }
    await until("the loss is noticed", () => listener.stderr().includes("does not answer: nobody listens there"));
    await using _again = await serveCli({ data, env: { ...LOOPBACK, PORT: port } });
    await publish("D");
    await local.arrival(5);
    await until("the webhook has all", () => new Set(remote.titles).size === 4);

    assert.deepEqual(local.titles, ["A", "B", "B", "C", "D"]);
    assert.deepEqual(local.header("webhook-attempt"), ["1", "1", "2", "1", "1"]);
    for (const message of local.received) {
      assertSigned(message, secret);
      const same = remote.received.find((one) => messageId(one) === messageId(message));
      assert.equal(message.body, same?.body);
      assert.equal(message.headers["webhook-sequence"], same?.headers["webhook-sequence"]);
    }
    assert.match(listener.stderr(), /article\.published {2}not accepted: the answer is 500; again in 0\.5 s/);
    assert.match(listener.stderr(), /answers again/);
    const lines = /^(\d+ {2}article\.published {2}200 {2}\d+ ms\n){4}$/;
    await until("there is a line for each", () => lines.test(listener.stdout()));
    listener.child.kill("SIGINT");
    assert.equal(await listener.ended, 0);
    await json("webhook", "delete", String(id));
  });

  test("works from another machine, with a secret of one's own, only some kinds, and from a sequence on", async () => {
    await using local = await ScriptedReceiver.start();
    await using elsewhere = await tempFolder();
    await using server = await serveCli({ data, env: LOOPBACK });
    const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
    const article = await publish("Old");
    await retitle(article, "New");
    const args = ["--website", website, "--forward", local.url, "--url", `${server.url}/`, "--secret", secret];
    await using listener = await startListening(
      [...args, "--after", "0", "--events", "article.updated"],
      elsewhere.path,
    );
    await until("the update arrives", () => local.titles.includes("New"));
    for (const message of local.received) assertSigned(message, secret);
    assert.ok(local.received.every(({ body }) => body.startsWith('{"event":"article.updated"')));
    assert.ok(!listener.stderr().includes("whsec_"));
    assert.match(listener.stderr(), /value of --secret in the list of processes: use --secret-file FILE/);
    assert.doesNotMatch(listener.stderr(), /--key /);
    listener.child.kill("SIGTERM");
    assert.equal(await listener.ended, 0);
  });

  test("does not wait for a sequence that the service has not reached, as after a restored backup", async () => {
    await using local = await ScriptedReceiver.start();
    await using server = await serveCli({ data, env: LOOPBACK });
    const args = ["--website", website, "--forward", local.url, "--url", server.url, "--after", "99999"];
    await using listener = await startListening(args, data);
    await until("it says so", () => /The newest event is \d+, before 99999/.test(listener.stderr()));
    await publish("After the backup");
    await local.arrival(1);
    assert.deepEqual(local.titles, ["After the backup"]);
  });

  test("exits with 1 for an unknown key, one of another website, and an unavailable service", async () => {
    await using server = await serveCli({ data, env: LOOPBACK });
    await publish("There is an event");
    assert.match(await refused(website, "rs_unknown", server.url), /refuses the key: This API key is not known here/);
    assert.match(await refused(NO_ID, key, server.url), /^The key is for the website .*, not for 01900000/m);
    const nowhere = new URL(await closedPort()).origin;
    assert.match(await refused(website, key, nowhere), /cannot be followed: nobody listens there/);
  });
});

async function refused(site: string, secret: string, url: string): Promise<string> {
  const target = ["--website", site, "--key", secret, "--url", url];
  const { code, stderr } = await runHere(["listen", ...target, "--forward", "http://localhost:9"]);
  assert.equal(code, 1, stderr);
  return stderr;
}

interface Listening extends AsyncDisposable {
  child: ChildProcessWithoutNullStreams;
  stdout(): string;
  stderr(): string;
  /** The exit code. */
  ended: Promise<number | null>;
}

/** `webhook listen`, once it follows. Killed on disposal if it still runs. */
async function startListening(args: string[], directory: string): Promise<Listening> {
  await writeFile(join(data, "key.txt"), `${key}\n`);
  const secrets = ["--key-file", join(data, "key.txt")];
  const child = spawnCli(["webhook", "listen", ...secrets, ...args], { data: directory, withinMs: SERVES_MS });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => (stdout += part));
  child.stderr.setEncoding("utf8").on("data", (part: string) => (stderr += part));
  const ended = once(child, "close").then(([code]: unknown[]) => code as number | null);
  const isListening = () =>
    stderr.includes("Stop with Ctrl+C.") && (args.includes("--secret") || /whsec_/.test(stderr));
  await until("it listens", () => isListening() || child.exitCode !== null);
  assert.ok(isListening(), stderr);
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      await ended;
    },
  };
}
