/** Reads untrusted pictures in child processes, one at a time for each website. They end when idle. */
import { AppError } from "../domain/system/errors.ts";
import { FairQueue } from "../domain/system/fair-queue.ts";
import type { Child } from "../process/child.ts";
import type { InspectedPicture, PictureCalls, RenderRequest } from "./picture-worker.ts";
import { type ContentCounters, contentProcess, explainEnd, stopping } from "./processes.ts";

/** CPU time for one picture. */
const MAX_PICTURE_MS = 20_000;
/** Time limit of a form: a photograph of 48 megapixels takes 2 s. */
const MAX_RENDITION_MS = 5_000;
const MAX_WAITING = 32;
/** The second runs only while two websites have pictures, so that one's do not delay another's. */
const MAX_PROCESSES = 2;
const HEAP_MB = 128;
/** Limit of the whole process: twice the pixels of the largest picture, and what a codec needs besides. */
const MAX_RESIDENT_BYTES = 1_200 * 1024 * 1024;
const STOP_AFTER_IDLE_MS = 20_000;

export class PicturePool implements AsyncDisposable {
  readonly #children: readonly Child<PictureCalls>[];
  /** Idle processes; the one used last is the last, and is used next. */
  readonly #idle: Child<PictureCalls>[];
  readonly #queue: FairQueue;
  #isClosed = false;

  constructor(counters: ContentCounters) {
    const options = {
      program: "picture-worker.ts",
      heapMb: HEAP_MB,
      maxResidentBytes: MAX_RESIDENT_BYTES,
      stopAfterIdleMs: STOP_AFTER_IDLE_MS,
      counters,
    } as const;
    this.#children = Array.from({ length: MAX_PROCESSES }, () => contentProcess(options));
    this.#idle = [...this.#children];
    this.#queue = new FairQueue({ capacity: MAX_PROCESSES, perKey: 1, maxWaiting: MAX_WAITING });
  }

  /** Writes the picture without metadata to a new file. @throws AppError `invalid`, `too_expensive`, `busy`. */
  inspect(websiteId: string, path: string, cleaned: string): Promise<InspectedPicture> {
    return this.#run(websiteId, (child) => child.ask("inspect", { path, cleaned }, { cpuMs: MAX_PICTURE_MS }));
  }

  /**
   * Writes a form of a picture to `target`, which must not exist; nothing for a picture without forms. `onStart` is
   * called when its turn has come. @throws AppError `too_expensive`, `busy`.
   */
  render(websiteId: string, request: RenderRequest, onStart?: () => void): Promise<void> {
    return this.#run(websiteId, (child) => {
      onStart?.();
      return child.ask("render", request, { cpuMs: MAX_RENDITION_MS });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#children.map((child) => child.stop()));
  }

  async #run<T>(websiteId: string, ask: (child: Child<PictureCalls>) => Promise<T>): Promise<T> {
    if (this.#queue.isFull(websiteId)) {
      throw new AppError("busy", "Too many pictures are being processed. Try again in a few seconds.");
    }
    using _turn = await this.#queue.enter(websiteId);
    if (this.#isClosed) throw stopping();
    const child = this.#idle.pop();
    if (child === undefined) throw new Error("no process is idle, though it is this picture's turn");
    try {
      return await ask(child);
    } catch (error) {
      throw explainEnd(error, (what) => `This picture takes too much ${what} to read. Make it smaller or simpler.`);
    } finally {
      this.#idle.push(child);
    }
  }
}
