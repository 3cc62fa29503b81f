/** The slugs of a website's labels for its pages' addresses: each label has its own (docs/specification.md, 4.8). */
import { createHash } from "node:crypto";
import { slugify } from "./slug.ts";

export interface SluggedLabel {
  /** `labelKey` of the name. */
  key: string;
  name: string;
  /** A number that says which of two labels came first. */
  since: number;
}

/** Labels after which others may have their turn: at most 10 ms. */
const LABELS_A_TURN = 500;
const SUFFIX_LENGTH = 4;

/**
 * Slugs by key. Of labels with the same slug the one that came first has it alone, so that later ones change nothing; the
 * others add a hash of their own key, whichever others there are. `otherwise`: for a label without letters and numbers.
 */
export function* labelSlugs(
  labels: readonly SluggedLabel[],
  otherwise: string,
): Generator<undefined, ReadonlyMap<string, string>> {
  const first = labels.toSorted((a, b) => a.since - b.since || (a.key < b.key ? -1 : 1));
  const slugs = new Map<string, string>();
  const taken = new Set<string>();
  const others: { key: string; slug: string }[] = [];
  for (const [index, { key, name }] of first.entries()) {
    const slug = toSlug(name, otherwise);
    if (taken.has(slug)) others.push({ key, slug });
    else slugs.set(key, slug);
    taken.add(slug);
    if (index % LABELS_A_TURN === LABELS_A_TURN - 1) yield;
  }
  for (const { key, slug } of others) {
    const hash = createHash("sha256").update(key).digest("hex");
    let length = SUFFIX_LENGTH;
    while (taken.has(`${slug}-${hash.slice(0, length)}`)) length++;
    const own = `${slug}-${hash.slice(0, length)}`;
    slugs.set(key, own);
    taken.add(own);
  }
  return slugs;
}

function toSlug(name: string, otherwise: string): string {
  // "C", "C++" and "C#" are different things.
  const spelled = name.replaceAll("+", " plus ").replaceAll(/(?<=[\p{L}\p{N}])#/gu, " sharp ");
  return /[\p{L}\p{N}]/u.test(spelled) ? slugify(spelled) : otherwise;
}
