import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMultipart } from "./multipart.ts";

async function encode(form: FormData): Promise<{ type: string; body: Buffer }> {
  const request = new Request("http://localhost", { method: "POST", body: form });
  return { type: request.headers.get("content-type") ?? "", body: Buffer.from(await request.arrayBuffer()) };
}

test("a form gives its file's bytes, its name and its fields", async () => {
  const bytes = Buffer.from([0, 13, 10, 45, 45, 255, 13, 10, 13, 10]);
  const form = new FormData();
  form.append("file", new Blob([bytes]), "a kettle.png");
  form.append("ref", "kettle");
  form.append("empty", "");
  const { type, body } = await encode(form);
  const parts = parseMultipart(type, body);
  assert.deepEqual(
    parts?.map((part) => [part.name, part.filename, part.bytes.toString("hex")]),
    [
      ["file", "a kettle.png", bytes.toString("hex")],
      ["ref", null, Buffer.from("kettle").toString("hex")],
      ["empty", null, ""],
    ],
  );
});

test("what is cut off, or no form, gives nothing", async () => {
  const form = new FormData();
  form.append("file", new Blob(["bytes"]), "a.png");
  const { type, body } = await encode(form);
  for (let length = 0; length < body.length - 4; length++) {
    assert.equal(parseMultipart(type, body.subarray(0, length)), null);
  }
  assert.equal(parseMultipart("application/json", body), null);
  assert.equal(parseMultipart("multipart/form-data", body), null);
  assert.equal(parseMultipart('multipart/form-data; boundary="other"', body), null);
});
