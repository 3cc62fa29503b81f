import type { LongWork } from "../../src/http/admin/long-work.ts";

/** For a server whose routes are inspected, not requested. */
export const NO_LONG_WORK: LongWork = {
  request: () => Promise.reject(new Error("no long request is expected")),
  importFile: async function* () {},
  stop: () => undefined,
};
