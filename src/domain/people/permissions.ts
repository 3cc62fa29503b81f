/** The table of who may do what. A membership covers one website or all; one's own account needs no permission. */
import { AppError } from "../system/errors.ts";

/** Each role includes the previous ones. */
export const ROLES = ["viewer", "editor", "approver", "owner"] as const;
export type Role = (typeof ROLES)[number];

export const ACTIONS = [
  "articles.read",
  /** Includes resolving comments. */
  "articles.comment",
  /** Includes draft copies. */
  "articles.edit",
  "articles.import",
  /** Includes requesting changes. */
  "articles.approve",
  /** Includes scheduling and unpublishing. */
  "articles.publish",
  /** Includes restoring. */
  "articles.delete",
  "keys.manage",
  "webhooks.manage",
  "website.manage",
  "members.manage",
  "audit.read",
] as const;
export type Action = (typeof ACTIONS)[number];

/** The lowest role that is allowed each action. */
const MIN_ROLE = {
  "articles.read": "viewer",
  "articles.comment": "editor",
  "articles.edit": "editor",
  "articles.import": "editor",
  "articles.approve": "approver",
  "articles.publish": "approver",
  "articles.delete": "approver",
  "keys.manage": "owner",
  "webhooks.manage": "owner",
  "website.manage": "owner",
  "members.manage": "owner",
  "audit.read": "owner",
} as const satisfies Record<Action, Role>;

export interface Grant {
  /** null for every website, including future ones. */
  websiteId: string | null;
  role: Role;
}

/** `role` is null for a person without any. */
export function can(role: Role | null, action: Action): boolean {
  return role !== null && rank(role) >= rank(MIN_ROLE[action]);
}

export function listPermissions(role: Role | null): Action[] {
  return ACTIONS.filter((action) => can(role, action));
}

/** The strongest role that the grants give on the website; if that is `null`, on every website. */
export function roleOn(grants: readonly Grant[], websiteId: string | null): Role | null {
  const ranks = grants
    .filter((grant) => grant.websiteId === null || grant.websiteId === websiteId)
    .map(({ role }) => rank(role));
  return ROLES[Math.max(-1, ...ranks)] ?? null;
}

/** @throws AppError `forbidden`. */
export function assertAllowed(grants: readonly Grant[], action: Action, websiteId: string | null): void {
  if (can(roleOn(grants, websiteId), action)) return;
  throw forbidden(action, websiteId === null ? " on every website" : " on this website");
}

/** For a request whose website is not known yet. @throws AppError `forbidden` when no grant allows the action. */
export function assertAllowedSomewhere(grants: readonly Grant[], action: Action): void {
  if (!grants.some(({ role }) => can(role, action))) throw forbidden(action, "");
}

function forbidden(action: Action, where: string): AppError {
  const least = MIN_ROLE[action];
  const role = least === "owner" ? "the role owner" : `the role ${least} or a higher one`;
  return new AppError("forbidden", `This requires ${role}${where}; ask an owner.`);
}

function rank(role: Role): number {
  return ROLES.indexOf(role);
}

export type WebsiteScope = "every" | readonly string[];

export function managedScope(grants: readonly Grant[]): WebsiteScope {
  const managed = grants.filter(({ role }) => can(role, "members.manage")).map(({ websiteId }) => websiteId);
  return managed.includes(null) ? "every" : managed.filter((id) => id !== null);
}

/** `websiteId` is null for every website. */
export function covers(scope: WebsiteScope, websiteId: string | null): boolean {
  return scope === "every" || (websiteId !== null && scope.includes(websiteId));
}

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
