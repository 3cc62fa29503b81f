/** Forged requests of every kind get one answer from a running service, in bytes, and leave nothing. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Credential } from "../../src/domain/articles/senders/dialect.ts";
import { DIALECTS } from "../../src/domain/articles/senders/dialects.ts";
import { listArrivals } from "../../src/store/articles/senders/arrivals.ts";
import type { Reply } from "../helpers/http.ts";
import { startTestService } from "../helpers/service.ts";
import { newSender, type NewSender } from "./new-sender.ts";
import { type Proof, prove } from "./prove.ts";

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());

const HOUR_MS = 3_600_000;
/** A test, so that nothing is saved. Field and signature need their objects. */
const BODY = { event: "test", test: true, data: { x: 1 }, meta: { event: "test" } };

let addresses = 0;
/** From another address each time: a hundred refusals are the limit of one. */
function send(
  { path }: Pick<NewSender, "path">,
  proof: Proof,
  headers: Record<string, string | string[]> = {},
): Promise<Reply> {
  addresses += 1;
  return service.send(path + (proof.below ?? ""), {
    method: "POST",
    localAddress: `127.1.${Math.floor(addresses / 250)}.${(addresses % 250) + 1}`,
    headers: { "X-API-Key": undefined, "Content-Type": "application/json", ...proof.headers, ...headers },
    body: proof.body,
  });
}

function* forge(
  credential: Credential,
  { secret }: NewSender,
  others: NewSender,
): Generator<[string, Proof, Record<string, string[]>?]> {
  const right = prove(credential, secret, BODY);
  const changed = `${secret.slice(0, -1)}${secret.endsWith("0") ? "1" : "0"}`;
  yield ["a changed byte of the secret", prove(credential, changed, BODY)];
  yield ["half of the secret", prove(credential, secret.slice(0, 16), BODY)];
  yield ["the secret of another sender", prove(credential, others.secret, BODY)];
  yield ["an empty secret", prove(credential, "", BODY)];
  yield ["nothing", { body: JSON.stringify(BODY) }];
  for (const [name, value] of Object.entries(right.headers ?? {})) {
    yield [`${name} twice`, right, { [name]: [value, value] }];
    yield [`${name}, then another`, right, { [name]: [value, "x"] }];
    yield [`another, then ${name}`, right, { [name]: ["x", value] }];
  }
  if (credential.by !== "hmac" && credential.by !== "signed-field") return;
  yield ["a changed byte of the body", { ...right, body: right.body.replace('"x":1', '"x":2') }];
  if (credential.by !== "hmac" || credential.timestamp === undefined) return;
  yield ["an old time", prove(credential, secret, BODY, Date.now() - HOUR_MS)];
  yield ["a time to come", prove(credential, secret, BODY, Date.now() + HOUR_MS)];
}

/** All but what differs for each answer. */
function comparable({ status, headers, text }: Reply): unknown {
  const { date: _date, "x-request-id": _id, ...others } = headers;
  return { status, headers: others, text };
}

test("each form of each kind's credential holds; forged, it gets the answer of an unknown sender", async () => {
  const others = await newSender(service);
  const unknown = comparable(await send({ path: "/senders/00000000000000000000000000000000" }, { body: "{}" }));
  assert.equal((unknown as Reply).status, 401);
  const kinds = DIALECTS.filter(({ protocol }) => protocol === undefined);
  const counts = kinds.map(async ({ kind, credentials }) => {
    let count = 0;
    for (const credential of credentials) {
      const sender = await newSender(service, { kind });
      const forged = [...forge(credential, sender, others)];
      const replies = await Promise.all(forged.map(([, proof, headers]) => send(sender, proof, headers)));
      for (const [at, reply] of replies.entries()) {
        assert.deepEqual(comparable(reply), unknown, `${kind} by ${credential.by}: ${forged[at]?.[0]}`);
      }
      count += forged.length;
      assert.deepEqual(await list(sender), []);
      const right = await send(sender, prove(credential, sender.secret, BODY));
      assert.notEqual(right.status, 401, `${kind} by ${credential.by}`);
      const arrivals = await list(sender);
      assert.equal(arrivals.length, 1, kind);
      assert.ok(!JSON.stringify(arrivals).includes(sender.secret), `${kind} by ${credential.by}`);
    }
    return count;
  });
  const total = (await Promise.all(counts)).reduce((sum, count) => sum + count);
  assert.ok(total > 400, `${total} requests`);
});

function list({ sender }: NewSender) {
  return service.app.store.read((db) => listArrivals(db, sender.id, { state: null, before: null, limit: 10 }));
}
