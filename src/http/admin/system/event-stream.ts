/** Server-sent events to one browser: a slow client's are merged into one, a client that is gone is disconnected. */
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { LiveTopic } from "../../../domain/people/live-topics.ts";
import type { LiveChange } from "../contract/overview.ts";

/** How long a browser waits before it reconnects after its connection broke. */
const RECONNECT_DELAY_MS = 2_000;

export class EventStream {
  readonly #res: ServerResponse;
  readonly #websiteId: string;
  /** Topics not sent yet, because the client has not read the earlier output. */
  readonly #unsent = new Set<LiveTopic>();
  #isFull = false;
  /** Whether the output buffer was already full at the previous `beat`. */
  #wasFull = false;

  constructor(res: ServerResponse, headers: OutgoingHttpHeaders, websiteId: string) {
    this.#res = res;
    this.#websiteId = websiteId;
    // A client that disconnects is not an error.
    res.on("error", () => undefined);
    res.on("drain", () => {
      this.#isFull = false;
      if (this.#unsent.size > 0) this.send([]);
    });
    res.writeHead(200, {
      ...headers,
      "Content-Type": "text/event-stream; charset=utf-8",
      "Cache-Control": "no-store",
      // Proxies must not buffer events.
      "X-Accel-Buffering": "no",
    });
    this.#write(`retry: ${RECONNECT_DELAY_MS}\n\n`);
  }

  send(topics: readonly LiveTopic[]): void {
    for (const topic of topics) this.#unsent.add(topic);
    if (this.#isFull) return;
    const change: LiveChange = { website_id: this.#websiteId, topics: [...this.#unsent] };
    this.#unsent.clear();
    this.#write(`event: change\ndata: ${JSON.stringify(change)}\n\n`);
  }

  /** Keeps proxies from closing the stream, and detects a client that is gone. */
  beat(): void {
    if (this.#isFull && this.#wasFull) {
      this.#res.destroy();
      return;
    }
    this.#wasFull = this.#isFull;
    if (!this.#isFull) this.#write(":\n\n");
  }

  end(last = ""): void {
    // A client that does not read would keep the connection open, and with it a service that is stopping.
    if (this.#isFull) this.#res.destroy();
    else this.#res.end(last);
  }

  #write(text: string): void {
    if (!this.#res.destroyed && !this.#res.write(text)) this.#isFull = true;
  }
}
