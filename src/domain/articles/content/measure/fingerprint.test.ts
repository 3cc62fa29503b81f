import assert from "node:assert/strict";
import { test } from "node:test";
import { deriveContent } from "../content.ts";
import { BLANK_SOURCE } from "../content-source.ts";
import { bands, fingerprint, similarity } from "./fingerprint.ts";

/** Different words that depend on `seed` alone. */
function words(count: number, seed = 1): string[] {
  return Array.from({ length: count }, (_, index) => `w${(Math.imul(index + 1, 0x9e3779b1) ^ (seed * 7919)) >>> 8}`);
}

function taken(text: string): string {
  const found = fingerprint(text);
  assert.ok(found !== null);
  return found;
}

function derive(markdown: string) {
  return deriveContent({ ...BLANK_SOURCE, markdown }, { clock: () => 0, detectLanguage: () => null });
}

/** Jaccard's index, counted. */
function index(one: readonly string[], other: readonly string[]): number {
  const [shingles, others] = [one, other].map(
    (all) => new Set(all.slice(2).map((word, at) => `${all[at]} ${all[at + 1]} ${word}`)),
  ) as [Set<string>, Set<string>];
  return shingles.intersection(others).size / shingles.union(others).size;
}

test("a text has the same fingerprint on every machine, whatever its case and punctuation", () => {
  const text = words(60).join(" ");
  assert.equal(taken(text), taken(`“${text.toUpperCase().replaceAll(" ", ", ")}”\n`));
  assert.equal(taken(text).slice(0, 24), "iO7nALnqegVuH2wK5LN9DRpv");
});

test("a text of fewer than fifty words has none", () => {
  assert.equal(fingerprint(words(49).join(" ")), null);
  assert.notEqual(fingerprint(words(50).join(" ")), null);
  assert.equal(fingerprint(""), null);
});

test("texts are as similar as the part of their shingles that they share", () => {
  for (const length of [60, 300, 2_000]) {
    for (const changed of [0, 0.02, 0.05, 0.1, 0.3, 1]) {
      const one = words(length);
      const step = Math.round(1 / changed);
      const other = one.map((word, at) => (at % step === 0 ? `${word}x` : word));
      const [exact, found] = [index(one, other), similarity(taken(one.join(" ")), taken(other.join(" ")))];
      assert.ok(Math.abs(exact - found) <= 0.19, `${length} words, ${changed}: ${exact}, ${found}`);
    }
  }
});

test("nearly equal texts share a band within a website, and others do not", () => {
  const text = words(400);
  const one = taken(text.join(" "));
  const near = taken(text.with(200, "another").join(" "));
  const far = taken(words(400, 2).join(" "));
  const shared = (of: string, website = "w") => new Set(bands("w", one)).intersection(new Set(bands(website, of))).size;
  assert.equal(shared(one), 16);
  assert.ok(shared(near) >= 8, String(shared(near)));
  assert.equal(shared(far), 0);
  assert.equal(shared(one, "other"), 0);
  assert.ok(bands("w", one).every((band) => Number.isSafeInteger(band) && band >= 0));
});

test("texts of scripts without spaces are compared by their characters", () => {
  const sentences = [
    "緑茶は沸騰したお湯ではなく少し冷ましたお湯でいれると甘みが出ておいしくなります",
    "新しい茶葉は空気に触れないように缶に入れて涼しい場所に置いておくと長く香りが残ります",
    "水の硬さは味に大きく影響するので軟水を選ぶ人が多いようです",
    "急須を先に温めておくとお湯の温度が下がりにくくなります",
  ];
  const text = sentences.join("。");
  const edited = text.replace("少し", "かなり");
  const other = "鉄道の時刻表は毎年春に改められ駅の掲示板と印刷物の両方で知らされることになっている。".repeat(2);
  assert.ok(similarity(taken(text), taken(edited)) >= 0.8);
  assert.ok(similarity(taken(text), taken(other)) < 0.1);
  const thai = "ชาเขียวควรชงด้วยน้ำที่ไม่ร้อนเกินไปเพื่อให้ได้รสหวานและกลิ่นหอมของใบชาที่เก็บมาใหม่ในฤดูใบไม้ผลิ";
  assert.equal(similarity(taken(thai), taken(thai)), 1);
});

test("any text has a fingerprint of 64 values or none: one word again and again, half a character, a long one", () => {
  for (const text of ["tea ".repeat(100), "\ud800".repeat(200), "é".repeat(1_000), words(100_000).join(" ")]) {
    const found = fingerprint(text);
    assert.ok(found === null || Buffer.from(found, "base64").length === 256);
  }
  assert.equal(similarity(taken("tea ".repeat(100)), taken("tea ".repeat(300))), 1);
});

test("code is no part of an article's fingerprint", () => {
  const prose = words(80).join(" ");
  const { fingerprint: plain } = derive(prose);
  assert.equal(plain, taken(prose));
  assert.equal(derive(`${prose}\n\n\`\`\`\n${words(300, 3).join(" ")}\n\`\`\`\n`).fingerprint, plain);
});
