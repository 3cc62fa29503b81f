import type { ManagementErrorCode } from "../error-codes.ts";

/** A refusal with a status of its own; other refusals are errors of operations (explain-refusals.ts). */
export class Refusal extends Error {
  readonly status: number;
  readonly code: ManagementErrorCode;
  /** Further fields of the body. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly headers: Record<string, string>;

  constructor(
    status: number,
    code: ManagementErrorCode,
    message: string,
    facts: Refusal["facts"] = {},
    headers: Refusal["headers"] = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.facts = facts;
    this.headers = headers;
  }
}
