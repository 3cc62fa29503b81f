import type { Claim } from "../../store/webhooks/claims.ts";

/** What this worker has claimed and neither finished nor given back: as it knows it, which the store may not. */
export class HeldClaims {
  /** How many deliveries, by the token of their claim. */
  readonly #held = new Map<string, number>();
  /** Tokens of claims that are being committed. */
  readonly #coming = new Set<string>();

  get isEmpty(): boolean {
    return this.#held.size === 0 && this.#coming.size === 0;
  }

  /** A claim under this token is about to be made. */
  begin(token: string): void {
    this.#coming.add(token);
  }

  /** Registers the claims that were made; the others that were begun were not made, as far as is known. */
  made(claims: readonly Claim[]): void {
    for (const { token } of claims) this.#held.set(token, (this.#held.get(token) ?? 0) + 1);
    this.#coming.clear();
  }

  /** A delivery of the claim was finished, or given back. */
  end({ token }: Pick<Claim, "token">): void {
    const left = (this.#held.get(token) ?? 0) - 1;
    if (left > 0) this.#held.set(token, left);
    else this.#held.delete(token);
  }

  /** One that stands in the store and is not known here came true after its connection had been given up. */
  isKnown(token: string): boolean {
    return this.#held.has(token) || this.#coming.has(token);
  }
}
