import { slugify } from "../../../domain/articles/content/slug.ts";

/** Gives each name a slug of its own, such as `c` and `c-2` for `C` and `C#`. Its memory grows with the names. */
export class UniqueSlugs {
  readonly #slugs = new Map<string, string>();
  readonly #taken = new Set<string>();
  readonly #toSlug: (name: string) => string;

  constructor(toSlug: (name: string) => string = slugify) {
    this.#toSlug = toSlug;
  }

  of(name: string): string {
    const known = this.#slugs.get(name);
    if (known !== undefined) return known;
    const base = this.#toSlug(name);
    let slug = base;
    for (let number = 2; this.#taken.has(slug); number++) slug = `${base}-${number}`;
    this.#taken.add(slug);
    this.#slugs.set(name, slug);
    return slug;
  }

  /** Names with their slugs, in the order in which they were first asked for. */
  entries(): Iterable<[name: string, slug: string]> {
    return this.#slugs;
  }
}
