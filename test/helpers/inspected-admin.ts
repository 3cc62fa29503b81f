import { buildAdmin } from "../../src/http/admin/admin.ts";
import type { Deps } from "../../src/operations/system/deps.ts";
import type { Database } from "../../src/store/store.ts";
import type { DashboardThread } from "../../src/http/admin/dashboard-thread.ts";
import { DashboardMetrics } from "../../src/http/operators/metrics.ts";
import { RequestIds } from "../../src/http/request.ts";
import { ReadModel } from "../../src/operations/articles/read-model/read-model.ts";

const NO_DASHBOARD_THREAD: DashboardThread = {
  request: () => Promise.reject(new Error("no long request is expected")),
  answerSender: () => Promise.reject(new Error("no sender is expected")),
  importFile: async function* () {},
  changeInBulk: async function* () {},
  stop: () => undefined,
};

/** The dashboard's API, whose routes are inspected, not requested. */
export function buildInspectedAdmin(deps: Deps & { store: Database }) {
  return buildAdmin({
    deps,
    readModel: new ReadModel({ store: deps.store, cacheBytes: 1_000, onChange: () => undefined }),
    disableAfter: 10,
    trashMs: null,
    metrics: new DashboardMetrics(),
    publicUrl: null,
    managementDescription: () => Buffer.alloc(0),
    dashboardThread: NO_DASHBOARD_THREAD,
    trace: null,
    requestIds: new RequestIds("test", null),
    uploads: new WeakSet(),
    log: { isVerbose: false, finished: () => undefined, failed: () => undefined },
    onError: () => undefined,
  });
}
