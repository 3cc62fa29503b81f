/** Sums up requests that are refused again and again, so that nobody can fill the disk with log lines. */

/** Lines of one kind and address that are logged each minute; further ones are counted. */
const MAX_LINES = 10;
/** Kinds and addresses that are told apart; all others are counted together. */
const MAX_GROUPS = 200;
const MINUTE_MS = 60_000;

interface Group {
  kind: string;
  address: string;
  count: number;
}

export class RefusalLog {
  readonly #groups = new Map<string, Group>();
  readonly #summarize: (group: Group) => void;
  #timer: NodeJS.Timeout | undefined;

  /** `summarize` logs how many lines of a group were left out. */
  constructor(summarize: (group: Group) => void) {
    this.#summarize = summarize;
  }

  /** Counts a refusal. @returns whether it gets a line of its own. */
  record(kind: string, address: string): boolean {
    this.#timer ??= setTimeout(() => this.flush(), MINUTE_MS).unref();
    const group = this.#group(kind, address);
    return ++group.count <= MAX_LINES;
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const groups = [...this.#groups.values()];
    this.#groups.clear();
    for (const { count, ...group } of groups) {
      if (count > MAX_LINES) this.#summarize({ ...group, count: count - MAX_LINES });
    }
  }

  #group(kind: string, address: string): Group {
    const key = `${kind} ${address}`;
    const found = this.#groups.get(key);
    if (found !== undefined) return found;
    if (this.#groups.size > MAX_GROUPS && kind !== "others") return this.#group("others", "");
    const group = { kind, address, count: 0 };
    this.#groups.set(key, group);
    return group;
  }
}
