import assert from "node:assert/strict";
import { test } from "node:test";
import { PICTURE_WIDTHS, pictureSrcset } from "../../client/src/site/index.ts";
import { RENDITION_WIDTHS } from "../../src/domain/articles/assets/rendition.ts";

const URL = `https://cdn.example.com/r/assets/${"0".repeat(8)}-0000-7000-8000-${"0".repeat(12)}/${"a".repeat(64)}/kettle.jpg`;

test("the client names the widths that the service serves", () => {
  assert.deepEqual(PICTURE_WIDTHS, RENDITION_WIDTHS);
});

test("a picture of ours has a srcset up to its own width, another has none", () => {
  assert.equal(pictureSrcset(URL, 400), `${URL}?w=160 160w, ${URL}?w=320 320w, ${URL}?w=400 400w`);
  assert.equal(pictureSrcset(URL)?.split(", ").length, PICTURE_WIDTHS.length);
  assert.equal(pictureSrcset(URL, 4_000), pictureSrcset(URL));
  assert.equal(pictureSrcset(URL, 160), `${URL}?w=160 160w`);
  for (const other of ["https://example.com/kettle.jpg", `${URL}?v=1`, URL.replace("a/kettle", "/kettle")]) {
    assert.equal(pictureSrcset(other), undefined);
  }
});
