/**
 * Records which changes of each article were requested and which its receivers know of, and derives which answers are right.
 *
 * A change is recorded before it is made, and an event before its receiver reads the article. So an answer may show any state
 * from the newest that a receiver knew of when the request began to the newest that was requested when the answer came.
 */
export type ChangeKind = "create" | "update" | "unpublish" | "publish" | "delete" | "restore";

export interface Change {
  /** Id of the change's event. */
  eventId: string;
  websiteId: string;
  articleId: string;
  kind: ChangeKind;
  /** Of the article from now on. */
  title: string;
}

export interface Event {
  eventId: string;
  websiteId: string;
  articleId: string;
  /** The article's version: 1, 2, 3 …, one for each change. */
  version: number;
}

interface State {
  /** What readers see; null if the article is not published. */
  title: string | null;
  /** As stated by the event, if it has arrived. */
  publishedAt: string | null;
}

export interface Told {
  title: string;
  publishedAt: string;
}

interface History {
  websiteId: string;
  /** By version; 0 is the time before it was created. */
  states: State[];
  told: number;
}

export class Ledger {
  readonly #histories = new Map<string, History>();
  readonly #events = new Map<string, Event>();

  order({ eventId, websiteId, articleId, kind, title }: Change): void {
    let history = this.#histories.get(articleId);
    if (history === undefined) {
      history = { websiteId, states: [{ title: null, publishedAt: null }], told: 0 };
      this.#histories.set(articleId, history);
    }
    this.#events.set(eventId, { eventId, websiteId, articleId, version: history.states.length });
    const isGone = kind === "unpublish" || kind === "delete";
    history.states.push({ title: isGone ? null : title, publishedAt: null });
  }

  /** Records that a receiver got the event. `publishedAt`: as the event says. @returns the event, if it is one of ours. */
  told(eventId: string, publishedAt: string | null): Event | undefined {
    const event = this.#events.get(eventId);
    const history = event && this.#histories.get(event.articleId);
    if (event === undefined || history === undefined) return undefined;
    const state = history.states[event.version];
    if (state !== undefined) state.publishedAt = publishedAt;
    history.told = Math.max(history.told, event.version);
    return event;
  }

  /** The newest version that any receiver got. */
  floor(articleId: string): number {
    return this.#histories.get(articleId)?.told ?? 0;
  }

  /** The articles of the website. */
  floors(websiteId: string): Map<string, number> {
    return new Map(
      [...this.#histories].flatMap(([id, { websiteId: of, told }]) => (of === websiteId ? [[id, told] as const] : [])),
    );
  }

  /** @returns why the answer is wrong, or null. `seen` is null if readers were told that there is no such article. */
  problem(articleId: string, floor: number, seen: Told | null): string | null {
    const { states = [] } = this.#histories.get(articleId) ?? {};
    const isPossible = states
      .slice(floor)
      .some(
        ({ title, publishedAt }) =>
          title === (seen?.title ?? null) &&
          (seen === null || publishedAt === null || publishedAt === seen.publishedAt),
      );
    if (isPossible) return null;
    const shown = seen === null ? "nothing" : `"${seen.title}" of ${seen.publishedAt}`;
    const told = states[floor];
    return `shown ${shown} of ${articleId}, where ${told?.title ?? "nothing"} (version ${floor}) had been told and ${states.length - 1} ordered`;
  }
}
