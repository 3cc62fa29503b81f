/** A token bucket: `rate` tokens a second, at most `burst` of them saved up. */
export class Bucket {
  readonly rate: number;
  readonly burst: number;
  /** Value of the header `RateLimit-Policy`. */
  readonly policy: string;
  #tokens: number;
  #filledAt: number;

  constructor(rate: number, burst: number, now: number) {
    this.rate = rate;
    this.burst = burst;
    this.policy = `"key";q=${burst};w=${Math.ceil(burst / rate)}`;
    this.#tokens = burst;
    this.#filledAt = now;
  }

  /** @returns whether a token was available. `now` in milliseconds. */
  take(now: number): boolean {
    this.#fill(now);
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  giveBack(): void {
    this.#tokens = Math.min(this.burst, this.#tokens + 1);
  }

  /** Value of the header `RateLimit`. */
  get state(): string {
    return `"key";r=${this.remaining};t=${this.resetSeconds}`;
  }

  get remaining(): number {
    return Math.floor(this.#tokens);
  }

  /** Whole seconds until the next token, at least 1. */
  get retryAfterSeconds(): number {
    return Math.max(1, Math.ceil((1 - this.#tokens) / this.rate));
  }

  /** Whole seconds until the bucket is full. */
  get resetSeconds(): number {
    return Math.ceil((this.burst - this.#tokens) / this.rate);
  }

  #fill(now: number): void {
    // A clock that was set back must not drain the bucket.
    const elapsed = Math.max(0, now - this.#filledAt);
    this.#tokens = Math.min(this.burst, this.#tokens + (elapsed * this.rate) / 1000);
    this.#filledAt = now;
  }
}
