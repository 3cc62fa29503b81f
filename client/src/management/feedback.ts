/** What people did with the articles, for those who write them. */
import { queryOf } from "../articles.ts";
import { sleep } from "../pace.ts";
import type { CallOptions, ManagementTransport } from "./transport.ts";
import type { Feedback, FeedbackAnswer } from "./types.generated.ts";

export interface FollowFeedbackOptions extends CallOptions {
  /** An earlier `next`. By default everything is read. */
  after?: string | undefined;
  /** Polling interval in milliseconds while there is nothing new. Default: as the service asks, 30,000. */
  intervalMs?: number | undefined;
}

/** `next`: give it as `after` to go on later. Within a page it is that of the page before, so that nothing is lost. */
export type FollowedFeedback = Feedback & { next: string | undefined };

const DEFAULT_INTERVAL_MS = 30_000;

export class FeedbackFeed {
  readonly #transport: ManagementTransport;

  constructor(transport: ManagementTransport) {
    this.#transport = transport;
  }

  readonly list = async (
    { after, limit }: { after?: string | undefined; limit?: number | undefined } = {},
    options: CallOptions = {},
  ): Promise<FeedbackAnswer> => (await this.#page({ after, limit }, options)).data;

  /** Yields everything in order, without end: stop by the signal or by leaving the loop. Retries during outages. */
  readonly follow = (options: FollowFeedbackOptions = {}): AsyncGenerator<FollowedFeedback, void, undefined> =>
    this.#follow(options);

  async *#follow({
    after,
    intervalMs,
    signal,
  }: FollowFeedbackOptions): AsyncGenerator<FollowedFeedback, void, undefined> {
    for (;;) {
      const { data, retryAfterMs } = await this.#page({ after, limit: 100 }, { signal });
      const { feedback, next } = data;
      for (const [index, one] of feedback.entries()) {
        yield { ...one, next: index === feedback.length - 1 ? next : after };
      }
      after = next;
      if (feedback.length === 0) await sleep(intervalMs ?? (retryAfterMs || DEFAULT_INTERVAL_MS), signal);
    }
  }

  #page(parameters: { after?: string | undefined; limit?: number | undefined }, options: CallOptions) {
    return this.#transport.answer<FeedbackAnswer>({ path: `/feedback${queryOf(parameters)}`, ...options });
  }
}
