/** A reporter for node:test: the file of every test that failed, a line each. A file may be named several times. */
import type { TestEvent } from "node:test/reporters";

export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type === "test:fail" && event.data.file !== undefined) yield `${event.data.file}\n`;
  }
}
