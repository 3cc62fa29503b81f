/** Endpoints as shown to people: with their backlog and warnings, never with secrets. */
import type { Millis } from "../../domain/system/time.ts";
import { isEnabled } from "../../domain/webhooks/endpoint.ts";
import { describeWarning } from "../../domain/webhooks/endpoint-warning.ts";
import type { SecretBox } from "../../domain/system/secret-box.ts";
import { type EndpointLoad, measureLoads } from "../../store/webhooks/endpoint-backlog.ts";
import {
  listEndpoints,
  signingSecrets,
  type StoredEndpoint,
  type StoredSecret,
} from "../../store/webhooks/endpoints.ts";
import type { Snapshot } from "../../store/store.ts";
import type { Deps } from "../system/deps.ts";
import { loadEndpoint } from "./endpoints.ts";
import { loadWebsite } from "../../store/system/websites.ts";
import { tryLoadKey, opens } from "../system/secret-check.ts";

const MAX_COUNTED = 10_000;

export interface EndpointView extends EndpointLoad {
  endpoint: StoredEndpoint;
  /** Names of its custom headers; also empty if the available key does not open them. */
  headerNames: string[];
  /** Secrets that sign, newest first. */
  secrets: { createdAt: Millis; expiresAt: Millis | null }[];
  /** One or two sentences; null if there is nothing to check. */
  warning: string | null;
}

/** `disableAfter`: consecutive failures that disable an endpoint. */
type ViewDeps = Pick<Deps, "store" | "clock" | "secrets"> & { disableAfter: number };

export function viewEndpoints(deps: ViewDeps, websiteId: string): Promise<EndpointView[]> {
  return deps.store.read(async (db) => {
    await loadWebsite(db, websiteId);
    return viewAll(db, deps, await listEndpoints(db, websiteId));
  });
}

/** @throws AppError `not_found`. */
export function viewEndpoint(deps: ViewDeps, id: string): Promise<EndpointView> {
  return deps.store.read(async (db) => {
    const [view] = await viewAll(db, deps, [await loadEndpoint(db, id)]);
    if (view === undefined) throw new Error("there is a view of each endpoint");
    return view;
  });
}

/** The website's endpoints that need attention, oldest first, each with one or two sentences. */
export async function listWarnings(
  db: Snapshot,
  deps: Omit<ViewDeps, "store">,
  websiteId: string,
): Promise<{ endpoint: StoredEndpoint; warning: string }[]> {
  const endpoints = await listEndpoints(db, websiteId);
  if (endpoints.length === 0) return [];
  const now = deps.clock();
  const ids = endpoints.map(({ id }) => id);
  const [secrets, box] = [await signingSecrets(db, ids, now), tryLoadKey(deps)];
  return endpoints.flatMap((endpoint) => {
    const isOpen = areOpen(box, endpoint, secrets.get(endpoint.id) ?? []);
    const warning = describeWarning({ ...endpoint, isOpen }, deps.disableAfter, now);
    return warning === null ? [] : [{ endpoint, warning }];
  });
}

async function viewAll(db: Snapshot, deps: ViewDeps, endpoints: readonly StoredEndpoint[]): Promise<EndpointView[]> {
  const ids = endpoints.map(({ id }) => id);
  const now = deps.clock();
  const [secrets, loads] = await Promise.all([signingSecrets(db, ids, now), measureLoads(db, ids, MAX_COUNTED)]);
  const box = endpoints.length === 0 ? null : tryLoadKey(deps);
  return endpoints.map((endpoint) => {
    const { dueAt = null, ...load } = loads.get(endpoint.id) ?? { waiting: 0, parked: 0 };
    const live = secrets.get(endpoint.id) ?? [];
    const isOpen = areOpen(box, endpoint, live);
    return {
      ...load,
      endpoint,
      dueAt: !isEnabled(endpoint.state) || dueAt === null ? null : Math.max(dueAt, endpoint.notBefore),
      headerNames: isOpen && box !== null ? listHeaderNames(box, endpoint) : [],
      secrets: live.map(({ createdAt, expiresAt }) => ({ createdAt, expiresAt })),
      warning: describeWarning({ ...endpoint, isOpen }, deps.disableAfter, now),
    };
  });
}

function areOpen(box: SecretBox | null, { id, sealedHeaders }: StoredEndpoint, live: readonly StoredSecret[]): boolean {
  return (
    live.every(({ sealed }) => opens(box, sealed, id)) && (sealedHeaders === null || opens(box, sealedHeaders, id))
  );
}

function listHeaderNames(box: SecretBox, { id, sealedHeaders }: StoredEndpoint): string[] {
  // Sealed only by `sealHeaders`.
  return sealedHeaders === null ? [] : Object.keys(JSON.parse(box.open(sealedHeaders, id)) as Record<string, string>);
}
