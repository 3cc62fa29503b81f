/** Settings › Senders: owners connect a sender, look at what it has sent, and map its fields. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DIALECTS, findDialect } from "../../src/domain/articles/senders/dialects.ts";
import { type Json, record, records, type Reply } from "../helpers/http.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import { until } from "../helpers/until.ts";
import { type Browser, people } from "../people/dashboard.ts";

let service: TestService;
let owner: Browser;
const opened = new AsyncDisposableStack();

before(async () => {
  service = opened.use(await startTestService());
  owner = await opened.use(people(service)).owner();
});
after(() => opened.disposeAsync());

test("the kinds are listed, with any product first and what they are like", async () => {
  const { kinds } = await owner.json("GET", `/senders/kinds?website_id=${service.website.id}`);
  assert.deepEqual(
    records(kinds).map(({ kind }) => kind),
    DIALECTS.map(({ kind }) => kind),
  );
  const byKind = new Map(records(kinds).map((one) => [one["kind"], one]));
  const { setup: _, ...generic } = byKind.get("generic") ?? {};
  assert.deepEqual(generic, {
    kind: "generic",
    name: "Anything else",
    is_tried: true,
    secret_from: "rostrum",
    has_sample: true,
    is_for_any: true,
    can_map: true,
  });
  const { is_for_any, can_map } = byKind.get("wordpress") ?? {};
  assert.deepEqual([is_for_any, can_map], [true, false]);
});

test("a sender's secret is shown once, with a command that delivers; what arrived is shown as it came", async () => {
  const { sender, secret, curl } = await connect("Generator");
  const address = String(sender["address"]);
  assert.equal(address, `${service.url}/senders/${String(sender["id"])}`);
  assert.match(String(curl), new RegExp(`^curl .*${String(secret)}.* '${address}'$`));
  assert.deepEqual(
    [sender["last_arrival_at"], sender["needs_attention"], sender["waiting"], sender["mapping"]],
    [null, 0, 0, null],
  );
  const body = JSON.stringify({ id: "7", title: "Sencha", content: "<p>A green tea.</p>", token: secret });
  assert.equal((await deliver(address, String(secret), body)).status, 200);

  const shown = await whenRead(sender);
  assert.notEqual(shown["last_arrival_at"], null);
  assert.ok(!JSON.stringify(await listSenders()).includes(String(secret)));
  const [arrival = {}] = await listArrivals(sender);
  assert.equal(arrival["state"], "stored", JSON.stringify(arrival));
  const [article = {}] = records(arrival["articles"]);
  assert.deepEqual(
    { ...article, article_id: typeof article["article_id"] },
    { external_id: "7", title: "Sencha", outcome: "created", article_id: "string", message: null },
  );
  const detail = await owner.json("GET", `/arrivals/${String(arrival["id"])}`);
  assert.equal(detail["body"], body.replace(String(secret), "•"));
  assert.equal(detail["is_cut"], false);
  const headers = new Map(records(detail["headers"]).map(({ name, value }) => [name, value]));
  assert.equal(headers.get("content-type"), "application/json");
  assert.ok(!JSON.stringify(detail).includes(String(secret)));
  const [first = {}] = records(detail["places"]);
  const places = new Map(records(first["fields"]).map(({ field, place }) => [field, place]));
  assert.deepEqual([places.get("id"), places.get("title")], ["id", "title"]);
  const { origin } = await owner.json("GET", `/articles/${String(article["article_id"])}`);
  assert.deepEqual([record(origin)["kind"], record(record(origin)["by"])["name"]], ["sender", "Generator"]);
});

test("every kind's sample shows what would be stored and answered, and saves nothing", async () => {
  const before = await countArticles();
  for (const { kind, name, secretFrom } of DIALECTS.filter((dialect) => dialect.sample !== undefined)) {
    const { sender } = await connect(name, { kind, ...(secretFrom === "sender" && { secret: "pasted-secret-1" }) });
    const { articles, problem, reply } = await owner.json("POST", `/senders/${String(sender["id"])}/sample`, {});
    const [article = {}] = records(articles);
    assert.deepEqual([problem, article["problem"]], [null, null], kind);
    const fields = new Map(records(article["fields"]).map(({ field, value }) => [field, value]));
    assert.ok(fields.has("id") && fields.has("title") && (fields.has("html") || fields.has("markdown")), kind);
    assert.ok(Number(record(reply)["status"]) < 300, kind);
    assert.deepEqual(await listArrivals(sender), []);
    await owner.json("DELETE", `/senders/${String(sender["id"])}`, undefined, 204);
  }
  assert.equal(await countArticles(), before);
});

test("what was not understood is tried with a mapping, mapped, and run again with all that needs attention", async () => {
  const { sender, secret } = await connect("Odd one");
  const address = String(sender["address"]);
  const path = `/senders/${String(sender["id"])}`;
  for (const ref of ["a", "b"]) await deliver(address, String(secret), odd(ref));
  await whenRead(sender);
  const [newest = {}] = await listArrivals(sender, "state=needs_attention");
  assert.equal((await owner.json("GET", path))["needs_attention"], 2);
  assert.equal(typeof newest["problem"], "string");

  const mapping = { articles: ["blob"], fields: { title: ["kopf"], html: ["rumpf"] }, id: ["ref"] };
  const tried = await owner.json("POST", `${path}/sample`, { arrival_id: newest["id"], mapping });
  const [article = {}] = records(tried["articles"]);
  assert.deepEqual(
    records(article["fields"]).filter(({ field }) => field === "title"),
    [{ field: "title", value: "Tea b", place: "blob.kopf" }],
  );
  assert.equal((await owner.json("GET", path))["mapping"], null, "nothing is saved");

  const wrong = { fields: { headline: ["x"] } };
  const refused = await owner.json("PATCH", path, { mapping: wrong }, 400);
  assert.match(String(refused["message"]), /headline/);
  assert.deepEqual((await owner.json("PATCH", path, { mapping }))["mapping"], mapping);
  const { runs, done, needs_attention, waiting } = await owner.json("POST", `${path}/run-again`, {});
  // The leader may take up some of them.
  assert.deepEqual([runs, Number(done) + Number(waiting), needs_attention], [2, 2, 0]);
  assert.equal((await whenRead(sender))["needs_attention"], 0);
  const again = await owner.json("POST", `/arrivals/${String(newest["id"])}/run-again`, {});
  assert.equal(record(again["arrival"])["state"], "stored");
  assert.equal((await owner.json("PATCH", path, { mapping: null }))["mapping"], null);
});

test("an arrival of any product says which kind it looks like, which the sender can then be", async () => {
  const { sender, secret } = await connect("Unnamed");
  const body = JSON.stringify(findDialect("outrank")?.sample?.body);
  assert.equal((await deliver(String(sender["address"]), String(secret), body)).status, 200);
  await whenRead(sender);
  const [{ resembles } = {}] = await listArrivals(sender);
  assert.ok(records(resembles).some(({ kind, name }) => kind === "outrank" && name === "Outrank"));
  const changed = await owner.json("PATCH", `/senders/${String(sender["id"])}`, { kind: "outrank" });
  assert.equal(record(changed["kind"])["name"], "Outrank");
});

test("arrivals are paged, the newest first", async () => {
  const { sender, secret } = await connect("Busy one");
  const sent = ["1", "2", "3"];
  for (const id of sent) {
    const body = JSON.stringify({ id, title: `Tea ${id}`, content: "<p>A tea.</p>" });
    assert.equal((await deliver(String(sender["address"]), String(secret), body)).status, 200);
  }
  await whenRead(sender);
  const path = `/senders/${String(sender["id"])}/arrivals?limit=2`;
  const first = await owner.json("GET", path);
  const second = await owner.json("GET", `${path}&before=${String(first["next_before"])}`);
  const ids = [...records(first["arrivals"]), ...records(second["arrivals"])].map(
    ({ articles }) => records(articles)[0]?.["external_id"],
  );
  assert.deepEqual(ids, sent.toReversed());
  assert.equal(second["next_before"], null);
  await owner.json("GET", `${path}&before=nowhere`, undefined, 400);
});

test("after a rotation both secrets are accepted; after deletion none, and the sender is gone", async () => {
  const { sender, secret } = await connect("Turned");
  const path = `/senders/${String(sender["id"])}`;
  const rotated = await owner.json("POST", `${path}/rotate`, {});
  assert.notEqual(rotated["secret"], secret);
  assert.notEqual(record(rotated["sender"])["previous_until"], null);
  const body = JSON.stringify({ id: "1", title: "Tea", content: "<p>A tea.</p>" });
  const address = String(sender["address"]);
  for (const one of [secret, rotated["secret"]]) {
    assert.equal((await deliver(address, String(one), body)).status, 200);
  }
  await owner.json("DELETE", path, undefined, 204);
  for (const one of [secret, rotated["secret"]]) {
    assert.equal((await deliver(address, String(one), body)).status, 401);
  }
  await owner.json("GET", path, undefined, 404);
  assert.ok(!(await listSenders()).some(({ id }) => id === sender["id"]));
});

/** A body whose names nobody knows. */
function odd(ref: string): string {
  return JSON.stringify({ blob: { ref, kopf: `Tea ${ref}`, rumpf: "<p>A long text about tea.</p>" } });
}

