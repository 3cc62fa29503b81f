/** Records failing webhooks in the audit log, and emails their owners if email is configured. */
import { DELIVERY_ORIGIN } from "../../domain/system/audit.ts";
import type { RetryPolicy } from "../../domain/webhooks/delivery.ts";
import type { Health } from "../../domain/webhooks/endpoint.ts";
import { disabledMail, failingMail, type WebhookFacts } from "../../domain/system/email.ts";
import { DAY_MS } from "../../domain/system/time.ts";
import { wasNoted } from "../../store/system/audit.ts";
import type { StoredEndpoint } from "../../store/webhooks/endpoints.ts";
import { listOwnerEmails } from "../../store/people/memberships.ts";
import type { Writer } from "../../store/store.ts";
import { recordAudit } from "../system/audit.ts";
import type { Deps } from "../system/deps.ts";
import { writeMails } from "../system/email-outbox.ts";
import { loadWebsite } from "../articles/article-persistence.ts";

type NoticeDeps = Pick<Deps, "clock" | "newId" | "secrets" | "mail">;

/**
 * Call it in the transaction that changes the health. If a receiver fails on and off, its owners are emailed once a day
 * for each number of failures; that a webhook was disabled is always emailed, because somebody has enabled it in between.
 */
export async function recordHealthChange(
  db: Writer,
  deps: NoticeDeps,
  endpoint: Pick<StoredEndpoint, "id" | "websiteId" | "url">,
  health: Health,
  { disableAfter }: Pick<RetryPolicy, "disableAfter">,
): Promise<void> {
  const isDisabled = health.state === "disabled";
  const action = isDisabled ? "webhook.disabled" : "webhook.warned";
  // Only the host: the rest of the URL may contain a secret.
  const at = new URL(endpoint.url).host;
  const detail = isDisabled ? { at, reason: health.disabledReason } : { at, failures: health.consecutiveFailures };
  const isNew = isDisabled || !(await wasNoted(db, endpoint.id, { action, detail, since: deps.clock() - DAY_MS }));
  const { id: targetId, websiteId } = endpoint;
  await recordAudit(db, deps, DELIVERY_ORIGIN, { action, targetKind: "webhook", targetId, websiteId, detail });
  if (deps.mail === null || !isNew) return;
  const { base } = deps.mail;
  const { name: websiteName } = await loadWebsite(db, websiteId);
  const facts: WebhookFacts = { base, websiteId, websiteName, webhookId: endpoint.id, url: endpoint.url };
  const { consecutiveFailures: failures, lastError, disabledReason } = health;
  const { subject, text } = isDisabled
    ? disabledMail(facts, disabledReason ?? "It failed too often.")
    : failingMail(facts, { failures, disableAfter, lastError });
  const owners = await listOwnerEmails(db, websiteId);
  await writeMails(
    db,
    deps,
    owners.map((to) => ({ to, subject, text })),
    { websiteId },
  );
}
