import { runInNewContext } from "node:vm";
import { setFlagsFromString } from "node:v8";

/** V8's function that collects garbage, without the option `--expose-gc` on the command line. */
export function getCollector(): NonNullable<typeof globalThis.gc> {
  setFlagsFromString("--expose-gc");
  // The option has an effect on contexts that are created afterwards.
  return runInNewContext("gc") as NonNullable<typeof globalThis.gc>;
}

/**
 * Collects each young generation on the thread that uses it. Under load that happens some sixty times a second, and hardly anything
 * survives: waking V8's own thread to share the work made each read from memory 3 to 5 % dearer.
 */
export function collectYoungOnOneThread(): void {
  setFlagsFromString("--no-parallel-scavenge");
}
