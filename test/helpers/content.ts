import { ContentPool } from "../../src/content-processes/pool.ts";
import type { Prepare } from "../../src/operations/system/deps.ts";

/** Its processes end with this one. */
const pool = new ContentPool();

/** As an app does it, with the processes that all apps of a test file share: to start one takes most of a second of a core. */
export const prepare: Prepare = (websiteId, source, startedAt) => pool.prepare(websiteId, source, startedAt);
