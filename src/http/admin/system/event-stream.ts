/** Server-sent events to one browser. A slow one is told in one message what it has missed; one that has gone is dropped. */
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { LiveTopic } from "../../../domain/system/live-topics.ts";
import type { LiveChange } from "../contract/overview.ts";

/** A browser whose connection has broken comes back so soon. */
const COME_BACK_AFTER_MS = 2_000;

export class EventStream {
  readonly #res: ServerResponse;
  readonly #websiteId: string;
  /** What it has not been told of, as it has not taken what was written before. */
  readonly #untold = new Set<LiveTopic>();
  #isFull = false;
  /** Whether it was full at the last beat already. */
  #wasFull = false;

  constructor(res: ServerResponse, headers: OutgoingHttpHeaders, websiteId: string) {
    this.#res = res;
    this.#websiteId = websiteId;
    // A client that disconnects is not an error of ours.
    res.on("error", () => undefined);
    res.on("drain", () => {
      this.#isFull = false;
      if (this.#untold.size > 0) this.tell([]);
    });
    res.writeHead(200, {
      ...headers,
      "Content-Type": "text/event-stream; charset=utf-8",
      "Cache-Control": "no-store",
      // A proxy must not gather what is to arrive at once.
      "X-Accel-Buffering": "no",
    });
    this.#write(`retry: ${COME_BACK_AFTER_MS}\n\n`);
  }

  tell(topics: readonly LiveTopic[]): void {
    for (const topic of topics) this.#untold.add(topic);
    if (this.#isFull) return;
    const change: LiveChange = { website_id: this.#websiteId, topics: [...this.#untold] };
    this.#untold.clear();
    this.#write(`event: change\ndata: ${JSON.stringify(change)}\n\n`);
  }

  /** Keeps proxies from closing it, and finds out whether somebody is still there. */
  beat(): void {
    if (this.#isFull && this.#wasFull) {
      this.#res.destroy();
      return;
    }
    this.#wasFull = this.#isFull;
    if (!this.#isFull) this.#write(":\n\n");
  }

  end(last = ""): void {
    // What it does not take would keep the connection, and with it a service that stops.
    if (this.#isFull) this.#res.destroy();
    else this.#res.end(last);
  }

  #write(text: string): void {
    if (!this.#res.destroyed && !this.#res.write(text)) this.#isFull = true;
  }
}
