import { can, type Grant } from "./permissions.ts";

/** The websites that a person may grant access to: all of them, including future ones, or those with these ids. */
export type WebsiteScope = "every" | readonly string[];

/** The websites on which these grants allow managing members. */
export function managedScope(grants: readonly Grant[]): WebsiteScope {
  const managed = grants.filter(({ role }) => can(role, "members.manage")).map(({ websiteId }) => websiteId);
  return managed.includes(null) ? "every" : managed.filter((id) => id !== null);
}

/** `websiteId` is null for every website. */
export function covers(scope: WebsiteScope, websiteId: string | null): boolean {
  return scope === "every" || (websiteId !== null && scope.includes(websiteId));
}

/** Whether `scope` covers all that `other` covers. */
export function coversAll(scope: WebsiteScope, other: WebsiteScope): boolean {
  return other === "every" ? scope === "every" : other.every((id) => covers(scope, id));
}

/** The websites that both cover. */
export function intersection(one: WebsiteScope, other: WebsiteScope): WebsiteScope {
  if (one === "every") return other;
  return other === "every" ? one : one.filter((id) => other.includes(id));
}

/** The stored form: `*`, or ids separated by spaces. */
export function formatScope(scope: WebsiteScope): string {
  return scope === "every" ? "*" : scope.join(" ");
}

export function parseScope(text: string): WebsiteScope {
  return text === "*" ? "every" : text.split(" ").filter((id) => id !== "");
}
