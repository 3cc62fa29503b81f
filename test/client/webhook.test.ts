/** Messages as the service signs them, unchanged and tampered with. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import { WebhookVerificationError } from "../../client/src/errors.ts";
import { signWebhook, verifyWebhook } from "../../client/src/webhook.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { mintSecret, signedHeaders } from "../../src/domain/webhooks/webhook-message.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import { createEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { startTestService } from "../helpers/service.ts";
import { LOOPBACK, ScriptedReceiver } from "../helpers/webhooks.ts";

const SECRET = mintSecret(randomBytes);
const BODY = JSON.stringify({ event: "article.deleted", data: { article_id: "a", title: "Größe" } });
const now = () => Math.floor(Date.now() / 1000);
const signed = (secrets = [SECRET], at = now()) => signedHeaders("msg_1", at, BODY, secrets);

const isRefused = (message: RegExp) => (error: unknown) =>
  error instanceof WebhookVerificationError && message.test(error.message);

test("messages of the service are genuine, in each form in which frameworks pass them", async () => {
  await using service = await startTestService(LOOPBACK);
  await using receiver = await ScriptedReceiver.start();
  const { secret } = await createEndpoint(service.app, service.website.id, { url: receiver.url }, CLI_ORIGIN);
  const { article } = await createArticle(service.app, service.website.id, makeArticle({ status: "published" }), CHIEF);
  const { headers, body } = await receiver.arrival(1);
  const given = new Headers(Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]));
  const forms = [
    { headers, body },
    { headers: given, body: new TextEncoder().encode(body) },
    new Request("https://www.example.com/hook", { method: "POST", headers: given, body }),
  ];
  for (const form of forms) {
    const message = await verifyWebhook(form, secret);
    assert.deepEqual([message.sequence, message.attempt, message.event.event], [1, 1, "article.published"]);
    assert.equal(message.event.data.article_id, article.id);
    assert.equal(message.id, headers["webhook-id"]);
  }
});

describe("a message is not genuine", () => {
  test("with another secret, body or id", async () => {
    const other = verifyWebhook({ headers: signed(), body: BODY }, mintSecret(randomBytes));
    await assert.rejects(other, isRefused(/signature is wrong/));
    const changed = verifyWebhook({ headers: signed(), body: `${BODY} ` }, SECRET);
    await assert.rejects(changed, isRefused(/signature is wrong/));
    const renamed = verifyWebhook({ headers: { ...signed(), "webhook-id": "msg_2" }, body: BODY }, SECRET);
    await assert.rejects(renamed, isRefused(/signature is wrong/));
  });

  test("with a missing signature, one that is not Base64, or one of another kind", async () => {
    await assert.rejects(verifyWebhook({ headers: {}, body: BODY }, SECRET), isRefused(/no signature/));
    const { "webhook-signature": signature } = signed();
    for (const bad of ["", "v1,", "v1,%%%", "v1a,AAAA", signature.replace("v1,", "v2,")]) {
      const message = verifyWebhook({ headers: { ...signed(), "webhook-signature": bad }, body: BODY }, SECRET);
      await assert.rejects(message, isRefused(/signature is wrong/), bad);
    }
  });

  test("if it is too old, too new, or has no time", async () => {
    for (const at of [now() - 310, now() + 310, Number.NaN]) {
      const message = verifyWebhook({ headers: signed([SECRET], at), body: BODY }, SECRET);
      await assert.rejects(message, isRefused(/older than five minutes/));
    }
  });

  test("an invalid secret is the caller's mistake", async () => {
    await assert.rejects(verifyWebhook({ headers: signed(), body: BODY }, "secret"), TypeError);
  });
});

test("while a secret is being rotated, either signature is enough", async () => {
  const next = mintSecret(randomBytes);
  for (const [signers, known] of [
    [[SECRET, next], [next]],
    [[SECRET], [next, SECRET]],
  ] as const) {
    const message = await verifyWebhook({ headers: signed([...signers]), body: BODY }, known);
    assert.equal(message.event.data.article_id, "a");
    assert.equal(message.sequence, null);
  }
});

test("signatures for a site's tests are those of the service", async () => {
  const at = now();
  assert.equal(await signWebhook(SECRET, "msg_1", at, BODY), signed([SECRET], at)["webhook-signature"]);
});
