/**
 * A node:test reporter that prints the file of each failed test on a line of its own; a file may be printed twice.
 *
 * A file that ran to its end is named by its summary, since a failed test has the file of the `test()` that declared it, which
 * may be a helper's. A file that ended early has no summary and fails as a test of its own.
 */
import type { TestEvent } from "node:test/reporters";

export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type === "test:summary" && !event.data.success && event.data.file !== undefined)
      yield `${event.data.file}\n`;
    if (event.type === "test:fail" && event.data.file?.endsWith(".test.ts") === true) yield `${event.data.file}\n`;
  }
}
