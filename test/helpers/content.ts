import { PicturePool } from "../../src/content-processes/pictures.ts";
import { ContentPool } from "../../src/content-processes/pool.ts";
import { ContentCounters } from "../../src/content-processes/processes.ts";
import type { DeriveContent } from "../../src/operations/system/deps.ts";

/**
 * Processes that all apps and commands in this process share, as starting one takes a second of CPU time. They end with this
 * process.
 */
export const pools = { content: new ContentPool(), pictures: new PicturePool(new ContentCounters()) };

/** Prepares content as an app does. */
export const deriveContent: DeriveContent = (...args) => pools.content.deriveContent(...args);
