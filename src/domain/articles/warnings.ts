/** What people are told of an article that arrived, but not whole, or not as its source shows it. */

/** The kinds, with the heading under which a report lists them. */
export const WARNING_KINDS = {
  words_lost: "Words lost",
  source_markup: "Source markup left as text",
  construct_replaced: "Constructs of the site replaced by their words",
  element_removed: "Elements removed",
  embed_replaced: "Embeds replaced by a link",
  picture_missing: "Pictures that lead nowhere",
  link_dead: "Links that lead nowhere",
  anchor_dead: "Links to a place that the article does not have",
  date_guessed: "Dates guessed",
  state_guessed: "States guessed",
  address_guessed: "Addresses guessed",
  metadata_guessed: "Front matter and labels guessed",
} as const;
export type WarningKind = keyof typeof WARNING_KINDS;

export interface Warning {
  kind: WarningKind;
  /** One line that names the place or the construct, as in `{{< tweet 20 >}}`. */
  detail: string;
}

/** Per article and kind; what comes after it is counted. */
export const MAX_WARNINGS_PER_KIND = 10;
/** Characters. */
const MAX_DETAIL = 160;

/** Collects an article's warnings: each once, on one line, a few of a kind. */
export class Warnings {
  readonly #byKind = new Map<WarningKind, Set<string>>();

  add(kind: WarningKind, detail: string): void {
    const line = detail.replaceAll(/\s+/g, " ").trim();
    const short = line.length > MAX_DETAIL ? `${line.slice(0, MAX_DETAIL - 1).toWellFormed()}…` : line;
    const details = this.#byKind.get(kind) ?? new Set();
    this.#byKind.set(kind, details);
    if (details.size < MAX_WARNINGS_PER_KIND) details.add(short);
  }

  addAll(warnings: readonly Warning[]): void {
    for (const { kind, detail } of warnings) this.add(kind, detail);
  }

  /** In the order of the kinds. */
  get list(): Warning[] {
    const kinds = Object.keys(WARNING_KINDS) as WarningKind[];
    return kinds.flatMap((kind) => Array.from(this.#byKind.get(kind) ?? [], (detail) => ({ kind, detail })));
  }
}
