/**
 * Reads untrusted pictures in a child process (picture-worker.ts), one at a time, so that no picture delays readers or uses up the
 * service's memory. The process starts with the first picture and stops when it has been idle for some time.
 */
import { AppError } from "../domain/system/errors.ts";
import { FairQueue } from "../domain/system/fair-queue.ts";
import type { ContentCounters } from "./counters.ts";
import type { FromContentProcess, InspectedPicture, RenderRequest, ToContentProcess } from "./messages.ts";
import { ContentProcess, Overrun } from "./process.ts";

/** CPU time for one picture. */
const MAX_PICTURE_MS = 20_000;
/** Of one website. */
const MAX_WAITING = 32;
const HEAP_MB = 128;
/** Of the whole process: twice the pixels of the largest picture, with what a codec needs beside them. */
const MAX_RESIDENT_MB = 1_200;
const STOP_AFTER_IDLE_MS = 20_000;

export class PicturePool implements AsyncDisposable {
  readonly #counters: ContentCounters;
  #process: ContentProcess | undefined;
  /** Websites take turns. */
  readonly #turns = new FairQueue({ capacity: 1, maxWaiting: MAX_WAITING });
  readonly #pending = new Set<Promise<unknown>>();
  #isClosed = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(counters: ContentCounters) {
    this.#counters = counters;
  }

  /**
   * Writes the picture without its metadata to `cleaned`, which must not exist.
   *
   * @throws AppError `invalid` for a file that is not a picture or exceeds a limit; `too_expensive`, `busy`.
   */
  async inspect(websiteId: string, path: string, cleaned: string): Promise<InspectedPicture> {
    const answer = await this.#ask(websiteId, { type: "inspect", path, cleaned });
    if (answer.type !== "inspected") throw new Error(`a picture's process answered with ${answer.type}`);
    return answer.picture;
  }

  /**
   * Writes a form of a picture to `target`, which must not exist: nothing, if this picture has none.
   *
   * @throws AppError `too_expensive`, `busy`.
   */
  async render(websiteId: string, request: RenderRequest): Promise<void> {
    await this.#ask(websiteId, { type: "render", request });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    await this.#stop();
    await Promise.allSettled(this.#pending);
  }

  async #ask(websiteId: string, message: ToContentProcess): Promise<FromContentProcess> {
    if (this.#turns.isFull(websiteId)) {
      throw new AppError("busy", "Too many pictures are being processed. Try again in a few seconds.");
    }
    const work = this.#turns.run(websiteId, () => this.#askNow(message));
    this.#pending.add(work);
    try {
      return await work;
    } finally {
      this.#pending.delete(work);
    }
  }

  async #askNow(message: ToContentProcess): Promise<FromContentProcess> {
    clearTimeout(this.#idle);
    if (this.#isClosed)
      throw new AppError("service_unavailable", "The service is stopping. Try again in a few seconds.");
    if (this.#process?.isGone !== false) {
      this.#process = new ContentProcess({
        program: "picture-worker.ts",
        heapMb: HEAP_MB,
        residentMb: MAX_RESIDENT_MB,
        counters: this.#counters,
      });
    }
    try {
      return await this.#process.ask(message, MAX_PICTURE_MS);
    } catch (error) {
      if (!(error instanceof Overrun)) throw error;
      throw new AppError(
        "too_expensive",
        `This picture takes too much ${error.what} to read. Make it smaller or simpler.`,
        {
          cause: error,
        },
      );
    } finally {
      this.#idle = setTimeout(() => void this.#stop(), STOP_AFTER_IDLE_MS).unref();
    }
  }

  async #stop(): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    await process?.[Symbol.asyncDispose]();
  }
}
