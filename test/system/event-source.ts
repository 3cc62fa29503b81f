/** What a browser's EventSource hears, without coming back by itself. */
import assert from "node:assert/strict";
import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import type { LiveTopic } from "../../src/domain/people/live-topics.ts";
import { record } from "../helpers/http.ts";
import { until } from "../helpers/until.ts";
import { API, type Browser } from "../people/dashboard.ts";

export class Listening implements Disposable {
  readonly headers: IncomingHttpHeaders;
  /** Names of events, in order. */
  readonly events: string[] = [];
  /** Topics of each change, the first one of the stream included. */
  readonly changes: LiveTopic[][] = [];
  /** All that came. */
  text = "";
  isOver = false;
  readonly res: IncomingMessage;
  readonly #req: ClientRequest;

  private constructor(req: ClientRequest, res: IncomingMessage) {
    this.#req = req;
    this.res = res;
    this.headers = res.headers;
    let rest = "";
    res.setEncoding("utf8").on("data", (part: string) => {
      this.text += part;
      const blocks = (rest + part).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) this.#take(block);
    });
    res.on("close", () => {
      this.isOver = true;
    });
    res.on("error", () => undefined);
  }

  /** Resolves with the first change. */
  static async to(
    url: string,
    { cookie }: Pick<Browser, "cookie">,
    websiteId: string,
    since?: string,
  ): Promise<Listening> {
    const { promise, resolve, reject } = Promise.withResolvers<Listening>();
    const state = since === undefined ? "" : `&since=${since}`;
    const req = request(`${url}${API}/live?website_id=${websiteId}${state}`, {
      agent: false,
      headers: { Cookie: cookie, "Sec-Fetch-Site": "same-origin", Accept: "text/event-stream" },
    });
    req.on("response", (res) => resolve(new Listening(req, res)));
    req.on("error", reject);
    req.end();
    const listening = await promise;
    assert.equal(listening.res.statusCode, 200);
    await until("the first change", () => listening.changes.length > 0);
    return listening;
  }

  /** Waits until the topic has come in a change after the first `after`. */
  async hears(topic: LiveTopic, after = this.changes.length): Promise<void> {
    await until(`${topic} after ${JSON.stringify(this.changes)}`, () =>
      this.changes.slice(after).some((topics) => topics.includes(topic)),
    );
  }

  [Symbol.dispose](): void {
    this.#req.destroy();
  }

  #take(block: string): void {
    const name = /^event: (.*)$/m.exec(block)?.[1];
    const data = /^data: (.*)$/m.exec(block)?.[1];
    if (name === undefined || data === undefined) return;
    this.events.push(name);
    if (name === "change") this.changes.push(record(JSON.parse(data))["topics"] as LiveTopic[]);
  }
}
