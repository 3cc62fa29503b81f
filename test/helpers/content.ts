import { ContentPool } from "../../src/content-processes/pool.ts";
import type { DeriveContent } from "../../src/operations/system/deps.ts";

/** The pool's processes end with this one. */
const pool = new ContentPool();

/**
 * Prepares content as an app does, in processes that all apps of a test file share: starting one takes most of a second of CPU
 * time.
 */
export const deriveContent: DeriveContent = (...args) => pool.deriveContent(...args);
