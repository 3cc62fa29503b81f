import { runInNewContext } from "node:vm";
import { setFlagsFromString } from "node:v8";

/** V8's function that collects garbage, without the option `--expose-gc` on the command line. */
export function getCollector(): NonNullable<typeof globalThis.gc> {
  setFlagsFromString("--expose-gc");
  // The option has an effect on contexts that are created afterwards.
  return runInNewContext("gc") as NonNullable<typeof globalThis.gc>;
}
