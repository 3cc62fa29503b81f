/** Work that continues after its response was sent. */
export class Background {
  readonly #onError: (error: unknown, message: string) => void;
  readonly #running = new Set<Promise<void>>();

  constructor(onError: (error: unknown, message: string) => void) {
    this.#onError = onError;
  }

  add(work: Promise<void>): void {
    const ended = work
      .catch((error: unknown) => this.#onError(error, "a sign-in could not be recorded"))
      .finally(() => this.#running.delete(ended));
    this.#running.add(ended);
  }

  async whenDone(): Promise<void> {
    await Promise.all(this.#running);
  }
}