async function connect(name: string, more: Json = {}) {
  const input = { website_id: service.website.id, kind: "generic", name, ...more };
  const made = await owner.json("POST", "/senders", input, 201);
  return { sender: record(made["sender"]), secret: made["secret"], curl: made["curl"] };
}

/** The sender, once everything that it has sent is read: on a busy machine the answer may come first. */
async function whenRead({ id }: Json): Promise<Json> {
  const find = () => owner.json("GET", `/senders/${String(id)}`);
  await until("everything is read", async () => (await find())["waiting"] === 0, 60_000);
  return find();
}

async function listSenders(): Promise<Json[]> {
  return records((await owner.json("GET", `/senders?website_id=${service.website.id}`))["senders"]);
}

async function listArrivals(sender: Json, query = ""): Promise<Json[]> {
  return records((await owner.json("GET", `/senders/${String(sender["id"])}/arrivals?${query}`))["arrivals"]);
}

async function countArticles(): Promise<unknown> {
  return (await owner.json("GET", `/articles?website_id=${service.website.id}&view=all`))["total"];
}

function deliver(address: string, secret: string, body: string): Promise<Reply> {
  const headers = { "X-API-Key": undefined, "Content-Type": "application/json", Authorization: `Bearer ${secret}` };
  return service.send(new URL(address).pathname, { method: "POST", headers, body });
}
