import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { labelKey } from "../../system/collation.ts";
import { labelSlugs } from "./label-slugs.ts";

function slugsOf(names: readonly string[], otherwise = "tag"): string[] {
  const labels = names.map((name, since) => ({ key: labelKey(name), name, since }));
  const work = labelSlugs(labels, otherwise);
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return labels.map(({ key }) => value.get(key) ?? "");
  }
}

describe("slugs of labels", () => {
  test("are made from the name, with plus and sharp in words", () => {
    const names = ["C", "C++", "C#", "#tea", "Black Tea", "a/b", "..", "茶"];
    assert.deepEqual(slugsOf(names), ["c", "c-plus-plus", "c-sharp", "tea", "black-tea", "a-b", "tag", "茶"]);
  });

  test("belong to the label that came first; others have a part that only their name decides", () => {
    const [first, second, third] = slugsOf(["café", "cafe", "Cafe!"]);
    assert.equal(first, "cafe");
    assert.match(second ?? "", /^cafe-[0-9a-f]{4}$/);
    assert.match(third ?? "", /^cafe-[0-9a-f]{4}$/);
    assert.notEqual(second, third);
    // When others come, or go.
    assert.deepEqual(slugsOf(["café", "cafe", "Cafe!", "CAFÉ?"]).slice(0, 3), [first, second, third]);
    assert.deepEqual(slugsOf(["café", "Cafe!"]), [first, third]);
    assert.deepEqual(slugsOf(["cafe", "Cafe!"]), ["cafe", third]);
  });

  test("are different for thousands of names that look alike, also for names that look like another's slug", () => {
    const alike = Array.from({ length: 3_000 }, (_none, number) => `tea${"!".repeat(number)}`);
    const slugs = slugsOf(alike);
    assert.equal(new Set(slugs).size, alike.length);
    const [, hashed = ""] = slugs;
    const [, own, other] = slugsOf(["tea", "tea!", hashed]);
    assert.equal(other, hashed);
    assert.notEqual(own, hashed);
    assert.ok(own?.startsWith(hashed));
  });

  test("of labels without letters are what the caller says", () => {
    const [first, second] = slugsOf(["🍵", "🫖"], "category");
    assert.equal(first, "category");
    assert.match(second ?? "", /^category-[0-9a-f]{4}$/);
  });
});
