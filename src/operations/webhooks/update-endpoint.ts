/** Changes an endpoint's settings, and checks URLs for endpoints. */
import type { Origin } from "../../domain/system/audit.ts";
import {
  checkCertificate,
  checkCoalesce,
  checkHeaders,
  parseEventKinds,
  parseWebhookDescription,
  parseWebhookName,
} from "../../domain/webhooks/endpoint-input.ts";
import { isEnabled } from "../../domain/webhooks/endpoint.ts";
import { AppError } from "../../domain/system/errors.ts";
import { retryAllNow } from "../../store/webhooks/delivery-queue.ts";
import { listEndpoints, saveHealth, saveSettings, type StoredEndpoint } from "../../store/webhooks/endpoints.ts";
import type { Deps } from "../system/deps.ts";
import {
  loadEndpointToChange,
  type NewEndpoint,
  recordEndpointChange,
  renewedHealth,
  sealHeaders,
} from "./endpoints.ts";
import { loadWebsite } from "../../store/system/websites.ts";
import { assertSameKey } from "../system/secret-check.ts";

/**
 * Waiting deliveries use the new URL and headers; retries are due at once, and failures forgotten: this may have fixed
 * them. A URL with another origin removes the saved headers, unless the change sets them again.
 * @throws AppError `not_found`; `invalid` for a URL that must not be called or a setting; `misconfigured`.
 */
export async function updateEndpoint(
  deps: Pick<Deps, "store" | "clock" | "newId" | "secrets" | "checkAddress">,
  id: string,
  change: Partial<NewEndpoint>,
  origin: Origin,
): Promise<StoredEndpoint> {
  const settings = await parseChange(deps, id, change);
  return deps.store.write(async (db) => {
    const before = await loadEndpointToChange(db, id);
    const after = { ...before, ...settings };
    // The headers were entered for another receiver, and may contain its secrets.
    if (settings.sealedHeaders === undefined && getOrigin(after.url) !== getOrigin(before.url))
      after.sealedHeaders = null;
    const fields = FIELDS.filter(([name]) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
    if (fields.length === 0) return before;
    await saveSettings(db, after);
    const detail = { fields: fields.map(([, field]) => field).join(", ") };
    await recordEndpointChange(db, deps, origin, "webhook.changed", after, detail);
    const isElsewhere = fields.some(([name]) => name === "url" || name === "sealedHeaders" || name === "ca");
    if (!isElsewhere || !isEnabled(after.state)) return after;
    const renewed = { ...after, ...renewedHealth(after, after.state) };
    await saveHealth(db, id, renewed);
    await retryAllNow(db, id, deps.clock());
    return renewed;
  });
}

function getOrigin(url: string): string {
  return new URL(url).origin;
}

type Settings = Pick<
  StoredEndpoint,
  "name" | "description" | "url" | "events" | "payload" | "coalesceMs" | "sealedHeaders" | "ca"
>;

/** Fields with the names that users know. */
const FIELDS = [
  ["name", "name"],
  ["description", "description"],
  ["url", "url"],
  ["events", "events"],
  ["payload", "payload"],
  ["coalesceMs", "coalesce_ms"],
  ["sealedHeaders", "headers"],
  ["ca", "ca"],
] as const satisfies readonly (readonly [keyof Settings, string])[];

async function parseChange(
  deps: Pick<Deps, "store" | "secrets" | "checkAddress">,
  id: string,
  { name, description, url, events, payload, coalesceMs, headers, ca }: Partial<NewEndpoint>,
): Promise<Partial<Settings>> {
  const settings: Partial<Settings> = {};
  if (name !== undefined) settings.name = parseWebhookName(name);
  if (description !== undefined) settings.description = parseWebhookDescription(description);
  if (events !== undefined) settings.events = parseEventKinds(events);
  if (payload !== undefined) settings.payload = payload;
  if (coalesceMs !== undefined) {
    checkCoalesce(coalesceMs);
    settings.coalesceMs = coalesceMs;
  }
  if (ca !== undefined) {
    if (ca !== null) checkCertificate(ca);
    settings.ca = ca;
  }
  if (headers !== undefined) {
    checkHeaders(headers);
    await assertSameKey(deps);
    settings.sealedHeaders = sealHeaders(deps, headers, id);
  }
  if (url !== undefined) settings.url = await deps.checkAddress(url);
  return settings;
}

/** Checks a URL. @returns `message`: why not, or a note; null: nothing to say. @throws AppError `not_found`. */
export async function checkEndpointAddress(
  deps: Pick<Deps, "store" | "checkAddress">,
  websiteId: string,
  text: string,
): Promise<{ isUsable: boolean; message: string | null }> {
  const others = await deps.store.read(async (db) => {
    await loadWebsite(db, websiteId);
    return listEndpoints(db, websiteId);
  });
  const given = text.trim();
  const better = withScheme(given);
  if (better !== null) {
    return { isUsable: false, message: `Begin the address with https://, as in ${better}.` };
  }
  try {
    const url = await deps.checkAddress(given);
    const isKnown = others.some((one) => one.url === url);
    return {
      isUsable: true,
      message: isKnown ? "Another webhook of this website sends there already." : plainNote(url),
    };
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid") return { isUsable: false, message: error.message };
    throw error;
  }
}

/** Adds the scheme missing from `example.com/hook`; null if it has one, or is no URL even with one. */
function withScheme(text: string): string | null {
  if (!/^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?(?:[/?]|$)/i.test(text)) return null;
  const url = `https://${text}`;
  return URL.canParse(url) ? url : null;
}

function plainNote(url: string): string | null {
  return url.startsWith("http:")
    ? "This address is not encrypted: others on the network can read what is sent. Use https:// where you can."
    : null;
}
