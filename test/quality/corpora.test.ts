/** What integrity's rules find in whole blogs that others wrote: what blocks there, blocks rightly, and is listed here. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { detectLanguage } from "../../src/content-processes/language.ts";
import { findProblems } from "../../src/domain/articles/content/integrity/find-problems.ts";
import { materialOf } from "../../src/domain/articles/content/integrity/integrity-test-helpers.ts";
import type { ArticleInput } from "../../src/domain/articles/article.ts";
import type { Integrity } from "../../src/domain/articles/findings.ts";
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

describe("real posts", { skip }, () => {
  test("are not blocked, but for what readers would see broken", async (t) => {
    assert.deepEqual(await findBlocks(false, t.diagnostic.bind(t)), RAW_LINKS);
  });

  test("would hardly be held if a generator had delivered them", async (t) => {
    assert.deepEqual((await findBlocks(true, t.diagnostic.bind(t))).toSorted(), [...RAW_LINKS, REPEATED].toSorted());
  });
});

/** Blocks by article and kind. */
async function findBlocks(isMachineWritten: boolean, print: (text: string) => void): Promise<string[]> {
  const blocks: string[] = [];
  for (const corpus of ["rust-blog", "v8-blog"]) {
    const items = await importAll(join(CORPORA, corpus), { websiteUrl: null });
    const counts: Record<string, number> = {};
    for (const item of items) {
      if (item.kind !== "draft") continue;
      const kinds = new Set(
        findIn(item.input, isMachineWritten).findings.map(({ kind, severity }) => `${kind} ${severity}`),
      );
      for (const kind of kinds) {
        counts[kind] = (counts[kind] ?? 0) + 1;
        if (kind.endsWith(" block")) blocks.push(`${corpus}/${item.source}: ${kind.slice(0, -" block".length)}`);
      }
    }
    print(`${corpus}: ${items.length} files; articles with each kind: ${JSON.stringify(counts)}`);
  }
  return blocks;
}

function findIn(
  { title = "", metaDescription, markdown, content }: ArticleInput,
  isMachineWritten: boolean,
): Integrity {
  const text = markdown ?? content ?? "";
  return findProblems(
    materialOf(markdown ?? "", {
      title,
      metaDescription: metaDescription ?? null,
      ...(markdown === undefined ? { html: text } : {}),
      detectLanguage,
      detectedLanguage: detectLanguage(text),
      isMachineWritten,
    }),
  );
}
