import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { mintSecret, signedHeaders } from "./webhook-message.ts";

const ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
const BODY = '{"test": 2432232314}';
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

test("the example of Standard Webhooks has its signature", () => {
  assert.deepEqual(signedHeaders(ID, 1_614_265_330, BODY, [SECRET]), {
    "webhook-id": ID,
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

test("another implementation accepts the signature, whatever characters the body has", () => {
  const secret = mintSecret(randomBytes);
  const now = Math.floor(Date.now() / 1_000);
  for (const body of ["", "{}", "Straße 茶 \u{1F375} \u2028\r\n", "a.b.c"]) {
    const headers = signedHeaders(ID, now, body, [secret]);
    if (body === "{}") assert.deepEqual(new Webhook(secret).verify(body, headers), {});
    const expected = new Webhook(secret).sign(ID, new Date(now * 1_000), body);
    assert.equal(headers["webhook-signature"], expected);
  }
});

test("bytes have the signature that another implementation makes, whatever the lengths of body and secret", () => {
  const sizes = [0, 1, 63, 64, 65, 2_048, 16_200, 16_300, 16_384, 40_000];
  for (const size of sizes) {
    for (const keyBytes of [24, 32, 63, 64, 65, 66, 200]) {
      const [body, key] = [randomBytes(size), randomBytes(keyBytes)];
      const headers = signedHeaders(ID, 1_614_265_330, body, [`whsec_${key.toString("base64")}`]);
      const expected = createHmac("sha256", key).update(`${ID}.1614265330.`).update(body).digest("base64");
      assert.equal(headers["webhook-signature"], `v1,${expected}`, `${size} bytes, a secret of ${keyBytes}`);
    }
  }
});

test("another implementation refuses it with another id, time, body or secret", () => {
  const now = Math.floor(Date.now() / 1_000);
  const headers = signedHeaders(ID, now, BODY, [SECRET]);
  const verify = (body: string, changed: object, secret = SECRET) =>
    new Webhook(secret).verify(body, { ...headers, ...changed });
  assert.deepEqual(verify(BODY, {}), { test: 2_432_232_314 });
  assert.throws(() => verify(`${BODY} `, {}));
  assert.throws(() => verify(BODY, { "webhook-id": "msg_other" }));
  assert.throws(() => verify(BODY, { "webhook-timestamp": String(now - 1) }));
  assert.throws(() => verify(BODY, {}, mintSecret(randomBytes)));
});

test("each secret signs, in the order given, and a receiver with either accepts it", () => {
  const secrets = [mintSecret(randomBytes), mintSecret(randomBytes)];
  const now = Math.floor(Date.now() / 1_000);
  const headers = signedHeaders(ID, now, BODY, secrets);
  assert.equal(
    headers["webhook-signature"],
    secrets.map((secret) => signedHeaders(ID, now, BODY, [secret])["webhook-signature"]).join(" "),
  );
  for (const secret of secrets) new Webhook(secret).verify(BODY, headers);
});

test("a secret is whsec_ and 32 random bytes in Base64", () => {
  const asked: number[] = [];
  const secret = mintSecret((size) => {
    asked.push(size);
    return Buffer.alloc(size, 0xff);
  });
  assert.deepEqual(asked, [32]);
  assert.equal(secret, `whsec_${Buffer.alloc(32, 0xff).toString("base64")}`);
  assert.notEqual(mintSecret(randomBytes), mintSecret(randomBytes));
});
