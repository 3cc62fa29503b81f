/**
 * A node:test reporter that prints the file of each failed test on a line of its own; a file may be printed twice.
 *
 * A file that ran to its end is named by its summary, since a failed test has the file of the `test()` that declared it, which
 * may be a helper's. A file that ended early has no summary and fails as a test of its own. A file that shares its process with
 * others (tools/test.ts) is a suite with its name.
 */
import { resolve } from "node:path";
import type { TestEvent } from "node:test/reporters";

export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type === "test:summary" && !event.data.success && event.data.file?.endsWith(".test.ts") === true)
      yield `${event.data.file}\n`;
    if (event.type !== "test:fail") continue;
    if (event.data.nesting === 0 && event.data.name.endsWith(".test.ts")) yield `${resolve(event.data.name)}\n`;
    else if (event.data.file?.endsWith(".test.ts") === true) yield `${event.data.file}\n`;
  }
}
