import type { Origin } from "../../domain/system/audit.ts";
import { findWebsite } from "../../store/system/websites.ts";
import { recordAudit } from "../system/audit.ts";
import type { Deps } from "../system/deps.ts";

/** Records a refusal, in the website's audit log if the website exists. `route`: `POST /articles/:id/publish`. */
export function recordRefusedAccess(
  deps: Pick<Deps, "store" | "clock" | "newId">,
  origin: Origin,
  targetKind: "account" | "token",
  route: string,
  websiteId: string | null,
): Promise<void> {
  return deps.store.write(
    async (db) => {
      const website = websiteId === null ? undefined : await findWebsite(db, websiteId);
      await recordAudit(db, deps, origin, {
        action: "access.refused",
        targetKind,
        targetId: origin.actor,
        websiteId: website?.id ?? null,
        detail: { route },
      });
    },
    { notify: false },
  );
}
