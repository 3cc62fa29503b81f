/** What the address says of this page, after `?`: whose entries are shown. */
export interface AuditSearch {
  /** `all`: of every website; absent: of the current one. */
  scope?: "all" | undefined;
}

export function validateSearch({ scope }: Record<string, unknown>): AuditSearch {
  return scope === "all" ? { scope } : {};
}
