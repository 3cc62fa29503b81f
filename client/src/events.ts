/** The website's events, oldest first: the same ids, order and bodies as its webhooks. */
import { queryOf } from "./articles.ts";
import { sleep } from "./pace.ts";
import type { RequestOptions, Transport } from "./transport.ts";
import type { FeedEvent } from "./types.ts";

export interface EventPage {
  events: FeedEvent[];
  pagination: { after: number; limit: number; next_after: number; latest_sequence: number; has_more: boolean };
}

export interface FollowOptions extends RequestOptions {
  /** Sequence after which to start. By default, only new events are read. */
  after?: number | undefined;
  /** Polling interval in milliseconds while there is nothing new. Default 1,000. */
  intervalMs?: number | undefined;
}

export class Events {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** @param after returns events with a greater sequence. Default 0, the oldest. */
  readonly list = async (
    { after, limit }: { after?: number | undefined; limit?: number | undefined } = {},
    options: RequestOptions = {},
  ): Promise<EventPage> => (await this.#transport.get<EventPage>(`/events${queryOf({ after, limit })}`, options)).data;

  /**
   * Yields every event once, in order, without end: stop by the signal or by leaving the loop. Retries during outages. To continue
   * later, store the sequence of the last event you have processed, and pass it as `after`.
   */
  readonly follow = (options: FollowOptions = {}): AsyncGenerator<FeedEvent, void, undefined> => this.#follow(options);

  async *#follow({ after, intervalMs = 1000, signal }: FollowOptions): AsyncGenerator<FeedEvent, void, undefined> {
    let next = after ?? (await this.list({ limit: 1 }, { signal })).pagination.latest_sequence;
    for (;;) {
      const page = await this.list({ after: next, limit: 100 }, { signal });
      for (const event of page.events) {
        yield event;
        next = event.sequence;
      }
      next = page.pagination.next_after;
      if (!page.pagination.has_more) await sleep(intervalMs, signal);
    }
  }
}
