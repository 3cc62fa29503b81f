import { withoutTrailing } from "../../system/trailing.ts";
import { createRequire } from "node:module";
import type slugifyAscii from "@sindresorhus/slugify";

export const MAX_SLUG_LENGTH = 100;
/** In UTF-8. Static sites make folders of slugs, whose names have at most 255 bytes. */
const MAX_SLUG_BYTES = 200;

/** Makes a slug from a title; letters of scripts that cannot be written in ASCII are kept. Never empty. */
export function slugify(title: string): string {
  // Nobody reads the rest of a longer title in an address.
  const start = title
    .slice(0, 4 * MAX_SLUG_LENGTH)
    .toWellFormed()
    // Ligatures, fractions and wide letters become plain ones.
    .normalize("NFKC");
  const slug = shorten(transliterated(start));
  return slug === "" ? "article" : slug;
}

/** A supplied slug with a hyphen for what cannot be part of an address; `""` if no letter or number is left. */
export function validSlug(supplied: string): string {
  const slug = startOf(
    supplied
      .slice(0, 2 * MAX_SLUG_LENGTH)
      .toWellFormed()
      .normalize("NFC"),
  );
  if (!/[\p{L}\p{N}]/u.test(slug)) return "";
  if (/^[\p{L}\p{M}\p{N}._~-]+$/u.test(slug)) return slug;
  const parts = slug.split(/[^\p{L}\p{M}\p{N}._~-]+/u);
  return parts.filter((part) => part !== "" && !/^[.-]+$/.test(part)).join("-");
}

/** The slug, or with a free number from `-2` on; if many are taken, a binary search takes a few dozen queries. */
export async function freeSlug(base: string, isTaken: (slug: string) => Promise<boolean>): Promise<string> {
  if (!(await isTaken(base))) return base;
  const numbered = (number: number): string => {
    const suffix = `-${number}`;
    return shorten(base, MAX_SLUG_LENGTH - suffix.length) + suffix;
  };
  let taken = 1;
  let free = 2;
  while (await isTaken(numbered(free))) {
    taken = free;
    free = free < TRIED_ONE_BY_ONE ? free + 1 : free * 2;
  }
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2);
    if (await isTaken(numbered(middle))) taken = middle;
    else free = middle;
  }
  return numbered(free);
}

const TRIED_ONE_BY_ONE = 20;

/** Loads the package on first use: its tables take 13 ms, which a start-up that saves no article need not spend. */
function transliterated(title: string): string {
  // Nothing to transliterate, as in most keywords: the package takes 20 µs.
  if (/^[a-z0-9]+(?:[ -][a-z0-9]+)*$/.test(title)) return title.replaceAll(" ", "-");
  const { default: slugify } = REQUIRE("@sindresorhus/slugify") as { default: typeof slugifyAscii };
  const plain = title.replaceAll(GREEK_EXTENDED, (letter) => letter.normalize("NFD").charAt(0));
  const isForeign = new Map([...new Set(plain.match(LETTERS))].map((letter) => [letter, slugify(letter) === ""]));
  const parts: { isForeign: boolean; text: string }[] = [];
  for (const text of plain.match(LETTERS_OR_OTHERS) ?? []) {
    const last = parts.at(-1);
    const foreign = isForeign.get(text.match(LETTERS)?.[0] ?? "") === true;
    if (last?.isForeign === foreign) last.text += text;
    else parts.push({ isForeign: foreign, text });
  }
  const slugs = parts.map(({ isForeign: keeps, text }) => {
    if (keeps) return text.toLowerCase();
    const slug = slugify(text, { decamelize: false });
    // Punctuation at either end of a part separates it from its neighbour.
    return `${/^[\p{L}\p{N}]/u.test(text) ? "" : "-"}${slug}${/[\p{L}\p{M}\p{N}]$/u.test(text) ? "" : "-"}`;
  });
  return withoutTrailing(slugs.join("").replaceAll(/-{2,}/g, "-").replace(/^-/, ""), "-").normalize("NFC");
}

const REQUIRE = createRequire(import.meta.url);

/** Letters with accents that only old Greek has. */
const GREEK_EXTENDED = /[\u1F00-\u1FFF]/g;
const LETTERS = /[\p{L}\p{N}]/gu;
/** Each letter with its marks, and what is between them. */
const LETTERS_OR_OTHERS = /[\p{L}\p{N}]\p{M}*|[^\p{L}\p{N}]+/gu;

/** Cuts at a hyphen, so that no word is divided, unless there is none in the second half. */
function shorten(slug: string, longest = MAX_SLUG_LENGTH): string {
  const max = Math.min(longest, startOf(slug).length);
  if (slug.length <= max) return slug;
  const hyphen = slug.lastIndexOf("-", max);
  const cut = slug.slice(0, hyphen > max / 2 ? hyphen : max);
  // Drops half a surrogate pair at the end.
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

/** As much as a folder's name may have. */
function startOf(slug: string): string {
  const bytes = Buffer.from(slug);
  if (bytes.length <= MAX_SLUG_BYTES) return slug;
  return new TextDecoder().decode(bytes.subarray(0, MAX_SLUG_BYTES), { stream: true });
}
