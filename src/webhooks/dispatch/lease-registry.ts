import type { Claim } from "../../store/webhooks/claims.ts";

/** What this worker has claimed and neither finished nor given back: as it knows it, which the store may not. */
export class LeaseRegistry {
  /** How many deliveries, by the token of their claim. */
  readonly #leases = new Map<string, number>();
  /** Tokens of claims that are being committed. */
  readonly #coming = new Set<string>();

  get isEmpty(): boolean {
    return this.#leases.size === 0 && this.#coming.size === 0;
  }

  /** A claim under this token is about to be made. */
  begin(token: string): void {
    this.#coming.add(token);
  }

  /** Registers the claims that were made; the others that were begun were not made, as far as is known. */
  made(claims: readonly Claim[]): void {
    for (const { token } of claims) this.#leases.set(token, (this.#leases.get(token) ?? 0) + 1);
    this.#coming.clear();
  }

  /** A delivery of the claim was finished, or given back. */
  end({ token }: Pick<Claim, "token">): void {
    const left = (this.#leases.get(token) ?? 0) - 1;
    if (left > 0) this.#leases.set(token, left);
    else this.#leases.delete(token);
  }

  /** One that stands in the store and is not known here came true after its connection had been given up. */
  isKnown(token: string): boolean {
    return this.#leases.has(token) || this.#coming.has(token);
  }
}
