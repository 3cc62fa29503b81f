import assert from "node:assert/strict";
import { test } from "node:test";
import { mintKey } from "../people/api-key.ts";
import { mintToken } from "../people/one-time-token.ts";
import { redact } from "./redact.ts";
import { mintSecret } from "../webhooks/webhook-message.ts";
import { fc } from "../../../test/helpers/properties.ts";

const bytes = fc.uint8Array({ minLength: 64, maxLength: 64 });
/** Text that can be next to a secret: none of its characters could belong to one. */
const beside = fc.stringMatching(/^[ -,:;<>@[\]^`{|}"\\\n\téü]{0,5}$/);

for (const [name, mint] of [
  ["an API key", mintKey],
  ["an access token", (random: (size: number) => Buffer) => mintKey(random, "rm_")],
  ["a signing secret", mintSecret],
  ["a token", mintToken],
] as const) {
  test(`${name} is removed anywhere: as it is, in JSON and in a URL`, () => {
    fc.assert(
      fc.property(bytes, beside, beside, (random, before, after) => {
        const secret = mint((size) => Buffer.from(random.subarray(0, size)));
        for (const form of [(text: string) => text, JSON.stringify, encodeURIComponent]) {
          const written = redact(form(`${before}\n${secret}${after}`));
          assert.ok(!written.includes(form(secret).replaceAll('"', "")), written);
          assert.ok(!written.includes(secret.slice(8)), written);
        }
      }),
    );
  });
}

test("a password in a URL is removed, and the host stays", () => {
  assert.equal(redact("at postgres://a:b%40@db.example:5432/x?y"), "at postgres://[redacted]@db.example:5432/x?y");
});

test("ids, hashes, times and sentences stay as they are", () => {
  const texts = [
    "0198a3b2-0000-7000-8000-000000000001",
    "a".repeat(64),
    "2026-01-31T12:00:00.000Z",
    "The word rs_ alone, and rm_ and whsec_ alone.",
    "https://example.com/a@b",
  ];
  for (const text of texts) assert.equal(redact(text), text);
});
