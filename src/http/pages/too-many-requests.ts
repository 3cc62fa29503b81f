/** 429 for everything but the read API, which counts by key. */
export class TooManyTries extends Error {
  readonly statusCode = 429;
  readonly headers: Record<string, string>;

  constructor(seconds: number) {
    super(`Too many attempts: wait ${seconds} second${seconds === 1 ? "" : "s"}, then try again`);
    this.headers = { "Retry-After": String(seconds) };
  }
}
