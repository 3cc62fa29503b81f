import { isoTime } from "../../../domain/system/time.ts";
import { listAudit } from "../../../operations/system/audit.ts";
import { auditEntryPage, auditParameters } from "../contract/audit.ts";
import { readCursor, writeCursor } from "../parameters.ts";
import type { Admin, AdminServer } from "../routes.ts";

const ENTRIES = 50;

export function auditRoutes(app: AdminServer, { deps }: Admin): void {
  const access = { may: "audit.read", on: "named" } as const;
  app.get(
    "/audit",
    { config: { access }, schema: { querystring: auditParameters, response: { 200: auditEntryPage } } },
    async ({ query }) => {
      const { entries, next } = await listAudit(deps, {
        websiteId: query.website_id ?? null,
        about: query.about ?? null,
        after: readCursor(query.cursor),
        limit: query.limit === undefined ? ENTRIES : Number(query.limit),
      });
      return {
        entries: entries.map((entry) => ({
          id: entry.id,
          at: isoTime(entry.at),
          actor: { id: entry.actor, name: entry.actorName, email: entry.actorEmail },
          address: entry.address,
          website_id: entry.websiteId,
          action: entry.action,
          target: { kind: entry.targetKind, id: entry.targetId },
          detail: entry.detail,
        })),
        next_cursor: writeCursor(next),
      };
    },
  );
}
