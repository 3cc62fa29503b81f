import type { FindCommon } from "../../src/domain/people/common-passwords.ts";
import { findCommonPasswords, Passwords } from "../../src/operations/system/passwords.ts";

/** As in the product, which spends 40 ms of CPU time on each hash; a tenth of a millisecond. */
const CHEAP = { memoryKib: 64, passes: 1, lanes: 1 };

const found = new Map<string, ReturnType<FindCommon>>();

/** Caches the result for each set of texts: reading the list takes 0.1 s of CPU time. */
function findCommonOnce(texts: ReadonlySet<string>): ReturnType<FindCommon> {
  return found.getOrInsertComputed([...texts].join("\n"), () => findCommonPasswords(texts));
}

/** Checks and hashes like the product, at less cost. */
export function quickPasswords(randomBytes: (size: number) => Buffer): Passwords {
  return new Passwords(randomBytes, { cost: CHEAP, findCommon: findCommonOnce });
}
