/** Records failing webhooks in the audit log, and notifies the website's owners. */
import { DELIVERY_ORIGIN } from "../../domain/system/audit.ts";
import type { RetryPolicy } from "../../domain/webhooks/delivery.ts";
import type { Health } from "../../domain/webhooks/endpoint.ts";
import { DAY_MS } from "../../domain/system/time.ts";
import { hasEntry } from "../../store/system/audit.ts";
import type { StoredEndpoint } from "../../store/webhooks/endpoints.ts";
import type { Writer } from "../../store/store.ts";
import { notify } from "../people/notifications.ts";
import { recordAudit } from "../system/audit.ts";
import type { Deps } from "../system/deps.ts";

/**
 * Call it in the transaction that changes the health. If a receiver fails on and off, its owners are told once a day
 * for each number of failures; that a webhook was disabled is always told, because somebody has enabled it in between.
 */
export async function recordHealthChange(
  db: Writer,
  deps: Pick<Deps, "clock" | "newId">,
  endpoint: Pick<StoredEndpoint, "id" | "websiteId" | "name" | "url">,
  health: Health,
  { disableAfter }: Pick<RetryPolicy, "disableAfter">,
): Promise<void> {
  const isDisabled = health.state === "disabled";
  const action = isDisabled ? "webhook.disabled" : "webhook.warned";
  // Only the host: the rest of the URL may contain a secret.
  const at = new URL(endpoint.url).host;
  const detail = isDisabled ? { at, reason: health.disabledReason } : { at, failures: health.consecutiveFailures };
  const isNew = isDisabled || !(await hasEntry(db, endpoint.id, { action, detail, since: deps.clock() - DAY_MS }));
  const { id: targetId, websiteId } = endpoint;
  const entry = { id: deps.newId(), at: deps.clock() };
  await recordAudit(db, deps, DELIVERY_ORIGIN, { action, targetKind: "webhook", targetId, websiteId, detail }, entry);
  if (!isNew) return;
  const name = endpoint.name === "" ? at : endpoint.name;
  const { consecutiveFailures: failures, lastError, disabledReason } = health;
  await notify(db, deps, {
    kind: "webhook_failing",
    websiteId,
    targetId,
    actor: DELIVERY_ORIGIN.actor,
    eventId: entry.id,
    to: "everybody",
    detail: isDisabled
      ? { host: name, isDisabled, text: disabledReason ?? "It failed too often." }
      : { host: name, failures, disableAfter, ...(lastError === null ? {} : { text: lastError }) },
  });
}
