/** What integrity's rules find in whole blogs that others wrote: what blocks there, blocks rightly, and is listed here. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { detectLanguage } from "../../src/content-processes/language.ts";
import { findProblems } from "../../src/domain/articles/content/integrity/find-problems.ts";
import { materialOf } from "../../src/domain/articles/content/integrity/integrity-test-helpers.ts";
import type { ArticleInput } from "../../src/domain/articles/article.ts";
import type { Material } from "../../src/domain/articles/content/integrity/material.ts";
import { importAll } from "../../src/importers/import-test-helpers.ts";

const CORPORA = join(import.meta.dirname, "../../../shared/corpora");
const skip = existsSync(CORPORA) ? false : "the corpora of real articles are not beside this repository";

/** Readers see a link's Markdown there: in HTML, and after a comment. */
const RAW_LINKS = [
  "rust-blog/Project-Goals-2025-November-Update.md: raw_markup",
  "rust-blog/inside-rust/this-development-cycle-in-cargo-1.81.md: raw_markup",
];
/** Its summaries repeat what the comments below them say. A person wrote it; a generator's would be held. */
const REPEATED = "rust-blog/Project-Goals-2025-July-Update.md: repeated_paragraph";

/** Whether a generator is said to have delivered them. */
type Author = "person" | "machine";

describe("real posts", { skip }, () => {
  // Reading and measuring them takes far longer than finding the problems of either author.
  let found: Found;
  before(async () => {
    if (skip === false) found = await findBlocks();
  });

  test("are not blocked, but for what readers would see broken", (t) => {
    t.diagnostic(JSON.stringify(found.counts.person));
    assert.deepEqual(found.blocks.person, RAW_LINKS);
  });

  test("would hardly be held if a generator had delivered them", (t) => {
    t.diagnostic(JSON.stringify(found.counts.machine));
    assert.deepEqual(found.blocks.machine.toSorted(), [...RAW_LINKS, REPEATED].toSorted());
  });
});

interface Found {
  /** By article and kind. */
  blocks: Record<Author, string[]>;
  /** How many articles have each kind. */
  counts: Record<Author, Record<string, number>>;
}

async function findBlocks(): Promise<Found> {
  const blocks: Found["blocks"] = { person: [], machine: [] };
  const counts: Found["counts"] = { person: {}, machine: {} };
  for (const corpus of ["rust-blog", "v8-blog"]) {
    for (const item of await importAll(join(CORPORA, corpus), { websiteUrl: null })) {
      if (item.kind !== "draft") continue;
      const material = measure(item.input);
      for (const author of ["person", "machine"] as const) {
        const { findings } = findProblems({ ...material, isMachineWritten: author === "machine" });
        for (const kind of new Set(findings.map(({ kind, severity }) => `${kind} ${severity}`))) {
          counts[author][kind] = (counts[author][kind] ?? 0) + 1;
          if (kind.endsWith(" block")) {
            blocks[author].push(`${corpus}/${item.source}: ${kind.slice(0, -" block".length)}`);
          }
        }
      }
    }
  }
  return { blocks, counts };
}

function measure({ title = "", metaDescription, markdown, content }: ArticleInput): Material {
  const text = markdown ?? content ?? "";
  return materialOf(markdown ?? "", {
    title,
    metaDescription: metaDescription ?? null,
    ...(markdown === undefined ? { html: text } : {}),
    detectLanguage,
    detectedLanguage: detectLanguage(text),
  });
}
