/**
 * What store/store.ts promises, held against an engine. `open` gives a store on a database of its own, and more stores on
 * the same database: to the first they are other processes.
 */
import { describe } from "node:test";
import type { TestStore } from "../../helpers/database.ts";
import { testFollowing } from "./conformance-node-sync.ts";
import { testLocks } from "./conformance-locks.ts";
import { testOrder } from "./conformance-order.ts";
import { testTransactions } from "./conformance-transactions.ts";
import { testValues } from "./conformance-values.ts";

/** `open`: its tables are this version's. Opened anew for each group. */
export function testStore(name: string, open: () => Promise<TestStore>): void {
  describe(name, () => {
    testTransactions(open);
    testLocks(open);
    testValues(open);
    testOrder(open);
    testFollowing(open);
  });
}
