import { AppError } from "../../domain/errors.ts";
import { isoTime } from "../../domain/time.ts";
import { listAudit } from "../../operations/audit.ts";
import type { AuditPlace } from "../../store/audit.ts";
import { auditPage, auditQuery } from "./contract/audit.ts";
import type { Admin, AdminServer } from "./routes.ts";

const ENTRIES = 50;

export function auditRoutes(app: AdminServer, { deps }: Admin): void {
  const access = { may: "audit.read", on: "named" } as const;
  app.get(
    "/audit",
    { config: { access }, schema: { querystring: auditQuery, response: { 200: auditPage } } },
    async ({ query }) => {
      const { entries, next } = await listAudit(deps, {
        websiteId: query.website_id ?? null,
        after: query.cursor === undefined ? null : readCursor(query.cursor),
        limit: query.limit === undefined ? ENTRIES : Number(query.limit),
      });
      return {
        entries: entries.map((entry) => ({
          id: entry.id,
          at: isoTime(entry.at),
          actor: { id: entry.actor, email: entry.actorEmail },
          address: entry.address,
          website_id: entry.websiteId,
          action: entry.action,
          target: { kind: entry.targetKind, id: entry.targetId },
          detail: entry.detail,
        })),
        next_cursor: next === null ? null : `${next.at}.${next.id}`,
      };
    },
  );
}

/** @throws AppError `invalid`. */
function readCursor(text: string): AuditPlace {
  const [, at, id] = /^(\d{1,15})\.([0-9a-f-]{36})$/.exec(text) ?? [];
  if (at === undefined || id === undefined) {
    throw new AppError("invalid", "cursor must be the next_cursor of an earlier page.", { field: "cursor" });
  }
  return { at: Number(at), id };
}
