/**
 * Reads untrusted pictures in a child process (picture-worker.ts), one at a time, so that no picture delays readers or uses up the
 * service's memory. The process starts with the first picture and stops when it has been idle for some time.
 */
import { AppError } from "../domain/system/errors.ts";
import { FairQueue } from "../domain/system/fair-queue.ts";
import type { Child } from "../process/child.ts";
import type { InspectedPicture, PictureCalls, RenderRequest } from "./picture-worker.ts";
import { type ContentCounters, contentProcess, explainEnd, stopping } from "./processes.ts";

/** CPU time for one picture. */
const MAX_PICTURE_MS = 20_000;
/** Of one website. */
const MAX_WAITING = 32;
const HEAP_MB = 128;
/** Of the whole process: twice the pixels of the largest picture, with what a codec needs beside them. */
const MAX_RESIDENT_BYTES = 1_200 * 1024 * 1024;
const STOP_AFTER_IDLE_MS = 20_000;

export class PicturePool implements AsyncDisposable {
  readonly #child: Child<PictureCalls>;
  readonly #queue = new FairQueue({ capacity: 1, maxWaiting: MAX_WAITING });
  #isClosed = false;

  constructor(counters: ContentCounters) {
    this.#child = contentProcess({
      program: "picture-worker.ts",
      heapMb: HEAP_MB,
      maxResidentBytes: MAX_RESIDENT_BYTES,
      stopAfterIdleMs: STOP_AFTER_IDLE_MS,
      counters,
    });
  }

  /**
   * Writes the picture without its metadata to `cleaned`, which must not exist.
   *
   * @throws AppError `invalid` for a file that is not a picture or exceeds a limit; `too_expensive`, `busy`.
   */
  inspect(websiteId: string, path: string, cleaned: string): Promise<InspectedPicture> {
    return this.#run(websiteId, () => this.#child.ask("inspect", { path, cleaned }, { cpuMs: MAX_PICTURE_MS }));
  }

  /**
   * Writes a form of a picture to `target`, which must not exist: nothing, if this picture has none.
   *
   * @throws AppError `too_expensive`, `busy`.
   */
  render(websiteId: string, request: RenderRequest): Promise<void> {
    return this.#run(websiteId, () => this.#child.ask("render", request, { cpuMs: MAX_PICTURE_MS }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#child.stop();
  }

  async #run<T>(websiteId: string, ask: () => Promise<T>): Promise<T> {
    if (this.#queue.isFull(websiteId)) {
      throw new AppError("busy", "Too many pictures are being processed. Try again in a few seconds.");
    }
    using _turn = await this.#queue.enter(websiteId);
    if (this.#isClosed) throw stopping();
    try {
      return await ask();
    } catch (error) {
      throw explainEnd(error, (what) => `This picture takes too much ${what} to read. Make it smaller or simpler.`);
    }
  }
}
