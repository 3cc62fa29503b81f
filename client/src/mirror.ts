/// <reference lib="esnext.disposable" preserve="true" />
/** A copy of the published articles that follows the service, and can be read while the service is unreachable. */
import { sleep } from "./pace.ts";
import type { ArticleStore, StoredArticle, StoredList } from "./stores/store.ts";
import { sync, type SyncResult } from "./sync.ts";
import type { Transport } from "./transport.ts";
import type { ArticleSummary } from "./types.ts";

export interface MirrorOptions {
  store: ArticleStore;
  /** Only articles in this language; see `SyncOptions`. */
  lang?: string | undefined;
  /** Interval between updates in milliseconds. Default 1,000. An update without changes costs one 304. */
  intervalMs?: number | undefined;
  /** Called after each update that changed the copy, for example to render pages again. */
  onChange?: ((result: SyncResult) => void | Promise<void>) | undefined;
  /** Called when an update fails. The next one follows after `intervalMs`. */
  onError?: ((error: unknown) => void) | undefined;
}

/** Its functions work without the object, too. */
export class Mirror implements AsyncDisposable {
  readonly #transport: Transport;
  readonly #options: MirrorOptions;
  readonly #stop = new AbortController();
  #updating: Promise<SyncResult> | null = null;
  #updateAgain: Promise<SyncResult> | null = null;
  #loop: Promise<void> = Promise.resolve();

  private constructor(transport: Transport, options: MirrorOptions) {
    this.#transport = transport;
    this.#options = options;
  }

  /**
   * Waits for the first complete copy. A store that has one serves at once, even without the service. @throws RostrumError when
   * there is no copy and none can be made.
   */
  static async start(transport: Transport, options: MirrorOptions): Promise<Mirror> {
    const mirror = new Mirror(transport, options);
    if ((await options.store.state()) === null) await mirror.refresh();
    mirror.#loop = mirror.#follow();
    return mirror;
  }

  /** @returns null if the article is not published. */
  readonly get = async (id: string): Promise<StoredArticle | null> => await this.#options.store.get(id);

  readonly getBySlug = async (slug: string): Promise<StoredArticle | null> => await this.#options.store.getBySlug(slug);

  /** Newest first. */
  readonly list = async (query: StoredList = {}): Promise<{ articles: ArticleSummary[]; total: number }> =>
    await this.#options.store.list(query);

  /** Updates the copy now, for example when a webhook has arrived. It then includes everything that happened before the call. */
  readonly refresh = async (): Promise<SyncResult> => {
    if (this.#updating === null) return await this.#update();
    // An update under way may have begun before the change, so one more follows, shared by all who wait.
    this.#updateAgain ??= this.#updating
      .catch(() => undefined)
      .then(async () => {
        this.#updateAgain = null;
        return await this.#update();
      });
    return await this.#updateAgain;
  };

  /** Stops following the service. The copy stays in its store. */
  readonly close = async (): Promise<void> => {
    this.#stop.abort();
    await this.#loop;
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #update(): Promise<SyncResult> {
    const running = sync(this.#transport, this.#options.store, {
      lang: this.#options.lang,
      signal: this.#stop.signal,
    });
    this.#updating = running;
    try {
      const result = await running;
      if (result.changed.length > 0 || result.removed.length > 0) await this.#options.onChange?.(result);
      return result;
    } finally {
      this.#updating = null;
    }
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    const { intervalMs = 1000 } = this.#options;
    while (!signal.aborted) {
      try {
        await sleep(intervalMs, signal);
        await this.refresh();
      } catch (error) {
        if (!signal.aborted) this.#options.onError?.(error);
      }
    }
  }
}
