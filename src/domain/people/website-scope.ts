import { can, type Grant } from "./permissions.ts";

/** The websites that somebody may give access to: all of them, those of the future too, or those with these ids. */
export type WebsiteScope = "every" | readonly string[];

/** Where these grants allow to manage members. */
export function managedScope(grants: readonly Grant[]): WebsiteScope {
  const managed = grants.filter(({ role }) => can(role, "members.manage")).map(({ websiteId }) => websiteId);
  return managed.includes(null) ? "every" : managed.filter((id) => id !== null);
}

/** `websiteId` null: every website. */
export function covers(scope: WebsiteScope, websiteId: string | null): boolean {
  return scope === "every" || (websiteId !== null && scope.includes(websiteId));
}

/** Whether `scope` covers all that `other` covers. */
export function coversAll(scope: WebsiteScope, other: WebsiteScope): boolean {
  return other === "every" ? scope === "every" : other.every((id) => covers(scope, id));
}

/** What both cover. */
export function intersection(one: WebsiteScope, other: WebsiteScope): WebsiteScope {
  if (one === "every") return other;
  return other === "every" ? one : one.filter((id) => other.includes(id));
}

/** As it is stored: `*`, or ids separated by spaces. */
export function formatScope(scope: WebsiteScope): string {
  return scope === "every" ? "*" : scope.join(" ");
}

export function parseScope(text: string): WebsiteScope {
  return text === "*" ? "every" : text.split(" ").filter((id) => id !== "");
}
