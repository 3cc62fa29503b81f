import type { Claim } from "../../store/webhooks/claims.ts";

/** The leases that this worker holds, as far as it knows. The store may know of more. */
export class LeaseRegistry {
  /** Number of deliveries by claim token. */
  readonly #leases = new Map<string, number>();
  /** Tokens of claims that are being committed. */
  readonly #coming = new Set<string>();

  get isEmpty(): boolean {
    return this.#leases.size === 0 && this.#coming.size === 0;
  }

  /** Announces a claim under this token. */
  begin(token: string): void {
    this.#coming.add(token);
  }

  /**
   * Registers the claims that were made. Announced tokens without claims are dropped: as far as is known, those claims failed.
   */
  made(claims: readonly Claim[]): void {
    this.#coming.clear();
    for (const { token } of claims) this.#leases.set(token, (this.#leases.get(token) ?? 0) + 1);
  }

  /** Removes one delivery of the claim, which was finished or released. */
  end({ token }: Pick<Claim, "token">): void {
    const left = (this.#leases.get(token) ?? 0) - 1;
    if (left > 0) this.#leases.set(token, left);
    else this.#leases.delete(token);
  }

  /** Whether this worker knows the claim. An unknown one in the store was committed after its connection had been given up. */
  isKnown(token: string): boolean {
    return this.#leases.has(token) || this.#coming.has(token);
  }
}
