/** What the dashboard's API is built with, and where it is. */
import type { Socket } from "node:net";
import type { ReadModel } from "../../operations/articles/read-model/read-model.ts";
import type { Deps, PollingDeps } from "../../operations/system/deps.ts";
import type { DashboardMetrics } from "../operators/metrics.ts";
import type { RequestTracer } from "../connection/trace-requests.ts";
import type { RequestIds, RequestLog } from "../request.ts";
import type { DashboardThread } from "./dashboard-thread.ts";

export const ADMIN_PREFIX = "/dashboard/api/";
export const MANAGEMENT_PREFIX = "/api/management/";
/** The whole path of agents' tools. */
export const AGENTS_PATH = "/mcp";

/** Of what services push here in formats of their own. */
export const SENDERS_PREFIX = "/senders/";

/** Why the dashboard's API stops, if another process serves at the same address. */
export const REPLACED = "replaced";

/** Header of requests that the dashboard's thread gets: their id in the log and in responses. */
export const REQUEST_ID = "x-rostrum-request-id";

export function isAgents(url: string): boolean {
  return url === AGENTS_PATH || url.startsWith(`${AGENTS_PATH}?`);
}

export interface AdminOptions {
  deps: Deps & PollingDeps;
  /** What readers see; lists of articles are read from it. */
  readModel: ReadModel;
  /** Consecutive failures that disable a webhook. */
  disableAfter: number;
  /** How long articles stay in the trash; null: forever. */
  trashMs: number | null;
  dashboardThread: DashboardThread;
  /** Connections with an upload in progress, which are exempt from the request timeout. */
  uploads: WeakSet<Socket>;
  /** The URL at which clients reach the service, if it is known. */
  publicUrl: string | null;
  metrics: DashboardMetrics;
  /** The OpenAPI description of the management API. */
  managementDescription: () => Buffer;
  /** Null: no traces are exported. */
  trace: RequestTracer | null;
  log: RequestLog;
  requestIds: RequestIds;
  /** Reports failures after the response was sent. */
  onError: (error: unknown, message: string) => void;
}
