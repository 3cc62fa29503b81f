/** Cases of junk, clean and good texts, where they are at hand. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { detectLanguage } from "../../../../content-processes/language.ts";
import { findEvidence } from "../measure/evidence.ts";
import { findPhrases, PHRASES } from "../measure/phrases.ts";
import { integrityOf, materialOf } from "./integrity-test-helpers.ts";
import type { Material } from "./material.ts";

const FOLDER = join(import.meta.dirname, "../../../../../../shared/cases/quality");

interface Case {
  id: string;
  title: string;
  meta: string | null;
  markdown?: string;
  html?: string;
  kinds?: string[];
}

/** By kind: whether the checks of style, which make no findings, notice it in a text. */
const STYLE = new Map<string, (one: Case) => boolean>([
  ["unsourced_claim", (one) => (findEvidence(...materialAndLanguage(one)).claims?.unsourced.length ?? 0) > 0],
  [
    "stock_phrases",
    (one) => {
      const [{ paragraphs, vocabulary }, language] = materialAndLanguage(one);
      return findPhrases(PHRASES[language ?? ""]?.stock ?? [], paragraphs, vocabulary).length >= 4;
    },
  ],
]);

function materialAndLanguage({ title, markdown = "" }: Case): [Material, string | null] {
  const detectedLanguage = detectLanguage(markdown);
  return [materialOf(markdown, { title, detectLanguage, detectedLanguage }), detectedLanguage];
}

function findingsOf({ title, meta, markdown = "", html }: Case) {
  const given = { title, metaDescription: meta, ...(html === undefined ? {} : { html }), detectLanguage };
  return integrityOf(markdown, { ...given, detectedLanguage: detectLanguage(markdown) }).findings;
}

function cases(name: string): Case[] {
  const lines = readFileSync(join(FOLDER, `${name}.ndjson`), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => JSON.parse(line) as Case);
}

describe("given cases", { skip: !existsSync(FOLDER) }, () => {
  for (const name of ["junk", "clean", "good"]) {
    for (const one of existsSync(FOLDER) ? cases(name) : []) {
      const wanted = (one.kinds ?? []).filter((kind) => !STYLE.has(kind));
      if (name === "junk" && wanted.length === 0) {
        test(`junk ${one.id}: ${one.kinds?.join(", ")}`, () => {
          for (const kind of one.kinds ?? []) assert.ok(STYLE.get(kind)?.(one), kind);
        });
        continue;
      }
      test(`${name} ${one.id}: ${wanted.join(", ") || "nothing blocks"}`, () => {
        const findings = findingsOf(one);
        const kinds = findings.map(({ kind }) => kind as string);
        if (name === "junk")
          for (const kind of wanted) assert.ok(kinds.includes(kind), `found only ${kinds.join(", ")}`);
        else
          assert.deepEqual(
            findings.filter(({ severity }) => severity === "block"),
            [],
          );
      });
    }
  }
});
